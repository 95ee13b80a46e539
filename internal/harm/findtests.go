package harm

import (
	"path"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
)

// findTests is an expression of find.
type findTests struct {
	terms    []shell.Term
	maxDepth int
	minDepth int
}

// newFindTests reads the two tests that hold for the whole expression, wherever they
// stand; the last of each counts.
func newFindTests(terms []shell.Term) *findTests {
	f := &findTests{terms: terms, maxDepth: maxBelow}
	for _, t := range terms {
		switch t.Name {
		case "-maxdepth":
			f.maxDepth = depth(t.Value, maxBelow)
		case "-mindepth":
			f.minDepth = depth(t.Value, 0)
		}
	}
	return f
}

func depth(w shell.Word, otherwise int) int {
	if n, err := strconv.Atoi(w.Value); err == nil && w.Known {
		return n
	}
	return otherwise
}

func (f *findTests) tooDeep(below string) bool { return strings.Count(below, "/") >= f.maxDepth }

// may reports whether find may pass on a file or a directory.
func (f *findTests) may(start, below string, dir bool) bool {
	if depth := strings.Count(below, "/"); depth > f.maxDepth || depth < f.minDepth {
		return false
	}
	if f.holds(below, dir) {
		return true
	}
	return below == "" && f.holds("/"+path.Base(start), dir) // "." has two names
}

func (f *findTests) holds(below string, dir bool) bool {
	e := findExpression{terms: f.terms, below: below, dir: dir, live: true}
	switch passes := e.or().may; {
	case e.lost:
		return true
	case e.actions:
		return e.acted
	default:
		return passes
	}
}

// answer says whether a test may hold, and whether it must.
type answer struct{ may, must bool }

// findExpression is what is left of an expression, asked of one file.
type findExpression struct {
	terms []shell.Term
	below string
	dir   bool // it is a directory
	live  bool // find may come as far as the next term

	actions bool // some term is an action, so that find does nothing else
	acted   bool // find may come as far as one of them
	lost    bool // a term is not known, and what find makes of those behind it
}

// at reports whether the next term is of a name.
func (e *findExpression) at(names ...string) bool {
	for _, name := range names {
		if len(e.terms) > 0 && e.terms[0].Name == name {
			return true
		}
	}
	return false
}

func (e *findExpression) or() answer {
	live := e.live
	a := e.and()
	for e.at("-o", "-or", ",") {
		comma := e.at(",")
		e.terms = e.terms[1:]
		e.live = live && (comma || !a.must)
		b := e.and()
		a = answer{a.may || b.may, (a.must || b.must) && !comma}
	}
	e.live = live
	return a
}

func (e *findExpression) and() answer {
	a := answer{true, true}
	for len(e.terms) > 0 && !e.at("-o", "-or", ",", ")") {
		if e.at("-a", "-and") {
			e.terms = e.terms[1:]
			continue
		}
		b := e.term()
		a = answer{a.may && b.may, a.must && b.must}
		e.live = e.live && b.may
	}
	return a
}

func (e *findExpression) term() answer {
	t := e.terms[0]
	e.terms = e.terms[1:]
	switch t.Name {
	case "!", "-not":
		if len(e.terms) == 0 {
			return answer{may: true}
		}
		a := e.term()
		return answer{!a.must, !a.may}
	case "(":
		a := e.or()
		if len(e.terms) > 0 {
			e.terms = e.terms[1:]
		}
		return a
	case "-false":
		return answer{}
	case "-print", "-print0", "-printf", "-ls", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0",
		"-fprintf", "-fls", "-delete":
		e.actions, e.acted = true, e.acted || e.live
		return answer{may: true}
	case "":
		e.lost = true
	}
	if !t.Value.Known {
		return answer{may: true}
	}
	return e.test(t.Name, t.Value.Value)
}

// test is a test of a value that is known.
func (e *findExpression) test(name, value string) answer {
	base := path.Base(e.below)
	plain := !strings.ContainsAny(value, `[\?`) && paths.IsASCII(value) && paths.IsASCII(base)
	switch name {
	case "-name", "-iname":
		ok, _ := path.Match(value, base)
		return answer{paths.MayPass(name+" "+value, base), ok && plain}
	case "-path", "-wholename", "-ipath":
		return answer{true, plain && strings.HasPrefix(value, "*/") && globAcross(value[1:], e.below)}
	case "-type":
		switch directories := strings.Contains(value, "d"); {
		case e.dir && directories:
			return answer{true, true}
		case e.dir || value == "d":
			return answer{}
		}
	}
	return answer{may: true}
}

// globAcross matches as find -path does: a star goes across slashes.
func globAcross(glob, text string) bool {
	parts := strings.Split(glob, "*")
	if !strings.HasPrefix(text, parts[0]) && !strings.Contains(text, parts[0]) {
		return false
	}
	text = text[strings.Index(text, parts[0])+len(parts[0]):]
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(text, part)
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return text == ""
}
