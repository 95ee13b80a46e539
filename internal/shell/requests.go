package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// sent takes a field of a request: text, or a file behind @.
func sent(u *use, w word) {
	_, name, found := strings.Cut(w.text, "@")
	if !found {
		_, name, found = strings.Cut(w.text, "=<")
	}
	name, _, _ = strings.Cut(name, ";")
	if found && name != "" && name != "-" {
		u.out.path(Read, word{value: value{text: name, known: w.known}, raw: w.raw}, u.inv.st, 0)
	}
}

// finishRequest reports a call of GitHub's API: reading, unless a field says otherwise.
func finishRequest(u *use) {
	switch {
	case len(u.pos) > 0 && strings.Contains(u.pos[0].text, "://"):
		u.out.unknown(PartWords, u.inv.raw, "this asks an address that nod does not know")
	case u.marks.has(markSend):
		u.out.does(Remote, "github.com", u.inv.raw)
		return
	}
	fetchesFrom(u, "github.com", u.inv.raw)
}

// fetchesFrom reports a fetch from the host that the program asks if nobody says otherwise.
func fetchesFrom(u *use, target, raw string) {
	e := Effect{Kind: Fetch, Target: target, Place: Network, Words: raw, Part: PartWords}
	switch {
	case u.home == "gh" && ghHome(u):
		e.Declared = "the login of gh"
	case u.home == "gh":
		e.Target = "a host that gh is told"
	case u.home == "go" && goHome(u):
		e.Declared = "go.mod"
	}
	u.out.effect(e)
}

// inheritsOne reports whether one of these variables is set.
func (m *machine) inheritsOne(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, ok := m.inherits(name)
		return ok
	})
}

// goHome reports whether a verb of go asks for nothing but the modules that go.mod
// names, from where go fetches them by default.
func goHome(u *use) bool {
	if !slices.Contains([]string{"doc", "list", "mod graph", "mod why", "mod verify"}, u.heading) ||
		u.machine.inheritsOne("GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOVCS",
			"GOFLAGS", "GOENV", "GOAUTH", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy") {
		return false
	}
	return !slices.ContainsFunc(u.inv.args, func(w word) bool {
		option := strings.TrimLeft(w.text, "-")
		return !w.known || w.many || w.glob > 0 || strings.Contains(w.text, "@") || strings.HasPrefix(option, "http") ||
			strings.HasPrefix(option, "modfile") || // of another file
			strings.HasPrefix(option, "versions") // of any module, whose name is that of a host
	})
}

// ghHome reports whether no argument and no variable leads gh to another host, and no argument is computed.
func ghHome(u *use) bool {
	if u.machine.inheritsOne("GH_HOST", "GH_REPO", "GH_CONFIG_DIR", "GH_ENTERPRISE_TOKEN", "HTTPS_PROXY", "https_proxy",
		"ALL_PROXY", "all_proxy") {
		return false
	}
	before := ""
	for _, w := range u.inv.args {
		if (w.text == "-w" || w.text == "--web") && !strings.HasPrefix(u.heading, "run ") {
			return false // opens a browser
		}
		if !w.known || w.many || !formatFlag(before) && (w.glob > 0 || !atGitHub(w.text, before)) {
			return false
		}
		before = w.text
	}
	return true
}

// formatFlag recognises the options of gh whose argument shapes its output.
func formatFlag(text string) bool {
	return slices.Contains([]string{"-q", "--jq", "-t", "--template", "--json", "-S", "--search"}, text)
}

// atGitHub reports whether a word of gh names no other host: HOST/OWNER/NAME,
// a URL, git@HOST:..., or a header of a request.
func atGitHub(text, before string) bool {
	if before == "-H" || before == "--header" {
		text = strings.ToLower(text)
		return strings.HasPrefix(text, "accept:") || strings.HasPrefix(text, "x-github-api-version:")
	}
	if name, value, ok := strings.Cut(text, "="); ok && strings.HasPrefix(name, "-") {
		if name == "--header" || formatFlag(name) {
			return formatFlag(name)
		}
		text = value
	} else if strings.HasPrefix(text, "-R") || strings.HasPrefix(text, "-H") {
		text = text[2:]
	}
	own := []string{"https://github.com/", "https://api.github.com/", "github.com/", "git@github.com:"}
	first, _, slash := strings.Cut(strings.TrimPrefix(text, "/"), "/")
	return slices.ContainsFunc(own, func(begin string) bool { return strings.HasPrefix(text, begin) }) ||
		!strings.ContainsAny(first, ":@") && !(slash && strings.Contains(first, "."))
}

