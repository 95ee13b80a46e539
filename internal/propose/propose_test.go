package propose

import (
	_ "embed" // the lists
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

const project = "/home/u/p"

func files() *view.Memory {
	m := view.NewMemory(false).Dir("/tmp", 0o777|fs.ModeSticky).Dir(project+"/.git", 0o755).
		File(project+"/.git/HEAD", "ref: refs/heads/main\n", 0o644).File(project+"/.git/config",
		"[core]\n\tbare = false\n", 0o644).
		File(project+"/scripts/test.sh", "#!/bin/sh\n", 0o755).File(project+"/gradlew",
		"#!/bin/sh\nexec java -jar gradle/wrapper/gradle-wrapper.jar \"$@\"\n", 0o755)
	for _, name := range strings.Fields(
		"go git gh make mise npm npx python3 node bash golangci-lint rm curl docker sudo timeout cat cargo just kubectl terraform tmux tix workmux uv echo env pytest kill crontab psql gradle head sed") {
		m.File("/usr/bin/"+name, "\x7fELF", 0o755)
	}
	return m
}

func analyze(command string) shell.Report {
	return shell.Analyze(command, shell.Env{
		Dialect: shell.Bash, Dir: project, Home: "/home/u", Roots: []string{project}, Files: files(),
		Lookup: func(name string) (string, bool) {
			return map[string]string{"PATH": "/usr/bin"}[name], name == "PATH"
		},
	})
}

// calls is each command once in every session.
func calls(sessions int, commands ...string) []Call {
	var list []Call
	for _, command := range commands {
		for i := range sessions {
			list = append(list, Call{Session: fmt.Sprint(i), Report: analyze(command), Outcome: Ran})
		}
	}
	return list
}

func proposals(rules []Rule) []string {
	var list []string
	for _, r := range rules {
		list = append(list, r.List+" "+r.Text)
	}
	return list
}

func TestLearn(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/learn.txtar")
	if err != nil || len(archive.Files) < 15 {
		t.Fatal(err)
	}
	for _, c := range archive.Files {
		var commands, want []string
		for _, line := range strings.Split(strings.TrimSpace(string(c.Data)), "\n") {
			if rule, ok := strings.CutPrefix(line, "=> "); ok {
				want = append(want, rule)
			} else {
				commands = append(commands, line)
			}
		}
		sessions, err := strconv.Atoi(c.Name[len(c.Name)-1:])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, proposals(Learn(calls(sessions, commands...)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
	}
}

// dangerous commands are never proposed, however often they ran.
func dangerous() []string { return strings.Split(strings.TrimSpace(dangerousLines), "\n") }

//go:embed testdata/dangerous.txt
var dangerousLines string

func TestNeverProposed(t *testing.T) {
	for _, command := range dangerous() {
		for _, r := range Learn(calls(20, command)) {
			t.Errorf("%s: proposes %s %s", command, r.List, r.Text)
		}
	}
}

// TestOneBadTaintsAll: what was once seen to do harm is not opened.
func TestOneBadTaintsAll(t *testing.T) {
	list := calls(9, "npm test")
	list = append(list, Call{Session: "x", Report: harm(analyze("npm test"))})
	if got := Learn(list); got != nil {
		t.Errorf("proposes %v", proposals(got))
	}
}

func harm(r shell.Report) shell.Report {
	r.Effects = append(r.Effects, shell.Effect{Kind: shell.Remote, Part: shell.PartWords})
	return r
}

func TestRefusedIsNotProposed(t *testing.T) {
	list := calls(9, "npm test", "go test ./a", "go test ./b")
	for i := range list {
		if i < 2 {
			list[i].Outcome = Refused
		}
	}
	got := Learn(list)
	if diff := cmp.Diff([]string{"allow go test *"}, proposals(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSeen(t *testing.T) {
	list := calls(4, "npm test")
	list[0].Outcome, list[3].Outcome = Failed, Unknown
	got := Learn(list)
	want := &Seen{Calls: 4, Sessions: 4, Ran: 2, Failed: 1}
	if len(got) != 1 || cmp.Diff(want,
		got[0].Seen) != "" || got[0].Seen.String() != "4 calls in 4 sessions, 2 ran, 1 failed" {
		t.Errorf("%+v", got)
	}
}

// FuzzLearn: whatever ran, what is proposed is a rule that the gate takes for
// a pattern, and it opens no line that is known to be dangerous.
func FuzzLearn(f *testing.F) {
	for _, c := range []string{"go test ./a", "make test", "npm run 'a b'", "a=1 mise run x:y", "tix show $X",
		"python3 -m pytest", "./x/../y z", "git add -A", "go test ./a *"} {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, command string) {
		for _, r := range Learn(calls(6, command, command+" a", command+" -b")) {
			if r.List != "allow" {
				continue
			}
			rule, err := nod.ParseRule(nod.ListAllow, r.Text, "x")
			if err != nil || !rule.IsPattern(func(string) bool { return true }) {
				t.Fatalf("%q proposes %q: %v", command, r.Text, err)
			}
			rules := nod.DefaultRules()
			rules.Allow = []nod.Rule{rule}
			gate := nod.New(nod.Options{Rules: rules, Files: files(), Home: "/home/u"})
			for _, bad := range dangerous() {
				if d := gate.Check(t.Context(), nod.Call{Tool: "bash", Command: bad, Dialect: nod.Bash, Dir: project,
					Roots: []string{project}, Environ: []string{"PATH=/usr/bin"}}); d.Verdict == nod.Allow {
					t.Fatalf("%q proposes %q, which allows %q", command, r.Text, bad)
				}
			}
		}
	})
}
