package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/code"
	"github.com/nodgate/nod/internal/shell/grammar"
)

// database notes which database a client is told to open: a file, or where
// its server is.
func (u *use) database(role string, w word) {
	host := w.text
	if role == "database" {
		if u.localFile() {
			u.base = w
			return
		}
		host = connectionHost(w.text)
		if host == "" && w.known {
			return
		}
	}
	if !w.known {
		u.base = word{raw: w.raw}
		u.marks |= markLost
		return
	}
	if strings.HasPrefix(host, "/") { // the directory of a socket
		host = "localhost"
	}
	if u.base.known && u.base.text != host { // two hosts: neither is sure
		u.marks |= markLost
	}
	u.base = word{value: constant(host), raw: w.raw}
}

// localFile reports whether the client opens a file itself.
func (u *use) localFile() bool { return u.sheet.server == "" }

// connectionHost is the host of a URL or of name=value pairs, "" where there
// is none.
func connectionHost(text string) string {
	if _, rest, ok := strings.Cut(text, "://"); ok {
		if i := strings.IndexAny(rest, "/?"); i >= 0 {
			if strings.Contains(rest[i:], "host") {
				return "unclear"
			}
			rest = rest[:i]
		}
		rest = rest[strings.LastIndexByte(rest, '@')+1:]
		if strings.ContainsAny(rest, ",[%") {
			return "unclear"
		}
		host, _, _ := strings.Cut(rest, ":")
		return host
	}
	if strings.Contains(text, "host") && strings.Contains(text, "=") ||
		strings.Contains(text, "service") && strings.Contains(text, "=") {
		return "unclear"
	}
	return ""
}

// finishSQL reports what the statements do that a client of a database is
// given, and those that it reads.
func (u *use) finishSQL() {
	server := ""
	if !u.localFile() {
		server = u.server()
		u.out.does(Fetch, server, u.inv.raw)
	}
	changes := false
	for _, w := range u.sqls {
		changes = u.sql(w, server, false) || changes
	}
	if len(u.sqls) == 0 && !u.marks.has(markLists) {
		in := u.inv.in
		if in.kind == fromText && in.text.known {
			changes = u.sql(in.text, server, true)
		} else {
			u.standardInput(u.inv)
		}
	}
	if u.localFile() {
		u.opensDatabase(changes)
	}
}

// server is the host that a client connects to; "" where it is not known.
func (u *use) server() string {
	for i, name := range strings.Fields(u.sheet.server) {
		value, ok := u.machine.inherits(name)
		if b := u.inv.st.lookup(name); b != nil {
			value, ok = b.text, true
			if !b.known {
				u.marks |= markLost
			}
		}
		if ok && value != "" && i == 0 && u.base.raw == "" {
			u.base = word{value: constant(value), raw: u.inv.raw}
		} else if ok && value != "" && i > 0 {
			u.marks |= markLost
		}
	}
	switch {
	case u.marks.has(markLost) || u.base.text == "unclear":
		u.out.unknown(PartWords, u.inv.raw, "which server it connects to is not known")
		return ""
	case u.base.text == "", u.base.text == "127.0.0.1", u.base.text == "::1", strings.HasPrefix(u.base.text, "/"):
		return "localhost"
	}
	return u.base.text
}

// sql reports what statements do, and whether they change the database.
func (u *use) sql(w word, server string, fed bool) (changes bool) {
	if !w.known || w.glob > 0 || w.many {
		u.out.unknown(PartWords, u.inv.raw, "what the statements of "+u.sheet.name+" do is not known")
		return true
	}
	facts := code.SQL(u.sheet.sql, w.text, fed)
	if !facts.Proven {
		why := grammar.Shorten(grammar.Escaped(facts.Why))
		u.out.unknown(PartWords, u.inv.raw, "what the statements of "+u.sheet.name+" do is not known: "+why)
	}
	for _, e := range facts.Effects {
		if e.Kind == code.Change || e.Kind == code.Destroy {
			changes = true
			if !u.localFile() {
				u.out.effect(Effect{
					Kind: Remote, Target: server, Place: Network, Words: u.inv.raw, Part: PartWords, Forced: e.Kind == code.Destroy,
				})
			}
			continue
		}
		u.sqlEffect(e)
	}
	return changes || !facts.Proven
}

// sqlEffect reports what a statement does besides changing the database.
func (u *use) sqlEffect(e code.Effect) {
	if e.Kind != code.Shell {
		u.coded([]code.Effect{e})
		return
	}
	u.out.unread(e.Name) // the client puts its own quotes round the words
	u.out.does(Run, "", u.inv.raw)
	u.out.unknown(PartWords, u.inv.raw, u.sheet.name+" gives a line to a shell")
}

// opensDatabase reports the file of a database: read, or changed.
func (u *use) opensDatabase(changes bool) {
	name := u.base.text
	if u.base.raw == "" || u.base.known && (name == "" || name == ":memory:") {
		return
	}
	w := word{value: u.base.value, raw: u.inv.raw}
	if strings.HasPrefix(name, "file:") || strings.Contains(name, "://") || strings.HasPrefix(name, "md:") {
		u.out.unknown(PartWords, u.inv.raw, "which database it opens is not known")
		w.value = value{}
	}
	u.out.path(Read, w, u.inv.st, 0)
	// A database that is not there is made.
	if abs, ok := absolute(w, u.inv.st); changes && !u.readsOnly() || ok && !u.machine.exists(abs) {
		u.out.path(Write, w, u.inv.st, 0)
	}
}

// readsOnly reports whether the client is told to open the database so that
// nothing changes it.
func (u *use) readsOnly() bool {
	for _, w := range u.inv.args {
		if w.known && (w.text == "-readonly" || w.text == "--readonly") {
			return true
		}
	}
	return false
}
