//go:build unix

package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/config"
)

// Every subcommand says in `nod help NAME` how it is called, what it returns
// and an example; no line is wider than a terminal.
func TestHelpIsWhole(t *testing.T) {
	for _, c := range commands() {
		text := helpText(t, c.name)
		_, examples, found := strings.Cut(text, "\nExamples:\n")
		if !strings.HasPrefix(text, "usage: nod "+c.name) || !found || c.summary() == "" {
			t.Errorf("%s: no usage, no summary or no example", c.name)
		}
		if !strings.Contains(text, "Exit status: 0") {
			t.Errorf("%s: no exit status", c.name)
		}
		for e := range strings.Lines(examples) {
			if !strings.Contains(e, "nod "+c.name) {
				t.Errorf("%s: %q is no example of it", c.name, e)
			}
		}
		narrow(t, c.name, text)
	}
	narrow(t, "settings", helpText(t, "settings"))
	all := helpText(t, "")
	for _, c := range commands() {
		if !strings.Contains(all, "\n  "+c.name+" ") {
			t.Errorf("nod help does not name %s", c.name)
		}
	}
	narrow(t, "help", all)
}

// An unknown subcommand or flag is refused, with what was meant.
func TestWhatWasMeant(t *testing.T) {
	for typed, want := range map[string]string{
		"chek":          "nod: there is no subcommand \"chek\"; see nod help",
		"xyzzy":         "see nod help",
		"--json":        "--json stands behind a subcommand",
		"log --folow":   "nod log: there is no flag --folow; see nod help log",
		"log --verdict": "nod log: flag needs an argument: -verdict",
		"log -n many":   "nod log: invalid value \"many\" for --n: parse error",
	} {
		var errs bytes.Buffer
		p := &Process{Stdout: io.Discard, Stderr: &errs, Dir: t.TempDir(), Environ: []string{"HOME=" + t.TempDir()}}
		if code := Main(t.Context(), p, strings.Fields(typed)); code != ExitBadInput || !strings.Contains(errs.String(),
			want) {
			t.Errorf("nod %s: exit %d, %s", typed, code, errs.String())
		}
	}
}

func helpText(t *testing.T, name string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Main(context.Background(), &Process{Stdout: &out, Stderr: &errs},
		strings.Fields("help "+name)); code != ExitOK || errs.Len() > 0 {
		t.Fatalf("help %s: exit %d, %s", name, code, errs.String())
	}
	return out.String()
}

func narrow(t *testing.T, name, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 && !strings.HasPrefix(line, "usage:") {
			t.Errorf("help %s: a line of %d columns: %s", name, n, line)
		}
	}
}

// What `nod help settings` shows can be loaded.
func TestSettingsOfTheHelpCanBeUsed(t *testing.T) {
	home := t.TempDir()
	places := config.DefaultPlaces(home)
	places.Managed = ""
	if err := os.MkdirAll(filepath.Dir(places.User), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(places.User, []byte(example()), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := config.Load(places)
	if err != nil || s.Model.Provider == "" || len(s.Rules.HardDeny) != 1 {
		t.Errorf("%v: %+v", err, s.Model)
	}
}

// example is the settings file of `nod help settings`, which has every key that most people need.
func example() string {
	_, rest, _ := strings.Cut(text("settings"), "\n\nmode ")
	return "mode " + rest
}
