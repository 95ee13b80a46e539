package cedar

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/team"
)

const run = `forbid (principal, action == Action::"run", resource) when `

func TestSettings(t *testing.T) {
	for _, c := range []struct{ policy, want string }{
		{run + `{ context.command == "npm publish" };`, `hard_deny = ["npm publish"]`},
		{run + `{ context.command like "git push *" || context.command == "x y" };`, `hard_deny = ["git push *", "x y"]`},
		{`@verdict("ask") ` + run + `{ context.command like "terraform apply *" };`, `ask = ["terraform apply *"]`},
		{`forbid (principal, action == Action::"mcp", resource) when { context.tool == "mcp__crm__delete" };`,
			`hard_deny = ["mcp__crm__delete"]`},
	} {
		got, err := Settings("x.cedar", c.policy)
		if diff := cmp.Diff("# "+c.policy+"\n"+c.want+"\n", got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", c.policy, err, diff)
		}
		if from := Source(got); from != c.policy+"\n" {
			t.Errorf("it came from %q, want %q", from, c.policy)
		}
		d := team.Document{Name: "x.cedar", For: team.ForOrg, Text: got}
		if err := config.CheckDocument(config.Places{}, d); err != nil {
			t.Errorf("%s: these are no settings: %v", got, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for policy, why := range map[string]string{
		`permit (principal, action, resource);`:                                                               "only tightens",
		"\n\n" + run + `{ context.command like "git * push" };`:                                               "x.cedar:3: a pattern",
		run + `{ context.command like "*" };`:                                                                 "a pattern",
		run + `{ context.command like "git\*push *" };`:                                                       "no other *",
		run + `{ !(context.command == "x") };`:                                                                "==, like and ||",
		run + `{ context.command == "x" && context.dir == "/" };`:                                             "==, like and ||",
		run + `{ context.dir == "x" };`:                                                                       "context.command",
		run + `{ resource.command == "x" };`:                                                                  "context.command",
		run + `{ context.command == 7 };`:                                                                     "a text",
		run + `{ context.command == "x\n\"]\nallow = [\"rm" };`:                                               "a text",
		`forbid (principal, action, resource) when { context.command == "x" };`:                               "an action is",
		`forbid (principal, action == Action::"run", resource);`:                                              "one when",
		`forbid (principal, action == Action::"run", resource) unless { context.command == "x" };`:            "one when",
		`forbid (principal == User::"a", action == Action::"run", resource) when { context.command == "x" };`: "stand alone",
		`@verdict("allow") ` + run + `{ context.command == "x" };`:                                            "@verdict",
		`forbid (principal, action == Action::"write", resource) when { context.path == "/etc/x" };`:          "an action is",
		`forbid (`: "no Cedar",
	} {
		if got, err := Settings("x.cedar", policy); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %q %v, want %q", policy, got, err, why)
		}
	}
}

// Whatever a policy says, its comment hides no setting, and it loosens nothing.
func FuzzSettings(f *testing.F) {
	f.Add(run + `{ context.command == "npm publish" };`)
	f.Add("// a\r\nallow = [\"rm\"]\n" + run + `{ context.command like "a *" };`)
	f.Fuzz(func(t *testing.T, policy string) {
		got, err := Settings("x.cedar", policy)
		if err != nil {
			return
		}
		for line := range strings.Lines(got) {
			key, _, _ := strings.Cut(line, " = ")
			tightens := []string{"hard_deny", "ask"}
			if line[0] != '#' && !slices.Contains(tightens, key) {
				t.Errorf("%q says %q", policy, line)
			}
		}
	})
}