// reads reports a file that is read, or with an option changed in place.
func reads(u *use, w word, f flags) {
	if w.known && strings.Contains(w.text, "://") {
		url(u, w)
		return
	}
	if strings.HasPrefix(w.text, "file:") { // the address is not the name of the file
		u.doubt(w)
	}
	if w.known && (w.text == "-" && !u.marks.has(markInplace) || w.text == "" && w.raw == "") {
		return
	}
	if u.is.Has(Expression) && w.known && !w.many {
		w.picked = u.sift.picked()
	}
	switch {
	case u.marks.has(markDeletes):
		gone := w
		gone.picked = ""
		if w.picked != "" {
			gone.picked = u.sift.deletes
		}
		u.out.path(Delete, gone, u.inv.st, u.flags|recursive)
	case u.marks.has(markInplace):
		u.out.path(Write, w, u.inv.st, u.flags|f)
		return
	}
	u.out.path(Read, w, u.inv.st, f)
}

// changes takes the roles of files that are written or removed.
func changes(u *use, role string, w word) {
	kind, f := Write, u.flags
	switch role {
	case "outfile":
		if strings.Contains(w.text, "#") {
			w.value = value{} // #1 is what matched in the address
		}
		if w.known && w.text == "-" {
			return
		}
	case "delete":
		kind = Delete
	case "deltree":
		kind, f = Delete, f|recursive
	case "moved":
		kind, f = Delete, f|recursive|moved
	}
	u.out.path(kind, w, u.inv.st, f)
}

// dest reports where copies of the sources go.
func dest(u *use, w word) {
	name, ok := u.machine.absolute(w, u.inv.st)
	if !ok || w.glob > 0 {
		u.out.path(Write, w, u.inv.st, u.flags)
		return
	}
	sources := u.pos[:max(len(u.pos)-1, 0)]
	real, _ := u.machine.place(name)
	touched := u.out.touched(real)
	if touched { // the line may make it a directory, or take it away
		u.out.path(Write, w, u.inv.st, u.flags&^recursive)
	}
	into := touched || u.machine.isDir(name) || u.into.raw != "" || len(sources) > 1 || u.machine.env.Files == nil
	if !into || harmlessDevice(path.Clean(name)) {
		u.out.path(Write, w, u.inv.st, u.flags)
		return
	}
	for _, src := range sources {
		base := path.Base(src.text)
		if !src.known || src.many || src.glob > 0 || strings.HasSuffix(src.text, "/") || base == "." || base == ".." {
			fills(u, w, name) // BSD copies what src/ holds, not the directory
			continue
		}
		inner := w
		inner.text = strings.TrimSuffix(w.text, "/") + "/" + base
		u.out.path(Write, inner, u.inv.st, u.flags)
	}
}

// fills reports copies below a directory whose names are not known. Those in a
// home directory or one of the system leave what is there: they do not wipe it.
func fills(u *use, w word, name string) {
	if _, place := u.machine.place(name); place != HomeDir && place != System {
		u.out.path(Write, w, u.inv.st, u.flags|recursive)
		return
	}
	u.out.path(Write, w, u.inv.st, u.flags&^recursive)
	u.out.unknown(PartWords, u.inv.raw,
		"this writes below "+grammar.Escaped(name)+", and nod does not know which names")
}

// linked reports a link that the line makes: by the name, or below it.
func linked(u *use, w word) {
	if len(u.pos) == 1 { // a link of its name
		w.text = path.Base(w.text)
	}
	if len(u.pos) == 1 || slices.ContainsFunc(u.pos, func(w word) bool { return w.many || !w.known || w.glob > 0 }) {
		u.out.unknown(PartWords, u.inv.raw, "this makes links, and nod does not know their names")
	}
	u.out.path(Write, w, u.inv.st, u.flags)
	dest(u, w)
	u.out.makesLink()
}

// url reports a request. A part that is computed can carry anything out.
func url(u *use, w word) {
	if file, ok := strings.CutPrefix(w.text, "file:"); ok {
		w.value = constant("/" + strings.TrimLeft(strings.TrimPrefix(file, "//localhost"), "/"))
		u.doubt(w) // the address is not always the name of the file
		u.out.path(Read, w, u.inv.st, 0)
		return
	}
	asks(u, w, w.known || hostKnown(w.text))
}

// host reports a request to a host, named alone or behind @.
func host(u *use, w word) {
	if w.known && strings.HasPrefix(w.text, "+") {
		return // an option of dig
	}
	w.text = strings.TrimPrefix(w.text, "@")
	asks(u, w, w.known)
}

func asks(u *use, w word, known bool) {
	kind := Fetch
	if u.marks.has(markSend) || !w.known || w.many || w.glob > 0 && strings.ContainsAny(w.text, "[{*") {
		kind = Send
	}
	if what := grammar.Disguise(w.text); what != "" {
		u.out.unknown(PartWords, u.inv.raw, "this asks a host with "+what+": "+grammar.Escaped(w.text))
	}
	if !known {
		u.out.unknown(PartWords, u.inv.raw, "this asks a host, and nod does not know which")
		w.text = ""
	}
	u.out.does(kind, w.text, u.inv.raw)
}

// hostKnown reports whether a constant beginning of a URL holds the whole host.
func hostKnown(text string) bool {
	_, rest, ok := strings.Cut(text, "://")
	if !ok {
		rest = text
	}
	return strings.ContainsAny(rest, "/?#") && !strings.HasPrefix(rest, "/")
}
