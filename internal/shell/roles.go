package shell

import (
	"cmp"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
)

// whole takes the roles that cover everything from one argument on. It
// reports whether it did.
func (u *use) whole(role string, i int) bool {
	rest := u.pos[i:]
	if len(rest) > 0 && rest[0].glob > 0 && startsRole(role) { // env * runs a file of the directory
		u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(rest[0].raw)+" makes code of a file's name")
	}
	switch role {
	case "command":
		for len(rest) > 0 && rest[0].known && rest[0].dashed() {
			n := u.dash(rest[0], rest[1:])
			rest = rest[min(n+1, len(rest)):]
		}
		if u.is.Has(Repeats) {
			u.inside(u.inv, rest)
			return true
		}
		u.inside(u.inv, rest)
	case "xcommand":
		u.insideFed(u.inv, u.fed(rest), u.out.finder)
	case "awaycommand":
		u.elsewhere(func() { u.inside(u.inv, rest) })
	case "awayshell":
		u.elsewhere(func() { u.shellText(joinedWord(rest)) })
	case "shelltext":
		u.shellText(joinedWord(rest))
	case "assign":
		if rest[0].known && rest[0].text == "-" && len(rest) > 1 {
			u.out.unknown(PartWords, u.inv.raw, "this runs a command with another environment")
			return u.whole("assign", i+1)
		}
		name, text, ok := strings.Cut(rest[0].text, "=")
		if !ok || !rest[0].known && !ok {
			return u.whole("command", i)
		}
		v := value{}
		if rest[0].known {
			v = constant(text)
		}
		u.vars.exported(name, v, rest[0].raw, afterAssignments(rest))
		if i+1 < len(u.pos) {
			return u.whole("assign", i+1)
		}
	case "shellcode":
		u.shellCode(rest)
	case "script":
		u.scriptWith(rest)
	default:
		return false
	}
	return true
}

// afterAssignments is the command that follows NAME=value words.
func afterAssignments(words []word) []word {
	for len(words) > 0 && words[0].known && assignmentLike(words[0]) {
		words = words[1:]
	}
	return words
}

func joinedWord(rest []word) word {
	text, ok := joinedText(rest)
	w := word{raw: rest[0].raw}
	if ok {
		w.value = constant(text)
	}
	return w
}

// fed is the command of xargs: its words, and arguments that nobody knows.
func (u *use) fed(rest []word) []word {
	words := append([]word(nil), rest...)
	var v value
	if u.inv.in.kind == piped && !u.marks.has(markApart) {
		v.from, v.to = u.inv.in.from, u.inv.in.to
	}
	// What the first command reads was not redirected by an earlier one.
	v.given = u.inv.in.outer && u.foremost() && !u.marks.has(markApart)
	if u.replace == "" {
		return append(words, word{value: v, raw: "arguments from standard input", many: true})
	}
	for i, w := range words {
		switch prefix, _, found := strings.Cut(w.text, u.replace); {
		case w.text == u.replace:
			words[i] = word{value: v, raw: w.raw}
		case found:
			words[i] = word{value: value{text: prefix}, raw: w.raw}
		}
	}
	return words
}

// foremost reports whether it is the first command of the line itself.
func (u *use) foremost() bool {
	return u.out.command == 0 && u.limits.depth == 0
}

// elsewhere walks what runs on another machine or in a container.
func (u *use) elsewhere(walk func()) {
	before := u.out.away
	u.out.away = "elsewhere"
	if len(u.pos) > 0 && u.pos[0].known {
		u.out.away = u.pos[0].text
	}
	walk()
	u.out.away = before
}

// shellText walks the text that a shell is told to run.
func (u *use) shellText(w word) {
	if !w.known || w.glob > 0 {
		u.out.beyond = true
		u.out.unknown(PartWords, u.inv.raw, "this gives a shell a text to run that nod does not know")
		u.out.does(Run, "", u.inv.raw)
		return
	}
	u.newShell(w, u.inv.st)
}

// newShell walks a text in another shell, which knows no functions and has a
// name of its own.
func (u *use) newShell(w word, st state) {
	u.texts.nested(w.text, st, u.inv.name)
}

// splitText is env -S: words, split by rules that are those of a shell only
// while nothing in the text is special, and followed by the words after it.
func (u *use) splitText(w word) {
	same := 0
	for _, arg := range u.inv.args {
		if strings.HasSuffix(arg.text, w.text) {
			same++
		}
	}
	last := u.inv.args[len(u.inv.args)-1].text
	if w.known && (same != 1 || !strings.HasSuffix(last, w.text) || !grammar.SplitsAsShell(w.text)) {
		u.out.unknown(PartWords, u.inv.raw, "this gives a text that is split by rules of its own")
		u.out.does(Run, "", u.inv.raw)
	}
	u.shellText(w)
}

// shellCode is sh -c: the text, then its positional parameters.
func (u *use) shellCode(rest []word) {
	if w := rest[0]; w.known && w.glob == 0 {
		u.newShell(w, u.inv.st)
		return
	}
	u.shellText(rest[0])
}

