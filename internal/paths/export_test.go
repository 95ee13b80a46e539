package paths

import "slices"

// TakeApart is an entry without its signs, and whether it starts at the root.
func TakeApart(entry string) (text string, anchored bool) {
	e := takeApart(entry)
	return e.text, e.anchored
}

// ByEach is Match and HoldsAny of a name without an 8.3 alias, by a look at each
// entry.
func ByEach(l List, name string) (match, holds bool) {
	dir := Fold(name)
	n, below := l.folded(dir, false), l.belowHome(dir)
	above := len(l.home) > 0 && len(dir) <= len(l.home) && slices.Equal(dir, l.home[:len(dir)])
	for _, text := range l.Entries {
		e := takeApart(text)
		holds = holds || l.leads(text, dir, below) || above && e.home && !e.negated && e.text != ""
	}
	return l.scan(&n), holds
}

// FewUses is how often a list is used before it is indexed.
const FewUses = fewUses
