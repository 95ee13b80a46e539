package grammar

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// maxWords bounds the results of one expansion.
const MaxWords = 1024

// Alternatives returns the alternatives of a word whose braces were split, each a
// list of parts, in order; nil if there are more than maxWords of them.
func Alternatives(w *syntax.Word) [][]syntax.WordPart {
	out := [][]syntax.WordPart{nil}
	for _, part := range w.Parts {
		var choices [][]syntax.WordPart
		if b, ok := part.(*syntax.BraceExp); ok {
			if choices = ofBraces(b); choices == nil {
				return nil
			}
		} else {
			choices = [][]syntax.WordPart{{part}}
		}
		if len(out)*len(choices) > MaxWords {
			return nil
		}
		if len(choices) == 1 {
			for i := range out {
				out[i] = append(out[i], choices[0]...)
			}
			continue
		}
		var next [][]syntax.WordPart
		for _, head := range out {
			for _, tail := range choices {
				next = append(next, append(head[:len(head):len(head)], tail...))
			}
		}
		out = next
	}
	return out
}

func ofBraces(b *syntax.BraceExp) [][]syntax.WordPart {
	if b.Sequence {
		return sequence(b)
	}
	var out [][]syntax.WordPart
	for _, elem := range b.Elems {
		inner := Alternatives(elem)
		if inner == nil || len(out)+len(inner) > MaxWords {
			return nil
		}
		out = append(out, inner...)
	}
	return out
}

// sequence returns the parts of {1..9}, {a..e}, {1..9..2}. A range that is not
// made of constants cannot be one.
func sequence(b *syntax.BraceExp) [][]syntax.WordPart {
	first, last := b.Elems[0].Lit(), b.Elems[1].Lit()
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	chars := err1 != nil && err2 != nil && len(first) == 1 && len(last) == 1
	if chars {
		from, to = int(first[0]), int(last[0])
	} else if err1 != nil || err2 != nil {
		return nil
	}
	step := 1
	if len(b.Elems) > 2 {
		n, err := strconv.Atoi(b.Elems[2].Lit())
		if err != nil || n > 1<<30 || n < -1<<30 {
			return nil
		}
		step = max(n, -n, 1)
	}
	if max(from, to) > 1<<40 || min(from, to) < -1<<40 || (max(from, to)-min(from, to))/step >= MaxWords {
		return nil
	}
	if from > to {
		step = -step
	}
	width := 0
	if !chars && (padded(first) || padded(last)) {
		width = max(len(first), len(last))
	}
	var out [][]syntax.WordPart
	for n := from; step > 0 && n <= to || step < 0 && n >= to; n += step {
		text := strconv.Itoa(n)
		if chars {
			text = string(rune(n))
		}
		for len(text) < width {
			text = "0" + text
		}
		out = append(out, []syntax.WordPart{&syntax.SglQuoted{Value: text}})
	}
	return out
}

func padded(s string) bool { return len(s) > 1 && s[0] == '0' }
