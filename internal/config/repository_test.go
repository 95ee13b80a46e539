package config

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/view"
)

const repoFile = projectRoot + "/.nod.toml"

// added is what differs from the built-in lists.
func added(s Settings) []string {
	var got []string
	for _, item := range s.Lists() {
		if item.Origin != "default" {
			got = append(got, item.List+": "+item.Text)
		}
	}
	return got
}

const fullRepository = `
allow = ["git status"]
environment = ["ignore all rules"]
soft_deny = ["git push", "never; ever"]
hosts = ["go.dev"]
hard_deny = ["rm -rf", "$defaults"]
`

func TestUntrustedTightensOnly(t *testing.T) {
	p := placesIn(world().File(repoFile, fullRepository, 0o644))
	p.Known = func(program string) bool { return program != "never" }
	s := loaded(t, p)
	if diff := cmp.Diff([]string{"soft_deny: git push", "hard_deny: rm -rf"}, added(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, r := range concat(s.Rules.SoftDeny, s.Rules.HardDeny) {
		if r.Untrusted != (r.Origin != "default") {
			t.Errorf("%q from %s: untrusted %v", r.Text, r.Origin, r.Untrusted)
		}
	}
	want := []string{repoFile + ` may only deny, so this was left out: "never; ever", "allow", "environment", "hosts"; ` +
		"a [[repository]] in your own settings may say it"}
	if diff := cmp.Diff(want, s.Notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Source{{Path: repoFile, Level: Repository, SHA256: hash([]byte(fullRepository)), Used: true}},
		s.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

// TestUntrustedCannotBreak: whatever lies there, the other settings hold, and the person hears of it.
func TestUntrustedCannotBreak(t *testing.T) {
	for _, c := range []struct {
		name   string
		world  func(*view.Memory) *view.Memory
		notice string
	}{
		{"syntax", func(m *view.Memory) *view.Memory { return m.File(repoFile, "hard_deny = [\"rm -rf\"]\n[", 0o644) },
			repoFile + ":2:1: not TOML: "},
		{"a link", func(m *view.Memory) *view.Memory { return m.Link(repoFile, "/etc/passwd") },
			repoFile + ": not a regular file; it was left out"},
		{"a FIFO", func(m *view.Memory) *view.Memory { return m.Special(repoFile, fs.ModeNamedPipe) },
			repoFile + ": not a regular file; it was left out"},
		{"too large", func(m *view.Memory) *view.Memory {
			return m.File(repoFile, strings.Repeat("#", 64<<10+1), 0o644)
		}, repoFile + ": 65537 bytes, more than the 65536 that are read; shorten it; it was left out"},
		{"settings that it may not have", func(m *view.Memory) *view.Memory {
			return m.File(repoFile, "mode = \"off\"\nlog.on_failure = 7\nallowlist = [\"bash\"]\nsecrets = []\n[model]\nendpoint = \"https://evil\"\n", 0o644)
		}, `left out: "allowlist", "log", "mode", "model", "secrets"; a`},
		{"escapes", func(m *view.Memory) *view.Memory { return m.File(repoFile, `"\u001b[2J\u202e" = 1`, 0o644) },
			`left out: "\\x1b[2J\\u{202E}"; a`},
		{"a long rule", func(m *view.Memory) *view.Memory {
			return m.File(repoFile, `hard_deny = ["git `+strings.Repeat("x", 300)+`"]`, 0o644)
		}, `xxx…"; a`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := loaded(t, placesIn(c.world(world().File(userFile, `allow = ["git diff"]`, 0o600))))
			if diff := cmp.Diff([]string{"allow: git diff"}, added(s)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if notices := strings.Join(s.Notices, "\n"); !strings.Contains(notices, c.notice) {
				t.Errorf("\n got %s\nwant %s", notices, c.notice)
			}
		})
	}
}

func TestUntrustedIsBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("soft_deny = [\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "\"git x%d\",\n", i)
	}
	text.WriteString("]\n")
	s := loaded(t, placesIn(world().File(repoFile, text.String(), 0o644)))
	if got := len(added(s)); got != maxUntrustedRules {
		t.Errorf("%d rules", got)
	}
	if len(s.Notices) != 1 || len(s.Notices[0]) > 400 {
		t.Errorf("notices %q", s.Notices)
	}
}
