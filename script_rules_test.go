package nod_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

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
			rule, err = nod.ParsePermission(row.list, row.rule, "test", p.dir)
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
