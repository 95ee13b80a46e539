package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// justfile is what is read of a justfile: a plain subset of the language of
// just. Anything else outside the recipes makes it unreadable as a whole, since
// a line anywhere can change what a recipe runs.
type justfile struct {
	dir     string // of the file, where recipes run
	vars    []justVariable
	recipes []justRecipe
	aliases []justAlias
	first   string // the recipe that just takes by itself
	shell   []string
	silent  bool // lines that begin with # are not run
	steps   int  // values looked up so far
}

type justVariable struct {
	name     string
	value    []justToken
	exported bool
}

type justAlias struct{ name, target string }

type justRecipe struct {
	name   string
	params []justParam
	before []justNeed
	after  []justNeed
	body   []recipeLine
	stays  bool // [no-cd]: runs where just was called
	odd    bool // what it runs is not read
}

type justParam struct {
	name  string
	value []justToken // its default, nil where it has none
	many  byte        // '+' or '*' where it takes all that is left
}

// justNeed is a recipe that another one needs, with arguments.
type justNeed struct {
	name string
	args [][]justToken
}

// justCall is a call of just.
type justCall struct {
	words []string
	lists bool // prints of the justfile, and runs nothing
	odd   bool // options or arguments that are not followed
	far   bool // even the justfile is not known
}

// justRecipes walks the recipes that just would run.
func (a *analysis) justRecipes(inv *invocation) (done bool) {
	c := justArguments(inv.args)
	if c.far || slices.ContainsFunc(a.env.Ambient, func(name string) bool { return strings.HasPrefix(name, "JUST_") }) {
		a.define("just", "")
		return false
	}
	file, ok := a.findJustfile(inv.st.dir)
	if !ok {
		return false
	}
	real, data, ok := a.defined(file)
	if !ok {
		return false
	}
	if c.lists && !a.throughLinks(file) {
		a.path(Read, word{value: constant(file), raw: inv.raw}, inv.st, 0)
		return true
	}
	j := justfile{dir: path.Dir(file)}
	plain := !c.odd && !a.throughLinks(file) && a.settledFile(real) && len(data) <= grammar.MaxBytes && a.afford(string(data)) && j.parse(string(data))
	mark := a.mark()
	if r := (justRun{analysis: a, file: &j, name: file, inv: inv}); plain && r.all(c.words) {
		return true
	}
	a.rollback(mark)
	a.justNames(j.dir, string(data))
	a.namedFiles(j.dir, []string{string(data)}, 0)
	return false
}

// justArguments reads the arguments. Behind the first that is no option, all
// are the recipes' own.
func justArguments(args []word) (c justCall) {
	for i, w := range args {
		switch {
		case !w.known || w.many || w.glob > 0:
			c.odd, c.far = true, c.far || len(c.words) == 0
		case len(c.words) > 0:
			c.odd = c.odd || w.text == "--"
			c.words = append(c.words, w.text)
		case slices.Contains([]string{"-l", "--list", "--summary", "--dump", "--variables", "--groups", "-s", "--show"}, w.text):
			c.lists = true
		case slices.Contains([]string{"-q", "--quiet", "-v", "-vv", "--verbose", "--yes", "--one", "--unstable", "-u", "--unsorted"}, w.text):
		case strings.HasPrefix(w.text, "-") || w.text == "":
			c.odd = true
			c.far = c.far || !strings.HasPrefix(w.text, "--") || justPlaces(w.text)
		case w.text == "." || w.text == ".." || strings.ContainsAny(w.text, "/:="):
			c.odd, c.far = true, true // another justfile, a module, a variable
		default:
			c.words = append(c.words, args[i].text)
		}
	}
	return c
}

// justPlaces recognises options after which another justfile counts, or
// something besides recipes runs.
func justPlaces(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	switch name {
	case "--dry-run", "--no-dotenv", "--no-highlight", "--highlight", "--timestamp", "--time", "--explain", "--no-deps", "--clear-shell-args", "--evaluate":
		return false
	}
	return true
}

// findJustfile finds the file that just reads: in the directory or the
// nearest above, whatever the case of its name. Several are an error.
func (a *analysis) findJustfile(dir string) (file string, ok bool) {
	dir, err := view.Resolve(a.env.Files, dir)
	if err != nil {
		return "", false
	}
	for range maxClimbed {
		names, err := a.env.Files.List(dir, 4096)
		if err != nil {
			a.define(below(dir, "justfile"), "")
			return "", false
		}
		for _, name := range [...]string{"justfile", ".justfile"} {
			a.watches(watched{path: below(dir, name), command: a.command, folded: true})
		}
		found := slices.DeleteFunc(names, func(n string) bool {
			return !strings.EqualFold(n, "justfile") && !strings.EqualFold(n, ".justfile")
		})
		for _, name := range found {
			file = below(dir, name)
			if len(found) > 1 {
				a.defined(file)
			}
		}
		if len(found) > 0 {
			return file, len(found) == 1
		}
		if dir == "/" {
			break
		}
		dir = path.Dir(dir)
	}
	return "", false
}

