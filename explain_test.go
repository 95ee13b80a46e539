package nod_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// Explain says what Check says, and each step up to the one that settled the call.
func TestExplain(t *testing.T) {
	g := nod.New(options(ruled(nod.ListHardDeny, "git push --force")))
	for command, want := range map[string]string{
		"git push --force": "guard: hard_deny, or nod itself: a hard_deny rule",
		"rm -rf ~":         "shell: cannot be undone: this cannot be undone: ",
		"./unread.sh":      "shell: speaks against it: ",
		"ls -la":           "shell: known and harmless: it changes nothing",
	} {
		d, steps := g.Explain(t.Context(), bash(command))
		if checked := g.Check(t.Context(), bash(command)); d.Verdict != checked.Verdict || d.Reason != checked.Reason {
			t.Errorf("%s: %s %s, and Check says %s %s", command, d.Verdict, d.Reason, checked.Verdict, checked.Reason)
		}
		last := steps[len(steps)-1]
		if said := last.Layer.String() + ": " + last.Question + ": " + last.Said; !strings.HasPrefix(said, want) {
			t.Errorf("%s: the last of %d steps is %q, want %q", command, len(steps), said, want)
		}
	}
}
