package nod_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// A rule for what starts a command clears nothing that no rule may clear, whatever
// starts it.
func TestNoRunnerHidesItsCommand(t *testing.T) {
	runners := []string{"uv run", "uvx", "uv tool run", "poetry run", "hatch run", "rye run",
		"pdm run", "pipenv run",
		"conda run -n x", "pixi run", "bundle exec", "npm exec", "npm exec --", "npm x", "pnpm exec",
		"pnpm dlx",
		"yarn exec", "yarn dlx", "yarn run", "npx", "npx -y", "bunx", "nix develop -c",
		"nix shell nixpkgs.x -c",
		"python -m", "direnv exec .", "mise exec --", "devbox run", "dotenvx run --", "op run --",
		"doppler run --",
		"aws-vault exec p --", "rbenv exec", "pyenv exec", "volta run", "fnm exec", "asdf exec",
		"watchexec", "entr",
		"uv run --strange"}
	for _, runner := range runners {
		for payload, want := range map[string]nod.Verdict{
			"rm -rf ~": nod.Deny, "git push --force": nod.Deny, "kubectl delete ns x": nod.Ask,
			"nod mode off": nod.Deny, "dd if=/dev/zero of=/dev/sda": nod.Deny,
		} {
			program, _, _ := strings.Cut(payload, " ")
			got := runnerSays(t, runner+" "+payload, "uv run *", runner+" *", runner+" "+program+" *")
			if got != want {
				t.Errorf("%s %s: %v, want %v", runner, payload, got, want)
			}
		}
	}
}

func runnerSays(t *testing.T, line string, allow ...string) nod.Verdict {
	o := options(ruled(nod.ListHardDeny, "git push --force"))
	o.Rules.Ask = append(o.Rules.Ask, rule(t, nod.ListAsk, "kubectl delete"))
	for _, text := range allow {
		if r, err := nod.ParseRule(nod.ListAllow, text, "test"); err == nil {
			o.Rules.Allow = append(o.Rules.Allow, r)
		}
	}
	return nod.New(o).Check(context.Background(), bash(line)).Verdict
}

// What a rule may stand for says what runs.
func TestRulesThatSayNothingOfWhatRuns(t *testing.T) {
	for _, text := range []string{"uv run *", "uvx *", "poetry run *", "poetry *", "npm exec *",
		"npm *", "yarn *",
		"pnpm *", "bundle exec *", "nix develop -c *", "conda run -n x *", "python3 -", "psql", "mysql",
		"redis-cli",
		"bash -s", "node -", "ruby -", "kubectl apply -f -", "patch -p1", "git apply -", "crontab -",
		"at now", "vim *",
		"mvn *", "gradle *", "python -m *", "deno run -"} {
		if _, err := nod.ParseRule(nod.ListAllow, text, "test"); !nod.IsBroad(err) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"uv run pytest *", "uv run pytest", "npm test", "npm run build",
		"poetry run pytest *",
		"npx prettier *", "git *", "git push *", "bundle exec rspec *", "yarn build", "pytest *",
		"psql -c 'select 1'",
		"cat -", "git commit -F -", "uv sync *", "npm ci", "npm run build *", "mvn test *", "go test *",
		"cargo test *", "terraform plan *"} {
		if _, err := nod.ParseRule(nod.ListAllow, text, "test"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// An open rule for git is none for the programs that its options start.
func TestOpenRulesForGitStartNothing(t *testing.T) {
	for _, line := range []string{"git -c alias.x='!rm -rf src' x",
		"git -c core.sshCommand='sh x' fetch", "git difftool -x sh",
		"git grep -Osh x", "git config --global core.hooksPath x", "git config alias.x '!sh'",
		"git rebase -x 'sh y' main"} {
		if got := runnerSays(t, line, "git *", "git config *", "git grep *", "git rebase *",
			"git difftool *"); got == nod.Allow {
			t.Errorf("%s is allowed", line)
		}
	}
}

// No lasting rule is offered where standard input decides what runs, or where the
// call is known to be irreversible.
func TestNoLastingRuleForWhatIsFed(t *testing.T) {
	for _, line := range []string{"python3 - <<'E'\nprint(1)\nE", "psql <<E\ndrop table x\nE", "cat x | python3 -", "redis-cli",
		"bash -s < x.sh", "kubectl apply -f -", "patch -p1", "git apply -", "at now", "crontab -",
		"npx prisma migrate reset --force", "uv run alembic downgrade --force"} {
		if d := nod.New(options(nod.Rules{})).Check(context.Background(), bash(line)); d.Lasting != "" {
			t.Errorf("%q offers %q", line, d.Lasting)
		}
	}
}
