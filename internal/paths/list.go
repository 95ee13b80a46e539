package paths

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// List is a list of patterns, made by [New]. The zero value matches nothing. A
// List is safe for concurrent use; nobody changes Entries.
type List struct {
	Entries []string // as written
	home    []string // folded components; nil where there is no home
	short   bool     // home may hold an 8.3 alias
	index   *lazyIndex
}

// New returns a list whose entries below "~/" lie below home, an absolute path;
// with "" they lie below any home.
func New(entries []string, home string) List {
	return List{
		Entries: entries, home: Fold(home), short: strings.Contains(home, "~"),
		index: &lazyIndex{},
	}
}

// listEntry is one of them, taken apart.
type listEntry struct {
	text     string // without ! ~/ and leading slash
	anchored bool   // from the root; else a run of components at any depth
	home     bool   // below home
	negated  bool
}

func takeApart(text string) (e listEntry) {
	e.text, e.negated = strings.CutPrefix(text, "!")
	e.text, e.home = strings.CutPrefix(e.text, "~/")
	e.anchored = e.home || strings.HasPrefix(e.text, "/")
	e.text = strings.Trim(e.text, "/")
	for strings.Contains(e.text, "//") {
		e.text = strings.ReplaceAll(e.text, "//", "/")
	}
	return e
}

// Match reports whether the last entry that matches name (real, or as
// written) says that it belongs to the list.
//
// No system takes a path of more than 4 KiB. One that is longer is on every
// list that has an entry, since to look it through would take long.
func (l List) Match(name string) bool {
	if len(name) > maxName {
		return len(l.Entries) > 0
	}
	return l.MatchParts(Fold(name), strings.Contains(name, "~"))
}

// maxName is the longest path that a list looks through, in bytes.
const maxName = 4096

// MatchAtHome is match for folded components below home.
func (l List) MatchAtHome(parts []string, short bool) bool {
	return l.MatchParts(slices.Concat(l.home, parts), short || l.short)
}

// MatchParts is match for folded components. short says that one may be an 8.3
// alias.
func (l List) MatchParts(parts []string, short bool) bool {
	n := l.folded(parts, short)
	ix := l.indexed()
	if short || ix == nil {
		return l.scan(&n)
	}
	last := ix.lastOf(l.Entries, &n)
	return last >= 0 && l.Entries[last][0] != '!'
}

// folded is a name that is looked up in the list.
func (l List) folded(parts []string, short bool) foldedName {
	below := l.belowHome(parts)
	n := newFoldedName(parts, below, short)
	if n.own = below != nil; !n.own {
		n.home = belowAnyHome(parts)
	}
	return n
}

// scan is MatchParts by a look at each entry.
func (l List) scan(n *foldedName) (matched bool) {
	for _, text := range l.Entries {
		if text == "" || matched != (text[0] == '!') || !n.mayMatch(text) {
			continue
		}
		if e := takeApart(text); e.text != "" && n.matches(e) {
			matched = !e.negated
		}
	}
	return matched
}

// belowHome returns the components below home, nil where there are none.
func (l List) belowHome(parts []string) []string {
	if len(l.home) == 0 || len(parts) <= len(l.home) || !slices.Equal(parts[:len(l.home)], l.home) {
		return nil
	}
	return parts[len(l.home):]
}

// belowAnyHome returns the components below what is a home directory by its
// shape: /root, and /home/NAME or /Users/NAME wherever a disk is mounted.
func belowAnyHome(parts []string) []string {
	for i := 0; i < len(parts) && i < maxMount; i++ {
		switch {
		case parts[i] == "root" && (i == 0 || parts[i-1] == "var"):
			return parts[i+1:]
		case (parts[i] == "home" || parts[i] == "users") && i+2 < len(parts):
			return parts[i+2:]
		}
	}
	return nil
}

// maxMount is how deep below / homes of other systems are looked for.
const maxMount = 5

// HoldsAny reports whether the tree at name may hold something of the list:
// an anchored entry lies below it.
func (l List) HoldsAny(name string) bool {
	dir := Fold(name)
	below := l.belowHome(dir)
	above := len(l.home) > 0 && len(dir) <= len(l.home) && slices.Equal(dir, l.home[:len(dir)])
	ix := l.indexed()
	if ix == nil {
		return slices.ContainsFunc(l.Entries, func(text string) bool {
			return l.leads(text, dir, below) ||
				above && strings.HasPrefix(text, "~/") && strings.Trim(text[2:], "/") != ""
		})
	}
	return above && ix.anyHome || l.anyLeads(ix.anchored.leading(dir), dir, below) || l.anyLeads(ix.rest, dir, below) ||
		below != nil && l.anyLeads(ix.home.leading(below), dir, below)
}