// justNames records the files that a justfile takes in by import and mod.
func (a *analysis) justNames(dir, text string) {
	for line := range strings.Lines(text) {
		verb, rest, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(line), "?", " "), " ")
		if verb != "import" && verb != "mod" {
			continue
		}
		name, quoted, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if verb == "import" {
			name, quoted = "", rest
		}
		list := []string{name + ".just", name + "/mod.just", name + "/justfile", name + "/.justfile"}
		if at := strings.IndexAny(quoted, `'"`); at >= 0 {
			named, _, _ := strings.Cut(quoted[at+1:], quoted[at:at+1])
			list = []string{named, named + "/mod.just", named + "/justfile", named + "/.justfile"}
		}
		for _, n := range list {
			if file := below(dir, n); a.isFile(file) {
				a.defined(file)
			}
		}
	}
}

// justRun is one call of just, on one file.
type justRun struct {
	*analysis
	file *justfile
	name string
	inv  *invocation
	ran  []string
}

// all runs the recipes that the words name, each with as many arguments as it
// takes.
func (r *justRun) all(words []string) bool {
	for _, v := range r.file.vars {
		text, known, ok := r.file.evaluate(v.value, nil, 0)
		if !ok {
			return false
		}
		if v.exported {
			if variables.Of(v.name) == variables.BreaksShell {
				return false
			}
			r.exported(v.name, value{text: text, known: known}, v.name, nil)
		}
	}
	if len(words) == 0 {
		words = []string{r.file.first}
	}
	for len(words) > 0 {
		p := r.file.find(words[0])
		if p == nil {
			return false
		}
		n := min(len(p.params), len(words)-1)
		if k := len(p.params); k > 0 && p.params[k-1].many != 0 {
			n = len(words) - 1
		}
		if !r.recipe(p, words[1:1+n], 0) {
			return false
		}
		words = words[1+n:]
	}
	return true
}

// recipe runs one recipe: what it needs, its body, what comes after it. The
// same with the same arguments runs once.
func (r *justRun) recipe(p *justRecipe, args []string, depth int) bool {
	key := strings.Join(append([]string{p.name}, args...), "\x00")
	if slices.Contains(r.ran, key) {
		return true
	}
	if r.ran = append(r.ran, key); p.odd || depth > maxScripts*4 || len(r.ran) > 256 {
		return false
	}
	bound, ok := r.file.bind(p, args)
	return ok && r.needs(p.before, bound, depth) && r.body(p, bound) && r.needs(p.after, bound, depth)
}

func (r *justRun) needs(list []justNeed, bound []justVariable, depth int) bool {
	for _, n := range list {
		p := r.file.find(n.name)
		if p == nil {
			return false
		}
		var args []string
		for _, tokens := range n.args {
			text, known, ok := r.file.evaluate(tokens, bound, 0)
			if !ok || !known {
				return false
			}
			args = append(args, text)
		}
		if !r.recipe(p, args, depth+1) {
			return false
		}
	}
	return true
}

// bind gives the parameters of a recipe their values.
func (j *justfile) bind(p *justRecipe, args []string) (bound []justVariable, ok bool) {
	for _, param := range p.params {
		v := justVariable{name: param.name}
		switch {
		case len(args) > 0 && param.many != 0:
			v.value, args = justText(strings.Join(args, " ")), nil
		case len(args) > 0:
			v.value, args = justText(args[0]), args[1:]
		case param.value != nil:
			text, known, ok := j.evaluate(param.value, bound, 0)
			if !ok || !known {
				return nil, false
			}
			v.value = justText(text)
		case param.many == '*':
			v.value = justText("")
		default:
			return nil, false
		}
		bound = append(bound, v)
	}
	return bound, len(args) == 0
}

func justText(s string) []justToken { return []justToken{{kind: justString, text: s}} }

func (j *justfile) find(name string) *justRecipe {
	for _, al := range j.aliases {
		if al.name == name {
			name = al.target
			break
		}
	}
	for i := range j.recipes {
		if j.recipes[i].name == name {
			return &j.recipes[i]
		}
	}
	return nil
}

