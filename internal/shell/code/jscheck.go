package code

import "strings"

// javascript proves a program that node -e is given.
//
// Functions that JavaScript itself makes are harmless but for the constructor
// of functions, which any value leads to (x.constructor.constructor). So
// nothing is called but functions that are written where they are called or
// bound once, functions of a list, and methods of a list; and no object gets a
// method of such a name.
func javascript(source string, env Env) Facts {
	tree, fault := parseJavaScript(source)
	c := jsChecker{env: env, bound: map[string]*jsBinding{}}
	if fault != "" {
		c.fail(fault)
	} else {
		c.bind(tree)
		c.value(tree)
	}
	return Facts{Proven: c.why == "", Why: c.why, Effects: c.effects}
}

type jsBinding struct {
	count int
	from  *node
	each  bool   // from is what a loop runs over
	key   string // of from that a pattern takes
}

type jsChecker struct {
	env     Env
	bound   map[string]*jsBinding
	why     string
	effects []Effect
	steps   int
	depth   int
}

func (c *jsChecker) fail(why string) {
	if c.why == "" {
		c.why = why
	}
}

func (c *jsChecker) effect(kind Kind, name string, known bool) {
	for _, e := range c.effects {
		if e.Kind == kind && e.Name == name && e.Known == known {
			return
		}
	}
	c.effects = append(c.effects, Effect{Kind: kind, Name: name, Known: known})
}

// deeper bounds recursion; it reports whether there is room.
func (c *jsChecker) deeper() bool {
	c.steps++
	if c.steps > 20*maxNodes || c.depth > 10*maxDepth {
		c.fail("it is too long")
		return false
	}
	return true
}

func (c *jsChecker) binds(name string, from *node, each bool, key string) {
	b := c.bound[name]
	if b == nil {
		b = &jsBinding{}
		c.bound[name] = b
	}
	b.count++
	b.from, b.each, b.key = from, each, key
	if among(name, jsGlobals+jsBases+" require process console ") {
		c.fail("it gives " + name + " another meaning")
	}
}

// bind counts what is bound to each name.
func (c *jsChecker) bind(n *node) {
	switch n.op {
	case "declare":
		var from *node
		if len(n.kids) > 1 {
			from = n.kids[1]
		}
		c.pattern(n.kids[0], from, false)
	case "each":
		c.pattern(n.kids[0], n.kids[1], true)
	case "param":
		c.pattern(n.kids[0], nil, false)
	case "function":
		if n.text != "" {
			c.binds(n.text, n, false, "")
		}
	case "assign":
		if n.kids[0].op == "name" {
			c.binds(n.kids[0].text, nil, false, "")
		}
	}
	for _, k := range n.kids {
		c.bind(k)
	}
}

func (c *jsChecker) pattern(n, from *node, each bool) {
	if n.op == "name" {
		c.binds(n.text, from, each, "")
		return
	}
	for _, item := range n.kids {
		target := item.kids[0]
		if target.op == "name" && item.text != "" && from != nil && !each && len(item.kids) == 1 {
			c.binds(target.text, from, false, item.text)
			continue
		}
		c.pattern(target, nil, false)
	}
}

// once is the only binding of a name, nil if there is none or several.
func (c *jsChecker) once(n *node) *jsBinding {
	if n.op != "name" {
		return nil
	}
	if b := c.bound[n.text]; b != nil && b.count == 1 && b.from != nil {
		return b
	}
	return nil
}

// ref is what a name stands for outside the program, as a dotted name: of a
// module that is required, or of what Node itself binds. "" is a value.
func (c *jsChecker) ref(n *node) string {
	c.depth++
	defer func() { c.depth-- }()
	if !c.deeper() {
		return ""
	}
	switch n.op {
	case "name":
		if c.bound[n.text] == nil {
			return n.text
		}
		b := c.once(n)
		if b == nil || b.each || c.isJSONFile(b.from) {
			return ""
		}
		if module := c.required(b.from); module != "" && b.key != "" {
			return module + "." + b.key
		} else {
			return module
		}
	case "call":
		if !c.isJSONFile(n) {
			return c.required(n)
		}
	case "member":
		if base := c.ref(n.kids[0]); among(base, jsBases) || base == "process" || base == "console" || base == "require" || jsModule(base) || among(base, " process.env process.stdin process.stdout process.stderr ") {
			return base + "." + n.text
		}
	}
	return ""
}

