// Package paths compares names of files with lists of patterns, as text: it looks at no file system.
//
// A [List] is what a person or nod writes down of secrets, guarded files or an agent's settings. An entry
// is a run of components that may stand at any depth (".env", ".claude/hooks"), a path from the root
// ("/etc/shadow") or from home ("~/.ssh"); each component may be a glob. An entry that begins with "!"
// takes back what an earlier entry says: of entries that match, the last holds.
//
// Components are compared folded ([FoldName]), so that two spellings which any
// supported file system takes for the same file are the same here.
package paths

import (
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// List is a list of patterns, made by [New]. The zero value matches nothing. A
// List is safe for concurrent use; nobody changes Entries.
type List struct {
	Entries []string // as written
	home    []string // folded components; nil where there is no home
	index   func() *index
}

// New returns a list whose entries below "~/" lie below home, an absolute path; with "" they lie below any home.
func New(entries []string, home string) List {
	return List{Entries: entries, home: Fold(home), index: sync.OnceValue(func() *index { return newIndex(entries) })}
}

// index are the entries by how they begin, so that a name is held against few. Each field leads to the last of a
// chain. A chain holds all entries whose first component has the same key.
type index struct {
	entries []entry
	plain   [256]*entry // by keyOf
	// Those whose first component is a pattern: by its last byte, else by its first, else all others.
	ends, begins [256]*entry
	globs        *entry
}

func newIndex(entries []string) *index {
	ix := &index{entries: make([]entry, len(entries))}
	for i, text := range entries {
		e := &ix.entries[i]
		if e.number, e.first = int32(i), e.begin(text); e.first == "" {
			continue
		}
		chain := ix.chain(e.first)
		e.next, *chain = *chain, e
	}
	return ix
}

// chain is where an entry belongs that begins with a component.
func (ix *index) chain(first string) **entry {
	begin, end := first[0], first[len(first)-1]
	switch {
	case !isGlob(first):
		return &ix.plain[keyOf(first)]
	case strings.IndexByte(globSigns+`]\`, end) < 0:
		return &ix.ends[end]
	case strings.IndexByte(globSigns+`\`, begin) < 0:
		return &ix.begins[begin]
	}
	return &ix.globs
}

// keyOf spreads names that are not empty over the chains.
func keyOf(name string) byte { return name[0] + 3*name[len(name)-1] + 31*byte(len(name)) }

// entry is one line of a list. Without anchored its components stand at any depth.
type entry struct {
	number   int32
	anchored bool // from the root, or from home
	home     bool
	negated  bool
	plain    bool   // first is no pattern
	next     *entry // of the chain
	first    string // its first component, folded; "" for an entry that matches nothing
	text     string // without the signs before it
	apart    atomic.Pointer[[]component]
}

// begin reads what the entry begins with, up to its first component.
func (e *entry) begin(text string) (first string) {
	text, e.negated = strings.CutPrefix(text, "!")
	text, e.home = strings.CutPrefix(text, "~/")
	e.anchored = e.home || strings.HasPrefix(text, "/")
	e.text = strings.TrimLeft(text, "/")
	first, _, _ = strings.Cut(e.text, "/")
	first = FoldName(first)
	e.plain = !isGlob(first)
	return first
}

// components are the entry taken apart. Most entries never are.
func (e *entry) components() []component {
	if known := e.apart.Load(); known != nil {
		return *known
	}
	var room folded
	folded := appendFolded(room[:0], e.text)
	parts := make([]component, 0, len(folded))
	for _, part := range folded {
		c := component{want: part, glob: isGlob(part)}
		if c.glob {
			c.begin = part[:strings.IndexAny(part, globSigns+`\`)]
			c.end = part[strings.LastIndexAny(part, globSigns+`]\`)+1:]
			if !strings.ContainsAny(part, `?[\`) {
				c.texts = strings.Split(part, "*")
			}
		}
		parts = append(parts, c)
	}
	e.apart.Store(&parts)
	return parts
}

// globSigns begin what is not plain text in a pattern.
const globSigns = "*?["

func isGlob(part string) bool { return strings.ContainsAny(part, globSigns) }

// component is one component of an entry, folded.
type component struct {
	want  string
	glob  bool
	begin string // what stands before the first sign of a pattern, and behind the last
	end   string
	texts []string // between the stars of a pattern that has no other signs
}

// match compares a component of a name with what the list says of it. short says that it may be an 8.3 alias.
func (c *component) match(got string, short bool) bool {
	switch {
	case c.want == got, short && shortName(c.want, got):
		return true
	case !c.glob, !strings.HasPrefix(got, c.begin), !strings.HasSuffix(got, c.end):
		return false
	case c.texts != nil:
		return len(got) >= len(c.begin)+len(c.end) && inOrder(c.texts[1:len(c.texts)-1],
			got[len(c.begin):len(got)-len(c.end)])
	}
	ok, err := path.Match(c.want, got)
	return ok || err != nil
}

// inOrder reports whether a text holds texts one behind the other.
func inOrder(texts []string, text string) bool {
	for _, t := range texts {
		_, rest, found := strings.Cut(text, t)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// maxName is the longest path that a list looks through, in bytes.
const maxName = 4096

// Match reports whether the last entry that matches name (real, or as written) says that it belongs to the list.
//
// No system takes a path of more than 4 KiB. A longer path is on every list that has
// an entry, since to look it through would take long.
func (l List) Match(name string) bool {
	if len(name) > maxName {
		return len(l.Entries) > 0
	}
	var room folded
	return l.MatchParts(appendFolded(room[:0], name))
}

// MatchAtHome is match for folded components below home.
func (l List) MatchAtHome(parts []string) bool { return l.MatchParts(slices.Concat(l.home, parts)) }

// MatchParts is match for folded components.
func (l List) MatchParts(parts []string) bool {
	if len(l.Entries) == 0 {
		return false
	}
	n := foldedName{parts: parts, home: -1}
	n.short = slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(part, "~") })
	if below := l.belowHome(parts); below != nil {
		n.home, n.own = len(parts)-len(below), true
	} else if below := belowAnyHome(parts); below != nil {
		n.home = len(parts) - len(below)
	}
	ix := l.index()
	for i, part := range parts {
		if n.short {
			for k := range ix.entries {
				n.hold(i, &ix.entries[k])
			}
			continue
		}
		n.look(i, ix.plain[keyOf(part)])
		n.look(i, ix.ends[part[len(part)-1]])
		n.look(i, ix.begins[part[0]])
		n.look(i, ix.globs)
	}
	return n.last != nil && !n.last.negated
}

// foldedName is a path that is looked up in a list.
type foldedName struct {
	parts []string
	home  int    // the first component below a home, -1 for none
	own   bool   // home is the user's own
	short bool   // may hold an 8.3 alias
	last  *entry // the last that matches
}

// look holds the name from its component i on against a chain.
func (n *foldedName) look(i int, chain *entry) {
	for e := chain; e != nil; e = e.next {
		n.hold(i, e)
	}
}

func (n *foldedName) hold(i int, e *entry) {
	if (n.last == nil || e.number > n.last.number) && n.matches(e, i) {
		n.last = e
	}
}

// matches reports whether the components from i on begin with those of an entry. What the
// user lets go is the user's own.
func (n *foldedName) matches(e *entry, i int) bool {
	switch {
	case e.first == "", e.plain && !n.short && e.first != n.parts[i],
		e.home && (i != n.home || e.negated && !n.own),
		e.anchored && !e.home && i != 0:
		return false
	}
	parts := e.components()
	if i+len(parts) > len(n.parts) {
		return false
	}
	for k := range parts {
		if !parts[k].match(n.parts[i+k], n.short) {
			return false
		}
	}
	return true
}

// belowHome returns the components below home; nil for a name outside home.
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

// HoldsAny reports whether the tree at name may hold something of the list: an anchored entry lies below it.
func (l List) HoldsAny(name string) bool {
	if len(l.Entries) == 0 {
		return false
	}
	dir := Fold(name)
	below := l.belowHome(dir)
	above := len(l.home) > 0 && len(dir) <= len(l.home) && slices.Equal(dir, l.home[:len(dir)])
	entries := l.index().entries
	for i := range entries {
		switch e := &entries[i]; {
		case e.first == "" || e.negated || !e.anchored:
		case e.home && above, e.home && below != nil && leadsInto(below, e.components()),
			!e.home && leadsInto(dir, e.components()):
			return true
		}
	}
	return false
}

// HoldsNext reports whether name may be a directory that something of the list lies in: its last components
// are the first of an entry that may stand at any depth.
func (l List) HoldsNext(name string) bool {
	if len(l.Entries) == 0 {
		return false
	}
	var room folded
	parts := appendFolded(room[:0], name)
	for i, part := range parts {
		for e := l.index().plain[keyOf(part)]; e != nil; e = e.next {
			if e.first == part && !e.anchored && !e.negated && leadsInto(parts[i:], e.components()) {
				return true
			}
		}
	}
	return false
}

// leadsInto reports whether the components of an entry begin with dir and go on.
func leadsInto(dir []string, entry []component) bool {
	return len(entry) > len(dir) &&
		slices.EqualFunc(dir, entry[:len(dir)], func(got string, c component) bool { return c.want == got })
}

// Fold splits a path into folded components, the empty ones left out.
func Fold(name string) []string { return appendFolded(make([]string, 0, 8), name) }

// folded is room for the components of most paths, so that a look-up allocates nothing.
type folded [16]string

func appendFolded(parts []string, name string) []string {
	for name != "" {
		part, rest, _ := strings.Cut(name, "/")
		if name = rest; part != "" {
			parts = append(parts, FoldName(part))
		}
	}
	return parts
}

// FoldName maps a component to what any supported file system might take it for: case, compatibility forms,
// ignorable characters, trailing dots and spaces. It is applied everywhere, since it only tightens.
func FoldName(part string) string {
	if isPlain(part) {
		return part
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

// isPlain reports whether folding a component would not change it.
func isPlain(part string) bool {
	for i := range len(part) {
		if c := part[i]; c >= 0x7f || c < 0x20 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return !strings.HasSuffix(part, ".") && !strings.HasSuffix(part, " ")
}

// ignorable characters are dropped by HFS+ when it compares names, or are invisible.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == '\u034f' || r == '\u115f' || r == '\u3164' ||
		r < 0x20
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

// FindMatch matches a name as find -iname does; it errs towards yes. Classes, and what is
// one character or several by the locale, may match anything.
func FindMatch(pattern, name string) bool {
	if strings.ContainsAny(pattern, `[\`) || !IsASCII(pattern) || strings.Contains(pattern, "?") && !IsASCII(name) {
		return true
	}
	ok, err := path.Match(FoldName(pattern), FoldName(name))
	return ok || err != nil
}

// IsASCII reports whether a text holds nothing but ASCII.
func IsASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

// GlobMatch reports whether a shell may match name; it errs towards yes. A class is read differently by
// shells and by locale and stands for any character, and to some a character beyond ASCII is several.
func GlobMatch(glob, name string) bool {
	switch {
	case strings.HasPrefix(name, ".") && glob[0] != '.' && glob[0] != '\\':
		return false // dotglob and its kin are unknown to package shell
	case strings.Contains(glob, "["), strings.Contains(glob, "?") && !IsASCII(name):
		glob = glob[:strings.IndexAny(glob, `[?\`)] + "*"
	}
	ok, err := path.Match(glob, name)
	return ok || err != nil
}

// GlobLiteral is the only name that a part of a pattern matches; ok is false where it may match others.
func GlobLiteral(part string) (name string, ok bool) {
	if !strings.ContainsAny(part, "*?[\\") {
		return part, true
	}
	var b strings.Builder
	for i := 0; i < len(part); i++ {
		switch c := part[i]; {
		case c == '\\' && i+1 < len(part):
			i++
			b.WriteByte(part[i])
		case c == '*' || c == '?' || c == '[' || c == '\\':
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}
