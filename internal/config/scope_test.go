package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/view"
)

const scopedFile = `
allow = ["git status"]
[[repository]]
path = "~/src/app"
allow = ["npm test"]
soft_deny = ["npm publish"]
hosts = ["pkg.go.dev"]
allowlist = ["skill"]
environment = ["Node.js project"]
[[repository]]
path = "~/src/other"
allow = ["npm run other"]
[[repository]]
path = "~/link"
allow = ["npm run linked"]
`

// scopes is a repository with what may lie in and beside it: a worktree that both sides speak of; a directory that
// only claims to be a worktree; a directory that brings its own other side; a submodule.
const scopes = `link HOME/link src/app
file HOME/src/app/.git/HEAD 644 "ref: refs/heads/main\n"
dir HOME/src/app/cmd 755
file HOME/src/app/vendor/x/.git/HEAD 644 ""
file HOME/wt/.git 644 "gitdir: HOME/src/app/.git/worktrees/wt\n"
dir HOME/wt/cmd 755
file HOME/src/app/.git/worktrees/wt/gitdir 644 "HOME/wt/.git\n"
file HOME/claims/.git 644 "gitdir: HOME/src/app/.git/worktrees/wt\n"
file HOME/brings/.git 644 "gitdir: HOME/brings/src/app/.git/worktrees/wt\n"
file HOME/brings/src/app/.git/worktrees/wt/gitdir 644 "HOME/brings/.git\n"
file HOME/src/app/sub/.git 644 "gitdir: ../.git/modules/sub\n"
file HOME/src/app/.git/modules/sub/gitdir 644 "HOME/src/app/sub/.git\n"
dir HOME/src/app-evil 755`

func scopeWorld(t *testing.T) *view.Memory {
	return furnished(t, world().File(userFile, scopedFile, 0o600), strings.Split(named(scopes), "\n"))
}

