package code

import "strings"

// python proves a program of Python.
func python(source string, env Env) Facts {
	tree, fault := parsePython(source)
	c := pyChecker{env: env, bound: map[string]*pyBinding{}}
	if fault != "" {
		c.fail(fault)
	}
	if tree != nil && fault == "" {
		c.bind(tree)
		for _, n := range c.items {
			if ref := c.ref(n.kids[0]); ref != "" && ref != "sys.argv" {
				c.fail("it changes " + ref)
			}
		}
		c.statements(tree)
	}
	return Facts{Proven: c.why == "", Why: c.why, Effects: c.effects}
}

// pyBinding is what a program binds to one name, in whatever scope.
type pyBinding struct {
	count, loads int
	ref          string // what an import binds it to
	from         *node  // the only value, or what the only loop runs over
	how          string // "is", "each", "root" and "files" of os.walk
}

type pyChecker struct {
	env     Env
	bound   map[string]*pyBinding
	why     string
	effects []Effect
	items   []*node // items of containers that are assigned to
	steps   int
	depth   int
}

// fail says why the program is not proven. Checking goes on, for the effects.
func (c *pyChecker) fail(why string) {
	if c.why == "" {
		c.why = why
	}
}

func (c *pyChecker) effect(kind Kind, name string, known bool) {
	for _, e := range c.effects {
		if e.Kind == kind && e.Name == name && e.Known == known && e.Words == nil {
			return
		}
	}
	c.effects = append(c.effects, Effect{Kind: kind, Name: name, Known: known})
}

// bind counts what binds and what uses each name.
func (c *pyChecker) bind(n *node) {
	switch n.op {
	case "name":
		c.name(n.text).loads++
	case "assign":
		value := n.kids[len(n.kids)-1]
		for _, target := range n.kids[:len(n.kids)-1] {
			c.target(target, "is", value)
		}
	case "annotated", "augmented":
		if n.op == "annotated" && len(n.kids) == 3 {
			c.target(n.kids[0], "is", n.kids[2])
		} else {
			c.target(n.kids[0], "", nil)
		}
	case "walrus":
		c.target(n.kids[0], "is", n.kids[1])
	case "for":
		c.loop(n.kids[0], n.kids[1])
	case "with":
		if len(n.kids) == 2 {
			c.target(n.kids[1], "", nil)
		}
	case "except", "def", "param":
		c.binds(n.text, "", nil)
	case "del":
		for _, k := range n.kids {
			c.target(k, "", nil)
		}
	case "import", "from":
		c.imports(n)
	}
	for _, k := range n.kids {
		if n.op != "import" && n.op != "from" {
			c.bind(k)
		}
	}
}

func (c *pyChecker) name(name string) *pyBinding {
	b := c.bound[name]
	if b == nil {
		b = &pyBinding{}
		c.bound[name] = b
	}
	return b
}

func (c *pyChecker) binds(name, how string, from *node) {
	if name == "" {
		return
	}
	b := c.name(name)
	b.count++
	b.how, b.from = how, from
	switch {
	case strings.HasPrefix(name, "__"):
		c.fail("it binds " + name)
	case among(name, pyOwn):
		c.fail("it gives " + name + " another meaning")
	case b.ref != "":
		c.fail("it gives the import " + name + " another meaning")
	}
}

// target binds every name in what is assigned to.
func (c *pyChecker) target(n *node, how string, from *node) {
	switch n.op {
	case "name":
		c.binds(n.text, how, from)
		c.name(n.text).loads--
	case "tuple", "list":
		for _, k := range n.kids {
			c.target(k, "", nil)
		}
	case "star":
		c.target(n.kids[0], "", nil)
	case "index":
		c.items = append(c.items, n)
	case "attr":
		c.fail("it changes the attribute " + n.text)
	default:
		c.fail("it assigns to what cannot be read")
	}
}

func (c *pyChecker) loop(target, over *node) {
	if target.op == "tuple" && len(target.kids) == 3 && over.op == "call" {
		for i, how := range [...]string{"root", "dirs", "files"} {
			c.target(target.kids[i], how, over)
		}
		return
	}
	c.target(target, "each", over)
}

