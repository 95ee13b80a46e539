package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

const (
	claudeFile  = "/home/u/.claude/settings.json"
	claudeTeams = "/etc/claude-code/managed-settings.json"
)

func claudePlaces(files view.Files) Places { return placesIn(files).WithClaude() }

// claudeText has something for each list.
const claudeText = `// mine
{
  "permissions": {
    "allow": ["Bash(npm test:*)", "Bash(*)", "WebFetch(domain:go.dev)"],
    "deny": [
      "Bash(git push:*)",
      "Cd(/x)"
    ],
    "ask": ["Read(~/notes/**)", "Sandbox(x y)"],
    "defaultMode": "auto",
  },
  "autoMode": {
    "soft_deny": ["$defaults", "git is slow here", "never\n migrate"],
    "hard_deny": ["No uploads"],
    "allow": ["Read whatever you like"],
    "environment": ["Trusted repo: shop"]
  },
  "env": {"A": "1", "A": "2"}
}`

// own are the entries that stand in a file, as LIST TEXT LINE.
func own(s Settings, file string) (found []string) {
	for _, item := range s.Lists() {
		if line, ok := strings.CutPrefix(item.Origin, file+":"); ok {
			found = append(found, item.List+" "+item.Text+" "+line)
		}
	}
	return found
}

func notHeld(s Settings) (found []string) {
	for _, r := range s.NotHeld {
		found = append(found, r.List+" "+r.Text)
	}
	return found
}

func TestClaudeRules(t *testing.T) {
	tightens := []string{
		"soft_deny git is slow here 13", "soft_deny never migrate 13", "soft_deny Sandbox(x y) 9",
		"hard_deny No uploads 14", "hard_deny Bash(git push:*) 6", "hard_deny Cd(/x) 7", "ask Read(~/notes/**) 9",
	}
	unheld := []string{"hard_deny No uploads", "deny Cd(/x)", "ask Sandbox(x y)"}
	for _, row := range []struct {
		name, settings string
		want, left     []string
	}{
		{"without a word", "", tightens, unheld},
		{"tighten", `claude_rules = "tighten"`, tightens, unheld},
		{"off", `claude_rules = "off"`, nil, nil},
	} {
		s := loaded(t, claudePlaces(world().File(userFile, row.settings, 0o600).File(claudeFile, claudeText, 0o664)))
		if diff := cmp.Diff(row.want, own(s, claudeFile)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
		if diff := cmp.Diff(row.left, notHeld(s)); diff != "" {
			t.Errorf("%s, not held (-want +got):\n%s", row.name, diff)
		}
		if got := len(s.Rules.SoftDeny); got < len(nod.DefaultRules().SoftDeny) {
			t.Errorf("%s: %d soft_deny rules; a list took built-in ones away", row.name, got)
		}
	}
}

// Prose is never a pattern, also if it begins like one; permissions are.
func TestClaudeProseIsText(t *testing.T) {
	s := loaded(t, claudePlaces(world().File(userFile, "", 0o600).File(claudeFile, claudeText, 0o600)))
	known := func(string) bool { return true }
	for _, item := range s.Lists() {
		if strings.HasPrefix(item.Origin, claudeFile) {
			want := strings.HasPrefix(item.Text, "Bash(") || strings.HasPrefix(item.Text, "Read(")
			if got := item.Rule.IsPattern(known); got != want {
				t.Errorf("%s %q: pattern %t", item.List, item.Text, got)
			}
		}
	}
}

// The files of an organisation are all read, and of a repository what it denies.
func TestWhichClaudeFiles(t *testing.T) {
	deny := func(rule string) string { return `{"permissions":{"deny":["Bash(` + rule + `)"]}}` }
	files := world().
		File(projectRoot+"/.claude/settings.json", deny("a"), 0o644).
		File(projectRoot+"/.claude/settings.local.json", deny("b"), 0o644).
		File(claudeTeams, deny("c"), 0o644).
		File("/etc/claude-code/managed-settings.d/10.json", deny("d"), 0o644).
		File("/etc/claude-code/managed-settings.d/.x.json", deny("e"), 0o644).
		File(claudeFile, deny("f"), 0o600)
	var got []string
	for _, r := range loaded(t, claudePlaces(files)).Rules.HardDeny {
		got = append(got, r.Text)
	}
	if diff := cmp.Diff([]string{"Bash(c)", "Bash(d)", "Bash(f)", "Bash(a)", "Bash(b)"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A file that is there and cannot be used never means fewer rules.
func TestBadClaudeFiles(t *testing.T) {
	for _, c := range append(rows(t, "settings.json"), []row{
		{text: `{"a":` + strings.Repeat("[", 6000), want: `more than 5000 lists and objects`},
		{text: "\xff", want: `1:1: not UTF-8 text`},
	}...) {
		text, want := c.text, c.want
		files := world().File(claudeFile, text, 0o600)
		if got := badSettings(t, claudePlaces(files)); !strings.Contains(got, want) || !strings.HasPrefix(got,
			claudeFile+":") {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		for _, unread := range []string{`claude_rules = "off"`, `mode = "off"`} {
			loaded(t, claudePlaces(world().File(claudeFile, text, 0o600).File(userFile, unread, 0o600)))
		}
	}
	for name, files := range map[string]*view.Memory{
		"a directory":  world().Dir(claudeFile, 0o755),
		"a loop":       world().Link(claudeFile, claudeFile),
		"a large file": world().File(claudeFile, strings.Repeat(" ", maxSettings+1), 0o600),
	} {
		if got := badSettings(t, claudePlaces(files)); !strings.HasPrefix(got, claudeFile+":") {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, text := range []string{"", " \n", "{}", `{"permissions":null,"autoMode":{"allow":null}}`, "\xef\xbb\xbf{}"} {
		loaded(t, claudePlaces(world().File(claudeFile, text, 0o600)))
	}
}
