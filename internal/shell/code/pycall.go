package code

import (
	"path"
	"strings"
)

// call checks a call: those with effects by what they are, all others because
// a value is harmless whoever calls it.
func (c *pyChecker) call(n *node) {
	fn := n.kids[0]
	ref := c.ref(fn)
	if ref != "" && c.special(ref) {
		c.specialCall(ref, n)
		return
	}
	if fn.op == "attr" && (ref == "" || !c.isModule(c.ref(fn.kids[0]))) && c.method(fn, n) {
		return
	}
	c.value(fn)
	looks := among(strings.TrimPrefix(ref, "builtins."), " print len str list sorted repr pprint.pprint ") || fn.op == "attr" && fn.text == "join"
	for _, arg := range n.kids[1:] {
		if looks && arg.text == "" {
			c.looksAt(arg.kids[0])
			continue
		}
		c.value(arg)
	}
}

// arguments checks what is passed and returns the positional ones. plain says
// that there are no starred ones and no keywords but those of a list.
func (c *pyChecker) arguments(n *node, keywords string) (pos []*node, plain bool) {
	plain = true
	for _, arg := range n.kids[1:] {
		c.value(arg)
		switch {
		case arg.text == "":
			pos = append(pos, arg.kids[0])
		case !among(arg.text, keywords):
			plain = false
		}
	}
	return pos, plain
}

func keyword(n *node, name string) *node {
	for _, arg := range n.kids[1:] {
		if arg.text == name {
			return arg.kids[0]
		}
	}
	return nil
}

// special reports whether a function has a rule of its own.
func (c *pyChecker) special(ref string) bool {
	return among(ref, " builtins.open io.open gzip.open codecs.open builtins.type builtins.hasattr builtins.dir builtins.input builtins.raw_input "+
		"os.remove os.unlink os.rmdir os.removedirs shutil.rmtree os.makedirs os.mkdir os.listdir os.walk glob.glob glob.iglob "+
		"os.system os.popen subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen subprocess.getoutput "+
		"os.getenv os.environ.get os.environ os.environb urllib.request.urlopen requests.get requests.head sys.path ")
}

func (c *pyChecker) specialCall(ref string, n *node) {
	switch ref {
	case "builtins.open", "io.open", "gzip.open", "codecs.open":
		c.open(ref, n)
	case "builtins.type":
		c.arguments(n, " ")
		c.fail("it passes a type on")
	case "builtins.hasattr":
		c.arguments(n, " ")
	case "builtins.dir":
		for _, arg := range n.kids[1:] {
			if !c.isModule(c.ref(arg.kids[0])) {
				c.value(arg)
			}
		}
	case "builtins.input", "builtins.raw_input":
		c.arguments(n, " ")
		if c.env.Old {
			c.fail("input evaluates what it reads in Python 2")
		}
	case "os.getenv", "os.environ.get":
		if pos, plain := c.arguments(n, " default "); len(pos) > 0 && plain {
			c.variable(pos[0])
		} else {
			c.effect(Secret, "environment", true)
		}
	case "urllib.request.urlopen", "requests.get", "requests.head":
		c.fetch(n)
	case "os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen", "subprocess.getoutput":
		c.subprocess(ref, n)
	default:
		c.fileCall(ref, n)
	}
}

// fileCall checks functions that take the name of a file.
func (c *pyChecker) fileCall(ref string, n *node) {
	pos, plain := c.arguments(n, " exist_ok mode ignore_errors onerror onexc recursive topdown followlinks missing_ok path name pathname top ")
	var name *node
	if len(pos) > 0 {
		name = pos[0]
	}
	if !plain || name == nil && len(n.kids) > 1 {
		c.fail("it calls " + ref + " with arguments that are not read")
	}
	switch ref {
	case "os.remove", "os.unlink", "os.rmdir", "os.removedirs":
		c.files(Delete, name)
	case "shutil.rmtree":
		c.files(DelTree, name)
	case "os.makedirs", "os.mkdir":
		c.files(MakeDir, name)
	case "os.listdir":
		if name == nil {
			c.effect(Read, ".", true)
			return
		}
		c.files(Read, name)
	case "os.walk":
		c.files(Tree, name)
		if keyword(n, "followlinks") != nil || len(pos) > 3 {
			c.fail("it follows links")
		}
	case "glob.glob", "glob.iglob":
		if dir, ok := c.globbed(n); ok {
			c.effect(Tree, dir, true)
			return
		}
		c.effect(Tree, "", false)
	default:
		c.fail("it uses " + ref)
	}
}

// files reports an effect on every file that an expression may name.
func (c *pyChecker) files(kind Kind, n *node) {
	if n == nil {
		c.effect(kind, "", false)
		return
	}
	names, ok := c.consts(n)
	if !ok {
		if dir, below := c.under(n); below && (kind == Read || kind == Tree) {
			c.effect(Tree, dir, true)
			return
		}
		c.effect(kind, "", false)
		return
	}
	for _, name := range names {
		c.effect(kind, name, true)
	}
}

// open checks open(), which reads, or writes if its mode says so.
func (c *pyChecker) open(ref string, n *node) {
	pos, plain := c.arguments(n, " mode encoding errors newline buffering file ")
	name := keyword(n, "file")
	if len(pos) > 0 {
		name = pos[0]
	}
	mode := keyword(n, "mode")
	if len(pos) > 1 {
		mode = pos[1]
	}
	if !plain || name == nil || len(pos) > 4 || ref != "builtins.open" && len(pos) > 3 {
		c.fail("it opens a file with arguments that are not read")
	}
	c.opened(name, mode)
}

