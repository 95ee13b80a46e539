package paths

import (
	"path"
	"strings"
)

// MayPass reports whether a name may pass a test of find. Where fnmatch(3)
// in some locale and [FindMatch] may differ, it may.
func MayPass(test, name string) bool {
	kind, pattern, _ := strings.Cut(test, " ")
	if kind != "-name" && kind != "-iname" || !IsASCII(pattern) ||
		strings.ContainsAny(pattern, "?[") && !IsASCII(name) {
		return true
	}
	return FindMatch(pattern, name)
}

// FindMatch matches a name as find -iname does; it errs towards yes.
func FindMatch(pattern, name string) bool {
	if bracket := strings.Contains(pattern, "["); strings.Contains(pattern, `\`) ||
		bracket && (strings.ContainsAny(pattern, ":.=") || pattern != strings.ToLower(pattern)) {
		return true // a class, or a range that folding would change
	}
	ok, err := path.Match(FoldName(strings.ReplaceAll(pattern, "[!", "[^")), FoldName(name))
	return ok || err != nil
}

// IsASCII reports whether a text holds nothing but ASCII.
func IsASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

// GlobMatch reports whether a shell may match name; it errs towards yes.
func GlobMatch(glob, name string) bool {
	if strings.Contains(glob, "[:") || strings.Contains(glob, "[.") || strings.Contains(glob, "[=") {
		return true
	}
	if strings.HasPrefix(name, ".") && glob[0] != '.' && glob[0] != '\\' {
		return false // dotglob and its kin are unknown to package shell
	}
	glob = strings.ReplaceAll(anyForCaret(glob), "[!", "[^")
	ok, err := path.Match(glob, name)
	return ok || err != nil || !IsASCII(name) && matchBytes(glob, name)
}

// matchBytes matches as dash does always, and bash and zsh do in the locale C: ? and
// [a] are one byte, of which a character beyond ASCII has several.
func matchBytes(glob, name string) bool {
	ok, err := path.Match(byteRunes(glob), byteRunes(name))
	return ok || err != nil
}

func byteRunes(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

// anyForCaret puts a question mark in the place of each class that begins with a
// caret: bash and zsh take it for all other characters, dash for a caret and those.
func anyForCaret(glob string) string {
	for from := 0; ; {
		at := strings.Index(glob[from:], "[^")
		if at < 0 {
			return glob
		}
		at += from
		end := len(glob)
		if n := strings.IndexByte(glob[min(at+3, end):], ']'); n >= 0 {
			end = at + 3 + n + 1
		}
		if at > 0 && glob[at-1] == '\\' { // no class
			from = at + 2
			continue
		}
		glob = glob[:at] + "?" + glob[end:]
		from = at + 1
	}
}

// GlobLiteral is the only name that a part of a pattern matches; ok is false where
// it may match others.
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
