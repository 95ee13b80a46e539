package nod_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// runners are programs of the sheets that start what stands behind these words.
var runners = []string{
	"uv run", "uv run --with requests", "uv tool run", "uvx", "poetry run", "hatch run", "pdm run", "pipenv run", "rye run",
	"conda run -n x", "pixi run", "bundle exec", "npx", "npx -y", "bunx", "bun x", "npm exec --", "npm x", "pnpm exec",
	"pnpm dlx", "pnpm", "yarn", "yarn exec", "yarn dlx", "nix develop -c", "nix shell nixpkgs#x -c", "mise exec --",
	"direnv exec .", "dotenvx run --", "aws-vault exec x --", "op run --", "doppler run --", "pyenv exec", "rbenv exec",
	"volta run", "cross-env A=b", "sudo uv run", "env A=b uv run", "uv run npx", "python3 -m pytest || uv run",
	"hyperfine", "screen -dmS a", "ssh-agent", "rlwrap", "valgrind", "retry", "pm2 start", "nodemon --exec",
	"lerna exec --", "kubectl exec p --", "heroku run", "railway run", "sops exec-env x",
	"limactl shell x", "wait-for-it a:1 --",
}

// textRunners are such programs that take the command as one text.
var textRunners = []string{"tmux new-session -d", "tmux send-keys -t a", "tmux new -d -s a", "hyperfine", "watchexec -e ts",
	"cargo watch -s", "nix-shell --run", "npx -c", "vagrant ssh -c", "fly ssh console -C", "entr",
	"npx concurrently", "nodemon --exec", "kubectl exec p -- sh -c"}

// What stands behind a runner is a command, whatever allow rule would clear the whole.
func TestWhatARunnerStartsIsACommand(t *testing.T) {
	behind := map[string]string{}
	for _, runner := range runners {
		behind[runner] = " "
	}
	for _, runner := range textRunners {
		behind[runner+" "] = "'"
	}
	for runner, quote := range behind {
		rules := ruled(nod.ListHardDeny, "git push --force")
		for _, list := range []struct {
			list nod.RuleList
			text string
		}{{nod.ListAsk, "kubectl delete"}, {nod.ListAllow, strings.Fields(runner)[0] + " *"}} {
			r, err := nod.ParseRule(list.list, list.text, "test:1")
			switch {
			case err != nil: // refused as too broad
			case list.list == nod.ListAsk:
				rules.Ask = append(rules.Ask, r)
			default:
				rules.Allow = append(rules.Allow, r)
			}
		}
		for payload, want := range map[string]nod.Verdict{
			"rm -rf ~": nod.Deny, "rm -rf /": nod.Deny, "dd if=/dev/zero of=/dev/sda": nod.Deny, "nod mode off": nod.Deny,
			"nod uninstall claude-code": nod.Deny, "git push --force": nod.Deny, "kubectl delete ns x": nod.Ask,
			"cat ~/.ssh/id_ed25519": nod.Ask, "git -C . push --force origin": nod.Deny,
		} {
			c := bash(strings.TrimSpace(runner + quote + payload + quote))
			c.Interactive = true
			if d := verdictOf(options(rules), c); d.Verdict != want {
				t.Errorf("%s: %s (%s), want %s", c.Command, d.Verdict, d.Reason, want)
			}
		}
	}
}

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
