package shell

import (
	"cmp"
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
)

// whole takes the roles that cover everything from one argument on. It
// reports whether it did.
func (u *use) whole(role string, i int) bool {
	rest := u.pos[i:]
	switch role {
	case "command":
		for len(rest) > 0 && rest[0].known && rest[0].dashed() {
			n := u.dash(rest[0], rest[1:])
			rest = rest[min(n+1, len(rest)):]
		}
		if u.is.Has(Repeats) {
			u.out.inRounds(func() { u.inside(u.inv, rest) })
			return true
		}
		u.inside(u.inv, rest)
	case "xcommand":
		u.out.inRounds(func() { u.insideFed(u.inv, u.fed(rest), u.out.finder) })
	case "awaycommand":
		u.elsewhere(func() { u.inside(u.inv, rest) })
	case "awayshell":
		u.elsewhere(func() { u.shellText(joinedWord(rest)) })
	case "shelltext":
		u.out.inRounds(func() { u.shellText(joinedWord(rest)) }) // watch
	case "assign":
		name, text, ok := strings.Cut(rest[0].text, "=")
		if !ok || !rest[0].known && !ok {
			return u.whole("command", i)
		}
		v := value{}
		if rest[0].known {
			v = constant(text)
		}
		u.vars.exported(name, v, rest[0].raw, afterAssignments(rest))
		if name == "PATH" {
			u.inv.st = u.inv.st.assign(name, v)
		}
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
	return u.out.command == 0 && u.limits.depth == 0 && u.out.caller == 0
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
	st = st.child()
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
	s, ok := u.defs.load(rest[0], u.inv)
	if langs := grammar.Shells(u.inv.name); ok && langs != nil {
		if u.texts.runScript(s, langs, rest[0], u.inv) {
			return
		}
	}
	u.texts.script(rest[0], u.inv)
}

// role does what one argument in one role means.
func (u *use) role(role string, w word) {
	st := u.inv.st
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
	case "outfile", "numbered":
		if role == "numbered" && strings.ContainsRune(w.text, '#') {
			w.value = value{} // #1 is what matched in the address
		}
		if !(w.known && w.text == "-") {
			u.out.path(Write, w, st, u.flags)
		}
	case "write":
		u.out.path(Write, w, st, u.flags)
	case "change":
		u.out.path(Write, w, st, u.flags)
	case "delete":
		u.out.path(Delete, w, st, u.flags)
	case "deltree":
		u.out.path(Delete, w, st, u.flags|recursive)
	case "moved":
		u.out.path(Delete, w, st, u.flags|recursive|moved)
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
	case "shell":
		u.shellText(w)
	case "url":
		u.targets.url(w)
	case "host":
		u.targets.host(w)
	case "cd":
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
	case "jqfile", "yqfile":
		u.codes.filterFile(role, w)
	case "inline":
		u.codes.inlineCode(w)
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
	case "key":
		if !w.known || strings.Contains(w.text, "=") {
			u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(w.shown())+" may set something")
		}
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
		u.peculiar(role, w)
	}
}

