package paths

import (
	"path"
	"strings"
)

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
