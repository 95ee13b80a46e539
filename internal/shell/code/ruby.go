package code

import "strings"

// ruby proves a program of Ruby.
//
// Ruby lets any method be called by name, and reads a slash, a bracket or a
// sign by what it knows of the word before. So only a part is read: words are
// local variables that were assigned before, or functions of a list; methods
// are of a list whatever they are called on, as the values that a program can
// reach are data; and where a blank would decide how Ruby reads on, nothing is
// proven. Methods that are given the name of another one (inject, &:name) take
// it from the list, as a constant.
func ruby(source string, env Env) Facts {
	p := rbParser{src: source, env: env, locals: " ", libraries: " "}
	if !env.RubyTold {
		p.fail("the options of ruby are not read")
	}
	for _, name := range env.RubyUse {
		p.library(name)
	}
	if fault := rbForm(source); fault != "" {
		p.stop(fault)
	}
	p.statements("")
	if !p.stopped && p.pos < len(p.src) {
		p.stop("it cannot be read")
	}
	return Facts{Proven: p.why == "", Why: p.why, Effects: p.effects, Imports: p.imports}
}

// rbForm says what a text holds that changes how all of it is read: besides
// what Perl has, an encoding, and bytes that some encodings join with a
// backslash.
func rbForm(source string) string {
	if fault := plForm(source); fault != "" {
		return fault
	}
	for i := 0; i+1 < len(source); i++ {
		if source[i] >= 0x80 && source[i+1] == '\\' {
			return "a backslash may be part of a character"
		}
	}
	if strings.Contains(source, "coding") && strings.Contains(source, "#") {
		return "it may name an encoding"
	}
	return ""
}

type rbParser struct {
	src       string
	pos       int
	env       Env
	why       string
	stopped   bool
	effects   []Effect
	imports   []string
	locals    string // names that are assigned or bound, between blanks
	libraries string
	depth     int
	steps     int
}

func (p *rbParser) fail(why string) {
	if p.why == "" {
		p.why = why
	}
}

func (p *rbParser) stop(why string) {
	p.fail(why)
	p.stopped = true
	p.pos = len(p.src)
}

func (p *rbParser) deeper() bool {
	p.depth++
	p.steps++
	if p.depth > maxDepth || p.steps > maxNodes {
		p.stop("it is too long")
	}
	return !p.stopped
}

func (p *rbParser) at(i int) byte {
	if p.pos+i < len(p.src) {
		return p.src[p.pos+i]
	}
	return 0
}

func (p *rbParser) has(text string) bool { return strings.HasPrefix(p.src[p.pos:], text) }

func (p *rbParser) skip(n int) { p.pos = min(p.pos+n, len(p.src)) }

// blanks skips blanks in a line, and reports whether there were any.
func (p *rbParser) blanks() bool {
	start := p.pos
	for p.at(0) == ' ' || p.at(0) == '\t' {
		p.pos++
	}
	return p.pos > start
}

// gaps skips what may stand between statements, and behind an operator.
func (p *rbParser) gaps(set string) {
	for {
		p.blanks()
		switch c := p.at(0); {
		case c == '#':
			for p.at(0) != '\n' && p.at(0) != 0 {
				p.pos++
			}
		case c != 0 && strings.IndexByte(set, c) >= 0:
			p.pos++
		default:
			return
		}
	}
}

func (p *rbParser) word() string {
	end := p.pos
	if nameStart(p.at(0)) {
		for end < len(p.src) && nameByte(p.src[end]) {
			end++
		}
	}
	return p.src[p.pos:end]
}

// keyword skips one of the words of a list.
func (p *rbParser) keyword(list string) string {
	p.blanks()
	word := p.word()
	if c := p.at(len(word)); word == "" || !among(word, list) || c == '?' || c == '!' || c == ':' && p.at(len(word)+1) != ':' {
		return ""
	}
	p.skip(len(word))
	return word
}

func (p *rbParser) expect(text string) {
	p.gaps("\n")
	if p.stopped || !p.has(text) {
		p.stop("it cannot be read")
		return
	}
	p.skip(len(text))
}

// library notes a library that is loaded: those that come with Ruby and only
// bring functions.
func (p *rbParser) library(name string) {
	if !among(name, " json yaml psych set date time digest pp securerandom base64 fileutils ") {
		p.fail("it loads " + name)
	}
	p.imports = append(p.imports, name)
	p.libraries += name + " "
}