// imports binds names to modules and what is in them.
func (c *pyChecker) imports(n *node) {
	refer := func(name, ref string) {
		b := c.name(name)
		if b.count > 0 && b.ref != ref || among(name, pyOwn) || strings.HasPrefix(name, "__") {
			c.fail("it gives " + name + " another meaning")
		}
		b.count++
		b.ref = ref
	}
	if _, ok := pyModule(n.text); !ok && !pyEffective(n.text) {
		c.fail("it imports " + n.text)
	}
	if n.op == "from" {
		for _, item := range n.kids {
			refer(item.kids[0].text, n.text+"."+item.text)
			if n.text == "__future__" {
				c.name(item.kids[0].text).ref = "__future__." + item.text
			}
		}
		return
	}
	if alias := n.kids[0].text; alias != "" {
		refer(alias, n.text)
		return
	}
	top, _, _ := strings.Cut(n.text, ".")
	refer(top, top)
}

// pyEffective names modules of which only what reads the network is known.
func pyEffective(name string) bool {
	return name == "urllib.request" || name == "requests"
}

// ref is what a name or attribute of a module stands for, as a dotted name;
// "" where it is a value like any other.
func (c *pyChecker) ref(n *node) string {
	switch n.op {
	case "name":
		if b := c.bound[n.text]; b != nil && b.count > 0 {
			return b.ref
		}
		return "builtins." + n.text
	case "attr":
		if base := c.ref(n.kids[0]); c.isModule(base) || base == "os.environ" {
			return base + "." + n.text
		}
	}
	return ""
}

// isModule reports whether a dotted name is a module, not something in one.
func (c *pyChecker) isModule(ref string) bool {
	_, ok := pyModule(ref)
	return ok || pyEffective(ref)
}

// statements checks a block.
func (c *pyChecker) statements(block *node) {
	for _, n := range block.kids {
		c.statement(n)
	}
}

func (c *pyChecker) statement(n *node) {
	switch n.op {
	case "import", "from":
		if n.op == "from" {
			c.fromImport(n)
		}
	case "block":
		c.statements(n)
	case "branch", "for", "with", "except", "def":
		c.parts(n)
	case "pass":
	case "annotated", "assign", "augmented", "expr", "return", "raise", "assert", "del":
		for i, k := range n.kids {
			if n.op == "annotated" && i == 1 && c.annotation(k) {
				continue
			}
			c.stored(k)
		}
	default:
		c.stored(n)
	}
}

// annotation reports whether an annotation is a plain name.
func (c *pyChecker) annotation(n *node) bool {
	return n.op == "name" && !strings.HasPrefix(n.text, "__")
}

// parts checks the pieces of a compound statement or a comprehension's clause.
func (c *pyChecker) parts(n *node) {
	for i, k := range n.kids {
		switch {
		case k.op == "block":
			c.statements(k)
		case k.op == "params":
			c.params(k)
		case n.op == "for" && i == 1:
			c.looksAt(k)
		case among(k.op, " branch for with except def import from pass assign augmented annotated expr return raise assert del "):
			c.statement(k)
		default:
			c.stored(k)
		}
	}
}

func (c *pyChecker) params(n *node) {
	for _, param := range n.kids {
		for _, k := range param.kids {
			c.value(k)
		}
	}
}

// stored checks an expression that may be assigned to: its names are not
// loaded there, but a name that is bound is a value wherever it stands.
func (c *pyChecker) stored(n *node) {
	switch n.op {
	case "tuple", "list", "star":
		for _, k := range n.kids {
			c.stored(k)
		}
	case "name":
		if b := c.bound[n.text]; b != nil && b.count > 0 && b.ref == "" {
			return
		}
		c.value(n)
	case "index":
		if ref := c.ref(n.kids[0]); ref == "os.environ" {
			c.environment(n)
			return
		}
		c.value(n)
	default:
		c.value(n)
	}
}

func (c *pyChecker) fromImport(n *node) {
	names, _ := pyModule(n.text)
	for _, item := range n.kids {
		ref := n.text + "." + item.text
		if !among(item.text, names) && !c.isModule(ref) && !c.special(ref) {
			c.fail("it imports " + ref)
		}
	}
}

