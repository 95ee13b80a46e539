package paths

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// index says which entries of a list may match a name, by how a component
// of the name begins and ends, so that a name is held against a few entries of
// some hundred. Making it costs as much as a few names do without it.
//
// Each entry stands in one place only. What an index leaves out is what
// [foldedName.mayMatch] says no to. It is made of the entries alone, which a
// gate never changes, so that it cannot be out of date.
type index struct {
	anchored buckets // "/x": by how the first component begins
	home     buckets // "~/x": the same below home
	first    buckets // at any depth: by how the first component begins
	last     buckets // the others of these: by how the first component ends
	rest     []uint32
	middles  []middle // of the entries that may stand at any depth, like *key*
	anyHome  bool     // some entry below home puts something on the list
}

// middle is an entry that means every component in which a text stands.
type middle struct {
	number uint32
	text   string
}

// buckets are numbers of entries by a pair of bytes, smallest first. Pairs may
// share a bucket.
type buckets struct {
	ends [256]uint32 // where the numbers of a bucket end
	all  []uint32
}

func (b *buckets) of(key byte) []uint32 {
	if key == 0 {
		return b.all[:b.ends[0]]
	}
	return b.all[b.ends[key-1]:b.ends[key]]
}

// add puts the numbers into their buckets, in their order.
func (b *buckets) add(numbers []uint32, keys []byte) {
	for _, key := range keys {
		b.ends[key]++
	}
	at, sum := [256]uint32{}, uint32(0)
	for key, n := range b.ends {
		at[key] = sum
		sum += n
		b.ends[key] = sum
	}
	b.all = make([]uint32, len(numbers))
	for i, key := range keys {
		b.all[at[key]] = numbers[i]
		at[key]++
	}
}

// lazyIndex is the index of a list, made when the list is used often: a hook
// asks for a few names in its life, for which a look at each entry costs less.
type lazyIndex struct {
	uses atomic.Int32
	made sync.Once
	ix   *index
}

// fewUses is how many names cost as much as the index does.
const fewUses = 8

// indexed returns the list's index, nil where it is not worth making yet.
func (l List) indexed() *index {
	x := l.index
	if x == nil || x.uses.Load() < fewUses && x.uses.Add(1) < fewUses {
		return nil
	}
	x.made.Do(func() { x.ix = indexOf(l.Entries) })
	return x.ix
}

// pairKey is the bucket of a pair.
func pairKey(a, b byte) byte {
	word, bit := pairHash(a, b)
	return word<<6 | bit
}

// indexOf takes the entries apart as [foldedName.mayMatch] does.
func indexOf(entries []string) *index {
	ix := &index{}
	var numbers [4][]uint32
	var keys [4][]byte
	for i, text := range entries {
		place, key, keyed := placed(text)
		ix.anyHome = ix.anyHome || place == inHome && text[0] == '~'
		switch {
		case place == nowhere:
		case !keyed && place == inLast && ix.addMiddle(text, uint32(i)):
		case !keyed:
			ix.rest = append(ix.rest, uint32(i))
		default:
			numbers[place], keys[place] = append(numbers[place], uint32(i)), append(keys[place], key)
		}
	}
	for place, b := range [...]*buckets{&ix.anchored, &ix.home, &ix.first, &ix.last} {
		b.add(numbers[place], keys[place])
	}
	return ix
}

// addMiddle takes an entry in that is one text between two stars.
func (ix *index) addMiddle(entry string, number uint32) bool {
	want := takeApart(entry).text
	if want[0] != '*' || strings.Contains(want, "/") {
		return false
	}
	text, ok := plainMiddle(FoldName(want))
	if ok {
		ix.middles = append(ix.middles, middle{number, text})
	}
	return ok
}

// The places of an index.
const (
	inAnchored = iota
	inHome
	inFirst
	inLast
	nowhere
)

// placed says where an entry stands; keyed is false where its beginning and
// its end are not plain to see.
func placed(text string) (place int, key byte, keyed bool) {
	text = strings.TrimPrefix(text, "!")
	below, home := strings.CutPrefix(text, "~/")
	switch trimmed := strings.TrimLeft(below, "/"); {
	case strings.Trim(below, "/") == "":
		return nowhere, 0, false
	case home, below[0] == '/':
		place = inAnchored
		if home {
			place = inHome
		}
		a, b, plain := beginning(trimmed)
		return place, pairKey(a, b), plain
	}
	if a, b, plain := beginning(text); plain {
		return inFirst, pairKey(a, b), true
	}
	y, z, plain := ending(text)
	return inLast, pairKey(y, z), plain
}

// lastOf returns the last entry that matches a name, -1 if none does.
func (ix *index) lastOf(entries []string, n *foldedName) int {
	best := -1
	for i, part := range n.parts {
		begins := pairKey(part[0], next(part))
		best = n.lastAt(i, entries, ix.first.of(begins), best)
		best = n.lastAt(i, entries, ix.last.of(pairKey(before(part), part[len(part)-1])), best)
		if i == 0 {
			best = n.lastAmong(entries, ix.anchored.of(begins), best)
		}
	}
	if len(n.home) > 0 {
		best = n.lastAmong(entries, ix.home.of(pairKey(n.home[0][0], next(n.home[0]))), best)
	}
	for i := len(ix.middles) - 1; i >= 0 && int(ix.middles[i].number) > best; i-- {
		if m := ix.middles[i]; slices.ContainsFunc(n.parts,
			func(part string) bool { return strings.Contains(part, m.text) }) {
			best = int(m.number)
		}
	}
	return n.lastAmong(entries, ix.rest, best)
}

// lastAmong returns the last of these entries that matches, if it comes behind
// best.
func (n *foldedName) lastAmong(entries []string, numbers []uint32, best int) int {
	for i := len(numbers) - 1; i >= 0 && int(numbers[i]) > best; i-- {
		if text := entries[numbers[i]]; n.mayMatch(text) && n.matches(takeApart(text)) {
			return int(numbers[i])
		}
	}
	return best
}

// lastAt is lastAmong for entries that may stand at any depth and begin, or
// end, as one component does: elsewhere they do not match.
func (n *foldedName) lastAt(at int, entries []string, numbers []uint32, best int) int {
	for i := len(numbers) - 1; i >= 0 && int(numbers[i]) > best; i-- {
		if n.starts(n.parts[at:], takeApart(entries[numbers[i]]).text) {
			return int(numbers[i])
		}
	}
	return best
}

// leading are the entries that may lie below a directory, given by its
// components from the root or from home on.
func (b *buckets) leading(dir []string) []uint32 {
	if len(dir) == 0 {
		return b.all
	}
	return b.of(pairKey(dir[0][0], next(dir[0])))
}
