package corpus_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
)

// TestReasons: testdata/reasons.txt has commands and what a person and an agent read of them: what the call does, why
// that is not settled, and, of what is denied, what to do next, with names as the person there would write them.
func TestReasons(t *testing.T) {
	g := gate(t, corpus.Rules{HardDeny: []string{"git push --force"}, SoftDeny: []string{"docker compose down"},
		Allow: []string{"npm run lint"}}, nil)
	text, err := os.ReadFile("testdata/reasons.txt")
	if err != nil {
		t.Fatal(err)
	}
	command := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		want, isReason := strings.CutPrefix(line, "= ")
		if !isReason {
			command = line
			continue
		}
		c := call(t, corpus.Row{Tool: "bash", ToolName: "Bash", Input: []byte(`{"command":` + quote(command) + `}`)})
		if diff := cmp.Diff(want, g.Check(t.Context(), c).Reason); diff != "" {
			t.Errorf("%s (-want +got)\n%s", command, diff)
		}
	}
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// TestEveryReason holds the form over all rows of this repository.
func TestEveryReason(t *testing.T) {
	for _, name := range corpus.Names() {
		head, rows := load(t, name)
		g := gate(t, head.Rules, nil)
		for _, r := range rows {
			c := call(t, r)
			d := g.Check(t.Context(), c)
			for _, fault := range faultsOf(d, c.Roots) {
				t.Errorf("%s %s: %s\n%s", name, clip(string(r.Input)), fault, d.Reason)
			}
		}
	}
}

var (
	// elliptic is how a reason does not begin: with what is not settled, before it is said what the call does.
	elliptic = regexp.MustCompile(
		`^(\S+:\d+: |what (?:it )?(?:reads|writes|removes|runs)|what [A-Z]|which |where |an |option |nothing |does |more |the )`)
	filler = regexp.MustCompile(`\b(one|ones|none|nobody|someone|thing|stuff)\b`)
)

// faultsOf says what is wrong with a reason.
func faultsOf(d nod.Decision, roots []string) (faults []string) {
	head, _, _ := strings.Cut(d.Reason, ": ")
	if strings.ContainsAny(d.Reason, "\n\r\t") || d.Reason == "" || d.Reason != strings.TrimSpace(d.Reason) {
		faults = append(faults, "it is not one line")
	}
	if n := utf8.RuneCountInString(d.Reason); n > 301 && d.Instead == "" {
		faults = append(faults, "it is too long")
	}
	if elliptic.MatchString(d.Reason) {
		faults = append(faults, "it does not begin with what the call does")
	}
	if filler.MatchString(head) {
		faults = append(faults, "it stands a word in for a name")
	}
	if len(roots) > 0 && len(roots[0]) > 1 && d.Instead == "" && strings.Contains(" "+d.Reason, " "+roots[0]+"/") {
		faults = append(faults, "it names a file of the workspace by its absolute path")
	}
	if next := d.Verdict == nod.Deny && d.Err == nil && d.Layer != nod.LayerNone; next && !strings.Contains(d.Reason,
		"; ") {
		faults = append(faults, "it denies and does not say what to do next")
	}
	return faults
}
