// Package probe scores how much a tool's result reads as if it were written
// to give a coding agent orders. It knows nothing of calls and decides
// nothing: its answer is a number, and the signs that made it.
//
// # How
//
// A text is read once, word by word. Words fall into classes (words.go):
// verbs of overriding, sending, running; names for an assistant; claims of
// office; words of secrecy, haste, approval. A sign is an order of classes
// close to each other ("a verb of overriding, then your or all, then a word
// for instructions"), a shape (a role marker, something that poses as a tool
// call) or something hidden (invisible characters, comments and markup that
// nobody is shown, text in base64 or hex, which is read in turn). Words in
// letters that only look like ASCII are read as people read them
// (disguise.go). Nowhere is a sentence of a known attack looked for.
//
// A sign has a weight; a text's score is the greatest sum of the weights of
// different signs that stand within 120 words. Weights are never negative, so
// that within what is read nothing that is written behind a text lowers its
// score, but for the end of a comment that was left open. The weights are a logistic
// regression over the signs, ten times and rounded, fitted to corpus/results
// and to a third of the honest texts that a machine with Go holds; measure/
// fits and measures them.
//
// # What it cannot do
//
// An order in plain words that a colleague might have written in the same
// place has no sign. Attackers who know the signs avoid them. So a low score
// clears nothing: nod uses the probe to become stricter only.
package probe

// Limit is how much of a text is read: this much of its beginning and end
// together.
const Limit = 64 << 10

// Threshold is the score from which a text is flagged: false alarms on results
// that no weight was fitted to stay at or below 1 %, with the whole of their
// 95 % interval. docs/probe.md has the curve.
const Threshold = 28

// window is how many words signs may lie apart.
const window = 120

// Finding is what was found in a text.
type Finding struct {
	Score int
	Signs []Sign // those of the words with the highest score, without repeats
	// Quote is the text from the first to the last of these signs, at most
	// 200 bytes of it.
	Quote string
}

// Flagged reports whether the score reaches [Threshold].
func (f Finding) Flagged() bool { return f.Score >= Threshold }

// Read scores a text. It reads at most [Limit] bytes of it and never panics.
func Read(text string) Finding {
	head, tail := text, ""
	if len(text) > Limit {
		head, tail = text[:Limit/2], text[len(text)-Limit/2:]
	}
	f := read(head, 0).best(head)
	if tail == "" {
		return f
	}
	if g := read(tail, 0).best(tail); g.Score > f.Score {
		return g
	}
	return f
}

// Windows returns the sets of signs, one bit each, that stand together in a
// text. It is what measuring and fitting need.
func Windows(text string) []uint64 {
	if len(text) <= Limit {
		return read(text, 0).sets()
	}
	return append(read(text[:Limit/2], 0).sets(), read(text[len(text)-Limit/2:], 0).sets()...)
}

// Weights returns the weight of each sign.
func Weights() [Signs]int8 { return weights }

// hit is a sign at a word.
type hit struct {
	word, at int // number of the word, offset of its end
	sign     Sign
}

type hits []hit

// best finds the window with the highest score.
func (h hits) best(text string) Finding {
	var f Finding
	from, to := 0, 0
	var found uint64
	for i := range h {
		set, score, last := uint64(0), 0, i
		for j := i; j < len(h) && h[j].word < h[i].word+window; j++ {
			if bit := uint64(1) << h[j].sign; set&bit == 0 {
				set, score, last = set|bit, score+int(weights[h[j].sign]), j
			}
		}
		if score > f.Score {
			f.Score, found, from, to = score, set, h[i].at, h[last].at
		}
	}
	for s := range Sign(Signs) {
		if found&(1<<s) != 0 {
			f.Signs = append(f.Signs, s)
		}
	}
	from = max(0, from-40)
	f.Quote = text[from:min(max(to, from), from+200, len(text))]
	return f
}

// sets are the windows of the text, one for each hit that begins one.
func (h hits) sets() []uint64 {
	var all []uint64
	for i := range h {
		set := uint64(0)
		for j := i; j < len(h) && h[j].word < h[i].word+window; j++ {
			set |= 1 << h[j].sign
		}
		if len(all) == 0 || all[len(all)-1] != set {
			all = append(all, set)
		}
	}
	return all
}
