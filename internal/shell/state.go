package shell

import "mvdan.cc/sh/v3/syntax"

// state is what is known between two commands of a shell. It is a value:
// copying it is how a subshell or a branch starts.
type state struct {
	dir       string // absolute; "" is not known
	vars      *binding
	funcs     *function
	args      []word // positional parameters
	argsKnown bool
	zero      value // $0
	gone      bool  // the shell has ended: nothing comes after
}

// binding is one assignment; the newest for a name counts.
type binding struct {
	name string
	value
	list  []word // elements of an array, where array is set
	array bool
	unset bool
	depth int
	prev  *binding
}

type function struct {
	name  string
	body  *syntax.Stmt
	src   string // the text that body's positions refer to
	where spot
	maybe bool // defined on one branch only
	prev  *function
}

// value is a string of which something is known.
type value struct {
	// text is the value if known, else its constant beginning.
	text  string
	known bool
	// glob is one more than the index of the first character of text that is
	// an unquoted glob; 0 where there is none. The value then is one of the
	// names that text matches.
	glob int
	// numeric: not known, but an integer.
	numeric bool
	// from and to bound the commands that print it, where all of it is printed
	// by commands; equal where it is not.
	from, to int
	// given: it is what the standard input of the whole line holds.
	given bool
}

func constant(s string) value { return value{text: s, known: true} }

func (s state) lookup(name string) *binding {
	for b := s.vars; b != nil; b = b.prev {
		if b.name == name {
			return b
		}
	}
	return nil
}

func (s state) function(name string) *function {
	for f := s.funcs; f != nil; f = f.prev {
		if f.name == name {
			return f
		}
	}
	return nil
}

func (s state) set(b binding) state {
	b.prev = s.vars
	b.depth = 1
	if s.vars != nil {
		b.depth = s.vars.depth + 1
	}
	s.vars = &b
	return s
}

func (s state) assign(name string, v value) state {
	return s.set(binding{name: name, value: v})
}

// child is what another shell knows at its start: no functions, and of the
// variables only PATH, since which of the others are exported is not followed.
func (s state) child() state {
	path := s.lookup("PATH")
	s.funcs, s.vars, s.zero = nil, nil, value{}
	if path != nil {
		s = s.assign("PATH", path.value)
	}
	return s
}

// merge returns what holds after either a or b.
func merge(a, b state) state {
	switch {
	case a.gone:
		return b
	case b.gone:
		return a
	}
	out := a
	if a.zero != b.zero {
		out.zero = value{}
	}
	if a.dir != b.dir {
		out.dir = ""
	}
	if a.argsKnown != b.argsKnown || len(a.args) != len(b.args) {
		out.args, out.argsKnown = nil, false
	}
	if a.vars != b.vars {
		out = mergeVars(out, a, b)
	}
	if a.funcs != b.funcs {
		out = mergeFunctions(out, a, b)
	}
	return out
}

// mergeVars keeps what is bound alike on both sides and forgets the rest.
func mergeVars(out, a, b state) state {
	x, y := a.vars, b.vars
	var names []string
	for x != y {
		if depthOf(x) >= depthOf(y) {
			names = append(names, x.name)
			x = x.prev
		} else {
			names = append(names, y.name)
			y = y.prev
		}
	}
	out.vars = x
	for _, name := range names {
		p, q := a.lookup(name), b.lookup(name)
		if p != nil && q != nil && p.value == q.value && !p.array && !q.array && p.unset == q.unset {
			out = out.assign(name, p.value)
			continue
		}
		numeric := p != nil && q != nil && p.isNumber() && q.isNumber()
		out = out.assign(name, value{numeric: numeric})
	}
	return out
}

func depthOf(b *binding) int {
	if b == nil {
		return 0
	}
	return b.depth
}

func (v value) isNumber() bool {
	if !v.known {
		return v.numeric
	}
	for i := 0; i < len(v.text); i++ {
		if c := v.text[i]; (c < '0' || c > '9') && (c != '-' || i > 0) {
			return false
		}
	}
	return v.glob == 0
}

// mergeFunctions keeps every function of either side; those that are not the
// same on both may or may not exist.
func mergeFunctions(out, a, b state) state {
	if b.funcs == nil {
		out.funcs = maybes(a.funcs, nil)
		return out
	}
	out.funcs = maybes(b.funcs, maybes(a.funcs, nil))
	return out
}

func maybes(f, onto *function) *function {
	if f == nil {
		return onto
	}
	onto = maybes(f.prev, onto)
	return &function{name: f.name, body: f.body, src: f.src, where: f.where, maybe: true, prev: onto}
}
