package nod_test

import (
	"testing"

	"github.com/nodgate/nod"
)

// A rule about a program holds behind a runner, and for no word of another command.
func TestRulesHoldBehindRunners(t *testing.T) {
	for _, row := range []struct {
		rule, command string
		want          bool
	}{
		{"Bash(prisma migrate reset:*)", "npx prisma migrate reset --force", true},
		{"Bash(prisma migrate reset:*)", "npm exec -- prisma migrate reset", true},
		{"Bash(prisma migrate reset:*)", "pnpm exec prisma migrate reset", true},
		{"Bash(prisma migrate reset:*)", "yarn prisma migrate reset", true},
		{"Bash(prisma migrate reset:*)", "bun x prisma migrate reset", true},
		{"Bash(prisma migrate reset:*)", "npm exec -c 'prisma migrate reset'", true},
		{"Bash(pytest:*)", "uv run pytest -q", true},
		{"Bash(pytest:*)", "python3 -m pytest", true},
		{"Bash(pytest:*)", "uv run python -m pytest", true},
		{"Bash(pytest:*)", "nix develop -c pytest", true},
		{"Bash(pytest:*)", "hatch run pytest", true},
		{"Bash(rm:*)", "npm rm lodash", false},
		{"Bash(rm:*)", "uv run python tool.py rm x", false},
		{"Bash(test:*)", "npm test", false},
	} {
		d := verdictOf(options(permitted(t, nod.ListHardDeny, row.rule)), bash(row.command))
		if got := d.Verdict == nod.Deny && d.Rule.Text == row.rule; got != row.want {
			t.Errorf("%s, %s: %s (%s)", row.rule, row.command, d.Verdict, d.Reason)
		}
	}
}