// required is the module that a call of require loads, marked as such.
func (c *jsChecker) required(n *node) string {
	if n.op != "call" || len(n.kids) != 2 || n.kids[0].op != "name" || n.kids[0].text != "require" || c.bound["require"] != nil || n.kids[1].op != "text" {
		return ""
	}
	return "module:" + strings.TrimPrefix(n.kids[1].text, "node:")
}

func jsModule(ref string) bool {
	return among(ref, " module:fs module:path module:os module:child_process module:util module:crypto module:url module:querystring module:assert ")
}

// value checks an expression or statement.
func (c *jsChecker) value(n *node) {
	c.depth++
	defer func() { c.depth-- }()
	if !c.deeper() {
		return
	}
	switch n.op {
	case "text", "const", "number", "regex":
	case "name":
		if c.bound[n.text] == nil && !among(n.text, jsGlobals) || strings.HasPrefix(c.ref(n), "module:") {
			c.fail("it uses " + n.text)
		}
	case "member":
		c.member(n)
	case "index":
		c.index(n)
	case "call":
		c.call(n)
	case "new":
		if c.bound[n.text] != nil || !among(n.text, " Date Set Map RegExp Array Error TypeError URL URLSearchParams ") {
			c.fail("it makes a new " + n.text)
		}
		c.all(n.kids)
	case "assign":
		c.assign(n)
	case "declare":
		c.declare(n)
	case "each":
		c.patternValues(n.kids[0])
		c.value(n.kids[1])
	case "function", "block", "list", "ops", "either", "array", "template", "spread":
		c.all(n.kids)
	case "param":
		c.patternValues(n.kids[0])
		c.all(n.kids[1:])
	case "object":
		c.object(n)
	default:
		c.fail("it holds what is not read: " + n.op)
	}
}

func (c *jsChecker) all(kids []*node) {
	for _, k := range kids {
		c.value(k)
	}
}

// declare checks a declaration; a module that is bound stays a module.
func (c *jsChecker) declare(n *node) {
	c.patternValues(n.kids[0])
	if len(n.kids) < 2 {
		return
	}
	module := c.required(n.kids[1])
	if !jsModule(module) {
		c.value(n.kids[1])
		return
	}
	if n.kids[0].op == "pattern" {
		for _, item := range n.kids[0].kids {
			if item.text == "" || item.kids[0].op != "name" || len(item.kids) != 1 || c.bound[item.kids[0].text].count != 1 {
				c.fail("it takes " + module + " apart in a way that is not read")
			}
		}
	} else if c.bound[n.kids[0].text].count != 1 {
		c.fail("it gives " + n.kids[0].text + " another meaning")
	}
}

// patternValues checks the defaults in a pattern, and the names that it takes.
func (c *jsChecker) patternValues(n *node) {
	for _, item := range n.kids {
		if among(item.text, jsDenied) {
			c.fail("it uses " + item.text)
		}
		c.patternValues(item.kids[0])
		c.all(item.kids[1:])
	}
}

// jsDenied are properties that lead to the constructor of functions.
const jsDenied = " constructor prototype __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ caller callee arguments mainModule binding "

// jsGlobals are names that may be passed on and called.
const jsGlobals = " undefined NaN Infinity Number String Boolean parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI "

// jsBases are objects of which some functions may be called.
const jsBases = " JSON Math Object Array Date Buffer "

func (c *jsChecker) member(n *node) {
	if among(n.text, jsDenied) {
		c.fail("it uses " + n.text)
	}
	ref := c.ref(n)
	switch {
	case ref == "":
		c.value(n.kids[0])
	case strings.HasPrefix(ref, "process.env."):
		c.effect(Secret, strings.TrimPrefix(ref, "process.env."), true)
	case c.pure(ref), among(ref, " process.argv process.exitCode process.version process.versions process.platform process.arch process.pid process.execPath process.stdin.fd "):
	case ref == "process.env":
		c.effect(Secret, "environment", true)
		c.fail("it passes the environment on")
	default:
		c.fail("it uses " + ref)
	}
}

