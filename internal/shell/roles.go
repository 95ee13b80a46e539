package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/code"
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
		u.inside(u.inv, rest)
	case "xcommand":
		u.insideFed(u.inv, u.fed(rest), u.out.finder)
	case "awaycommand":
		u.elsewhere(func() { u.inside(u.inv, rest) })
	case "awayshell":
		u.elsewhere(func() { u.shellText(joinedWord(rest)) })
	case "shelltext", "shellcode":
		if w := joinedWord(rest); role == "shelltext" || !rest[0].known {
			u.shellText(w)
		} else {
			u.shellText(rest[0])
		}
	case "assign":
		return u.assigned(rest, i)
	case "script":
		u.texts.script(rest[0], u.inv)
	default:
		return false
	}
	return true
}

// assigned reads NAME=value words before a command, as those of env.
func (u *use) assigned(rest []word, i int) bool {
	name, text, ok := strings.Cut(rest[0].text, "=")
	switch {
	case rest[0].known && rest[0].text == "-" && len(rest) > 1:
		u.out.unknown(PartWords, u.inv.raw, "this runs a command with another environment")
	case !ok:
		return u.whole("command", i)
	default:
		command := rest
		for len(command) > 0 && command[0].known && assignmentLike(command[0]) {
			command = command[1:]
		}
		u.vars.exported(name, value{text: text, known: rest[0].known}, rest[0].raw, command)
	}
	if i+1 < len(u.pos) {
		return u.whole("assign", i+1)
	}
	return true
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
	v.given = u.inv.in.outer && u.out.command == 0 && u.limits.depth == 0 && !u.marks.has(markApart)
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
	u.texts.nested(w.text, u.inv.st, u.inv.name)
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
	case "awk", "sed", "jq", "yq", "inline", "shell", "shelltext", "shellcode", "date", "setting", "curlformat":
		return true
	}
	return false
}

// role does what one argument in one role means. This is the table of all roles that
// take one word.
func (u *use) role(role string, w word) {
	if w.glob > 0 && codeRole(role) { // awk * runs the name of a file
		u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(w.raw)+" makes code of a file's name")
	}
	if role == "prune-next" && len(u.pos) > 0 || u.out.sought(role, w) {
		return // of what stands before it nothing is left out
	}
	switch role {
	case "text", "":
	case "read":
		reads(u, w, u.flags&recursive)
	case "list":
		reads(u, w, u.flags&recursive|names)
	case "tree":
		reads(u, w, recursive)
	case "names":
		reads(u, w, recursive|names)
	case "outfile", "write", "change", "delete", "deltree", "moved":
		changes(u, role, w)
	case "dest":
		dest(u, w)
	case "destdir":
		u.into = w
	case "link":
		linked(u, w)
	case "hardlink":
		u.out.unknown(PartWords, u.inv.raw, "this gives a file a second name, and what is written to one is in both")
		linked(u, w)
	case "listed": // a file that names others
		reads(u, w, 0)
		u.out.unknown(PartWords, u.inv.raw, "this takes the files that a list names, and nod does not read the list")
	case "program":
		target := w.text
		if !w.known {
			target = ""
			u.out.unknown(PartWords, u.inv.raw, "this runs a program, and nod cannot tell which")
		}
		u.out.does(Run, target, u.inv.raw)
	case "script":
		u.texts.script(w, u.inv)
	case "inline":
		u.inline = append(u.inline, w)
	case "shell":
		u.shellText(w)
	case "url":
		url(u, w)
	case "host":
		host(u, w)
	case "cd":
		if len(u.pos) > 0 || u.moved { // tar takes those names in the directory before
			u.out.unknown(PartWords, u.inv.raw, "this changes its directory behind names, or twice")
		}
		u.moved = true
		u.inv.st.dir = u.out.enterDir(w, u.inv.st)
	case "replace":
		u.replace = cmp.Or(w.text, "{}")
	case "kill", "persist", "remote":
		u.named(role, w)
	case "unknown":
		u.doubt(w)
	default:
		u.rarer(role, w)
	}
}

// named reports what is done to a thing that an argument names.
func (u *use) named(role string, w word) {
	e := Effect{Kind: Kill, Target: w.text, Words: u.inv.raw, Part: PartWords}
	if !w.known {
		e.Target = ""
	}
	switch role {
	case "persist":
		e.Kind = Persist
	case "remote":
		e.Kind, e.Place, e.Forced = Remote, Network, u.flags&forced != 0
	}
	u.out.effect(e)
}

