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
	ok, err := path.Match(strings.ReplaceAll(glob, "[!", "[^"), name)
	return ok || err != nil
}
