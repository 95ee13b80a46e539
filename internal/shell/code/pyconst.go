package code

import (
	"path"
	"strings"
)

// consts works out the texts that an expression may be, if they are constant.
// It looks at what is written only, so that a name counts where exactly one
// place in the program binds it.
func (c *pyChecker) consts(n *node) (texts []string, ok bool) {
	c.depth++
	c.steps++
	defer func() { c.depth-- }()
	if c.depth > 4*maxDepth || c.steps > 2*maxNodes {
		return nil, false
	}
	switch n.op {
	case "text":
		return []string{n.text}, true
	case "string":
		return joined(c.consts, n.kids, "")
	case "field":
		if len(n.kids) == 1 {
			return c.consts(n.kids[0])
		}
	case "ops":
		switch n.text {
		case " + ":
			return joined(c.consts, n.kids, "")
		case " / ":
			return c.slashed(n.kids)
		}
	case "either":
		return c.union(n.kids[1:])
	case "name":
		b := c.bound[n.text]
		if b == nil || b.count != 1 || b.from == nil {
			return nil, false
		}
		switch b.how {
		case "is":
			return c.consts(b.from)
		case "each":
			return c.elements(b.from)
		}
	case "call":
		return c.calledConsts(n)
	case "index":
		return c.argument(n)
	}
	return nil, false
}

func (c *pyChecker) union(kids []*node) (texts []string, ok bool) {
	for _, k := range kids {
		more, ok := c.consts(k)
		if !ok {
			return nil, false
		}
		texts = append(texts, more...)
	}
	return texts, len(texts) > 0 && len(texts) <= maxValues
}

// joined is every way to put the pieces one after the other.
func joined(consts func(*node) ([]string, bool), kids []*node, between string) ([]string, bool) {
	texts := []string{""}
	for i, k := range kids {
		more, ok := consts(k)
		if !ok || len(texts)*len(more) > maxValues {
			return nil, false
		}
		var next []string
		for _, t := range texts {
			for _, m := range more {
				if i > 0 {
					t += between
				}
				if len(t)+len(m) > MaxSource {
					return nil, false
				}
				next = append(next, t+m)
			}
		}
		texts = next
	}
	return texts, len(kids) > 0
}

// slashed is a path and what is put below it.
func (c *pyChecker) slashed(kids []*node) ([]string, bool) {
	if kids[0].op != "call" && kids[0].op != "name" {
		return nil, false
	}
	for _, k := range kids[1:] {
		if names, ok := c.consts(k); !ok || anyAbsolute(names) {
			return nil, false
		}
	}
	return joined(c.consts, kids, "/")
}

// calledConsts is what functions make of constant names.
func (c *pyChecker) calledConsts(n *node) ([]string, bool) {
	var args []*node
	for _, arg := range n.kids[1:] {
		if arg.text != "" {
			return nil, false
		}
		args = append(args, arg.kids[0])
	}
	switch ref := c.ref(n.kids[0]); {
	case ref == "os.path.join" || ref == "posixpath.join", ref == "pathlib.Path":
		for _, a := range args[min(1, len(args)):] {
			if names, ok := c.consts(a); !ok || anyAbsolute(names) {
				return nil, false
			}
		}
		return joined(c.consts, args, "/")
	case ref == "builtins.str" && len(args) == 1:
		return c.consts(args[0])
	case ref == "os.path.expanduser" && len(args) == 1:
		return c.expanded(args[0])
	}
	return nil, false
}

func (c *pyChecker) expanded(n *node) ([]string, bool) {
	names, ok := c.consts(n)
	var out []string
	for _, name := range names {
		if strings.HasPrefix(name, "~") {
			if c.env.Home == "" || name != "~" && !strings.HasPrefix(name, "~/") {
				return nil, false
			}
			name = c.env.Home + name[1:]
		}
		out = append(out, name)
	}
	return out, ok
}

// argument is sys.argv[1] where the arguments are known.
func (c *pyChecker) argument(n *node) ([]string, bool) {
	if c.ref(n.kids[0]) != "sys.argv" || len(n.kids) != 2 || n.kids[1].op != "number" || len(n.kids[1].text) > 2 {
		return nil, false
	}
	i := 0
	for _, d := range n.kids[1].text {
		if d < '0' || d > '9' {
			return nil, false
		}
		i = i*10 + int(d-'0')
	}
	if i < 1 || i > len(c.env.Args) || !allKnown(c.env.Args[:i]) {
		return nil, false
	}
	return []string{c.env.Args[i-1].Text}, true
}

func allKnown(args []Arg) bool {
	for _, a := range args {
		if !a.Known {
			return false
		}
	}
	return true
}

// elements are the constants that a loop runs over.
func (c *pyChecker) elements(n *node) ([]string, bool) {
	switch n.op {
	case "list", "tuple", "set":
		return c.union(n.kids)
	case "name":
		// A list may change between its making and its use.
		b := c.bound[n.text]
		if b != nil && b.count == 1 && b.how == "is" && b.from.op != "name" && (b.loads == 1 || b.from.op == "tuple") {
			return c.elements(b.from)
		}
	case "call":
		if ref := c.ref(n.kids[0]); (ref == "builtins.sorted" || ref == "builtins.list" || ref == "builtins.reversed") && len(n.kids) == 2 && n.kids[1].text == "" {
			return c.elements(n.kids[1].kids[0])
		}
	case "index":
		if c.ref(n.kids[0]) == "sys.argv" && len(n.kids) == 2 && n.kids[1].op == "slice" && len(n.kids[1].kids) == 1 && n.kids[1].kids[0].text == "1" && allKnown(c.env.Args) {
			var out []string
			for _, a := range c.env.Args {
				out = append(out, a.Text)
			}
			return out, len(out) > 0 && len(out) <= maxValues
		}
	}
	return nil, false
}

