package shell_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
)

// newSheet takes the sheet of an invented program out of docs/adding-a-program.md.
func newSheet(t *testing.T, name string) string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/adding-a-program.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(doc), "```newsheet "+name+"\n")
	text, _, closed := strings.Cut(text, "```")
	if !found || !closed {
		t.Fatalf("the document shows no sheet of %s", name)
	}
	return text
}

// A program that is added by a sheet alone, as the document says, is read, may
// name files for other commands, and is known for what it prints and leaves out.
func TestAProgramAddedByItsSheetAlone(t *testing.T) {
	sheet := newSheet(t, "seek")
	for _, fault := range shell.Faults("seek", sheet) {
		t.Error(fault)
	}
	env := shell.WorldWith("seek")
	without := shell.Analyze("seek KEY", env)
	if len(without.Unknowns) == 0 {
		t.Error("seek is known without its sheet")
	}
	machine := place.New(place.Options{Files: env.Files, Home: env.Home, Roots: env.Roots, Secrets: []string{".env"}})
	for _, row := range []struct {
		command string
		secret  string // a part of what it would show
		unknown bool
	}{
		{command: "seek TODO src"},
		{command: "seek -r KEY"}, // hidden files are left out
		{command: "seek -rH KEY", secret: "/.env"},
		{command: "seek -rH NOTHERE"},
		{command: "seek -rlH KEY"},
		{command: "seek -rv NOTHERE -H", secret: "/.env"},
		{command: "seek -rH KEY --without '.env*'"},
		{command: "seek --index=db TODO src"},
		{command: "seek --frobnicate TODO", unknown: true},
	} {
		report := shell.AnalyzeWith(row.command, env, "seek", sheet)
		call := &place.Call{At: &place.Workspace{Machine: machine, Dir: env.Dir, Roots: env.Roots}, Report: &report}
		loss := harm.Of(call)
		why := string(loss.Secrets.Secret(nil))
		if (why == "") != (row.secret == "") || !strings.Contains(why, row.secret) {
			t.Errorf("%s: %q, want a secret %q", row.command, why, row.secret)
		}
		if got := len(report.Unknowns) > 0; got != row.unknown {
			t.Errorf("%s: unknown %v, want %v: %v", row.command, got, row.unknown, report.Unknowns)
		}
	}
}
