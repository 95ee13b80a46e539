package nod_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

// A rule for what starts a command clears nothing that no rule may clear, whatever starts it.
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

// A rule that names a script by a path means the file, however it is started.
func TestARuleNamesAScriptByAnyPath(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"deploy.sh", "scripts/release.sh", "manage.py", "notes.sh"} {
		p.write(name, "#!/bin/sh\necho done\n")
	}
	const hard, ask = nod.ListHardDeny, nod.ListAsk
	for _, row := range []struct {
		list    nod.RuleList
		rule    string
		command string
		fits    bool
	}{
		{hard, "./deploy.sh *", "./deploy.sh prod", true},
		{hard, "./deploy.sh *", "bash deploy.sh", true},
		{hard, "./deploy.sh *", "sh ./deploy.sh prod", true},
		{hard, "./deploy.sh *", "bash -e deploy.sh", true},
		{hard, "./deploy.sh *", "bash -euo pipefail deploy.sh", true},
		{hard, "./deploy.sh *", "bash -O extglob -e deploy.sh now", true},
		{hard, "./deploy.sh *", "timeout 5 bash deploy.sh", true},
		{hard, "./deploy.sh *", `sh -c "bash deploy.sh"`, true},
		{hard, "./deploy.sh *", "cd scripts && ../deploy.sh", true},
		{hard, "./deploy.sh *", "DIR/deploy.sh", true},
		{hard, "./deploy.sh prod", "bash deploy.sh staging", false},
		{hard, "./deploy.sh *", "cat deploy.sh", false},
		{hard, "./deploy.sh *", "bash notes.sh deploy.sh", false},
		{hard, "scripts/release.sh *", "cd scripts && ./release.sh", true},
		{ask, "bash scripts/release.sh *", "./scripts/release.sh", true},
		{ask, "bash scripts/release.sh *", "sh scripts/release.sh now", true},
		{ask, "bash scripts/release.sh *", "bash ./scripts/release.sh", true},
		{ask, "python manage.py migrate *", "python3 ./manage.py migrate", true},
		{ask, "python manage.py migrate *", "./manage.py migrate", true},
		{ask, "python manage.py migrate *", "python3 manage.py check", false},
		{hard, "Bash(./deploy.sh:*)", "bash deploy.sh now", true},
		{ask, "Bash(python manage.py migrate:*)", "./manage.py migrate", true},
	} {
		rules := nod.DefaultRules()
		rule, err := nod.ParseRule(row.list, row.rule, "test")
		if len(row.rule) > 4 && row.rule[:5] == "Bash(" {
			rule, err = nod.ParsePermission(row.rule, "test", p.dir)
		}
		p.must(err)
		if row.list == hard {
			rules.HardDeny = append(rules.HardDeny, rule)
		} else {
			rules.Ask = append(rules.Ask, rule)
		}
		d := p.under(rules, row.command)
		if got := d.Rule.Text != ""; got != row.fits {
			t.Errorf("%s %q, %s: %v (%s)", row.list, row.rule, row.command, d.Verdict, d.Reason)
		}
	}
}

func (p project) under(rules nod.Rules, command string) nod.Decision {
	command = strings.ReplaceAll(command, "DIR", p.dir)
	g := nod.New(nod.Options{Rules: rules, Files: testworld.Disk(), Home: p.home})
	return g.Check(context.Background(), nod.Call{Agent: "test", Session: "s", Tool: "bash", RawTool: "Bash",
		Command: command, Dir: p.dir, Roots: []string{p.dir}, Environ: testworld.Environ(p.home), Interactive: true})
}

func rule(t *testing.T, list nod.RuleList, text string) nod.Rule {
	t.Helper()
	r, err := nod.ParseRule(list, text, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// An allow rule for a program that nod does not know says what may run, not on which secrets.
func TestSecretsThatAreGivenToUnknownPrograms(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=x\n")
	p.write("bin/deploy", "#!/bin/sh\n")
	p.must(os.Chmod(p.dir+"/bin/deploy", 0o755))
	rules := nod.DefaultRules()
	rules.Allow = []nod.Rule{rule(t, nod.ListAllow, "bin/deploy *"), rule(t, nod.ListAllow, "go test *")}
	gate := nod.New(nod.Options{Rules: rules, Files: testworld.Disk(), Home: p.home})
	for line, want := range map[string]bool{"bin/deploy .env": lost, "bin/deploy --key=.env": lost, "bin/deploy ./.env": lost,
		"bin/deploy @.env": lost, "bin/deploy KEY=@.env": lost,
		"bin/deploy --key .env": lost} {
		call := bash(line)
		call.Dir, call.Roots, call.Environ = p.dir, []string{p.dir}, []string{"HOME=" + p.home, "PATH=/usr/bin:/bin"}
		if d := gate.Check(t.Context(), call); (d.Verdict == nod.Allow) != want {
			t.Errorf("%q: %v (%s)", line, d.Verdict, d.Reason)
		}
	}
}