// anyLeads is [List.leads] for the entries of these numbers.
func (l List) anyLeads(numbers []uint32, dir, below []string) bool {
	return slices.ContainsFunc(numbers, func(i uint32) bool { return l.leads(l.Entries[i], dir, below) })
}

// leads reports whether an anchored entry lies below a directory, given from
// the root and, nil where it is not there, from home on.
func (l List) leads(text string, dir, below []string) bool {
	if text == "" || text[0] != '~' && text[0] != '/' {
		return false
	}
	e := takeApart(text)
	return e.anchored && e.text != "" &&
		(!e.home && leadsInto(dir, e.text) || e.home && below != nil && leadsInto(below, e.text))
}

// Beginnings returns the first components, folded, of all entries without a
// pattern in them.
func (l List) Beginnings() map[string]bool {
	plain := make(map[string]bool, len(l.Entries))
	for _, text := range l.Entries {
		if first, _, _ := strings.Cut(text, "/"); GlobIndex(first) < 0 {
			plain[FoldName(first)] = true
		}
	}
	return plain
}

// HoldsNext reports whether name may be a directory that something of the list
// lies in: its last components are the first of an entry that may stand at any
// depth.
func (l List) HoldsNext(name string) bool {
	parts := Fold(name)
	for _, text := range l.Entries {
		if e := takeApart(text); e.anchored || e.negated || !strings.Contains(e.text, "/") {
			continue
		}
		for i := range parts {
			if leadsInto(parts[i:], strings.Trim(text, "/")) {
				return true
			}
		}
	}
	return false
}

// leadsInto reports whether the components of pattern begin with dir and go
// on.
func leadsInto(dir []string, pattern string) bool {
	for _, got := range dir {
		want, rest, more := strings.Cut(pattern, "/")
		if !more || differs(want[0], got[0]) || FoldName(want) != got {
			return false
		}
		pattern = rest
	}
	return true
}

// foldedName is a path that is looked up in a list.
type foldedName struct {
	parts []string // folded
	home  []string // those below home
	own   bool     // home is the user's own
	short bool     // may hold an 8.3 alias
	// How components begin and end: most entries are done with here.
	first, last pairSet
}

func newFoldedName(parts, home []string, short bool) foldedName {
	n := foldedName{parts: parts, home: home, short: short}
	for _, part := range parts {
		n.first.add(part[0], next(part))
		n.last.add(before(part), part[len(part)-1])
	}
	return n
}

// next is the second byte of a component, before the last but one; / where it
// has only one.
func next(part string) byte {
	if len(part) == 1 {
		return '/'
	}
	return part[1]
}

func before(part string) byte {
	if len(part) == 1 {
		return '/'
	}
	return part[len(part)-2]
}

// pairSet holds pairs of bytes. It may say that it has one that it has not.
type pairSet [4]uint64

func pairHash(a, b byte) (word, bit byte) {
	h := a*31 + b
	return h >> 6, h & 63
}

func (s *pairSet) add(a, b byte) {
	word, bit := pairHash(a, b)
	s[word] |= 1 << bit
}

func (s *pairSet) has(a, b byte) bool {
	word, bit := pairHash(a, b)
	return s[word]&(1<<bit) != 0
}

// mayMatch is false for an entry that begins, or ends, as no component does.
func (n *foldedName) mayMatch(entry string) bool {
	if entry[0] == '!' {
		entry = entry[1:]
	}
	switch {
	case entry == "":
		return false
	case n.short:
		return true
	case entry[0] == '/':
		return mayBegin(entry[1:], n.parts)
	case entry[0] == '~' && len(entry) > 1 && entry[1] == '/':
		return mayBegin(entry[2:], n.home)
	}
	return n.mayHold(entry)
}

// mayBegin is false where parts do not begin with the first component of entry.
func mayBegin(entry string, parts []string) bool {
	for entry != "" && entry[0] == '/' {
		entry = entry[1:]
	}
	if len(parts) == 0 || entry == "" {
		return false
	}
	if a, b, plain := beginning(entry); plain {
		return a == parts[0][0] && b == next(parts[0])
	}
	return len(entry) > 1 && entry[1] >= 0x80 || !differs(entry[0], parts[0][0])
}

// mayHold is mayMatch for an entry that may stand at any depth.
func (n *foldedName) mayHold(entry string) bool {
	if a, b, plain := beginning(entry); plain && !n.first.has(a, b) {
		return false
	}
	y, z, plain := ending(entry)
	return !plain || n.last.has(y, z)
}

