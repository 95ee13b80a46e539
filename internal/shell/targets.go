package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// reads reports a file that is read, or with an option changed in place.
func reads(u *use, w word, f flags) {
	if w.known && strings.Contains(w.text, "://") {
		url(u, w)
		return
	}
	if strings.HasPrefix(w.text, "file:") { // the address is not the name of the file
		u.doubt(w)
	}
	if w.known && (w.text == "-" && !u.inplace || w.text == "" && w.raw == "") {
		return
	}
	if u.deletes {
		gone := w
		if !u.sift.whole && !slices.ContainsFunc(u.pos, func(p word) bool { return !p.known || p.many }) {
			gone.picked = u.sift.deletes
		}
		u.out.path(Delete, gone, u.inv.st, u.flags|recursive)
	}
	if u.finds == "roots" {
		w.picked = u.sift.any
	}
	if u.inplace {
		u.out.path(Write, w, u.inv.st, u.flags|f)
		leavesCopy(u, w)
		return
	}
	u.out.path(Read, w, u.inv.st, f)
}

// changes takes the roles of files that are written or removed.
func changes(u *use, role string, w word) {
	kind, f := Write, u.flags
	switch role {
	case "outfile":
		if strings.ContainsRune(w.text, '#') {
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

// leavesCopy reports the copy that a change in place leaves beside the file.
func leavesCopy(u *use, w word) {
	switch suffix := u.backup; {
	case suffix.known && suffix.text == "" || suffix.raw == "":
	case !suffix.known || strings.ContainsAny(suffix.text, "*/") || w.glob > 0:
		u.out.unknown(PartWords, u.inv.raw, "this leaves copies, and nod does not know which")
	default:
		w.text += suffix.text
		u.out.path(Write, w, u.inv.st, 0)
	}
}

// dest reports where copies of the sources go.
func dest(u *use, w word) {
	sources := u.pos[:max(len(u.pos)-1, 0)]
	if len(u.pos) == 0 || u.pos[len(u.pos)-1].raw != w.raw {
		sources = u.pos
	}
	name, ok := absolute(w, u.inv.st)
	if !ok || w.glob > 0 {
		u.out.path(Write, w, u.inv.st, u.flags)
		return
	}
	real, _ := u.machine.place(name) // as the effects of other commands have it
	into := strings.HasSuffix(w.text, "/") || len(sources) > 1 || u.machine.isDir(name) || u.machine.env.Files == nil
	if strings.HasSuffix(w.text, "/") && len(sources) == 1 && !u.machine.isDir(name) { // mv dir new/ makes new of dir
		u.out.path(Write, w, u.inv.st, u.flags)
	}
	if !into || harmlessDevice(path.Clean(name)) || u.marks.has(markExact) {
		if u.flags&recursive != 0 && u.machine.isDir(name) {
			fills(u, w, name)
			return
		}
		u.out.path(Write, w, u.inv.st, u.flags)
		if into || u.marks.has(markExact) {
			return
		}
		if !u.out.mayBeDir(real) {
			return
		}
	}
	if into && u.out.gone(real) {
		u.out.path(Write, w, u.inv.st, u.flags)
	}
	for _, src := range sources {
		base := path.Base(src.text)
		if strings.HasSuffix(src.text, "/") {
			base = "." // BSD copies what the directory holds, not the directory
		}
		if !src.known || src.many || src.glob > 0 || base == "." || base == ".." || base == "/" {
			fills(u, w, name)
			continue
		}
		inner := w
		inner.text = strings.TrimSuffix(w.text, "/") + "/" + base
		if w.text == "/" {
			inner.text = "/" + base
		}
		u.out.path(Write, inner, u.inv.st, u.flags)
	}
}

// fills reports copies below a directory whose names are not known. Those in a
// home directory or one of the system leave what is there: they do not wipe it.
func fills(u *use, w word, name string) {
	_, place := u.machine.place(name)
	if place != HomeDir && place != System || u.marks.has(markMirrors) {
		u.out.path(Write, w, u.inv.st, u.flags|recursive)
		return
	}
	u.out.path(Write, w, u.inv.st, u.flags&^recursive)
	u.out.unknown(PartWords, u.inv.raw,
		"this writes below "+grammar.Escaped(name)+", and nod does not know which names")
}

// linked remembers a link that the line makes.
func linked(u *use, w word) {
	if len(u.pos) == 1 && u.into.raw == "" { // of one argument, a link of its name
		if w.glob > 0 {
			u.out.unknown(PartWords, u.inv.raw, "this makes a link, and nod does not know of which name")
			return
		}
		w.text = path.Base(w.text)
	}
	if slices.ContainsFunc(u.pos, func(w word) bool { return w.many || !w.known || w.raw == "{}" }) {
		u.out.unknown(PartWords, u.inv.raw, "this makes links, and nod does not know of which names")
	}
	dest(u, w)
	if u.marks.has(markNamed) { // a link to a directory is replaced, not followed
		u.out.path(Write, w, u.inv.st, u.flags)
	}
	u.out.makesLink()
}

// url reports a request. A part that is computed can carry anything out.
func url(u *use, w word) {
	kind := Fetch
	if u.send || !w.known || w.many {
		kind = Send
	}
	if what := grammar.Disguise(w.text); what != "" {
		u.out.unknown(PartWords, u.inv.raw, "this asks a URL with "+what+": "+grammar.Escaped(w.text))
	}
	if file, ok := strings.CutPrefix(w.text, "file://"); ok && w.known {
		w.value = constant("/" + strings.TrimLeft(strings.TrimPrefix(file, "localhost"), "/"))
		if strings.ContainsAny(file, "%[]{}#?\\") { // the address is not the name of the file
			w.value = value{}
		}
		kind = Read
		if u.send {
			kind = Write // curl -T puts the file there
		}
		u.out.path(kind, w, u.inv.st, 0)
		return
	}
	target := w.text
	if !w.known && !hostKnown(target) {
		target = ""
		u.out.unknown(PartWords, u.inv.raw, "this asks a host, and nod does not know which")
	}
	if w.glob > 0 && strings.ContainsAny(strings.Replace(target, "[::1]", "", 1), "[{*") {
		kind = Send
	}
	u.out.does(kind, target, u.inv.raw)
}

func host(u *use, w word) {
	if w.known && strings.HasPrefix(w.text, "+") {
		return // an option of dig
	}
	w.text = strings.TrimPrefix(w.text, "@")
	if !w.known {
		u.out.unknown(PartWords, u.inv.raw, "this asks a host, and nod does not know which")
		w.text = ""
	}
	if what := grammar.Disguise(w.text); what != "" {
		u.out.unknown(PartWords, u.inv.raw, "this asks a host with "+what+": "+grammar.Escaped(w.text))
	}
	kind := Fetch
	if u.send {
		kind = Send
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
