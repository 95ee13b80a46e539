package confine

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// Profile is the boundary as macOS's sandbox-exec takes it, from the same lists of places: the system and toolchains
// can be read, the workspace and $TMP written but for guarded names, secrets are not there, and there is no network,
// no loopback either. It has not been run: nod uses it nowhere, and prints it for who wants to try it.
//
// The last rule that fits decides. Patterns are those of the settings (nod.Rules).
func Profile(root, home string, secrets, guarded []string) string {
	var p profile
	p.say(`(version 1)`)
	p.say(`(deny default)`)
	p.say(`(import "system.sb")`)
	p.say(`(allow process-fork process-exec sysctl-read file-read-metadata)`)
	p.say(`(allow signal (target same-sandbox))`)
	read := append(names("system"), "/System", "/Library", "/Applications", "/private/etc", "/private/var/db",
		"/usr/local", "/opt/homebrew")
	for _, below := range append(names("toolchains"), names("caches")...) {
		read = append(read, filepath.Join(home, below))
	}
	for _, dir := range append(read, root) {
		p.say(`(allow file-read* (subpath %s))`, quoted(dir))
	}
	p.say(`(allow file-read* file-write* (subpath %s) (subpath (param "TMP")))`, quoted(root))
	p.say(`(allow file-write-data (literal "/dev/null") (literal "/dev/tty"))`)
	p.patterns("file-write*", root, home, guarded)
	p.patterns("file-read* file-write*", root, home, secrets)
	p.say(`(deny network*)`)
	return p.String()
}

type profile struct{ strings.Builder }

func (p *profile) say(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// patterns deny what a list names. What an exception takes back is allowed in the
// workspace alone, since the rest was never allowed.
func (p *profile) patterns(what, root, home string, list []string) {
	for _, pattern := range list {
		exception, taken := strings.CutPrefix(pattern, "!")
		if taken {
			p.say(`(allow %s (require-all (subpath %s) (regex #"%s")))`, what, quoted(root),
				expression(exception, home))
			continue
		}
		p.say(`(deny %s (regex #"%s"))`, what, expression(pattern, home))
	}
}

// expression is a pattern as a regular expression. It ignores the case of a name, as macOS
// does, and covers what lies below the name.
func expression(pattern, home string) string {
	begin := "/"
	if below, ok := strings.CutPrefix(pattern, "~/"); ok {
		begin, pattern = "^"+folded(home)+"/", below
	} else if filepath.IsAbs(pattern) {
		begin, pattern = "^(/private)?/", pattern[1:]
	}
	return begin + folded(strings.TrimSuffix(pattern, "/")) + "(/|$)"
}

func folded(pattern string) string {
	var out strings.Builder
	for _, r := range pattern {
		switch {
		case r == '*':
			out.WriteString("[^/]*")
		case r == '?':
			out.WriteString("[^/]")
		case r == '"':
			out.WriteString(`.`) // would end the expression
		case unicode.IsLetter(r) && unicode.ToLower(r) != unicode.ToUpper(r):
			out.WriteString("[" + string(unicode.ToLower(r)) + string(unicode.ToUpper(r)) + "]")
		default:
			out.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return out.String()
}

// quoted is a text of the profile's language.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
