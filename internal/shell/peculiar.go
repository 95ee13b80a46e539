package shell

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// doubtful takes the roles of words that mean what they say, unless they are not
// known or hold what means more. It reports whether the role is such.
func (o *operands) doubtful(role string, w word) bool {
	why, more := "", false
	switch role {
	case "pagerfile":
		why, more = "this gives an argument that a pager may run", strings.HasPrefix(w.text, "+")
		o.targets.reads(w, 0)
	case "manpage":
		why, more = "this shows a page that may take in other files", strings.Contains(w.text, "/")
	case "formula":
		why = grammar.Escaped(w.shown()) + " may be code that " + o.sheet.name + " loads"
		more = strings.Contains(w.text, "/") || strings.HasSuffix(w.text, ".rb")
	case "procs":
		why = "this runs " + o.sheet.name + ", which may start any number of processes"
		more = strings.Trim(w.text, "0") == "" || len(w.text) > 2
	case "format":
		why, more = "this gives a format that may run commands", strings.Contains(w.text, "#(")
	case "key":
		why, more = grammar.Escaped(w.shown())+" may set something", strings.Contains(w.text, "=")
	default:
		return false
	}
	if !w.known || more {
		o.out.unknown(PartWords, o.inv.raw, why)
	}
	return true
}

// role takes the roles of what is asked of a service.
func (r *request) role(role string, w word) bool {
	switch role {
	case "curldata":
		r.curlData(w)
	case "curlencode":
		if name, file, ok := strings.Cut(w.text, "@"); ok && !strings.Contains(name, "=") {
			w.text = "@" + file
			r.curlData(w)
		}
	case "curlcookie":
		if w.known && !strings.Contains(w.text, "=") {
			r.out.path(Read, w, r.inv.st, 0)
		}
	case "curlmethod", "ghmethod":
		r.requestMethod(role, w)
	case "ghfield":
		r.ghField(w)
	case "curlformat":
		r.curlFormat(w)
	case "sent":
		r.send = r.send || !w.known
	case "ghrepo":
		r.ghRepo(w)
	case "loaded", "atfile":
		r.loaded(role, w)
	default:
		return false
	}
	return true
}

// ghField notes a field of a request to GitHub, which may be a query or a file.
func (r *request) ghField(w word) {
	if strings.HasPrefix(w.text, "query=") {
		if !w.known || strings.Contains(w.text, "mutation") || r.marks.has(markQuery) {
			r.marks |= markMakes // of two, releases differ in which one counts
		}
		r.marks |= markQuery
	}
	if _, file, ok := strings.Cut(w.text, "=@"); ok {
		r.out.path(Read, word{value: value{text: file, known: w.known}, raw: w.raw}, r.inv.st, 0)
	}
}

// role takes the roles of files and of names of machines that one program has.
func (o *operands) role(role string, w word) bool {
	if o.doubtful(role, w) {
		return true
	}
	switch role {
	case "digword":
		o.digWord(w)
	case "tarfile":
		o.archive = w
	case "mode":
		o.mode(w)
	case "psword":
		o.psWord(w)
	case "psuser":
		o.psUser(w)
	case "psformat":
		o.psFormat(w)
	case "socketword":
		o.socketWord(w)
	case "kubeoutput":
		if !w.known || w.text != "wide" && w.text != "name" {
			o.marks |= markWhole
		}
		if !w.known || strings.Contains(w.text, "-file") || strings.HasPrefix(w.text, "templatefile") {
			o.out.unknown(PartWords, o.inv.raw, "this may print the file that "+grammar.Escaped(w.shown())+" names")
		}
	case "readurl":
		if strings.Contains(w.text, "://") {
			o.targets.url(w)
			return true
		}
		if first, _, _ := strings.Cut(w.text, "/"); strings.Contains(first, ":") { // file:/x names /x
			w.value = value{}
		}
		o.targets.reads(w, o.flags&recursive)
	case "atother":
		if _, host, ok := strings.Cut(w.text, "@"); ok || !w.known {
			o.targets.host(word{value: value{text: host, known: w.known}, raw: w.raw})
		}
	case "fzfbind":
		o.fzfBind(w)
	default:
		return false
	}
	return true
}

// digWord reports a word of dig: @server, +option, or what may be a name. A type
// without a name is looked up as one.
func (o *operands) digWord(w word) {
	if w.known && strings.HasPrefix(w.text, "+") {
		return
	}
	w.text = strings.TrimPrefix(w.text, "@")
	o.targets.host(w)
}

// peculiar takes the other roles that one program has.
func (u *use) peculiar(role string, w word) bool {
	switch role {
	case "persist":
		u.out.does(Persist, w.shown(), u.inv.raw)
	case "tracked":
		u.git().tracked(w)
	case "searched":
		u.git().searched(w)
	case "gitremote":
		u.git().gitRemote(w)
	case "previewed":
		u.codes.previewed(w)
	case "pymodule": // the directory comes first in the search for modules
		if i := slices.IndexFunc(u.pos, func(p word) bool { return p.raw == w.raw }); i >= 0 {
			handBehind(u, u.pos[i:])
		}
		u.out.does(Run, w.shown(), u.inv.raw)
	case "pipeout":
		if !w.known || strings.HasPrefix(w.text, "|") {
			u.shellText(word{value: value{text: strings.TrimPrefix(w.text, "|"), known: w.known}, raw: w.raw})
			return true
		}
		u.out.path(Write, w, u.inv.st, u.flags)
	default:
		return false
	}
	return true
}
