package code

import "strings"

// perl proves a program of Perl 5.10 or later.
//
// Perl cannot be read without running it: what a slash or a brace means
// depends on what came before, and on the functions that are declared. So only
// a part is read in which that is never in doubt; a word, a variable, a
// delimiter or a place for a slash that is not listed ends the proof. What is
// left can call nothing but functions of a list, and reach no variable that
// changes what Perl itself does: a name that is worked out (a symbolic
// reference) would, so what is dereferenced must be a reference, or is only
// read.
//
// Perl opens the names in @ARGV in a way that runs commands and writes files;
// whoever asks has to look at them if an effect Arguments says so.
func perl(source string, env Env) Facts {
	p := plParser{src: env.Perl.wrap(source), env: env, modified: map[string]bool{}, given: map[string]int{}, opened: map[string]bool{}, subs: map[string]bool{}, imported: " "}
	p.say = env.Perl.Say
	switch {
	case !env.Perl.Told:
		p.fail("the options of perl are not read")
	case env.Perl.Split != "":
		p.split(env.Perl.Split)
	}
	p.argv = env.Perl.Loop
	if fault := plForm(source); fault != "" {
		p.stop(fault)
	}
	for _, text := range env.Perl.Use {
		p.useText(text)
	}
	p.statements(false)
	if !p.stopped && p.pos < len(p.src) {
		p.stop("it cannot be read")
	}
	p.settle()
	if p.argv {
		p.effect(Arguments, "", true)
	}
	return Facts{Proven: p.why == "", Why: p.why, Effects: p.effects, Imports: p.imports}
}

// Perl is what the options of perl say. The zero value knows nothing.
type Perl struct {
	Told  bool     // all options are known, and there are none but these
	Loop  bool     // -n: for every line that is read
	Print bool     // -p
	Say   bool     // -E
	Split string   // -F
	Use   []string // -M, as the statement use has it
}

// wrap is the program as perl runs it: between the lines of the loop, which
// its own braces may leave.
func (o Perl) wrap(source string) string {
	switch {
	case o.Print:
		return "while(<>){" + source + "\n;}continue{print}"
	case o.Loop:
		return "while(<>){" + source + "\n;}"
	}
	return source
}

// plForm says what a text holds that changes how all of it is read.
func plForm(source string) string {
	for i := 0; i < len(source); i++ {
		if c := source[i]; c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return "it holds a control character"
		}
	}
	first := strings.TrimLeft(source, " \t\n:")
	pod := "\n" + source
	for i := 0; i+2 < len(pod); i++ {
		if pod[i] == '\n' && pod[i+1] == '=' && nameStart(pod[i+2]) {
			return "it holds documentation"
		}
	}
	if strings.HasPrefix(first, "#!") {
		return "its first line holds options"
	}
	return ""
}

type plParser struct {
	src     string
	pos     int
	env     Env
	stopped bool
	why     string
	effects []Effect
	imports []string
	depth   int
	steps   int

	say    bool // the function is known here
	strict bool // references must be such here
	argv   bool // it reads the files that its arguments name

	named    bool            // it uses the list of its arguments
	modified map[string]bool // scalars that are assigned to, by name
	opened   map[string]bool // scalars that hold a file, by name
	lines    []string        // scalars that are read from as files
	given    map[string]int  // the least depth at which a container gets values that may be names
	derefs   []plDeref
	loops    []plLoop
	aliased  bool   // a loop may change what it runs over
	imported string // functions of modules
	subs     map[string]bool
	calls    []string
}

// plLoop is a variable that stands for one after another of some values.
type plLoop struct {
	name string
	over []*node
}

// plDeref is one place where a value is taken for a reference.
type plDeref struct {
	n      *node
	sigil  byte
	key    string // of a hash
	known  bool   // the key is
	write  bool
	strict bool
}

// fail says why the program is not proven. Reading goes on, for the effects.
func (p *plParser) fail(why string) {
	if p.why == "" {
		p.why = why
	}
}

// stop ends reading: what follows might be read as what it is not.
func (p *plParser) stop(why string) {
	p.fail(why)
	p.stopped = true
	p.pos = len(p.src)
}

func (p *plParser) effect(kind Kind, name string, known bool, words ...string) {
	for _, e := range p.effects {
		if e.Kind == kind && e.Name == name && e.Known == known && len(e.Words)+len(words) == 0 {
			return
		}
	}
	p.effects = append(p.effects, Effect{Kind: kind, Name: name, Known: known, Words: words})
}

// deeper bounds nesting and work; whoever calls it subtracts the depth again.
func (p *plParser) deeper() bool {
	p.depth++
	p.steps++
	if p.depth > maxDepth || p.steps > maxNodes {
		p.stop("it is too long")
	}
	return !p.stopped
}

