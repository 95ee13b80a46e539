package shell

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// whole takes the roles that cover everything from one argument on. It reports whether it did.
func (u *use) whole(role string, i int) bool {
	rest := u.pos[i:]
	if len(rest) > 0 && rest[0].glob > 0 && // env * runs a file of the directory
		slices.Contains([]string{"command", "shelltext", "shellcode", "script", "assign"}, role) {
		u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(rest[0].raw)+" makes code of a file's name")
	}
	switch role {
	case "command":
		for len(rest) > 0 && rest[0].known && rest[0].dashed() {
			n := u.dash(rest[0], rest[1:])
			rest = rest[min(n+1, len(rest)):]
		}
		u.inside(u.inv, rest)
	case "shelltext":
		text, ok := joinedText(rest)
		u.shellText(word{value: value{text: text, known: ok}, raw: rest[0].raw})
	case "shellcode":
		u.shellText(rest[0])
	case "assign":
		return u.assigned(rest, i)
	case "script":
		u.script(rest[0], u.inv)
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
		u.out.exported(name, value{text: text, known: rest[0].known}, rest[0].raw)
	}
	if i+1 < len(u.pos) {
		return u.whole("assign", i+1)
	}
	return true
}

// shellText walks the text that a shell is told to run.
func (u *use) shellText(w word) {
	if !w.known || w.glob > 0 {
		u.out.beyond = true
		u.out.unknown(PartWords, u.inv.raw, "this gives a shell a text to run that nod does not know")
		u.out.does(Run, "", u.inv.raw)
		return
	}
	u.nested(w.text, u.inv.st, u.inv.name)
}

// role does what one argument in one role means. This is the table of all roles that take one word.
func (u *use) role(role string, w word) {
	if w.glob > 0 && slices.Contains([]string{"sed", "awk", "jq", "inline", "shell", "shelltext", "shellcode", "date",
		"format"}, role) { // awk * runs the name of a file
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
	case "program":
		target := w.text
		if !w.known {
			target = ""
			u.out.unknown(PartWords, u.inv.raw, "this runs a program, and nod cannot tell which")
		}
		u.out.does(Run, target, u.inv.raw)
	case "script":
		u.script(w, u.inv)
	case "inline":
		u.inline = append(u.inline, w)
	case "shell":
		u.shellText(w)
	case "url":
		url(u, w)
	case "host":
		host(u, w)
	case "cd":
		if u.inv.st.dir = u.out.enterDir(w, u.inv.st); u.moved {
			u.inv.st.dir = ""
		}
		u.moved = true
	case "kill", "persist", "remote":
		target := w.text
		if !w.known {
			target = ""
		}
		u.stated(role+":"+target, u.inv.raw)
	case "unknown":
		u.doubt(w)
	default:
		u.rarer(role, w)
	}
}

// doubt reports an argument that is not plain where it stands.
func (u *use) doubt(w word) {
	u.out.unknown(PartWords, u.inv.raw,
		"this gives "+u.sheet.name+" "+grammar.Escaped(w.shown())+", and nod does not know what that does")
}

// rarer takes the roles of small languages and of few programs.
func (u *use) rarer(role string, w word) {
	switch role {
	case "sed", "awk", "jq": // a program in a small language
		if !w.known || w.glob > 0 && w.many || role == "sed" && !plainSed(w.text) ||
			role == "awk" && !plainAwk(w.text) {
			u.out.runsCode(u.inv, w)
		} else if role == "jq" {
			filters(u, w.text)
		}
	case "date":
		if !strings.HasPrefix(w.text, "+") {
			u.doubt(w) // it sets the clock
		}
	case "pagerfile": // less +cmd runs a command of its own
		if reads(u, w, 0); strings.HasPrefix(w.text, "+") {
			u.doubt(w)
		}
	case "hardlink": // another name for the same file
		reads(u, w, 0)
		u.doubt(w)
	case "mode": // a mode that makes a program run as its owner or its group
		octal := strings.Trim(w.text, "01234567") == ""
		if !w.known || octal && len(strings.TrimLeft(w.text, "0")) > 3 || !octal && strings.Contains(w.text, "s") {
			u.doubt(w)
		}
	case "variable":
		if !w.known || u.machine.secretVariable(w.text) {
			u.out.does(Secret, w.shown(), u.inv.raw)
		}
	case "pathspec": // git takes in what it names, and prints it later by another name
		if w.known && !w.many && !strings.HasPrefix(w.text, ":") {
			reads(u, w, 0)
		}
	case "tracked":
		u.tracked(w)
	case "searched":
		u.searched(w)
	case "constant", "name": // a name is neither a path nor a host
		if !w.known || role == "name" && strings.ContainsAny(w.text, "/@") {
			u.doubt(w)
		}
	case "format": // of curl, ps
		if !w.known || strings.HasPrefix(w.text, "@") || strings.Contains(w.text, "%output{") ||
			strings.Contains(w.text, "environ") {
			u.doubt(w)
		}
	case "sent":
		sent(u, w)
	default: // these carry their own data: {a,b} and !kind:target
		switch words, listed := strings.CutPrefix(role, "{"); {
		case listed && (!w.known || !slices.Contains(strings.Split(strings.Trim(words, "}"), ","), w.text)):
			u.doubt(w)
		case strings.HasPrefix(role, "!"):
			u.effects(role, u.inv.raw)
		case !listed:
			u.out.unknown(PartWords, u.inv.raw, "the data gives "+u.sheet.name+" a role that is not known: "+role)
		}
	}
}

// runsCode reports code that nod does not read. What may be a command in it is looked at by the guard.
func (d *draft) runsCode(inv *invocation, w word) {
	e := Effect{Kind: Run, Target: "inline code", Words: inv.raw, Part: PartWords}
	if w.known {
		d.unread(w.text)
	} else {
		d.unknown(PartWords, inv.raw, "this runs code that nod does not know")
	}
	d.effect(e)
}