// body runs the lines of a recipe: each in a shell of its own, or all of them
// as a script if the first says by what.
func (r *justRun) body(p *justRecipe, bound []justVariable) bool {
	dir := r.file.dir
	if p.stays {
		dir = r.inv.st.dir
	}
	st := state{dir: dir}
	if b := r.inv.st.lookup("PATH"); b != nil {
		st = st.assign("PATH", b.value)
	}
	if len(p.body) > 0 && strings.HasPrefix(p.body[0].text, "#!") {
		return r.script(p, bound, st)
	}
	langs := r.justShell(st)
	for i := 0; i < len(p.body); i++ {
		number := p.body[i].line
		if r.file.silent && strings.HasPrefix(p.body[i].text, "#") {
			continue
		}
		text, n, ok := r.file.joined(p.body[i:], bound)
		if i += n - 1; !ok || langs == nil {
			return false
		}
		if text == "" {
			continue
		}
		if !r.readText(passage{file: r.name, key: r.name + "#" + p.name, text: text, langs: langs, line: number}, st, r.inv) {
			return false
		}
	}
	return true
}

// script runs a body that begins with #! as a file of its own.
func (r *justRun) script(p *justRecipe, bound []justVariable, st state) bool {
	var b strings.Builder
	for _, l := range p.body {
		text, ok := r.file.interpolate(l.text, bound)
		if !ok {
			return false
		}
		b.WriteString(text + "\n")
	}
	langs := r.shebang(b.String(), st)
	above := strings.Repeat("\n", p.body[0].line-1) // so that lines are counted as in the file
	return langs != nil && r.readText(passage{file: r.name, key: r.name + "#" + p.name, text: above + b.String(), langs: langs}, st, r.inv)
}

// justShell returns the grammars of the shell that runs lines, nil where it is
// none that is read.
func (r *justRun) justShell(st state) []syntax.LangVariant {
	name, flags := "sh", []string(nil)
	if r.file.shell != nil {
		name, flags = r.file.shell[0], r.file.shell[1:]
		if name == "/usr/bin/env" && len(flags) > 0 && grammar.Identifier(flags[0]) {
			name, flags = flags[0], flags[1:]
		}
		switch strings.Join(flags, " ") {
		case "-c", "-cu", "-uc", "-ec", "-ce", "-euc", "-ceu", "-cue", "-eu -c", "-e -c", "-u -c", "-e -u -c", "-euo pipefail -c", "-eu -o pipefail -c", "-eo pipefail -c", "-o pipefail -c", "-e -u -o pipefail -c", "-uo pipefail -c":
		default:
			return nil
		}
	}
	if strings.Contains(name, "/") && !path.IsAbs(name) || r.suspect(name, st) {
		return nil
	}
	return grammar.Shells(path.Base(name))
}

// joined is one command of a body: a line, and those that it goes on in. n says
// how many they are.
func (j *justfile) joined(lines []recipeLine, bound []justVariable) (text string, n int, ok bool) {
	for n < len(lines) {
		line := lines[n].text
		if n > 0 {
			if line = strings.TrimLeft(line, " \t"); line != "" && (line[0] < ' ' || line[0] >= 0x80) {
				return "", 1, false // more kinds of blanks are taken off
			}
		}
		piece, ok := j.interpolate(line, bound)
		if !ok {
			return "", 1, false
		}
		text += piece
		if n++; !strings.HasSuffix(line, `\`) {
			break
		}
		text = text[:len(text)-1]
	}
	return text[justSigils(lines[0].text):], n, true
}

// justSigils is how many bytes before a line only say how it is run: one @ and
// one - at most.
func justSigils(line string) (n int) {
	for n < len(line) && n < 2 && (line[n] == '@' || line[n] == '-') && (n == 0 || line[n] != line[0]) {
		n++
	}
	return n
}

// interpolate replaces what stands in double braces. Four open braces stand
// for two.
func (j *justfile) interpolate(line string, bound []justVariable) (string, bool) {
	var b strings.Builder
	for line != "" {
		at := strings.Index(line, "{{")
		if at < 0 {
			b.WriteString(line)
			break
		}
		b.WriteString(line[:at])
		if line = line[at:]; strings.HasPrefix(line, "{{{{") {
			b.WriteString("{{")
			line = line[4:]
			continue
		}
		tokens, rest, ok := justTokens(line[2:], true)
		if !ok {
			return "", false
		}
		text, known, ok := j.evaluate(tokens, bound, 0)
		if !ok || !known || b.Len()+len(text) > grammar.MaxBytes {
			return "", false
		}
		b.WriteString(text)
		line = rest
	}
	return b.String(), true
}