func (c *jsChecker) index(n *node) {
	base, key := n.kids[0], n.kids[1]
	c.value(key)
	if key.op == "text" && among(key.text, jsDenied) {
		c.fail("it uses " + key.text)
	}
	switch ref := c.ref(base); {
	case ref == "process.env":
		if key.op == "text" {
			c.effect(Secret, key.text, true)
			return
		}
		c.effect(Secret, "environment", true)
	case ref != "" && ref != "process.argv" && !c.isJSONFile(base):
		c.fail("it uses " + ref + " by a name that is worked out")
	default:
		c.value(base)
	}
}

// isJSONFile reports whether an expression requires a file of JSON.
func (c *jsChecker) isJSONFile(n *node) bool {
	module := c.required(n)
	return strings.HasPrefix(module, "module:.") && strings.HasSuffix(module, ".json")
}

// sensitive reports whether a property is called, by the program or by the
// language, so that no function may be put there.
func sensitive(name string) bool {
	return among(name, jsMethods+" toString valueOf toJSON then inspect ") || among(name, jsDenied)
}

func (c *jsChecker) object(n *node) {
	for _, pair := range n.kids {
		c.all(pair.kids)
		if pair.op != "pair" {
			continue
		}
		v := pair.kids[len(pair.kids)-1]
		if (pair.text == "" || sensitive(pair.text)) && !c.plain(v) || among(pair.text, jsDenied) {
			c.fail("it makes a property " + pair.text + " that may be called")
		}
	}
}

// assign checks where a value goes: to a name, or into an object that the
// program made.
func (c *jsChecker) assign(n *node) {
	target := n.kids[0]
	c.all(n.kids[1:])
	arithmetic := !among(n.text, " = &&= ||= ??= ")
	if len(n.kids) > 1 && !arithmetic {
		arithmetic = c.plain(n.kids[1])
	}
	switch {
	case target.op == "name":
		if c.bound[target.text] == nil || c.bound[target.text].count < 2 {
			c.fail("it sets the global " + target.text)
		}
	case target.op == "member" && c.ref(target) == "process.exitCode":
	case target.op == "member":
		if !c.own(target.kids[0]) || sensitive(target.text) {
			c.fail("it changes a property of what it did not make")
		}
	case target.op == "index":
		c.value(target.kids[1])
		if !c.own(target.kids[0]) || !arithmetic {
			c.fail("it changes a property by a name that is worked out")
		}
	default:
		c.fail("it assigns to what cannot be read")
	}
}

// own reports whether a name stands for an object that the program made.
func (c *jsChecker) own(n *node) bool {
	b := c.once(n)
	return b != nil && !b.each && b.key == "" && (b.from.op == "object" || b.from.op == "array")
}

// plain reports whether a value is certainly no function.
func (c *jsChecker) plain(n *node) bool {
	c.depth++
	defer func() { c.depth-- }()
	if !c.deeper() {
		return false
	}
	switch n.op {
	case "text", "const", "number", "regex", "template", "array", "object":
		return true
	case "list":
		return c.plain(n.kids[len(n.kids)-1])
	case "either":
		return c.plain(n.kids[1]) && c.plain(n.kids[2])
	case "ops":
		if strings.Trim(n.text, " &|?") != "" || strings.Contains(n.text, " & ") || strings.Contains(n.text, " | ") {
			return true
		}
		for _, k := range n.kids {
			if !c.plain(k) {
				return false
			}
		}
		return true
	case "name":
		b := c.once(n)
		return b != nil && !b.each && b.key == "" && c.plain(b.from)
	case "call":
		return among(c.ref(n.kids[0]), " JSON.parse JSON.stringify Number String Boolean parseInt parseFloat Math.max Math.min Math.round Math.floor Date.now Object.keys ")
	}
	return false
}

// callable reports whether an expression is a function that the program wrote
// or one of a list, so that whoever may call it.
func (c *jsChecker) callable(n *node) bool {
	for n.op == "list" && len(n.kids) == 1 {
		n = n.kids[0]
	}
	if n.op == "function" {
		return true
	}
	if b := c.once(n); b != nil && !b.each && b.key == "" && b.from.op == "function" {
		return true
	}
	ref := c.ref(n)
	return n.op == "name" && among(ref, jsGlobals) || c.pure(ref)
}

