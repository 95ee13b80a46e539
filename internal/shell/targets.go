package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// targets reports what the words of a command line name: files that are read,
// written or removed, and hosts that are asked.
type targets struct {
	machine *machine
	out     *draft
	*sheet
	*given
}

// reads reports a file that is read, or with an option changed in place.
func (tg *targets) reads(w word, f flags) {
	if w.known && (w.text == "-" && tg.isInput() || w.text == "" && w.raw == "") {
		return
	}
	if tg.deletes {
		gone := w
		if !tg.sift.whole && !slices.ContainsFunc(tg.pos, func(p word) bool { return !p.known || p.many }) {
			gone.picked = tg.sift.deletes
		}
		tg.out.path(Delete, gone, tg.inv.st, tg.flags|recursive)
	}
	if tg.finds == "roots" {
		w.picked = tg.sift.any
	}
	if tg.inplace {
		tg.out.path(Write, w, tg.inv.st, tg.flags|f)
		tg.leavesCopy(w)
		return
	}
	tg.out.path(Read, w, tg.inv.st, f)
	if tg.sheet.suffixed {
		tg.readsSuffixed(w, f)
	}
}

// readsSuffixed reports what is read where nothing of a name is there.
func (tg *targets) readsSuffixed(w word, f flags) {
	endings := gzipEndings()
	if !w.known || w.many || slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(w.text, e) }) {
		return
	}
	for _, ending := range endings {
		other := w
		other.text, other.raw = w.text+ending, w.raw+ending
		tg.out.path(Read, other, tg.inv.st, f)
	}
}

// gzipEndings are what gzip tries behind a name that is not there (gzip 1.12,
// open_input_file; busybox takes fewer).
func gzipEndings() []string { return []string{".gz", ".z", "-z", ".Z", "-gz", "_z"} }

// isInput reports whether - stands for the standard input. Not every program knows that,
// and none that changes files in place: a file of that name is taken for what is meant.
func (tg *targets) isInput() bool {
	name, ok := absolute(word{value: constant("-")}, tg.inv.st)
	made := slices.ContainsFunc(tg.out.report.Effects, func(e Effect) bool {
		return e.Kind == Write && (e.Target == "" || path.Base(e.Target) == "-")
	})
	return !tg.inplace && ok && !made && (tg.machine.env.Files == nil || !tg.machine.exists(name))
}

