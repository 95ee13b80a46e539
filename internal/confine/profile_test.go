package confine

import (
	"regexp"
	"strings"
	"testing"
)

// ruleByName are the lines of a profile that deny or allow something by an expression.
var ruleByName = regexp.MustCompile(`^\((allow|deny) ([a-z* -]+) .*#"(.*)"\)+$`)

// decides is what the last rule by name says of a path, "" where none speaks of it.
func decides(t *testing.T, profile, what, name string) (verdict string) {
	t.Helper()
	for line := range strings.Lines(profile) {
		m := ruleByName.FindStringSubmatch(strings.TrimSpace(line))
		if m != nil && strings.Contains(m[2], what) && regexp.MustCompile(m[3]).MatchString(name) {
			verdict = m[1]
		}
	}
	return verdict
}

// The profile for macOS says the same as the boundary, as far as its text shows that.
func TestProfile(t *testing.T) {
	text := Profile(`/Users/a/s"p`, "/Users/a", []string{".env", ".env.*", "!.env.example", "~/.ssh", "/etc/shadow"},
		[]string{".git", ".github/copilot", "*.pth"})
	for _, row := range []struct{ what, name, want string }{
		{"file-read", `/Users/a/s"p/.env`, "deny"}, {"file-read", `/Users/a/s"p/x/.Env/y`, "deny"},
		{"file-read", `/Users/a/s"p/.env.local`, "deny"}, {"file-read", `/Users/a/s"p/.env.example`, "allow"},
		{"file-read", "/Users/a/.ssh/id", "deny"}, {"file-read", "/private/etc/shadow", "deny"},
		{"file-read", `/Users/a/s"p/x.env.go`, ""}, {"file-read", `/Users/a/s"p/.git/config`, ""},
		{"file-write", `/Users/a/s"p/.git/config`, "deny"}, {"file-write", `/Users/a/s"p/.GitHub/Copilot/x`, "deny"},
		{"file-write", `/Users/a/s"p/lib/x.pth`, "deny"}, {"file-write", `/Users/a/s"p/main.go`, ""},
	} {
		if got := decides(t, text, row.what, row.name); got != row.want {
			t.Errorf("%s %s: %q, want %q", row.what, row.name, got, row.want)
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if lines[1] != "(deny default)" || lines[len(lines)-1] != "(deny network*)" ||
		!strings.Contains(text, `(allow file-read* file-write* (subpath "/Users/a/s\"p") (subpath (param "TMP")))`) ||
		!strings.Contains(text, `(allow file-read* (subpath "/Users/a/.rustup"))`) ||
		strings.Contains(text, `(subpath "/Users/a")`) || strings.Count(text, "(") != strings.Count(text, ")") {
		t.Error(text)
	}
}
