package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// redirects reports what the redirections of one statement open, and returns what its command then reads.
func (a *analysis) redirects(list []*syntax.Redirect, st state, in input) input {
	for _, r := range list {
		if !a.limits.spend() {
			break
		}
		stdin := r.N == nil || r.N.Value == "0"
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			w := a.hereText(r, st)
			if stdin {
				in = input{kind: fromText, text: w}
			}
		default:
			w := a.single(r.Word, st)
			a.opens(r, w, st)
			if stdin && (r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut) {
				in = input{kind: fromFile, text: w}
			}
		}
	}
	return in
}

// hereText returns what a here-document or here-string feeds. What it substitutes runs.
func (a *analysis) hereText(r *syntax.Redirect, st state) word {
	switch {
	case r.Op == syntax.WordHdoc:
		return a.single(r.Word, st)
	case r.Hdoc == nil:
		return word{value: value{known: true}}
	case strings.ContainsAny(a.now.raw(r.Word), "'\"\\"):
		text := grammar.HereText(r.Hdoc)
		return word{value: constant(text), raw: text} // what reads it takes the tabs of <<- for blanks
	}
	b := builder{word: word{value: value{known: true}}}
	a.doubleQuoted(&b, &syntax.DblQuoted{Parts: r.Hdoc.Parts}, st)
	b.text = string(b.all)
	return b.word
}

// opens reports the file that a redirection opens.
func (a *analysis) opens(r *syntax.Redirect, w word, st state) {
	parts := a.out.parts
	a.out.parts = PartRedirection
	defer func() { a.out.parts = parts }()
	raw := a.now.raw(r)
	if r.Op == syntax.DplIn || r.Op == syntax.DplOut && grammar.Descriptor(w.text) {
		return
	}
	if kind, host, _ := strings.Cut(strings.TrimPrefix(w.text, "/dev/"), "/"); kind == "tcp" || kind == "udp" {
		host, _, _ = strings.Cut(host, "/")
		a.out.does(Send, host, raw) // bash connects there
		return
	}
	if strings.HasPrefix(a.now.raw(r.Word), "!") {
		a.out.unknown(PartRedirection, raw, "zsh reads this as >|, and other shells open a file named !")
	}
	if w.glob > 0 {
		w = word{value: value{text: w.text[:w.glob-1]}, raw: w.raw}
	}
	w.raw = raw
	if r.Op == syntax.RdrIn {
		if name, ok := absolute(w, st); ok && a.machine.isDir(name) {
			a.out.unknown(PartRedirection, raw, "this opens a directory, below which a command may go on")
		}
		a.out.path(Read, w, st, 0)
		return
	}
	if r.Op == syntax.RdrInOut {
		a.out.path(Read, w, st, 0)
	}
	var f flags
	if r.Op == syntax.AppOut || r.Op == syntax.AppAll {
		f = appends
	}
	a.out.path(Write, w, st, f)
}