// scriptWith is a script and its arguments.
func (u *use) scriptWith(rest []word) {
	u.texts.script(rest[0], u.inv)
}

// startsRole reports whether an argument in a role, and those behind it, are a command.
func startsRole(role string) bool {
	switch role {
	case "command", "xcommand", "awaycommand", "awayshell", "shelltext", "shellcode", "script", "assign":
		return true
	}
	return false
}

// codeRole reports whether an argument in a role is a program's text.
func codeRole(role string) bool {
	switch role {
	case "awk", "sed", "jq", "yq", "inline", "split", "shell", "usershell", "shelltext", "shellcode", "date",
		"format", "curlformat", "setting", "fzfbind", "previewed", "pymodule", "kubeoutput", "psformat":
		return true
	}
	return false
}

// role does what one argument in one role means.
func (u *use) role(role string, w word) {
	st := u.inv.st
	if w.glob > 0 && codeRole(role) { // awk * runs the name of a file
		u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(w.raw)+" makes code of a file's name")
	}
	if role == "prune-next" && len(u.pos) > 0 {
		return // of what stands before it nothing is left out
	}
	if u.glued(role, w) || u.out.sought(role, w) {
		return
	}
	switch role {
	case "text", "":
	case "read":
		u.targets.reads(w, u.flags&recursive)
	case "pathspec": // git takes in what it names, and prints it later by another name
		if w.known && !w.many && !strings.HasPrefix(w.text, ":") {
			u.targets.reads(w, 0)
		}
	case "list":
		u.targets.reads(w, u.flags&recursive|names)
	case "tree":
		u.targets.reads(w, recursive)
	case "names":
		u.targets.reads(w, recursive|names)
	case "outfile", "numbered", "write", "change", "delete", "deltree", "moved":
		u.targets.changes(role, w)
	case "dest":
		u.targets.dest(w)
	case "destdir":
		u.into = w
	case "program":
		u.targets.programWord(w)
	case "script", "code":
		u.texts.script(w, u.inv)
	case "split":
		u.splitText(w)
	case "shell", "usershell":
		u.shellText(w)
	case "url":
		u.targets.url(w)
	case "host":
		u.targets.host(w)
	case "cd":
		if len(u.pos) > 0 { // tar takes those names in the directory before
			u.out.unknown(PartWords, u.inv.raw, "this changes its directory behind names")
		}
		if u.moved { // some go on from the first, to some the last counts
			u.out.unknown(PartWords, u.inv.raw, "this changes its directory twice")
		}
		u.moved = true
		u.inv.st.dir = u.out.enterDir(w, st)
	case "replace":
		u.replace = cmp.Or(w.text, "{}")
	case "link":
		u.targets.linked(w)
	case "listed":
		u.targets.listed(w)
	default:
		u.language(role, w)
	}
}

// glued takes roles that carry their own data: {a,b} and kind:target.
func (u *use) glued(role string, w word) bool {
	switch {
	case strings.HasPrefix(role, "{"):
		if !w.known || !strings.Contains(","+strings.Trim(role, "{}")+",", ","+w.text+",") {
			u.out.unknown(PartWords, u.inv.raw,
				"this runs "+grammar.Escaped(u.sheet.name+" "+w.shown())+", which nod does not know")
		}
		return true
	case strings.HasPrefix(role, "!"):
		u.effects(role, u.inv.raw)
		return true
	}
	return false
}

// language takes the roles of small languages and the rarer effects.
func (u *use) language(role string, w word) {
	switch role {
	case "sed":
		u.codes.sedScript(w)
	case "awk":
		u.codes.awkProgram(w)
	case "jq", "yq":
		u.codes.filter(role, w)
	case "inline":
		u.codes.inlineCode(w)
	case "unset":
		if !w.known || variables.Of(w.text) != variables.Plain {
			u.out.unknown(PartWords, u.inv.raw, "this runs a command without "+grammar.Escaped(w.shown()))
		}
	case "variable":
		if !w.known || variables.Secret(w.text) {
			u.out.does(Secret, w.shown(), u.inv.raw)
		}
	case "kill":
		target := w.text
		if !w.known {
			target = ""
		}
		u.out.does(Kill, target, u.inv.raw)
	case "date":
		if !strings.HasPrefix(w.text, "+") {
			u.out.unknown(PartWords, u.inv.raw, "this gives an argument that sets the clock")
		}
	case "setting":
		u.git().setting(w)
	case "remote":
		target := w.text
		if !w.known {
			target = ""
		}
		u.out.effect(Effect{Kind: Remote, Target: target, Place: Network, Words: u.inv.raw, Part: PartWords,
			Forced: u.flags&forced != 0})
	case "unknown":
		u.out.unknown(PartWords, u.inv.raw,
			"this gives "+u.sheet.name+" "+grammar.Escaped(w.shown())+", and nod does not know what that does")
	default:
		if !u.request().role(role, w) && !u.operands().role(role, w) && !u.peculiar(role, w) {
			u.out.unknown(PartWords, u.inv.raw, "the data gives "+u.sheet.name+" a role that is not known: "+role)
		}
	}
}