// pure reports whether a function outside the program has no effects.
func (c *jsChecker) pure(ref string) bool {
	if module, name, ok := strings.Cut(strings.TrimPrefix(ref, "module:"), "."); ok && strings.HasPrefix(ref, "module:") {
		switch module {
		case "path":
			return among(name, " join basename dirname extname resolve relative normalize isAbsolute parse sep delimiter ")
		case "os":
			return among(name, " EOL platform cpus totalmem freemem hostname homedir tmpdir type arch release uptime ")
		case "fs":
			return among(name, " existsSync ")
		case "crypto":
			return among(name, " randomUUID ")
		}
		return false
	}
	return among(ref, " JSON.stringify console.log console.error console.warn console.info console.debug console.table console.dir Object.keys Object.values Object.entries Array.isArray Array.of Date.now Date.parse Date.UTC Buffer.byteLength process.cwd process.exit process.uptime process.memoryUsage process.hrtime process.stdout.write process.stderr.write process.stdin.setEncoding process.stdin.resume require.resolve ") ||
		strings.HasPrefix(ref, "Math.") && !among(strings.TrimPrefix(ref, "Math."), jsDenied)
}

// jsMethods are methods that are harmless on every value that a program can
// reach, if the functions that they call are.
const jsMethods = " toString toFixed toPrecision toUpperCase toLowerCase trim trimStart trimEnd split join slice substring substr charAt charCodeAt codePointAt padStart padEnd repeat includes indexOf lastIndexOf startsWith endsWith concat localeCompare normalize match matchAll search replace replaceAll at push pop shift unshift splice reverse sort toSorted flat flatMap fill keys values entries map filter forEach reduce reduceRight some every find findIndex findLast findLastIndex test get set has add clear delete getTime getFullYear getMonth getDate getDay getHours getMinutes getSeconds toISOString toLocaleString toLocaleDateString toLocaleTimeString toDateString hasOwnProperty isFile isDirectory searchParams append write "

// jsCallers are those of them that call what they are given.
const jsCallers = " sort toSorted flatMap map filter forEach reduce reduceRight some every find findIndex findLast findLastIndex "

func (c *jsChecker) call(n *node) {
	fn, args := n.kids[0], n.kids[1:]
	for fn.op == "list" && len(fn.kids) == 1 {
		fn = fn.kids[0]
	}
	if ref := c.ref(fn); ref != "" && !(fn.op == "name" && c.bound[fn.text] != nil && !strings.HasPrefix(ref, "module:")) {
		c.outside(ref, n, args)
		return
	}
	c.all(args)
	switch {
	case fn.op == "function", fn.op == "name" && c.callable(fn):
		c.value(fn)
	case fn.op == "member" && among(fn.text, jsMethods):
		c.value(fn.kids[0])
		if among(fn.text, jsCallers) && len(args) > 0 && !c.callable(args[0]) ||
			(fn.text == "replace" || fn.text == "replaceAll") && len(args) > 1 && !c.callable(args[1]) && !c.plain(args[1]) || spreads(args) && fn.text != "push" {
			c.fail("what it calls is not known")
		}
	default:
		c.fail("it calls what is not known")
	}
}

func spreads(args []*node) bool {
	for _, a := range args {
		if a.op == "spread" {
			return true
		}
	}
	return false
}

