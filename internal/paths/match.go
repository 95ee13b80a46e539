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
	glob = strings.ReplaceAll(anyForClass(glob), "[!", "[^")
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

// anyForClass puts a question mark in the place of each class that shells read
// differently: one that begins with a caret (bash and zsh take it for all other
// characters, dash for a caret and those), and one with a range of letters, which goes by
// the order of the locale (bash 3.2 and ksh93 match F and é with [a-g] in en_US.UTF-8).
func anyForClass(glob string) string {
	for from := 0; ; {
		at := strings.IndexByte(glob[from:], '[')
		if at < 0 {
			return glob
		}
		at += from
		from = at + 1
		if at > 0 && glob[at-1] == '\\' { // no class
			continue
		}
		first := from // the first character of the class, which may be a ]
		if first < len(glob) && (glob[first] == '!' || glob[first] == '^') {
			first++
		}
		end := len(glob)
		if n := strings.IndexByte(glob[min(first+1, end):], ']'); n >= 0 {
			end = first + 1 + n + 1
		}
		if strings.HasPrefix(glob[from:], "^") || rangeOfLetters(glob[from:end]) {
			glob = glob[:at] + "?" + glob[end:]
		}
	}
}

func rangeOfLetters(class string) bool {
	letter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80 }
	for i := 1; i+2 < len(class); i++ {
		if class[i] == '-' && (letter(class[i-1]) || letter(class[i+1])) {
			return true
		}
	}
	return false
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
