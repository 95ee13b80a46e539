package nod

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// pathPattern is one entry of Rules.Secrets or Rules.Guarded. Hundreds of
// them are read at every start of the hook, so they stay one string each.
type pathPattern struct {
	text     string // folded components, joined by slashes
	count    int    // how many components
	anchored bool   // from the root; else a run of components at any depth
	negated  bool
	glob     bool // some component holds a glob
	prefix   bool // the last character is the only glob, a *
	suffix   bool // the first character is the only glob, a *
}

func compilePatterns(entries []string, home string) []pathPattern {
	patterns := make([]pathPattern, 0, len(entries))
	home = strings.Join(foldPath(home), "/")
	for _, e := range entries {
		if p, ok := compilePattern(e, home); ok {
			patterns = append(patterns, p)
		}
	}
	return patterns
}

func compilePattern(entry, home string) (pathPattern, bool) {
	var p pathPattern
	entry, p.negated = strings.CutPrefix(entry, "!")
	rest, below := strings.CutPrefix(entry, "~/")
	if below && home == "" {
		return p, false
	}
	p.anchored = below || strings.HasPrefix(entry, "/")
	p.text = strings.Trim(rest, "/")
	if !p.survey() {
		p.text = strings.Join(foldPath(p.text), "/")
		p.survey()
	}
	if p.text == "" {
		return p, false
	}
	if below {
		p.text = home + "/" + p.text
		p.count += strings.Count(home, "/") + 1
	}
	return p, true
}

// survey counts components and finds globs, in one pass. It reports whether
// the text is folded as it stands.
func (p *pathPattern) survey() (folded bool) {
	p.count, p.glob, folded = 1, false, true
	first, globs := -1, 0
	for i := 0; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '/':
			p.count++
			folded = folded && i > 0 && p.text[i-1] != '/'
		case c == '*' || c == '?' || c == '[':
			if globs++; first < 0 {
				first = i
			}
		case c >= 0x80 || c < 0x20 || 'A' <= c && c <= 'Z':
			folded = false
		case (c == '.' || c == ' ') && (i+1 == len(p.text) || p.text[i+1] == '/'):
			folded = false
		}
	}
	p.glob = globs > 0
	single := globs == 1 && p.count == 1 && p.text[first] == '*'
	p.suffix = single && first == 0
	p.prefix = single && first == len(p.text)-1
	return folded
}

// foldPath splits a path into folded components, the empty ones left out.
func foldPath(name string) []string {
	parts := make([]string, 0, 8)
	for part := range strings.SplitSeq(name, "/") {
		if part != "" {
			parts = append(parts, fold(part))
		}
	}
	return parts
}

// fold maps a component to what any supported file system might take it for:
// case, compatibility forms, ignorable characters, trailing dots and spaces.
// It is applied everywhere, since it only tightens.
func fold(part string) string {
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
	return b.String()
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

// ignorable characters are dropped by HFS+ when it compares names, or are
// invisible.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == '\u034f' || r == '\u115f' || r == '\u3164' || r < 0x20
}

// matchPath reports whether the last pattern that matches name (real, or as
// written) says that it belongs to the list.
func matchPath(patterns []pathPattern, name string) bool {
	parts, matched := foldPath(name), false
	short := strings.Contains(name, "~")
	for i := range patterns {
		if p := &patterns[i]; matched == p.negated && p.matches(parts, short) {
			matched = !p.negated
		}
	}
	return matched
}

// matches looks for the pattern; short says that the name may hold an 8.3
// alias.
func (p *pathPattern) matches(parts []string, short bool) bool {
	if p.anchored {
		return p.at(parts, short)
	}
	for i := range parts {
		if p.at(parts[i:], short) {
			return true
		}
	}
	return false
}

func (p *pathPattern) at(parts []string, short bool) bool {
	if len(parts) < p.count {
		return false
	}
	if p.count == 1 {
		return p.part(p.text, parts[0], short)
	}
	rest := p.text
	for _, got := range parts[:p.count] {
		var want string
		want, rest, _ = strings.Cut(rest, "/")
		if !p.part(want, got, short) {
			return false
		}
	}
	return true
}

func (p *pathPattern) part(want, got string, short bool) bool {
	switch {
	case want == got:
		return true
	case p.suffix:
		return strings.HasSuffix(got, want[1:])
	case p.prefix:
		return strings.HasPrefix(got, want[:len(want)-1])
	case p.glob:
		if ok, err := path.Match(want, got); ok || err != nil {
			return true
		}
	}
	return short && shortName(want, got)
}

// shortName reports whether name may be the 8.3 alias of want ("git~1" of
// ".git"): a prefix of its letters, a tilde, digits.
func shortName(want, name string) bool {
	tilde := strings.IndexByte(name, '~')
	if tilde < 0 {
		return false
	}
	stem, digits := name[:tilde], name[tilde+1:]
	if stem == "" || len(stem) > 6 || strings.Trim(digits, "0123456789.abcdefghijklmnopqrstuvwxyz") != "" || digits == "" || digits[0] < '0' || digits[0] > '9' {
		return false
	}
	plain := strings.NewReplacer(".", "", " ", "", "_", "", "-", "").Replace(want)
	return strings.HasPrefix(plain, stem)
}

// below reports whether an anchored pattern lies below the tree at dir, so
// that reading or deleting the tree would touch it.
func (p *pathPattern) below(dir []string) bool {
	if !p.anchored || p.negated || p.count <= len(dir) {
		return false
	}
	rest := p.text
	for _, got := range dir {
		var want string
		if want, rest, _ = strings.Cut(rest, "/"); want != got {
			return false
		}
	}
	return true
}

// holdsAny reports whether the tree at name may hold something of the list.
func holdsAny(patterns []pathPattern, name string) bool {
	dir := foldPath(name)
	for i := range patterns {
		if patterns[i].below(dir) {
			return true
		}
	}
	return false
}