// settle decides what only the whole program tells.
func (p *plParser) settle() {
	for _, l := range p.loops {
		p.aliased = p.aliased || p.modified[l.name] && !plCopies(l.over)
	}
	for _, name := range p.lines {
		if !p.opened[name] || p.modified[name] || p.aliased {
			p.argv = true
		}
	}
	if p.argv && p.named {
		p.fail("it works on the list of files that it reads")
	}
	for _, name := range p.calls {
		if !p.subs[name] {
			p.fail("it uses " + name)
		}
	}
	for _, d := range p.derefs {
		p.dereferenced(d)
	}
}

// dereferenced checks a value that is taken for a reference. A text would be
// taken for the name of a variable.
func (p *plParser) dereferenced(d plDeref) {
	switch {
	case d.strict:
	case p.container(d.n):
		if p.aliased {
			p.fail("it may use a variable by a name that is worked out")
		}
	case d.write, d.sigil == '%' && !d.known, p.aliased:
		p.fail("it may use a variable by a name that is worked out")
	case d.sigil == '%':
		p.effect(Secret, d.key, true)
	}
}

// plCopies reports whether a loop over values runs over copies of them.
func plCopies(over []*node) bool {
	for _, n := range over {
		switch {
		case n.op == "text", n.op == "string", n.op == "number", n.op == "match", n.op == "anon":
		case n.op == "call" && among(n.text, " keys split join sprintf lc uc "):
		case (n.op == "list" || n.op == "call" && among(n.text, " sort reverse grep ")) && plCopies(n.kids):
		default:
			return false
		}
	}
	return true
}

// container reports whether a value of a named array or hash can only be a
// reference: nothing else is put there.
func (p *plParser) container(n *node) bool {
	depth, name := rootOf(n)
	least, given := p.given[name]
	return depth > 0 && name != "" && (!given || least > depth)
}

// rootOf is how deep an element lies below a named array or hash.
func rootOf(n *node) (depth int, name string) {
	for n.op == "elem" {
		depth++
		n = n.kids[0]
		if n.op == "deref" {
			n = n.kids[0]
		}
	}
	if n.op == "array" || n.op == "hash" {
		return depth, n.op + n.text
	}
	return 0, ""
}

// puts records that values which may be names are put into a container.
func (p *plParser) puts(n *node, below int) {
	if n.op == "deref" {
		n = n.kids[0]
	}
	depth, name := rootOf(n)
	depth += below
	if least, ok := p.given[name]; name != "" && (!ok || depth < least) {
		p.given[name] = depth
	}
}

// plDenied are variables that change what Perl does, by name and whatever
// their kind.
const plDenied = " ENV INC SIG ARGV ARGVOUT ISA STDIN STDOUT STDERR DATA AUTOLOAD OVERLOAD EXPORT EXPORT_OK "

// lvalue checks what is assigned to or changed. values is what is assigned,
// nil where that is not known.
func (p *plParser) lvalue(n, value *node) {
	switch n.op {
	case "scalar":
		if len(n.text) == 1 && !nameStart(n.text[0]) && strings.IndexByte(`/\,"|;`, n.text[0]) < 0 || among(n.text, plDenied) || n.text != "" && n.text[0] >= '0' && n.text[0] <= '9' {
			p.fail("it changes $" + n.text)
		}
		p.modified[n.text] = true
	case "array", "hash":
		if among(n.text, plDenied) {
			p.fail("it changes " + n.text)
		}
		if value == nil || value.op != "number" && (value.op != "list" || len(value.kids) > 0) {
			p.puts(n, 1)
		}
	case "elem", "slice":
		p.element(n, value)
	case "deref":
		p.derefs = append(p.derefs, plDeref{n: n.kids[0], sigil: n.text[0], write: true, strict: p.strict})
		p.puts(n.kids[0], 1)
	case "my", "list":
		for _, k := range n.kids {
			p.lvalue(k, value)
		}
	case "assign":
		p.lvalue(n.kids[0], nil)
	case "undef":
	default:
		p.fail("it changes what is not read")
	}
}

// element checks an element that is assigned to.
func (p *plParser) element(n, value *node) {
	base := n.kids[0]
	switch {
	case base.op == "deref":
		p.derefs = append(p.derefs, plDeref{n: base.kids[0], sigil: base.text[0], write: true, strict: p.strict})
	case among(base.text, plDenied), base.text == "_" && base.op == "array":
		p.fail("it changes " + base.text)
	}
	switch {
	case value == nil:
	case value.op == "anon":
		p.puts(n, 1)
		return
	case value.op == "number" || value.op == "counted":
		return // it names nothing
	}
	if n.op == "slice" {
		p.puts(n.kids[0], 1)
		return
	}
	p.puts(n, 0)
}

// split checks -F: what is between slashes or quotes becomes code.
func (p *plParser) split(text string) {
	if strings.IndexByte(`/'"`, text[0]) < 0 {
		return
	}
	q := plParser{src: text}
	raw, inner := q.quoted()
	if q.stopped || q.pos != len(text) {
		p.fail("it splits lines by more than a pattern")
		return
	}
	p.pattern(raw, inner)
}
