package nod

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// pathPattern is one entry of Rules.Secrets or Rules.Guarded, compiled.
type pathPattern struct {
	parts    []string // folded components
	globs    []bool   // which of them hold a glob
	anchored bool     // from the root; else a run of components at any depth
	negated  bool
}

func compilePatterns(entries []string, home string) []pathPattern {
	patterns := make([]pathPattern, 0, len(entries))
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
	if rest, ok := strings.CutPrefix(entry, "~/"); ok {
		if home == "" {
			return p, false
		}
		entry = home + "/" + rest
	}
	p.anchored = strings.HasPrefix(entry, "/")
	p.parts = foldPath(entry)
	for _, part := range p.parts {
		p.globs = append(p.globs, strings.ContainsAny(part, "*?["))
	}
	return p, len(p.parts) > 0
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

// isPlain reports whether folding part would not change it.
func isPlain(part string) bool {
	for i := 0; i < len(part); i++ {
		if c := part[i]; c >= 0x80 || c < 0x20 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	last := part[len(part)-1]
	return last != '.' && last != ' '
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
	for _, p := range patterns {
		if matched == p.negated && p.matches(parts) {
			matched = !p.negated
		}
	}
	return matched
}

func (p pathPattern) matches(parts []string) bool {
	if p.anchored {
		return p.at(parts)
	}
	for i := range parts {
		if p.at(parts[i:]) {
			return true
		}
	}
	return false
}

func (p pathPattern) at(parts []string) bool {
	if len(parts) < len(p.parts) {
		return false
	}
	for i, want := range p.parts {
		if want != parts[i] && !(p.globs[i] && globMatch(want, parts[i])) && !shortName(want, parts[i]) {
			return false
		}
	}
	return true
}

func globMatch(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok || err != nil
}

// shortName reports whether name may be the 8.3 alias of want ("git~1" of
// ".git"): a prefix of its letters, a tilde, digits.
func shortName(want, name string) bool {
	stem, digits, ok := strings.Cut(name, "~")
	if !ok || stem == "" || len(stem) > 6 || strings.Trim(digits, "0123456789.abcdefghijklmnopqrstuvwxyz") != "" || digits == "" || digits[0] < '0' || digits[0] > '9' {
		return false
	}
	plain := strings.NewReplacer(".", "", " ", "", "_", "", "-", "").Replace(want)
	return strings.HasPrefix(plain, stem)
}

// below reports whether an anchored pattern lies below the tree at dir, so
// that reading or deleting the tree would touch it.
func (p pathPattern) below(dir []string) bool {
	if !p.anchored || p.negated || len(p.parts) <= len(dir) {
		return false
	}
	for i, part := range dir {
		if p.parts[i] != part {
			return false
		}
	}
	return true
}

// holdsAny reports whether the tree at name may hold something of the list.
func holdsAny(patterns []pathPattern, name string) bool {
	dir := foldPath(name)
	for _, p := range patterns {
		if p.below(dir) {
			return true
		}
	}
	return false
}
