package paths

import (
	"path"
	"slices"
	"strings"
	"testing"
)

func TestPathLists(t *testing.T) {
	l := New([]string{"~/.ssh", "!~/.ssh/*.pub", "/etc/shadow", "/proc/*/environ", ".env", ".env.*", "!.env.example",
		"*.key", ".config/git", "CLAUDE.md", "a//b/"}, "/home/Dev")
	for name, want := range map[string]bool{
		"/home/dev/.ssh": true, "/home/dev/.ssh/id": true, "/HOME/dev/.SSH/id": true, "/home/dev/.ssh/id.pub": false,
		"/home/dev2/.ssh/id": true, "/home/dev2/.ssh/id.pub": true, "/root/.ssh": true, "/Users/x/.ssh/id": true,
		"/mnt/c/Users/x/.ssh/id": true, "/var/root/.ssh": true, "/x/.ssh/id": false, "/home/.ssh": false,
		"/etc/shadow": true, "/etc/shadow-": false, "/proc/1/environ": true, "/proc/self/environ/x": true,
		"/proc/environ": false,
		"/w/.env":       true, "/w/.env.local": true, "/w/.env.example": false, "/w/.ENV": true, "/w/.env.": true,
		"/w/x.env": false, "/w/.env/x": true,
		"/w/a.key": true, "/w/key": false, "/w/.config/git/config": true, "/w/.config/gitx": false,
		"/w/claude.md": true, "/w/ClAuDe.md ": true, "/w/CLAUDE~1": true, "/w/CLAUDE~1.MD": true,
		"/w/.e\u200bnv": true, "/w/\uff0eenv": true, "/w/a/b": true, "/w/a/x/b": false, "/w/\u200c/..": false,
		"/": false, "": false, "/w/\u017fhadow": false,
	} {
		if got := l.Match(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	for dir, want := range map[string]bool{
		"/": true, "/home": true, "/home/dev": true, "/home/dev/src": false, "/etc": true, "/proc": true,
		"/etc/ssl": false, "/home/other": false, "/home/dev/.ssh": false, "/w": false,
	} {
		if got := l.HoldsAny(dir); got != want {
			t.Errorf("tree %q: %v", dir, got)
		}
	}
	none := New([]string{"~/.ssh", "x"}, "")
	if none.Match("/.ssh") || !none.Match("/home/dev/.ssh") || !none.Match("/w/x") || none.HoldsAny("/") {
		t.Error("without a home")
	}
}

// Folding never tells two spellings of one file apart that it took for one.
func FuzzFold(f *testing.F) {
	for _, s := range []string{"ab", "a-b", "ba", "xcxdx", "cd", "dc", "ef", "e", "aab", "cc", ".git", "GIT~1",
		"\u200c", "..", ". .", "\u017f", "İ", "ﬁ", "\xff"} {
		f.Add(s)
	}
	l := New([]string{".git", "*.key", "a?c"}, "/home/dev")
	stars := New([]string{"a*b", "*c*d*", "e**f"}, "")
	f.Fuzz(func(t *testing.T, s string) {
		if name := FoldName(s); name != "" && !strings.ContainsAny(name, "/~") {
			want := slices.ContainsFunc(stars.Entries, func(e string) bool {
				ok, _ := path.Match(e, name)
				return ok
			})
			if stars.MatchParts([]string{name}) != want {
				t.Errorf("%q is matched otherwise than by path.Match", name)
			}
		}
		if s != "" && FoldName(s) != FoldName(FoldName(s)) && isPlain(FoldName(s)) {
			t.Errorf("%q folds to %q and then to %q", s, FoldName(s), FoldName(FoldName(s)))
		}
		l.Match("/w/" + s) // does not panic
		l.HoldsAny(s)
	})
}