func TestRepositoryScope(t *testing.T) {
	here := []string{"/home/u/src/app", "/home/u/link", "/home/u/src/app/cmd", "/home/u/wt", "/home/u/wt/cmd"}
	for _, root := range append([]string{"/home/u/src/app/vendor/x", "/home/u/src/app/sub", "/home/u/claims",
		"/home/u/brings", "/home/u/src/app-evil", "/home/u/src", "/home/u", ""}, here...) {
		t.Run(root, func(t *testing.T) {
			p := placesIn(scopeWorld(t))
			p.Root = root
			s := loaded(t, p)
			want := map[string][]string{"allow": {"git status"}}
			if slices.Contains(here, root) {
				want = map[string][]string{
					"allow": {"git status", "npm test", "npm run linked"}, "hosts": {"pkg.go.dev"},
					"environment": {"Node.js project"},
				}
			}
			got := map[string][]string{}
			for _, list := range []string{"allow", "hosts", "environment"} {
				if items := texts(s, list); items != nil {
					got[list] = items
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for list, text := range map[string]string{"soft_deny": "npm publish", "allowlist": "skill"} {
				all := texts(s, list)
				if slices.Contains(all, text) != slices.Contains(here, root) || len(all) < 5 {
					t.Errorf("%s: %q", list, all)
				}
			}
			real, _ := view.Resolve(p.Files, root)
			for _, r := range s.Rules.Allow[1:] {
				if r.Within != real {
					t.Errorf("%s holds within %q", r.Text, r.Within)
				}
			}
			if s.Rules.Allow[0].Within != "" {
				t.Errorf("a rule without a scope holds within %q", s.Rules.Allow[0].Within)
			}
		})
	}
}

// TestScopesAreListed: a person sees all, wherever they ask.
func TestScopesAreListed(t *testing.T) {
	p := placesIn(scopeWorld(t))
	want := []Scope{
		{"/home/u/src/app", userFile + ":3", 5, true},
		{"/home/u/src/other", userFile + ":10", 1, false},
		{"/home/u/src/app", userFile + ":13", 1, true},
	}
	s := loaded(t, p)
	if diff := cmp.Diff(want, s.Scopes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, item := range s.Lists() {
		scoped := slices.Contains([]string{"npm test", "npm run linked", "npm publish", "pkg.go.dev", "skill",
			"Node.js project"}, item.Text)
		if scoped != (item.Scope == "/home/u/src/app") {
			t.Errorf("%s %q has the scope %q", item.List, item.Text, item.Scope)
		}
	}
}

func TestBadScopes(t *testing.T) {
	for _, c := range rows(t, "repository") {
		text, want := c.text, c.want
		got := badSettings(t, placesIn(world().File(userFile, text, 0o600)))
		if len(got) < len(userFile)+1+len(want) || got[len(userFile)+1:][:len(want)] != want {
			t.Errorf("%q\n got %s\nwant %s:%s", text, got, userFile, want)
		}
	}
	// A repository's own file holds no scopes, trusted or not.
	s := loaded(t, placesIn(world().File(projectRoot+"/.nod.toml",
		"[[repository]]\npath = \"~/src/app\"\nhard_deny = [\"npm test\"]\n", 0o644)))
	if len(s.Scopes) > 0 || slices.Contains(texts(s, "hard_deny"), "npm test") || len(s.Notices) != 1 {
		t.Errorf("scopes %v, notices %q", s.Scopes, s.Notices)
	}
}

func TestRepositoryOf(t *testing.T) {
	p := placesIn(scopeWorld(t).File("/home/u/.git/HEAD", "", 0o644).Dir("/home/u/plain/a", 0o755))
	for dir, want := range map[string]string{
		"/home/u/src/app": "/home/u/src/app", "/home/u/src/app/cmd": "/home/u/src/app",
		"/home/u/link":   "/home/u/src/app",
		"/home/u/wt/cmd": "/home/u/src/app", "/home/u/claims": "/home/u/claims",
		"/home/u/src/app/vendor/x": "/home/u/src/app/vendor/x",
		"/home/u/src/app/sub":      "/home/u/src/app/sub",
		"/home/u/plain/a":          "/home/u/plain/a", // home is under git, and no repository to write rules for
		"/home/u":                  "", "/": "",
	} {
		if got, err := RepositoryOf(p, dir); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", dir, got, err)
		}
	}
}

// TestAddRepository writes to a real file, whose text stays as it is.
func TestAddRepository(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := DefaultPlaces(home)
	p.Managed = ""
	root := filepath.Join(home, `a "b" \c`)
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	entries := []Entry{{"hosts", "pkg.go.dev"}, {"allow", "go test *"}, {"allow", `echo "x"`},
		{"environment", "Go module"}}
	for _, before := range []string{"", "mode = \"observe\"", "# mine\r\nmode = \"observe\"\r\n[log]\r\n",
		"[[repository]]\npath = \"~/x\"\nallow = [\"npm test\"]\n"} {
		if err := os.MkdirAll(filepath.Dir(p.User), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.User, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := AddRepository(p, root, entries); err != nil {
			t.Fatalf("%q: %v", before, err)
		}
		text, err := os.ReadFile(p.User)
		crlf, lf := strings.Contains(before, "\r\n"),
			strings.Contains(strings.ReplaceAll(string(text), "\r\n", ""), "\n")
		if err != nil || !strings.HasPrefix(string(text), before) || crlf == lf {
			t.Errorf("%q became %q: %v", before, text, err)
		}
		here := p
		here.Root = root
		s := loaded(t, here)
		for _, e := range entries {
			if !slices.Contains(texts(s, e.List), e.Text) {
				t.Errorf("%q: %s lacks %q", before, e.List, e.Text)
			}
		}
	}
	// What cannot be written as it is, is not.
	before, _ := os.ReadFile(p.User)
	for _, bad := range [][]Entry{{{"allow", "python *"}}, {{"allow", "a\x1bb"}}, {{"secrets", "x"}},
		{{"allow", "$defaults"}}} {
		if err := AddRepository(p, root, bad); err == nil {
			t.Errorf("%q was written", bad)
		}
	}
	if after, _ := os.ReadFile(p.User); string(after) != string(before) {
		t.Errorf("the file became %q", after)
	}
}