// bind makes a name a local variable.
func (p *rbParser) bind(name string) {
	if among(name, rbReserved+rbFunctions) || name == "" || name[0] >= 'A' && name[0] <= 'Z' || name[0] < 'A' {
		p.stop("it assigns to " + name)
	}
	p.locals += name + " "
}

// statements reads to one of the closing words or brackets of a list.
func (p *rbParser) statements(end string) {
	for !p.stopped {
		p.gaps("\n;")
		if p.at(0) == 0 || p.at(0) == '}' || end != "" && among(p.word(), end) {
			return
		}
		p.statement()
		p.blanks()
		if c := p.at(0); c != 0 && c != '\n' && c != ';' && c != '#' && c != '}' && !among(p.word(), " end else elsif ") {
			p.stop("it cannot be read")
		}
	}
}

func (p *rbParser) statement() {
	if !p.deeper() {
		return
	}
	defer func() { p.depth-- }()
	switch p.keyword(" if unless require ") {
	case "if", "unless":
		p.condition()
	case "require":
		if n := p.primary(); n.op == "text" {
			p.library(n.text)
		} else {
			p.stop("it loads what is not known")
		}
	default:
		if p.assignment(true) == nil {
			p.expression()
		}
	}
	for p.keyword(" if unless and or ") != "" {
		p.expression()
	}
}

// condition reads what follows if.
func (p *rbParser) condition() {
	p.expression()
	p.keyword(" then ")
	p.statements(" end else elsif ")
	for p.keyword(" elsif ") != "" {
		p.expression()
		p.keyword(" then ")
		p.statements(" end else elsif ")
	}
	if p.keyword(" else ") != "" {
		p.statements(" end ")
	}
	p.expect("end")
	if nameByte(p.at(0)) {
		p.stop("it cannot be read")
	}
}

// expression reads operands with operators between them. How tightly those
// bind does not matter to what a program can do.
func (p *rbParser) expression() *node {
	if !p.deeper() {
		return &node{op: "other"}
	}
	defer func() { p.depth-- }()
	if n := p.assignment(false); n != nil {
		return n
	}
	p.blanks()
	for p.at(0) == '!' && p.at(1) != '=' && p.at(1) != '~' || p.at(0) == '-' && p.at(1) >= '0' && p.at(1) <= '9' || p.keyword(" not ") != "" {
		if p.at(0) == '!' || p.at(0) == '-' {
			p.skip(1)
		}
		p.blanks()
	}
	n := p.primary()
	for !p.stopped {
		op := p.operator()
		if op == "" {
			return n
		}
		if op == "?" {
			p.expression()
			p.gaps("\n")
			if p.at(0) != ':' || p.at(1) != ' ' {
				p.stop("it cannot be read")
			}
			p.skip(1)
		}
		p.gaps("\n")
		p.expression()
		n = &node{op: "ops"}
	}
	return n
}

// assignment reads an assignment to a local variable: a = 1, a += 1; to
// several (a, b = x) only where a statement begins.
func (p *rbParser) assignment(several bool) *node {
	p.blanks()
	at := p.pos
	var names []string
	for {
		p.blanks()
		word := p.word()
		p.skip(len(word))
		p.blanks()
		if word == "" || word[0] >= 'A' && word[0] <= 'Z' {
			break
		}
		names = append(names, word)
		if p.at(0) == ',' && several {
			p.skip(1)
			continue
		}
		if len(names) > 1 && (p.at(0) != '=' || p.at(1) == '=') {
			break
		}
		for op := range strings.FieldsSeq("||= &&= += -= *= /= <<= **= %= =") {
			if p.has(op) && p.at(len(op)) != '=' && p.at(len(op)) != '~' && p.at(len(op)) != '>' {
				p.skip(len(op))
				for _, name := range names {
					p.bind(name)
				}
				p.gaps("\n")
				p.expression()
				return &node{op: "ops"}
			}
		}
		break
	}
	if !p.stopped {
		p.pos = at
	}
	return nil
}

// operator takes the operator that follows. Blanks must stand on both sides,
// or on none, so that it is no sign and begins nothing.
func (p *rbParser) operator() string {
	at := p.pos
	before := p.blanks()
	for op := range strings.FieldsSeq("<=> === ** == =~ != !~ >= <= && || ... .. << + - * / % < > ?") {
		if !p.has(op) {
			continue
		}
		after := p.at(len(op))
		if before != (after == ' ' || after == '\n') || op == "?" && !before || op == "<<" && !before || strings.IndexByte("=~<>&|*!", after) >= 0 && after != 0 {
			p.stop("it can be read in two ways")
			return ""
		}
		p.skip(len(op))
		return op
	}
	p.pos = at
	return ""
}
