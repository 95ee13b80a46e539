package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// redirects reports what the redirections of one statement open, and returns
// what its command then reads.
func (a *analysis) redirects(list []*syntax.Redirect, st state, in input) input {
	for _, r := range list {
		if a.limits.redirs++; a.limits.redirs > maxRedirs {
			a.limits.over = "4096 redirections"
			break
		}
		stdin := r.N == nil || r.N.Value == "0"
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			w := a.words.hereText(r, st)
			if stdin {
				in = input{kind: fromText, text: w}
			}
		default:
			w := a.words.target(r.Word, st)
			a.opens(r, w, st)
			if stdin {
				in.outer = false
			}
			if stdin && (r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut) {
				in = input{kind: fromFile, text: w}
			}
		}
	}
	return in
}

// hereText returns what a here-document or here-string feeds. What it
// substitutes runs.
func (e *expander) hereText(r *syntax.Redirect, st state) word {
	switch {
	case r.Op == syntax.WordHdoc:
		return e.single(r.Word, st)
	case r.Hdoc == nil:
		return word{value: value{known: true}}
	case strings.ContainsAny(e.now.raw(r.Word), "'\"\\"):
		text := grammar.HereText(r.Hdoc)
		return word{value: constant(text), raw: text} // what reads it takes the tabs of <<- for blanks
	}
	b := builder{word: word{value: value{known: true}}}
	e.doubleQuoted(&b, &syntax.DblQuoted{Parts: r.Hdoc.Parts}, st)
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
	if host, ok := socket(w); ok {
		a.out.does(Send, host, raw)
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

// socket returns the host that bash connects to when it opens /dev/tcp/...
func socket(w word) (string, bool) {
	rest, ok := strings.CutPrefix(w.text, "/dev/tcp/")
	if !ok {
		rest, ok = strings.CutPrefix(w.text, "/dev/udp/")
	}
	if !ok {
		return "", !w.known && strings.HasPrefix(w.text, "/dev/")
	}
	host, _, found := strings.Cut(rest, "/")
	if !w.known && !found {
		host = ""
	}
	return host, true
}
