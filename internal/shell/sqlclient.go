package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/code"
	"github.com/nodgate/nod/internal/shell/grammar"
)

// client is the command line of a client of a database.
type client struct {
	machine *machine
	out     *draft
	defs    *definitions
	*sheet
	*given
	codes *codes
	texts *texts
	sqls  []word // statements
	base  word   // the database
}

// database notes which database a client is told to open: a file, or where
// its server is.
func (c *client) database(role string, w word) {
	host := w.text
	if role == "database" {
		if c.localFile() {
			c.base = w
			return
		}
		host = connectionHost(w.text)
		if host == "" && w.known {
			return
		}
	}
	if !w.known {
		c.base = word{raw: w.raw}
		c.marks |= markLost
		return
	}
	if strings.HasPrefix(host, "/") { // the directory of a socket
		host = "localhost"
	}
	if c.base.known && c.base.text != host { // two hosts: neither is sure
		c.marks |= markLost
	}
	c.base = word{value: constant(host), raw: w.raw}
}

// localFile reports whether the client opens a file itself.
func (c *client) localFile() bool { return c.sheet.server == "" }

// connectionHost is the host of a URL or of name=value pairs, "" where there
// is none, "unclear" where a name of them may lead elsewhere or start something:
// hostaddr, service, sslkey (ENGINE:KEY loads a library, libpq 15), sslkeylogfile.
func connectionHost(text string) string {
	if scheme, rest, ok := strings.Cut(text, "://"); ok && !strings.ContainsAny(scheme, "= \t\n\v\f\r") {
		if i := strings.IndexAny(rest, "/?"); i >= 0 {
			_, parameters, _ := strings.Cut(rest[i:], "?")
			// libpq looks for the @ behind a login before it looks for the ?
			if strings.Contains(parameters, "@") ||
				!onlyPlainParameters(strings.FieldsFunc(parameters, func(c rune) bool { return c == '&' })) {
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
	host := ""
	pairs := strings.Fields(text)
	if len(pairs) > 0 && strings.HasPrefix(pairs[0], "host=") {
		host, pairs = strings.TrimPrefix(pairs[0], "host="), pairs[1:]
	}
	if strings.Contains(text, "=") && (strings.ContainsAny(text, `'"\`) || strings.Contains(host, ",") ||
		!onlyPlainParameters(pairs)) {
		return "unclear"
	}
	return host
}

// onlyPlainParameters reports whether all parameters of a connection say who asks for
// what, and how long is waited. A name that is written otherwise (%68ost) is none of them.
func onlyPlainParameters(pairs []string) bool {
	for _, pair := range pairs {
		switch name, _, _ := strings.Cut(pair, "="); name {
		case "user", "password", "dbname", "port", "sslmode", "connect_timeout", "application_name", "client_encoding",
			"target_session_attrs":
		default:
			return false
		}
	}
	return true
}

// finishSQL reports what the statements do that a client of a database is
// given, and those that it reads.
func (c *client) finishSQL() {
	server := ""
	if !c.localFile() {
		server = c.server()
		c.out.does(Fetch, server, c.inv.raw)
	}
	changes := false
	for _, w := range c.sqls {
		changes = c.sql(w, server, false) || changes
	}
	if len(c.sqls) == 0 && !c.marks.has(markLists) {
		in := c.inv.in
		if in.kind == fromText && in.text.known {
			changes = c.sql(in.text, server, true)
		} else {
			c.texts.standardInput(c.inv)
		}
	}
	if c.localFile() {
		c.opensDatabase(changes)
	}
}

// server is the host that a client connects to; "" where it is not known.
func (c *client) server() string {
	for i, name := range strings.Fields(c.sheet.server) {
		value, ok := c.machine.inherits(name)
		if b := c.inv.st.lookup(name); b != nil {
			value, ok = b.text, true
			if !b.known {
				c.marks |= markLost
			}
		}
		if ok && value != "" && i == 0 && c.base.raw == "" {
			c.base = word{value: constant(value), raw: c.inv.raw}
		} else if ok && value != "" && i > 0 {
			c.marks |= markLost
		}
	}
	switch {
	case c.marks.has(markLost) || c.base.text == "unclear":
		c.out.unknown(PartWords, c.inv.raw, "this connects to a server, and nod does not know which")
		return ""
	case c.base.text == "", c.base.text == "127.0.0.1", c.base.text == "::1", strings.HasPrefix(c.base.text, "/"):
		return "localhost"
	}
	return c.base.text
}

// sql reports what statements do, and whether they change the database.
func (c *client) sql(w word, server string, fed bool) (changes bool) {
	if !w.known || w.glob > 0 || w.many {
		c.out.unknown(PartWords, c.inv.raw, "this runs statements with "+c.sheet.name+" that nod does not know")
		return true
	}
	facts := code.SQL(c.sheet.sql, w.text, fed)
	if !facts.Proven {
		why := grammar.Shorten(grammar.Escaped(facts.Why))
		c.out.unknown(PartWords, c.inv.raw, "this runs statements with "+c.sheet.name+" that nod does not know: "+why)
	}
	for _, e := range facts.Effects {
		if e.Kind == code.Change || e.Kind == code.Destroy {
			changes = true
			if !c.localFile() {
				c.out.effect(Effect{
					Kind: Remote, Target: server, Place: Network, Words: c.inv.raw, Part: PartWords,
					Forced: e.Kind == code.Destroy,
				})
			}
			continue
		}
		c.sqlEffect(e)
	}
	return changes || !facts.Proven
}

// sqlEffect reports what a statement does besides changing the database.
func (c *client) sqlEffect(e code.Effect) {
	if e.Kind != code.Shell {
		c.codes.coded([]code.Effect{e})
		return
	}
	c.out.unread(e.Name) // the client puts its own quotes round the words
	c.out.does(Run, "", c.inv.raw)
	c.out.unknown(PartWords, c.inv.raw, c.sheet.name+" gives a line to a shell")
}

// opensDatabase reports the file of a database: read, or changed.
func (c *client) opensDatabase(changes bool) {
	name := c.base.text
	if c.base.raw == "" || c.base.known && (name == "" || name == ":memory:") {
		return
	}
	w := word{value: c.base.value, raw: c.inv.raw}
	if strings.HasPrefix(name, "file:") || strings.Contains(name, "://") || strings.HasPrefix(name, "md:") {
		c.out.unknown(PartWords, c.inv.raw, "this opens a database, and nod does not know which")
		w.value = value{}
	}
	c.out.path(Read, w, c.inv.st, 0)
	// A database that is not there is made.
	abs, ok := absolute(w, c.inv.st)
	if ok {
		c.heedsSchema(abs)
	}
	if changes && !c.readsOnly() || ok && !c.machine.exists(abs) {
		c.out.path(Write, w, c.inv.st, 0)
	}
}

// heedsSchema reports a database that is there: its views and triggers may call what
// a statement may not. sqlite3 has a function that starts an editor.
func (c *client) heedsSchema(name string) {
	if c.marks.has(markPrints) { // sqlite3 -safe
		c.heedsJournal(name)
		return
	}
	c.defs.watches(watched{path: name, command: c.out.command, heeded: true})
	if !c.machine.exists(name) {
		c.heedsJournal(name) // what lies beside a database that is not there is removed
	} else {
		c.out.unknown(PartWords, c.inv.raw,
			"a view or trigger of this database may start a program or read a file; sqlite3 -safe refuses that")
	}
}

// heedsJournal reports what lies beside a database and is played back when it is
// opened, also for reading: it changes the database, and may name any file, which is
// removed (seen with sqlite3 3.40).
func (c *client) heedsJournal(name string) {
	if info, err := c.machine.env.Files.Lstat(name); err == nil && hasOtherName(info) {
		c.out.unknown(PartWords, c.inv.raw,
			"this opens a database by a link, and what lies beside the other name counts")
	}
	for _, ending := range [...]string{"-journal", "-wal"} {
		c.defs.watches(watched{path: name + ending, command: c.out.command, heeded: true})
		if c.machine.exists(name + ending) {
			c.out.unknown(PartWords, c.inv.raw, "this plays back what lies beside the database, in a file "+ending)
		}
	}
}

// readsOnly reports whether the client is told to open the database so that
// nothing changes it.
func (c *client) readsOnly() bool {
	for _, w := range c.inv.args {
		if w.known && (w.text == "-readonly" || w.text == "--readonly") {
			return true
		}
	}
	return false
}