// ending is beginning for how the first component ends.
func ending(entry string) (y, z byte, plain bool) {
	if end := strings.IndexByte(entry, '/'); end >= 0 {
		entry = entry[:end]
	}
	if len(entry) < 2 {
		return 0, 0, false
	}
	y, z = literal[entry[len(entry)-2]], literal[entry[len(entry)-1]]
	return y, z, y != 0 && z != 0 && z != '.' && strings.IndexByte(entry, '[') < 0 // which may not be closed
}

// beginning returns how the first component of entry begins when it is folded,
// where that is plain to see: what follows cannot change it.
func beginning(entry string) (a, b byte, plain bool) {
	if len(entry) < 2 || len(entry) > 2 && entry[2] >= 0x80 {
		return 0, 0, false
	}
	a, b = literal[entry[0]], literal[entry[1]]
	return a, b, a != 0 && b != 0 && b != '.'
}

// literal maps a byte of an entry that stands for itself to what it is folded
// to, all others to 0.
var literal = [256]byte{
	'-': '-', '.': '.', '_': '_',
	'0': '0', '1': '1', '2': '2', '3': '3', '4': '4', '5': '5', '6': '6', '7': '7', '8': '8', '9': '9',
	'a': 'a', 'b': 'b', 'c': 'c', 'd': 'd', 'e': 'e', 'f': 'f', 'g': 'g', 'h': 'h', 'i': 'i', 'j': 'j', 'k': 'k',
	'l': 'l', 'm': 'm',
	'n': 'n', 'o': 'o', 'p': 'p', 'q': 'q', 'r': 'r', 's': 's', 't': 't', 'u': 'u', 'v': 'v', 'w': 'w', 'x': 'x',
	'y': 'y', 'z': 'z',
	'A': 'a', 'B': 'b', 'C': 'c', 'D': 'd', 'E': 'e', 'F': 'f', 'G': 'g', 'H': 'h', 'I': 'i', 'J': 'j', 'K': 'k',
	'L': 'l', 'M': 'm',
	'N': 'n', 'O': 'o', 'P': 'p', 'Q': 'q', 'R': 'r', 'S': 's', 'T': 't', 'U': 'u', 'V': 'v', 'W': 'w', 'X': 'x',
	'Y': 'y', 'Z': 'z',
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c |= 0x20
	}
	return c
}

func (n *foldedName) matches(e listEntry) bool {
	switch {
	case e.home: // what the user lets go is the user's own
		return (n.own || !e.negated) && n.starts(n.home, e.text)
	case e.anchored:
		return n.starts(n.parts, e.text)
	}
	for i, got := range n.parts {
		if (n.short || !differs(e.text[0], got[0])) && n.starts(n.parts[i:], e.text) {
			return true
		}
	}
	return false
}

// starts reports whether parts begin with the components of pattern.
func (n *foldedName) starts(parts []string, pattern string) bool {
	for more := true; more; parts = parts[1:] {
		var want string
		if want, pattern, more = strings.Cut(pattern, "/"); len(parts) == 0 || !n.part(want, parts[0]) {
			return false
		}
	}
	return true
}

// part compares one component with what the list says of it.
func (n *foldedName) part(want, got string) bool {
	if !n.short && differs(want[0], got[0]) {
		return false
	}
	if !isPlain(want) {
		want = FoldName(want)
	}
	if want == got {
		return true
	}
	if end, ok := plainEnd(want); ok {
		if strings.HasSuffix(got, end) {
			return true
		}
	} else if middle, ok := plainMiddle(want); ok {
		if strings.Contains(got, middle) {
			return true
		}
	} else if i := GlobIndex(want); i >= 0 && strings.HasPrefix(got, want[:i]) {
		if ok, err := path.Match(want, got); ok || err != nil {
			return true
		}
	}
	return n.short && shortName(want, got)
}

// plainEnd returns what follows the star of a pattern such as *.key, which
// most of the lists are made of.
func plainEnd(want string) (end string, ok bool) {
	end, ok = strings.CutPrefix(want, "*")
	return end, ok && GlobIndex(end) < 0 && strings.IndexByte(end, '\\') < 0
}

// plainMiddle returns what stands between the stars of a pattern such as *key*.
func plainMiddle(want string) (middle string, ok bool) {
	if len(want) < 2 || want[0] != '*' || want[len(want)-1] != '*' {
		return "", false
	}
	middle = want[1 : len(want)-1]
	return middle, GlobIndex(middle) < 0 && strings.IndexByte(middle, '\\') < 0
}

// GlobIndex returns where a pattern stops being plain text, -1 if nowhere.
func GlobIndex(pattern string) int {
	for i := 0; i < len(pattern); i++ {
		if c := pattern[i]; c == '*' || c == '?' || c == '[' {
			return i
		}
	}
	return -1
}

