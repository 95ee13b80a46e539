package shell

import (
	"cmp"
	"errors"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// nested walks a text found inside the command: the argument of sh -c or of eval, a
// here-document that a shell reads. wrapper is what runs it.
func (a *analysis) nested(source string, in state, wrapper string) {
	switch {
	case a.limits.depth >= maxTexts:
		a.out.unknown(PartWords, source, "this nests more than 8 texts in each other")
		return
	case grammar.Malformed(source) != "":
		a.out.unknown(PartWords, source, "this runs a text that holds "+grammar.Malformed(source))
		return
	case grammar.Exceeded(source) != "":
		a.limits.over = grammar.Exceeded(source)
		return
	}
	src, lang, command := a.now.src, a.now.lang, a.out.command
	if other := grammar.Shell(wrapper); wrapper != "eval" && wrapper != "trap" {
		a.now.lang = other
	}
	a.now.src = source
	a.out.wrappers = append(a.out.wrappers, wrapper)
	a.limits.depth++
	file, err := grammar.As(source, a.now.lang)
	switch {
	case errors.Is(err, grammar.ErrDeep):
		a.limits.over = grammar.ErrDeep.Error()
	case err != nil:
		a.out.unread(source)
		a.out.unknown(PartWords, source, "this does not parse: "+grammar.Fault(err))
	default:
		a.whole(file.Stmts, in)
	}
	a.limits.depth--
	a.out.wrappers = a.out.wrappers[:len(a.out.wrappers)-1]
	a.now.src, a.now.lang, a.out.command = src, lang, command
}

// script reports that a file is run.
func (a *analysis) script(w word, inv *invocation) {
	switch {
	case w.known && (w.text == "-" || w.text == "/dev/stdin"):
		a.standardInput(inv)
	case w.known && harmlessDevice(w.text) && w.text != "/dev/null":
		a.out.does(Run, "", inv.raw)
		a.out.unknown(PartWords, inv.raw, "this runs unread text from a pipe or a file")
	default:
		if name, ok := a.machine.absolute(w, inv.st); ok && w.glob == 0 {
			a.out.defined(name)
		}
		w.raw = inv.raw
		a.out.path(Run, w, inv.st, 0)
	}
}

// standardInput reports an interpreter that runs what it is fed.
func (a *analysis) standardInput(inv *invocation) {
	if s, ok := a.machine.sheet(inv.name); ok && inv.in.kind == fromText && inv.in.text.known {
		switch {
		case s.is.Has(ShellProgram):
			a.nested(inv.in.text.text, inv.st, inv.name)
			a.out.unknown(PartWords, inv.raw, "this feeds a text to "+inv.name)
			return
		case s.interprets:
			a.out.runsCode(inv, inv.in.text)
			return
		}
	}
	switch inv.in.kind {
	case fromFile:
		if w := inv.in.text; !w.known || !harmlessDevice(w.text) || w.text == "/dev/null" {
			a.script(w, inv)
			return
		}
	case inherited:
		a.out.does(Run, "standard input", inv.raw)
		return
	}
	a.out.unread(a.now.src) // what feeds it may be written there
	a.out.does(Run, "standard input", inv.raw)
	a.out.unknown(PartWords, inv.raw, "this makes "+inv.name+" run unread text from a pipe or a file")
}

// sift follows the expression of find, to tell whether what it deletes or hands over was picked out.
type sift struct {
	begun   bool   // there was a test, an operator or an action
	picks   string // the test of this alternative that picks, as in Effect.Picked
	flat    bool   // -maxdepth 1
	not     bool   // the next test is negated
	loose   bool   // an earlier alternative has no such test, or a group is negated
	deletes string // what picks for -delete
}

// term takes one operator, test or action of find's expression, with its argument.
func term(u *use, name string, value word) {
	s := &u.sift
	s.begun = s.begun || len(name) != 2 && !strings.HasPrefix(name, "-O")
	switch name {
	case "!", "-not":
		s.not = true
		return
	case "(", ",":
		s.loose = s.loose || s.not || name == ","
	case "-o", "-or":
		s.loose, s.picks = s.loose || s.picks == "", ""
	case "-delete":
		s.deletes = s.picked()
	case "-maxdepth":
		s.flat = value.text == "1"
	default:
		if s.flat && name == "-type" && value.text == "f" {
			name, value.text = "-maxdepth", "1"
		}
		if !s.not && picks(name, value) {
			s.picks = cmp.Or(strings.TrimSpace(name+" "+value.text), "...")
		}
	}
	s.not = false
}

// picks reports whether a test leaves most files out: what has a type, or any age or size, may be almost everything.
func picks(name string, value word) bool {
	text := value.text
	switch name {
	case "", "-empty", "-samefile", "-maxdepth": // find fails on an unknown test
		return true
	case "-name", "-iname":
		literal := strings.NewReplacer("*", "", "?", "").Replace(text)
		return value.known && !value.many && !strings.ContainsAny(text, `[\`) && (len(literal) > 1 || literal == "~")
	case "-user", "-group":
		return text != "root" && text != "wheel" && strings.Trim(text, "+-0") != ""
	case "-perm":
		return strings.Trim(text, "01234567") == "" && strings.Trim(text, "0") != ""
	case "-mtime", "-atime", "-ctime", "-size": // of more than nine days, or a hundred of the larger units
		return strings.HasPrefix(text, "+") && (len(text) > len("+99M") || len(text) > len("+9") && name != "-size")
	}
	return false
}

// picked is the test that picks what comes next, "" for none.
func (s *sift) picked() string {
	if s.loose {
		return ""
	}
	return s.picks
}
