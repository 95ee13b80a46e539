package nod_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// A rule for what starts a command clears nothing that no rule may clear, with any runner.
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
			"nod mode off": nod.Deny, "nod-gate mode off": nod.Deny, "dd if=/dev/zero of=/dev/sda": nod.Deny,
		} {
			program, _, _ := strings.Cut(payload, " ")
			got := runnerSays(t, runner+" "+payload, "uv run *", runner+" *", runner+" "+program+" *")
			if got != want {
				t.Errorf("%s %s: %v, want %v", runner, payload, got, want)
			}
		}
	}
}

// Nobody but a person takes nod away, or puts another in its place, by the package that it came in.
func TestNoToolChangesNodsPackage(t *testing.T) {
	for line, want := range map[string]nod.Verdict{
		"npm uninstall -g nod-gate": nod.Deny, "npm install -g nod-gate@0.1.0": nod.Deny,
		"uv tool uninstall nod-gate": nod.Deny, "claude plugin disable nod-gate@nod-gate": nod.Deny,
		"pip uninstall -y Nod-Gate": nod.Deny, "go install github.com/nodgate/nod/cmd/nod@v0.1.0": nod.Deny,
		"npm rm -g @nod-gate/linux-x64": nod.Deny, "npm install nod-gateway": nod.Allow,
		"grep -rn nod-gate .": nod.Allow, "gemini extensions uninstall nod-gate": nod.Deny,
	} {
		if got := runnerSays(t, line, "npm *", "npm install nod-gateway"); got != want {
			t.Errorf("%s: %v, want %v", line, got, want)
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

func rule(t *testing.T, list nod.RuleList, text string) nod.Rule {
	t.Helper()
	r, err := nod.ParseRule(list, text, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}
