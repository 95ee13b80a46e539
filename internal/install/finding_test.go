//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func shown(all []Finding) []string {
	var s []string
	for _, f := range all {
		s = append(s, [...]string{"unread", "silences", "unreadable", "weak"}[f.Kind]+" "+f.String())
	}
	return s
}

// TestSilencersOddFiles: a link is read as the agent reads it, and what cannot be read is said, not passed over.
func TestSilencersOddFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "hidden.json"), `{"disableAllHooks": true}`)
	write(t, filepath.Join(dir, "link/.claude/x"), "")
	must(t, os.Symlink("../../hidden.json", filepath.Join(dir, "link/.claude/settings.json")))
	write(t, filepath.Join(dir, "dir/.claude/settings.json/x"), "")
	write(t, filepath.Join(dir, "file/.claude"), "not a directory")
	for sub, want := range map[string][]Kind{"link": {Silences}, "dir": {Unreadable}, "file": nil} {
		var got []Kind
		for _, f := range Silencers(filepath.Join(dir, sub)) {
			got = append(got, f.Kind)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", sub, d)
		}
	}
}

func TestManagedSilencers(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "etc/claude-code/managed-settings.json"), `{"allowManagedHooksOnly": true}`)
	write(t, filepath.Join(root, "etc/claude-code/managed-settings.d/10-x.json"), `{"disableAllHooks": true}`)
	for level, want := range map[Level][]string{
		Managed: {"disableAllHooks"},
		User:    {"disableAllHooks", "allowManagedHooksOnly"},
	} {
		got := OffSwitches(Options{Level: level, Root: root, OS: "linux"}, "")
		if len(got) != len(want) {
			t.Fatalf("%v: %v", level, got)
		}
		for i := range want {
			if !strings.Contains(got[i].Text, want[i]) || got[i].Kind != Silences {
				t.Errorf("%v: %v, want %s", level, got[i], want[i])
			}
		}
	}
}

// TestUnread: what Claude Code throws away whole is found, with its place.
func TestUnread(t *testing.T) {
	for _, tc := range rows(t, "unread") {
		d, err := parse("x", []byte(tc.text))
		must(t, err)
		var got string
		for _, f := range unread(d, paths()) {
			what, effect, _ := strings.Cut(f.String(), ";")
			got += strings.TrimPrefix(what, "x:") + ";"
			if f.Kind != Unread || !strings.Contains(effect, "every call would pass") {
				t.Errorf("%q: %v", tc.text, f)
			}
		}
		if got != tc.want {
			t.Errorf("%q: got %q, want %q", tc.text, got, tc.want)
		}
	}
}

// TestPlanFindings: an install says what would silence or weaken it.
func TestPlanFindings(t *testing.T) {
	o := at(t, User)
	write(t, o.Target(), "{\"disableAllHooks\": true /* tmp */}")
	chmod(t, o.Target(), 0o666)
	var kinds []Kind
	for _, f := range plan(t, PlanInstall, o).Findings {
		kinds = append(kinds, f.Kind)
	}
	if d := cmp.Diff([]Kind{Weak, Unread, Silences}, kinds); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
