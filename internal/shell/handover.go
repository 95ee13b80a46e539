package shell

import (
	"slices"
	"strings"
)

// handover is a search that hands the files that it finds to a command, as find
// -exec and fd -x do.
type handover struct{ *use }

func (u *use) handover() *handover { return &handover{u} }

// exec reads the command of find -exec, up to ; or +, and returns how many
// words it takes. With batch, or with +, one call gets all names.
func (ho *handover) exec(rest []word, batch bool) int {
	end := len(rest)
	for i, w := range rest {
		if w.known && (w.text == ";" || w.text == "+" && i > 0 && rest[i-1].text == "{}") {
			end = i
			break
		}
	}
	words := rest[:end]
	if len(words) == 0 {
		ho.unknownOption("-exec without a command")
		return len(rest)
	}
	roots := ho.pos
	if len(roots) == 0 {
		roots = []word{{value: constant("."), raw: "."}}
	}
	if ho.finds != "roots" || len(roots) > 4 {
		roots = []word{{raw: "{}"}}
	}
	if batch = batch || end < len(rest) && rest[end].text == "+" && ho.finds == "roots"; batch {
		ho.execUnder(words, slices.Concat(roots, roots)...) // a name may stand where a second one means more: uniq a b
		return min(end+1, len(rest))
	}
	for _, root := range roots {
		ho.execUnder(words, root)
	}
	return min(end+1, len(rest))
}

// execUnder walks the command for the files under starting points.
func (ho *handover) execUnder(words []word, roots ...word) {
	found := make([]word, len(roots))
	for i, root := range roots {
		found[i] = ho.foundUnder(root)
	}
	if ho.finds != "roots" && !slices.ContainsFunc(words, func(w word) bool { return strings.Contains(w.text, "{") }) {
		words = append(words[:len(words):len(words)], found...)
	}
	var out []word
	for i, w := range words {
		switch {
		case w.text == "{}" && w.known:
			out = append(out, found...)
			continue
		case strings.Contains(w.text, "{}") || ho.finds != "roots" && strings.Contains(w.text, "{"):
			if isCode(words, i) {
				// The name becomes part of the text, and so of the code.
				ho.out.unknown(PartWords, ho.inv.raw,
					"this makes names of files part of a command, and a name can hold one")
			}
			w = word{raw: w.raw}
		}
		out = append(out, w)
	}
	command := ho.out.command
	ho.out.enter(ho.inv.raw)
	inv := *ho.inv
	ho.insideFed(&inv, out, command+1)
	ho.out.command = command
}

// foundUnder is the word for what a search finds under one starting point.
func (ho *handover) foundUnder(root word) word {
	found := word{raw: "{}", picked: ho.sift.picked()}
	if root.known && !root.many {
		text := strings.TrimSuffix(root.text, "/") + "/*"
		found.value = value{text: text, known: true, glob: len(text)}
		if root.glob > 0 {
			found.glob = root.glob
		}
		found.one = true
	}
	return found
}

func isCode(words []word, i int) bool {
	return i > 0 && strings.HasPrefix(words[i-1].text, "-") && strings.HasSuffix(words[i-1].text, "c")
}