func (c *pyChecker) opened(name, mode *node) {
	kind := Read
	if mode != nil {
		modes, ok := c.consts(mode)
		for _, m := range modes {
			if strings.Trim(m, "rbtU") != "" {
				kind = Write
			}
		}
		if !ok {
			kind = Write
			c.fail("it opens a file in a mode that is not known")
		}
	}
	if name != nil && name.op == "number" {
		if !among(name.text, " 0 1 2 ") {
			c.fail("it opens a descriptor")
		}
		return
	}
	if kind == Write {
		// Text that only begins with a known name is not known to write there.
		c.files(Write, name)
		return
	}
	c.files(Read, name)
}

// fetch checks a request that only reads.
func (c *pyChecker) fetch(n *node) {
	pos, plain := c.arguments(n, " timeout ")
	if len(pos) != 1 || !plain {
		c.fail("it sends a request")
		return
	}
	urls, ok := c.consts(pos[0])
	for _, u := range urls {
		if !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://") {
			ok = false
		}
	}
	if !ok {
		c.fail("it sends a request")
		return
	}
	for _, u := range urls {
		c.effect(Fetch, u, true)
	}
}

// subprocess reports a command whose words are constant.
func (c *pyChecker) subprocess(ref string, n *node) {
	pos, plain := c.arguments(n, " check capture_output text stdout stderr universal_newlines encoding errors timeout shell ")
	inShell := ref == "os.system" || ref == "os.popen" || ref == "subprocess.getoutput"
	if s := keyword(n, "shell"); s != nil {
		inShell = true
	}
	if len(pos) != 1 || !plain || ref == "subprocess.Popen" {
		c.fail("it runs a command in a way that is not read")
	}
	if len(pos) == 0 {
		c.fail("it runs a command")
		return
	}
	if inShell {
		texts, ok := c.consts(pos[0])
		if !ok || len(texts) != 1 {
			c.fail("it runs a command that is not known")
			return
		}
		c.effect(Shell, texts[0], true)
		return
	}
	c.words(pos[0])
}

func (c *pyChecker) words(list *node) {
	var words []string
	if list.op == "list" || list.op == "tuple" {
		for _, k := range list.kids {
			text, ok := c.consts(k)
			if !ok || len(text) != 1 {
				words = nil
				break
			}
			words = append(words, text[0])
		}
	}
	if len(words) == 0 {
		c.fail("it runs a command that is not known")
		return
	}
	c.effects = append(c.effects, Effect{Kind: Command, Name: words[0], Known: true, Words: words})
}

// method checks calls of methods that have effects on some value, whatever the
// value is. done is false for all others.
func (c *pyChecker) method(fn, n *node) (done bool) {
	base := fn.kids[0]
	switch fn.text {
	case "format":
		c.value(base)
		c.arguments(n, "")
		texts, ok := c.consts(base)
		for _, text := range texts {
			ok = ok && plainFormat(text)
		}
		if !ok {
			c.fail("it formats a text that is not known")
		}
		return true
	case "replace":
		pos, plain := c.arguments(n, " year month day hour minute second microsecond tzinfo fold ")
		if c.value(base); len(pos) == 1 || !plain {
			c.fail("it may rename a file") // Path.replace
		}
		return true
	case "json": // of a response
		c.value(base)
		c.arguments(n, " ")
		return true
	case "read_text", "read_bytes", "iterdir", "glob", "rglob", "write_text", "write_bytes", "unlink", "rmdir", "mkdir", "touch", "open":
	default:
		return false
	}
	c.value(base)
	pos, plain := c.arguments(n, " encoding errors parents exist_ok mode missing_ok newline ")
	if !plain {
		c.fail("it uses " + fn.text + " with arguments that are not read")
	}
	switch fn.text {
	case "read_text", "read_bytes", "iterdir":
		c.files(Read, base)
	case "glob", "rglob":
		if patterns, ok := c.consts(orNil(pos)); !ok || picksHidden(patterns) || strings.Contains(strings.Join(patterns, " "), "..") || anyAbsolute(patterns) {
			c.effect(Tree, "", false)
			return true
		}
		c.files(Tree, base)
	case "write_text", "write_bytes", "touch":
		c.files(Write, base)
	case "unlink", "rmdir":
		c.files(Delete, base)
	case "mkdir":
		c.files(MakeDir, base)
	case "open":
		mode := keyword(n, "mode")
		if len(pos) > 0 {
			mode = pos[0]
		}
		c.opened(base, mode)
	}
	return true
}

func orNil(pos []*node) *node {
	if len(pos) == 0 {
		return &node{op: "const"}
	}
	return pos[0]
}

// picksHidden reports whether a pattern asks for names that begin with a dot,
// as .env does.
func picksHidden(patterns []string) bool {
	for _, p := range patterns {
		for part := range strings.SplitSeq(p, "/") {
			if strings.ContainsAny(part, "*?[") && (part[0] == '.' || strings.Contains(part, "env") || part[0] == '[') {
				return true
			}
		}
	}
	return false
}

func anyAbsolute(names []string) bool {
	for _, n := range names {
		if path.IsAbs(n) {
			return true
		}
	}
	return false
}

// plainFormat reports whether no field of a format reads an attribute.
func plainFormat(text string) bool {
	for text != "" {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			return true
		}
		if strings.HasPrefix(text[open:], "{{") {
			text = text[open+2:]
			continue
		}
		end := strings.IndexByte(text[open:], '}')
		if end < 0 {
			return true
		}
		field, spec, _ := strings.Cut(text[open+1:open+end], ":")
		if strings.ContainsAny(field, ".[{") || strings.IndexByte(spec, '{') >= 0 {
			return false
		}
		text = text[open+end+1:]
	}
	return true
}
