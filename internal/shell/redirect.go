package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// redirects reports what the redirections of one statement open, and returns
// what its command then reads.
func (a *analysis) redirects(list []*syntax.Redirect, st state, in input) input {
	fed := in.kind == piped || in.kind == fromText
	for _, r := range list {
		if a.limits.redirs++; a.limits.redirs > maxRedirs {
			a.limits.over = "4096 redirections"
			break
		}
		if r.N != nil && !grammar.Digit(r.N.Value) {
			a.words.unfollowed(r, "a descriptor of more than a digit")
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
				in = input{kind: fromFile, text: w, path: w.text}
			}
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrIn, syntax.RdrInOut:
		default:
			continue
		}
		if !stdin {
			continue
		}
		if fed && a.now.zsh() { // zsh feeds both, one behind the other
			in = input{kind: piped}
		}
		fed = true
	}
	return in
}

// target is the word behind > or <. zsh opens all that braces in it yield.
func (e *expander) target(w *syntax.Word, st state) word {
	if copied := (syntax.Word{Parts: append([]syntax.WordPart(nil), w.Parts...)}); syntax.SplitBraces(&copied) &&
		grammar.HasBraces(&copied) || grammar.OddRange(w, e.now.raw(w)) {
		return word{raw: e.now.raw(w), many: true}
	}
	return e.single(w, st)
}

// hereText returns what a here-document or here-string feeds. What it
// substitutes runs.
func (e *expander) hereText(r *syntax.Redirect, st state) word {
	switch {
	case r.Op == syntax.WordHdoc:
		return e.single(r.Word, st)
	case r.Hdoc == nil:
		return word{value: value{known: true}}
	case strings.Contains(e.now.raw(r.Word), "$"):
		e.unfollowed(r.Word, "a here-document that ends with $")
		return word{raw: e.now.raw(r.Word)}
	case strings.ContainsAny(e.now.raw(r.Word), "'\"\\"):
		text := grammar.HereText(r.Hdoc)
		if r.Op == syntax.DashHdoc {
			text = grammar.Untabbed(text)
		}
		return word{value: constant(text), raw: text}
	}
	b := builder{limits: e.limits, word: word{value: value{known: true}}}
	e.doubleQuoted(&b, &syntax.DblQuoted{Parts: r.Hdoc.Parts}, st)
	if r.Op == syntax.DashHdoc {
		b.text = grammar.Untabbed(b.text)
	}
	return b.word
}

// opens reports the file that a redirection opens.
func (a *analysis) opens(r *syntax.Redirect, w word, st state) {
	parts := a.out.parts
	a.out.parts = PartRedirection
	defer func() { a.out.parts = parts }()
	raw := a.now.raw(r)
	if r.Op == syntax.DplIn || r.Op == syntax.DplOut {
		if w.known && grammar.Descriptor(w.text) {
			return
		}
		// bash ends the word behind >&-
		if r.Op == syntax.DplIn || !w.known || w.text != "" && (w.text[0] == '-' || grammar.Decimal(w.text[:1])) {
			a.out.unknown(PartRedirection, raw, "this redirects a file descriptor that nod does not know")
			if r.Op == syntax.DplIn {
				return
			}
		}
	}
	if _, plain := grammar.Constant(r.Word); r.Op == syntax.DplOut && !plain {
		a.out.unknown(PartRedirection, raw,
			"this redirects by >& to a name of more than plain letters") // bash unquotes it twice
	}
	if host, ok := socket(w); ok {
		a.out.does(Send, host, raw)
		return
	}
	if w.glob > 0 {
		w = word{value: value{text: w.text[:w.glob-1]}, raw: w.raw}
	}
	w.raw = raw
	// on any descriptor, which others may copy
	a.out.keeps = a.out.keeps || !w.known || !harmlessDevice(path.Clean(w.text))
	if r.Op == syntax.RdrIn {
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