// Fold splits a path into folded components, the empty ones left out.
func Fold(name string) []string {
	parts := make([]string, 0, 8)
	for part := range strings.SplitSeq(name, "/") {
		if part != "" {
			parts = append(parts, FoldName(part))
		}
	}
	return parts
}

// FoldName maps a component to what any supported file system might take it for:
// case, compatibility forms, ignorable characters, trailing dots and spaces.
// It is applied everywhere, since it only tightens.
func FoldName(part string) string {
	if isPlain(part) {
		return part
	}
	if isPrintableASCII(part) {
		return cmp.Or(strings.TrimRight(strings.ToLower(part), ". "), part)
	}
	var b strings.Builder
	for _, r := range norm.NFKC.String(part) {
		if r == '\u017f' { // long s, which some systems fold to s
			r = 's'
		}
		if !ignorable(r) {
			b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		}
	}
	if s := strings.TrimRight(b.String(), ". "); s != "" {
		return s
	}
	return part // nothing is left: dots, or what nobody sees
}

// isPlain reports whether folding each component of name would not change it.
func isPlain(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 0x80 || c < 0x20 || 'A' <= c && c <= 'Z' {
			return false
		}
		if (c == '.' || c == ' ') && (i+1 == len(name) || name[i+1] == '/') {
			return false
		}
	}
	return true
}

// isPrintableASCII reports whether nothing is to be folded but case and what
// stands at the end.
func isPrintableASCII(name string) bool {
	for i := 0; i < len(name); i++ {
		if name[i] < 0x20 || name[i] >= 0x7f {
			return false
		}
	}
	return true
}

// ignorable characters are dropped by HFS+ when it compares names, or are
// invisible.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == '\u034f' || r == '\u115f' || r == '\u3164' ||
		r < 0x20
}

// differs reports that two components cannot be the same by how they begin;
// most entries are done with here. got is folded.
func differs(want, got byte) bool {
	want = lower(want)
	return want != got && want < 0x80 && want != '*' && want != '?' && want != '['
}

// shortName reports whether name may be the 8.3 alias of want ("git~1" of
// ".git"): a prefix of its letters, a tilde, digits.
func shortName(want, name string) bool {
	tilde := strings.IndexByte(name, '~')
	if tilde < 0 {
		return false
	}
	stem, digits := name[:tilde], name[tilde+1:]
	if stem == "" || len(stem) > 6 || digits == "" || digits[0] < '0' || digits[0] > '9' {
		return false
	}
	for i := 0; i < len(want) && stem != ""; i++ {
		switch c := want[i]; {
		case c == '.' || c == ' ' || c == '_' || c == '-': // left out of an alias
		case c != stem[0]:
			return false
		default:
			stem = stem[1:]
		}
	}
	return stem == "" && strings.Trim(digits, "0123456789.abcdefghijklmnopqrstuvwxyz") == ""
}

// Starts are the first components of the entries that may stand at any depth,
// by their first letter: what most names of a large tree are done with.
type Starts struct {
	by  [256][]start
	any []start // begin with a pattern
}

// start is what stands before the first pattern of a component and behind the
// last.
type start struct{ want, before, behind string }

// Starts takes the first components of the list apart.
func (l List) Starts() *Starts {
	s := &Starts{}
	for _, text := range l.Entries {
		e := takeApart(text)
		if e.anchored || e.negated || e.text == "" {
			continue
		}
		want, _, _ := strings.Cut(e.text, "/")
		want = FoldName(want)
		one := start{want: want, before: want, behind: want}
		if i := strings.IndexAny(want, `*?[\`); i >= 0 {
			one.before, one.behind = want[:i], want[strings.LastIndexAny(want, `*?[]\`)+1:]
		}
		if one.before == "" {
			s.any = append(s.any, one)
		} else {
			s.by[want[0]] = append(s.by[want[0]], one)
		}
	}
	return s
}

// May reports whether some component of a relative name may begin what an entry
// says. It errs towards yes.
func (s *Starts) May(name string) bool {
	if !isPlain(name) || strings.Contains(name, "~") {
		return true
	}
	for name != "" {
		part, rest, _ := strings.Cut(name, "/")
		if name = rest; part != "" && (anyFits(s.by[part[0]], part) || anyFits(s.any, part)) {
			return true
		}
	}
	return false
}

func anyFits(list []start, part string) bool {
	for i := range list {
		one := &list[i]
		switch {
		case !strings.HasPrefix(part, one.before) || !strings.HasSuffix(part, one.behind):
		case one.want == part,
			strings.HasSuffix(one.want, one.behind) && len(one.before)+1+len(one.behind) == len(one.want):
			return true
		case one.before != one.want:
			if ok, err := path.Match(one.want, part); ok || err != nil {
				return true
			}
		}
	}
	return false
}