// doubt reports an argument that is not plain where it stands.
func (u *use) doubt(w word) {
	u.out.unknown(PartWords, u.inv.raw,
		"this gives "+u.sheet.name+" "+grammar.Escaped(w.shown())+", and nod does not know what that does")
}

// rarer takes the roles of small languages and of few programs.
func (u *use) rarer(role string, w word) {
	switch role {
	case "sed", "awk", "jq", "yq":
		coded(u, role, w)
	case "name": // of a page, a formula, a key: letters, digits and few signs
		if !w.known || strings.Trim(strings.ToLower(w.text), "abcdefghijklmnopqrstuvwxyz0123456789_.+-:,") != "" {
			u.doubt(w)
		}
	case "format": // of tmux: #( runs what stands in it
		if !w.known || strings.Contains(w.text, "#(") {
			u.doubt(w)
		}
	case "pagerfile":
		if reads(u, w, 0); strings.HasPrefix(w.text, "+") { // a command of the pager's
			u.doubt(w)
		}
	case "date":
		if !strings.HasPrefix(w.text, "+") {
			u.doubt(w) // it sets the clock
		}
	case "mode": // one that makes a program run as its owner or its group
		octal := strings.Trim(w.text, "01234567") == ""
		if !w.known || octal && len(strings.TrimLeft(w.text, "0")) > 3 || !octal && strings.Contains(w.text, "s") {
			u.doubt(w)
		}
	case "psformat":
		if !w.known || strings.Contains(w.text, "environ") {
			u.doubt(w)
		}
	case "unset":
		if !w.known || w.text == "PATH" || w.text == "HOME" || strings.HasPrefix(w.text, "GIT_") ||
			strings.HasPrefix(w.text, "XDG_") {
			u.doubt(w)
		}
	case "variable":
		if !w.known || variables.Secret(w.text) {
			u.out.does(Secret, w.shown(), u.inv.raw)
		}
	case "setting", "pathspec", "tracked", "searched", "gitremote":
		u.git().gitRole(role, w)
	case "curldata", "curlformat", "curlmethod", "ghmethod", "ghfield", "sent":
		requestRole(u, role, w)
	case "tarfile":
		u.archive = w
	default:
		u.glued(role, w)
	}
}

// glued takes roles that carry their own data: {a,b} and kind:target.
func (u *use) glued(role string, w word) {
	switch {
	case strings.HasPrefix(role, "{"):
		if !w.known || !slices.Contains(strings.Split(strings.Trim(role, "{}"), ","), w.text) {
			u.doubt(w)
		}
	case strings.HasPrefix(role, "!"):
		u.effects(role, u.inv.raw)
	default:
		u.out.unknown(PartWords, u.inv.raw, "the data gives "+u.sheet.name+" a role that is not known: "+role)
	}
}

// coded reports what a program in a small language does.
func coded(u *use, role string, w word) {
	if !w.known || w.glob > 0 && w.many {
		u.out.runsCode(u.inv, w)
		return
	}
	effects, ok := []code.Effect(nil), true
	switch role {
	case "sed":
		effects, ok = code.Sed(w.text)
	case "awk":
		effects, ok = code.Awk(w.text)
	case "jq":
		effects = code.JQ(w.text)
	case "yq":
		if name, ok := absolute(w, u.inv.st); ok && u.machine.env.Files != nil && u.machine.exists(name) {
			u.doubt(w) // a file, perhaps with its program
		}
		effects = code.YQ(w.text)
	}
	for _, e := range effects {
		name := word{value: value{text: e.Name, known: e.Known}, raw: u.inv.raw}
		switch e.Kind {
		case code.Read:
			u.out.path(Read, name, u.inv.st, 0)
		case code.Write:
			u.out.path(Write, name, u.inv.st, 0)
		case code.Secret:
			u.out.does(Secret, e.Name, u.inv.raw)
		case code.Run:
			u.out.does(Run, e.Name, u.inv.raw)
		default:
			u.out.unknown(PartWords, u.inv.raw, e.Name)
		}
	}
	if !ok {
		u.out.runsCode(u.inv, w)
	}
}

// runsCode reports code that nod does not read. What may be a command in it is
// looked at by the guard.
func (d *draft) runsCode(inv *invocation, w word) {
	e := Effect{Kind: Run, Target: "inline code", Words: inv.raw, Part: PartWords}
	if w.known {
		d.unread(w.text)
	} else {
		d.unknown(PartWords, inv.raw, "this runs code that nod does not know")
	}
	d.effect(e)
}