// under is the directory below which the file that an expression names lies.
func (c *pyChecker) under(n *node) (dir string, ok bool) {
	c.depth++
	c.steps++
	defer func() { c.depth-- }()
	if c.depth > 4*maxDepth || c.steps > 2*maxNodes {
		return "", false
	}
	switch n.op {
	case "name":
		b := c.bound[n.text]
		if b == nil || b.count != 1 || b.from == nil {
			return "", false
		}
		switch b.how {
		case "is":
			return c.under(b.from)
		case "each":
			return c.found(b.from)
		case "root":
			return c.walked(b.from)
		}
	case "call":
		return c.underCall(n)
	}
	return "", false
}

// underCall is os.path.join of a directory and names that were found in one.
func (c *pyChecker) underCall(n *node) (string, bool) {
	ref := c.ref(n.kids[0])
	if ref != "os.path.join" && ref != "pathlib.Path" && ref != "builtins.str" || len(n.kids) < 2 {
		return "", false
	}
	for i, arg := range n.kids[1:] {
		if arg.text != "" || i > 0 && !c.leaf(arg.kids[0]) {
			return "", false
		}
	}
	if ref == "builtins.str" && len(n.kids) != 2 {
		return "", false
	}
	first := n.kids[1].kids[0]
	if names, ok := c.consts(first); ok && len(names) == 1 && len(n.kids) > 2 {
		return names[0], true
	}
	return c.under(first)
}

// leaf reports whether an expression is the name of something in a directory,
// without a slash.
func (c *pyChecker) leaf(n *node) bool {
	if n.op != "name" {
		return false
	}
	b := c.bound[n.text]
	if b == nil || b.count != 1 || b.how != "each" {
		return false
	}
	over := c.unsorted(b.from)
	if over.op == "name" {
		files := c.bound[over.text]
		return files != nil && files.count == 1 && files.loads == 1 && (files.how == "files" || files.how == "dirs") && c.ref(files.from.kids[0]) == "os.walk"
	}
	return over.op == "call" && c.ref(over.kids[0]) == "os.listdir"
}

// unsorted takes sorted() off.
func (c *pyChecker) unsorted(n *node) *node {
	for range 4 {
		if n.op != "call" || c.ref(n.kids[0]) != "builtins.sorted" || len(n.kids) < 2 || n.kids[1].text != "" {
			break
		}
		n = n.kids[1].kids[0]
	}
	return n
}

// found is the directory below which a search finds names.
func (c *pyChecker) found(n *node) (string, bool) {
	n = c.unsorted(n)
	if n.op != "call" {
		return "", false
	}
	switch ref := c.ref(n.kids[0]); {
	case ref == "glob.glob" || ref == "glob.iglob":
		return c.globbed(n)
	case n.kids[0].op == "attr" && ref == "" && among(n.kids[0].text, " glob rglob iterdir "):
		for _, arg := range n.kids[1:] {
			patterns, ok := c.consts(arg.kids[0])
			if !ok || picksHidden(patterns) || anyAbsolute(patterns) || strings.Contains(strings.Join(patterns, " "), "..") {
				return "", false
			}
		}
		if names, ok := c.consts(n.kids[0].kids[0]); ok && len(names) == 1 {
			return names[0], true
		}
		return c.under(n.kids[0].kids[0])
	}
	return "", false
}

// globbed is the directory before the first wildcard of a pattern.
func (c *pyChecker) globbed(n *node) (string, bool) {
	if len(n.kids) < 2 || n.kids[1].text != "" || keyword(n, "root_dir") != nil || keyword(n, "dir_fd") != nil {
		return "", false
	}
	patterns, ok := c.consts(n.kids[1].kids[0])
	if !ok || len(patterns) != 1 {
		return "", false
	}
	pattern := patterns[0]
	star := strings.IndexAny(pattern, "*?[")
	if star < 0 || picksHidden(patterns) || strings.Contains(pattern[star:], "..") {
		return "", false
	}
	slash := strings.LastIndexByte(pattern[:star], '/')
	switch slash {
	case -1:
		return ".", true
	case 0:
		return "/", true
	}
	return path.Clean(pattern[:slash]), true
}

// walked is where os.walk starts.
func (c *pyChecker) walked(n *node) (string, bool) {
	if c.ref(n.kids[0]) != "os.walk" || len(n.kids) != 2 || n.kids[1].text != "" {
		return "", false
	}
	for _, b := range c.bound {
		if b.how == "dirs" && b.from == n && b.loads > 0 {
			return "", false // the program may tell it where to go on
		}
	}
	names, ok := c.consts(n.kids[1].kids[0])
	if !ok || len(names) != 1 {
		return "", false
	}
	return names[0], true
}
