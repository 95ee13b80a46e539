package nod_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// Where the setting names commands, a line is confined only if each of its
// commands that runs unread code fits one of them, offered and typed alike. All
// else has the answer that it has without confinement.
func TestConfinedForNamedRules(t *testing.T) {
	named := func(texts ...string) func(o *nod.Options) {
		return func(o *nod.Options) {
			o.ConfineAll = false
			for _, text := range texts {
				rule, err := nod.ParseRule(nod.ListConfine, text, "test")
				if err != nil {
					t.Fatal(err)
				}
				o.ConfineRules = append(o.ConfineRules, rule)
			}
		}
	}
	without := confining(t, func(o *nod.Options) { o.Confine = nil })
	for _, row := range []struct {
		rules []string
		line  string
		want  bool
	}{
		{[]string{"npm test"}, "npm test", true},
		{[]string{"npm test"}, "npm test 2>&1 | tail -5", true},
		{[]string{"npm test"}, "npm test && ls", true},
		{[]string{"go test *"}, "go test -exec ./run.sh ./...", true}, // bounded like the rest
		{[]string{"npm test"}, "npm test --watch", false},
		{[]string{"npm test *"}, "npm test --watch", true},
		{[]string{"npm test"}, "npm run test", false},
		{[]string{"npm test"}, "node sub/x.js", false},
		{[]string{"npm test"}, "npm test && go test ./...", false},
		{[]string{"npm test"}, "go test ./... ; npm test", false},
		{[]string{"npm test", "go test *"}, "npm test && go test ./...", true},
		{[]string{"npm test"}, "npm test | python3 -c 'x'", false},
		{[]string{"npm test"}, "timeout 60 npm test", true},
		{[]string{"npm test"}, "bash -c 'npm test'", true},
		{[]string{"npm test"}, "bash -c 'npm test; make'", false},
		{[]string{"npm test"}, "(make &) ; npm test", false},
		{[]string{"npm test"}, "npm test $(node x.js)", false},
		{[]string{"npm test *"}, "npm test $(node x.js)", false},
		{[]string{"npm test *"}, "npm test $(node x.js) ; true", false},
		{[]string{"go test *"}, "go test ./...", true},
		{[]string{"go test *"}, "go test -exec ./tools/x ./...", true},
		{[]string{"python3 *"}, "python3 -c 'print(1)'", true},
		{[]string{"python3 *"}, "python3 sub/x.py", true},
		{[]string{"python3 *"}, "python3 /tmp/x.py", false},
		{[]string{"pytest *"}, "python3 -c 'pytest'", false},
		{[]string{"npm test"}, "NODE_OPTIONS=--require=./x.js npm test", false},
		{[]string{"npm test"}, "npm test > out.txt", true},
		{[]string{"make *"}, "npm test", false},
		{nil, "npm test", false},
	} {
		g := confining(t, named(row.rules...))
		d, old := g.Check(context.Background(), line(row.line)), without.Check(context.Background(), line(row.line))
		typed := confined(confiner, row.line)
		if offered := strings.HasSuffix(d.Reason, "type exactly "+typed); offered != row.want ||
			!row.want && (d.Verdict != old.Verdict || d.Reason != old.Reason) {
			t.Errorf("%q, %q: %v %q, want %v", row.rules, row.line, d.Verdict, d.Reason, row.want)
		}
		if d := g.Check(context.Background(), line(typed)); (d.Verdict == nod.Allow) != row.want {
			t.Errorf("%q, %q typed: %v %q, want %v", row.rules, row.line, d.Verdict, d.Reason, row.want)
		}
	}
}

// A gate that is told of a boundary, and not of what runs behind it, confines
// nothing.
func TestConfineIsOffUnlessSaid(t *testing.T) {
	g := confining(t, func(o *nod.Options) { o.ConfineAll = false })
	for _, command := range []string{"npm test", confined(confiner, "npm test")} {
		if d := g.Check(context.Background(), line(command)); d.Verdict == nod.Allow || strings.Contains(d.Reason,
			"type exactly") {
			t.Errorf("%q: %v %q", command, d.Verdict, d.Reason)
		}
	}
}