// outside checks a call of what the program did not write.
func (c *jsChecker) outside(ref string, n *node, args []*node) {
	c.all(args)
	arg := func(i int) *node {
		if i < len(args) {
			return args[i]
		}
		return &node{op: "const"}
	}
	switch {
	case ref == "require" && c.isJSONFile(n):
		c.effect(Load, n.kids[1].text, true)
	case ref == "require":
		c.fail("it requires " + strings.TrimPrefix(c.required(n), "module:"))
	case ref == "JSON.parse" || ref == "Array.from" || ref == "Buffer.from":
		if len(args) > 1 && !c.callable(arg(1)) && !c.plain(arg(1)) || spreads(args) {
			c.fail("what it calls is not known")
		}
	case ref == "JSON.stringify":
		if len(args) > 1 && !c.callable(arg(1)) && !c.plain(arg(1)) || spreads(args) {
			c.fail("what it calls is not known")
		}
	case ref == "process.stdin.on" || ref == "process.stdin.once":
		if !c.callable(arg(1)) || spreads(args) {
			c.fail("what it calls is not known")
		}
	case ref == "setTimeout":
		if !c.callable(arg(0)) || spreads(args) {
			c.fail("what it calls is not known")
		}
	case strings.HasPrefix(ref, "module:fs."):
		c.files(strings.TrimPrefix(ref, "module:fs."), args)
	case ref == "module:child_process.execSync" && len(args) > 0:
		if texts, ok := c.consts(arg(0)); ok && len(texts) == 1 && (len(args) == 1 || c.encoding(arg(1))) {
			c.effect(Shell, texts[0], true)
			return
		}
		c.fail("it runs a command")
	case c.pure(ref), among(ref, jsGlobals):
	default:
		c.fail("it uses " + strings.TrimPrefix(ref, "module:"))
	}
}

// encoding reports whether an argument only says how bytes become text.
func (c *jsChecker) encoding(n *node) bool {
	if n.op == "object" {
		for _, pair := range n.kids {
			if pair.op != "pair" || !among(pair.text, " encoding recursive force withFileTypes ") || len(pair.kids) != 1 || pair.kids[0].op != "text" && pair.kids[0].op != "const" {
				return false
			}
		}
		return true
	}
	return n.op == "text" && strings.Trim(n.text, "abcdefghijklmnopqrstuvwxyzUTF0123456789-") == ""
}

// files checks calls of fs.
func (c *jsChecker) files(name string, args []*node) {
	kind := Kind(0)
	options := 1
	switch name {
	case "readFileSync", "readdirSync":
		kind = Read
	case "statSync", "lstatSync", "existsSync":
		return
	case "writeFileSync", "appendFileSync":
		kind, options = Write, 2
	case "unlinkSync":
		kind = Delete
	case "rmSync", "rmdirSync":
		kind = DelTree
	case "mkdirSync":
		kind = MakeDir
	default:
		c.fail("it uses fs." + name)
		return
	}
	if len(args) == 0 || len(args) > options && !c.encoding(args[options]) || len(args) > options+1 || spreads(args) {
		c.fail("it uses fs." + name + " with arguments that are not read")
	}
	if len(args) == 0 {
		return
	}
	if kind == Read && (args[0].op == "number" && args[0].text == "0" || c.ref(args[0]) == "process.stdin.fd") {
		return
	}
	names, ok := c.consts(args[0])
	if !ok {
		c.effect(kind, "", false)
	}
	for _, n := range names {
		c.effect(kind, n, true)
	}
}

// consts works out the texts that an expression may be, if they are constant.
func (c *jsChecker) consts(n *node) ([]string, bool) {
	c.depth++
	defer func() { c.depth-- }()
	if !c.deeper() {
		return nil, false
	}
	switch n.op {
	case "text":
		return []string{n.text}, true
	case "list":
		if len(n.kids) == 1 {
			return c.consts(n.kids[0])
		}
	case "template":
		return joined(c.consts, n.kids, "")
	case "ops":
		if n.text == " + " {
			return joined(c.consts, n.kids, "")
		}
	case "name":
		b := c.once(n)
		switch {
		case b == nil || b.key != "":
		case !b.each:
			return c.consts(b.from)
		case b.from.op == "array":
			var all []string
			for _, k := range b.from.kids {
				texts, ok := c.consts(k)
				if !ok {
					return nil, false
				}
				all = append(all, texts...)
			}
			return all, len(all) > 0 && len(all) <= maxValues
		}
	case "index":
		if c.ref(n.kids[0]) == "process.argv" && n.kids[1].op == "number" && len(n.kids[1].text) == 1 {
			if i := int(n.kids[1].text[0] - '0'); i >= 1 && i <= len(c.env.Args) && allKnown(c.env.Args[:i]) {
				return []string{c.env.Args[i-1].Text}, true
			}
		}
	case "call":
		if c.ref(n.kids[0]) == "module:path.join" {
			return joined(c.consts, n.kids[1:], "/")
		}
	}
	return nil, false
}