// changes takes the roles of files that are written or removed.
func (tg *targets) changes(role string, w word) {
	kind, f := Write, tg.flags
	switch role {
	case "outfile", "numbered":
		if role == "numbered" && strings.ContainsRune(w.text, '#') {
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
	tg.out.path(kind, w, tg.inv.st, f)
}

// leavesCopy reports the copy that a change in place leaves beside the file.
func (tg *targets) leavesCopy(w word) {
	switch suffix := tg.backup; {
	case suffix.known && suffix.text == "" || suffix.raw == "":
	case !suffix.known || strings.ContainsAny(suffix.text, "*/") || w.glob > 0:
		tg.out.unknown(PartWords, tg.inv.raw, "this leaves copies, and nod does not know which")
	default:
		w.text += suffix.text
		tg.out.path(Write, w, tg.inv.st, 0)
	}
}

// dest reports where copies of the sources go.
func (tg *targets) dest(w word) {
	sources := tg.pos[:max(len(tg.pos)-1, 0)]
	if len(tg.pos) == 0 || tg.pos[len(tg.pos)-1].raw != w.raw {
		sources = tg.pos
	}
	name, ok := absolute(w, tg.inv.st)
	if !ok || w.glob > 0 {
		tg.out.path(Write, w, tg.inv.st, tg.flags)
		return
	}
	real, _ := tg.machine.place(name) // as the effects of other commands have it
	into := strings.HasSuffix(w.text, "/") || len(sources) > 1 || tg.machine.isDir(name) || tg.machine.env.Files == nil
	if strings.HasSuffix(w.text, "/") && len(sources) == 1 && !tg.machine.isDir(name) { // mv dir new/ makes new of dir
		tg.out.path(Write, w, tg.inv.st, tg.flags)
	}
	if !into || harmlessDevice(path.Clean(name)) || tg.marks.has(markExact) {
		if tg.flags&recursive != 0 && tg.machine.isDir(name) {
			tg.fills(w, name)
			return
		}
		tg.out.path(Write, w, tg.inv.st, tg.flags)
		if into || tg.marks.has(markExact) {
			return
		}
		if !tg.out.mayBeDir(real) {
			return
		}
	}
	if into && tg.out.gone(real) {
		tg.out.path(Write, w, tg.inv.st, tg.flags)
	}
	for _, src := range sources {
		base := path.Base(src.text)
		if strings.HasSuffix(src.text, "/") {
			base = "." // BSD copies what the directory holds, not the directory
		}
		if !src.known || src.many || src.glob > 0 || base == "." || base == ".." || base == "/" {
			tg.fills(w, name)
			continue
		}
		inner := w
		inner.text = strings.TrimSuffix(w.text, "/") + "/" + base
		if w.text == "/" {
			inner.text = "/" + base
		}
		tg.out.path(Write, inner, tg.inv.st, tg.flags)
	}
}

// fills reports copies below a directory whose names are not known. Those in a
// home directory or one of the system leave what is there: they do not wipe it.
func (tg *targets) fills(w word, name string) {
	_, place := tg.machine.place(name)
	if place != HomeDir && place != System || tg.marks.has(markMirrors) {
		tg.out.path(Write, w, tg.inv.st, tg.flags|recursive)
		return
	}
	tg.out.path(Write, w, tg.inv.st, tg.flags&^recursive)
	tg.out.unknown(PartWords, tg.inv.raw,
		"this writes below "+grammar.Escaped(name)+", and nod does not know which names")
}

// linked remembers a link that the line makes.
func (tg *targets) linked(w word) {
	if len(tg.pos) == 1 && tg.into.raw == "" { // of one argument, a link of its name
		if w.glob > 0 {
			tg.out.unknown(PartWords, tg.inv.raw, "this makes a link, and nod does not know of which name")
			return
		}
		w.text = path.Base(w.text)
	}
	tg.dest(w)
	if tg.marks.has(markNamed) { // a link to a directory is replaced, not followed
		tg.out.path(Write, w, tg.inv.st, tg.flags)
	}
	tg.out.makesLink()
}

// listed reports a file that names others: it is read, and so are they.
func (tg *targets) listed(w word) {
	tg.reads(w, 0)
	tg.out.unknown(PartWords, tg.inv.raw,
		"this takes the files that "+grammar.Escaped(w.shown())+" names, and nod does not read the list")
}

// programWord reports a program that an option or argument names, with
// whatever arguments the word holds.
func (tg *targets) programWord(w word) {
	target := w.text
	if !w.known {
		target = ""
		tg.out.unknown(PartWords, tg.inv.raw, "this makes "+tg.sheet.name+" run a program, and nod cannot tell which")
	}
	tg.out.does(Run, target, tg.inv.raw)
}

// url reports a request. A part that is computed can carry anything out.
func (tg *targets) url(w word) {
	kind := Fetch
	if tg.send || !w.known || w.many {
		kind = Send
	}
	if what := grammar.Disguise(w.text); what != "" {
		tg.out.unknown(PartWords, tg.inv.raw, "this asks a URL with "+what+": "+grammar.Escaped(w.text))
	}
	if file, ok := strings.CutPrefix(w.text, "file://"); ok && w.known {
		w.value = constant("/" + strings.TrimLeft(strings.TrimPrefix(file, "localhost"), "/"))
		if strings.ContainsAny(file, "%[]{}#?\\") { // the address is not the name of the file
			w.value = value{}
		}
		kind = Read
		if tg.send {
			kind = Write // curl -T puts the file there
		}
		tg.out.path(kind, w, tg.inv.st, 0)
		return
	}
	target := w.text
	if !w.known && !hostKnown(target) {
		target = ""
		tg.out.unknown(PartWords, tg.inv.raw, "this asks a host, and nod does not know which")
	}
	if w.glob > 0 && strings.ContainsAny(strings.Replace(target, "[::1]", "", 1), "[{*") {
		kind = Send
	}
	tg.out.does(kind, target, tg.inv.raw)
}

func (tg *targets) host(w word) {
	if !w.known {
		tg.out.unknown(PartWords, tg.inv.raw, "this asks a host, and nod does not know which")
		w.text = ""
	}
	if what := grammar.Disguise(w.text); what != "" {
		tg.out.unknown(PartWords, tg.inv.raw, "this asks a host with "+what+": "+grammar.Escaped(w.text))
	}
	kind := Fetch
	if tg.send {
		kind = Send
	}
	tg.out.does(kind, w.text, tg.inv.raw)
}

// hostKnown reports whether a constant beginning of a URL holds the whole host.
func hostKnown(text string) bool {
	_, rest, ok := strings.Cut(text, "://")
	if !ok {
		rest = text
	}
	return strings.ContainsAny(rest, "/?#") && !strings.HasPrefix(rest, "/")
}

// maybeOperand counts a value that is the name of a file as read: where options end
// at the first operand (getopt of the BSDs, POSIXLY_CORRECT), or where a version has
// no such argument, it is an operand.
func (t *targets) maybeOperand(o option, w word) {
	abs, ok := absolute(w, t.inv.st)
	if !ok || o.role != "text" || t.machine.env.Files == nil {
		return
	}
	if info, err := t.machine.env.Files.Lstat(abs); err == nil && !info.Mode.IsDir() {
		t.reads(w, 0)
	}
}
