package code

import "strings"

// listed checks the arguments of a function that takes a list.
func (p *plParser) listed(word string, args []*node) {
	switch word {
	case "push", "unshift", "splice":
		if len(args) > 0 {
			p.lvalue(args[0], nil)
		}
	case "pack", "unpack":
		if len(args) == 0 || args[0].op != "text" || strings.ContainsAny(args[0].text, "pP") {
			p.fail("it may read the memory")
		}
	case "substr":
		if len(args) > 3 {
			p.lvalue(args[0], nil)
		}
	case "open":
		p.open(args)
	case "binmode":
		if len(args) > 1 && !plLayer(args[1]) {
			p.fail("it opens a file in a way that is not read")
		}
	case "unlink":
		p.removes(args)
	case "mkdir":
		p.effect(MakeDir, textOf(args, 0), isText(args, 0))
	case "rename":
		p.fail("it renames")
		p.effect(Delete, textOf(args, 0), isText(args, 0))
		p.effect(Write, textOf(args, 1), isText(args, 1))
	case "system", "exec":
		p.commands(args)
	}
}

func isText(args []*node, i int) bool { return i < len(args) && args[i].op == "text" }

func textOf(args []*node, i int) string {
	if isText(args, i) {
		return args[i].text
	}
	return ""
}

func (p *plParser) removes(args []*node) {
	if len(args) == 0 {
		p.effect(Delete, "", false)
	}
	list, ok := plTexts(args)
	if !ok {
		p.effect(Delete, "", false)
		return
	}
	for _, name := range list {
		p.effect(Delete, name, true)
	}
}

// commands reports what system and exec start.
func (p *plParser) commands(args []*node) {
	list, ok := plTexts(args)
	switch {
	case !ok || len(list) == 0:
		p.fail("it runs a command that is not known")
	case len(list) == 1 && len(args) == 1 && args[0].op == "text":
		p.shell(list[0], true)
	case len(list) == 1:
		p.fail("it runs a command that is not known")
	default:
		p.effect(Command, "", true, list...)
	}
}

func plLayer(n *node) bool {
	return n.op == "text" && among(strings.TrimSpace(n.text), " :utf8 :raw :bytes :crlf :encoding(UTF-8) :encoding(utf8) :encoding(utf-8) ")
}

// open checks a file that is opened, and reports it.
func (p *plParser) open(args []*node) {
	if len(args) < 2 || len(args) > 3 {
		p.fail("it opens what is not known")
		return
	}
	file := args[0]
	if file.op == "my" && len(file.kids) == 1 {
		file = file.kids[0]
	}
	switch {
	case file.op == "scalar" && !among(file.text, plDenied), file.op == "handle" && !among(file.text, plDenied):
		p.opened[file.text] = true
	default:
		p.fail("it opens what is not known")
	}
	if args[1].op != "text" {
		p.fail("it opens a file in a way that is not known")
		return
	}
	mode := strings.TrimSpace(args[1].text)
	if len(args) == 2 {
		p.opens2(mode)
		return
	}
	way, layer, layered := strings.Cut(mode, ":")
	if layered && !plLayer(&node{op: "text", text: ":" + layer}) {
		p.fail("it opens a file in a way that is not read")
	}
	p.opens(strings.TrimSpace(way), args[2])
}

// opens2 is open with mode and name in one text.
func (p *plParser) opens2(text string) {
	name := strings.TrimLeft(text, "<>+| \t")
	way := strings.TrimSpace(text[:len(text)-len(name)])
	switch {
	case way == "|":
		p.shell(name, true)
	case strings.HasSuffix(name, "|"):
		p.shell(strings.TrimSuffix(name, "|"), way == "")
	case name == "" || strings.ContainsAny(name[:1], "&=-"):
		p.fail("it opens what is not known")
	case way == "":
		p.opens("<", &node{op: "text", text: name})
	default:
		p.opens(way, &node{op: "text", text: name})
	}
}

func (p *plParser) opens(way string, n *node) {
	name, known := p.fileName(n)
	switch way {
	case "<":
		p.effect(Read, name, known)
	case ">", ">>", "+<", "+>":
		p.effect(Write, name, known)
	case "-|", "|-":
		p.shell(name, known && n.op == "text")
	default:
		p.fail("it opens a file in a way that is not read")
	}
}

// fileName is the name that an expression stands for: a text, or an argument
// of the program.
func (p *plParser) fileName(n *node) (name string, known bool) {
	if n.op == "text" {
		return n.text, true
	}
	if n.op == "anon" || n.op == "undef" {
		return "", false
	}
	if n.op != "elem" || n.kids[0].op != "array" || n.kids[0].text != "ARGV" || n.kids[1].op != "number" || len(n.kids[1].text) != 1 {
		return "", false
	}
	for _, word := range [...]string{"shift", "pop", "splice"} {
		if strings.Contains(p.src, word) {
			return "", false
		}
	}
	if i := int(n.kids[1].text[0] - '0'); i < len(p.env.Args) && strings.Count(p.src, "ARGV") == strings.Count(p.src, "$ARGV[") {
		return p.env.Args[i].Text, p.env.Args[i].Known
	}
	return "", false
}