// value checks an expression whose value may go anywhere.
func (c *pyChecker) value(n *node) {
	c.steps++
	c.depth++
	defer func() { c.depth-- }()
	if c.steps > maxNodes || c.depth > 6*maxDepth {
		c.fail("it is too long")
		return
	}
	switch n.op {
	case "text", "const", "number":
	case "name":
		c.loaded(n)
	case "attr":
		c.attribute(n)
	case "call":
		c.call(n)
	case "lambda":
		c.params(n.kids[0])
		c.value(n.kids[1])
	case "for":
		c.looksAt(n.kids[1])
		c.stored(n.kids[0])
	case "index":
		c.index(n)
	case "walrus":
		c.value(n.kids[1])
	case "field":
		for _, k := range n.kids {
			c.looksAt(k)
		}
	case "ops":
		for _, k := range n.kids {
			if strings.Trim(n.text, " =!<>is") != "" || !c.typed(k) {
				c.value(k)
			}
		}
	case "string", "either", "tuple", "list", "set", "comp", "slice", "star", "arg":
		for _, k := range n.kids {
			c.value(k)
		}
	default:
		c.fail("it holds what is not read: " + n.op)
	}
}

// loaded checks a name that stands for itself.
func (c *pyChecker) loaded(n *node) {
	b := c.bound[n.text]
	switch {
	case b != nil && b.count > 0 && b.ref == "":
	case b != nil && b.count > 0:
		c.passed(b.ref)
	case n.text == "__name__":
	case !among(n.text, pyBuiltins):
		c.fail("it uses " + n.text)
	}
}

// passed checks something of a module that is used as a value.
func (c *pyChecker) passed(ref string) {
	if ref == "os.environ" {
		c.effect(Secret, "environment", true)
		c.fail("it passes the environment on")
		return
	}
	if strings.HasPrefix(ref, "__future__.") {
		return
	}
	dot := strings.LastIndexByte(ref, '.')
	if dot < 0 || c.isModule(ref) {
		c.fail("it passes the module " + ref + " on")
		return
	}
	names, _ := pyModule(ref[:dot])
	if ref[:dot] == "builtins" {
		names = pyBuiltins
	}
	if !among(ref[dot+1:], names) {
		c.fail("it uses " + ref)
	}
}

func (c *pyChecker) attribute(n *node) {
	if ref := c.ref(n); ref != "" && !strings.HasPrefix(ref, "os.environ.") {
		c.passed(ref)
		return
	}
	if n.text != "__name__" || !c.typed(n.kids[0]) {
		c.value(n.kids[0])
	}
	if !among(n.text, pyAttributes) {
		c.fail("it uses the attribute " + n.text)
	}
}

func (c *pyChecker) index(n *node) {
	switch c.ref(n.kids[0]) {
	case "os.environ":
		c.environment(n)
		return
	case "sys.path":
	default:
		c.value(n.kids[0])
	}
	for _, k := range n.kids[1:] {
		c.value(k)
	}
}

// environment reports a variable that is read.
func (c *pyChecker) environment(n *node) {
	for _, k := range n.kids[1:] {
		c.value(k)
	}
	c.variable(n.kids[1])
}

func (c *pyChecker) variable(n *node) {
	names, ok := c.consts(n)
	if !ok {
		c.effect(Secret, "environment", true)
		return
	}
	for _, name := range names {
		c.effect(Secret, name, true)
	}
}

// looksAt checks an expression whose value is only looked at: sys.path must
// not get into hands that might change it.
func (c *pyChecker) looksAt(n *node) {
	if c.ref(n) == "sys.path" || c.typed(n) {
		return
	}
	c.value(n)
}

// typed checks a call of type with one argument, and reports whether n is one.
// A type must not be passed on: that of an unbuffered file opens others.
func (c *pyChecker) typed(n *node) bool {
	if n.op != "call" || c.ref(n.kids[0]) != "builtins.type" || len(n.kids) != 2 || n.kids[1].text != "" {
		return false
	}
	c.value(n.kids[1].kids[0])
	return true
}