// peculiar takes the roles that one program has.
func (u *use) peculiar(role string, w word) {
	switch role {
	case "curldata":
		u.request().curlData(w)
	case "curlencode":
		if name, file, ok := strings.Cut(w.text, "@"); ok && !strings.Contains(name, "=") {
			w.text = "@" + file
			u.request().curlData(w)
		}
	case "digword": // @server, +option, type and class, or a name
		switch {
		case strings.HasPrefix(w.text, "+") && w.known:
		case w.known && strings.Contains(" a aaaa any axfr caa ch cname dnskey ds hinfo hs https in "+
			"loc mx naptr ns nsec "+
			"ptr rrsig soa spf srv sshfp svcb tlsa txt ", " "+strings.ToLower(w.text)+" "):
		default:
			w.text = strings.TrimPrefix(w.text, "@")
			u.targets.host(w)
		}
	case "httpitem":
		u.request().httpItem(w)
	case "curlcookie":
		if w.known && !strings.Contains(w.text, "=") {
			u.out.path(Read, w, u.inv.st, 0)
		}
	case "curlmethod", "ghmethod":
		u.request().requestMethod(role, w)
	case "ghfield":
		if strings.HasPrefix(w.text, "query=") {
			if !w.known || strings.Contains(w.text, "mutation") || u.marks.has(markQuery) {
				u.marks |= markMakes // of two, releases differ in which one counts
			}
			u.marks |= markQuery
		}
		if _, file, ok := strings.Cut(w.text, "=@"); ok {
			u.out.path(Read, word{value: value{text: file, known: w.known}, raw: w.raw}, u.inv.st, 0)
		}
	case "tarfile":
		u.archive = w
	case "persist":
		u.out.does(Persist, w.shown(), u.inv.raw)
	case "curlformat":
		u.request().curlFormat(w)
	case "sent":
		u.send = u.send || !w.known
	case "tracked":
		u.git().tracked(w)
	case "searched":
		u.git().searched(w)
	case "gitremote":
		u.git().gitRemote(w)
	case "pagerfile":
		if !w.known || strings.HasPrefix(w.text, "+") {
			u.out.unknown(PartWords, u.inv.raw, "this gives an argument that a pager may run")
		}
		u.targets.reads(w, 0)
	case "manpage":
		if !w.known || strings.Contains(w.text, "/") {
			u.out.unknown(PartWords, u.inv.raw, "this shows a page that may take in other files")
		}
	case "formula":
		if !w.known || strings.Contains(w.text, "/") || strings.HasSuffix(w.text, ".rb") {
			u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(w.shown())+" may be code that "+u.sheet.name+" loads")
		}
	case "mode":
		u.operands().mode(w)
	case "procs":
		if !w.known || strings.Trim(w.text, "0") == "" || len(w.text) > 2 {
			u.out.unknown(PartWords, u.inv.raw, "this runs "+u.sheet.name+", which may start any number of processes")
		}
	case "psword":
		u.operands().psWord(w)
	case "socketword":
		u.operands().socketWord(w)
	case "composefile":
		u.operands().composeFile(w)
	case "xmlfile":
		u.operands().xmlFile(w)
	case "zipfile":
		if base := path.Base(w.text); w.known && !strings.Contains(base, ".") && w.text != "-" {
			w.text += ".zip"
		}
		u.out.path(Write, w, u.inv.st, u.flags)
	case "kubeoutput":
		if !w.known || w.text != "wide" && w.text != "name" {
			u.marks |= markWhole
		}
	case "fileorurl":
		if strings.Contains(w.text, "://") || !w.known {
			u.targets.url(w)
		} else {
			u.targets.reads(w, 0)
		}
	case "literal":
		if !w.known || strings.HasPrefix(w.text, "@") {
			u.out.unknown(PartWords, u.inv.raw, grammar.Escaped(w.shown())+" may name a file")
		}
	case "xpath":
		if !w.known || strings.Contains(w.text, "document") {
			u.out.unknown(PartWords, u.inv.raw, "this gives an expression that may read other documents")
		}
	case "atother":
		if _, host, ok := strings.Cut(w.text, "@"); ok || !w.known {
			u.targets.host(word{value: value{text: host, known: w.known}, raw: w.raw})
		}
	case "media":
		u.operands().mediaFile(w)
	case "fzfbind":
		u.operands().fzfBind(w)
	case "previewed":
		u.codes.previewed(w)
	case "format":
		if !w.known || strings.Contains(w.text, "#(") {
			u.out.unknown(PartWords, u.inv.raw, "this gives a format that may run commands")
		}
	case "sql":
		if u.sheet.sql == "" {
			u.out.unknown(PartWords, u.inv.raw, "this runs statements with "+u.sheet.name+" that nod does not know")
		}
		u.client.sqls = append(u.client.sqls, w)
	case "database", "dbhost":
		u.client.database(role, w)
	case "pymodule": // the directory comes first in the search for modules
		u.out.does(Run, w.shown(), u.inv.raw)
	case "readurl":
		if strings.Contains(w.text, "://") {
			u.targets.url(w)
			return
		}
		u.targets.reads(w, u.flags&recursive)
	case "ghrepo":
		u.request().ghRepo(w)
	case "loaded", "atfile":
		u.request().loaded(role, w)
	case "pipeout":
		if !w.known || strings.HasPrefix(w.text, "|") {
			u.shellText(word{value: value{text: strings.TrimPrefix(w.text, "|"), known: w.known}, raw: w.raw})
			return
		}
		u.out.path(Write, w, u.inv.st, u.flags)
	default:
		u.out.unknown(PartWords, u.inv.raw, "the data gives "+u.sheet.name+" a role that is not known: "+role)
	}
}
