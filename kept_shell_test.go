package nod_test

import (
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

// A shell that the host keeps must be where it was for the next call.
func TestShellsThatAreKept(t *testing.T) {
	p := newProject(t)
	gate := p.gate()
	ask := func(command string, change func(*nod.Call)) nod.Verdict {
		c := nod.Call{Agent: "test", Tool: "bash", Command: command, Dir: p.dir, Roots: []string{p.dir},
			Dialect: nod.Bash,
			Environ: testworld.Environ(p.home), Interactive: true}
		change(&c)
		return gate.Check(t.Context(), c).Verdict
	}
	kept := func(c *nod.Call) { c.Keeps = true }
	for command, want := range map[string]nod.Verdict{
		"cd src && ls": nod.Deny, "cd src": nod.Deny, "ls; cd ..": nod.Deny, "cd src; cd ..": nod.Deny,
		"if ls; then cd src; fi": nod.Deny, "cd \"$X\" && ls": nod.Deny, "cd src && python3 x.py": nod.Deny,
		"ls | cd src": nod.Deny, "set -eu; ls": nod.Deny, "export A=b && ls": nod.Deny, "HOME=/x": nod.Deny,
		"for HOME in a; do ls; done": nod.Deny, "a=b": nod.Deny, "A=b ls": nod.Allow, "(a=b; ls)": nod.Allow,
		"(cd src && ls)": nod.Allow, "cd " + p.dir + " && ls": nod.Allow, "cd . && ls": nod.Allow, "ls": nod.Allow,
		"echo $(cd src && ls)": nod.Allow, "git -C src status": nod.Allow,
	} {
		if got := ask(command, kept); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
	if got := ask("cd src && ls", func(*nod.Call) {}); got != nod.Allow {
		t.Error("a shell that is not kept:", got)
	}
	if got := ask("sleep 9", func(c *nod.Call) { c.Outlives = true }); got != nod.Ask {
		t.Error("what outlives the session:", got)
	}
	if got := ask("ls", func(c *nod.Call) { c.Unread = "an argument that nobody knows" }); got != nod.Ask {
		t.Error("a call that is not read to its end:", got)
	}
}

// The interpreter of Crush reads globs and backslashes otherwise.
func TestTheInterpreterOfCrush(t *testing.T) {
	gate := newProject(t).gate()
	for command, want := range map[string]nod.Verdict{
		"cat [!.]*": nod.Ask, "cat a\\*": nod.Ask, "echo x > \\#new": nod.Ask, "sh -c 'cat [!a]*'": nod.Ask,
		"cat ?env": nod.Ask, "cat < src/../a.txt": nod.Ask, "./src/../x.sh": nod.Ask, "ls": nod.Allow, "wc -l a.txt": nod.Allow,
	} {
		c := bash(command)
		c.Dialect, c.Interactive = nod.Interp, true
		if got := gate.Check(t.Context(), c); got.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", command, got.Verdict, got.Reason, want)
		}
	}
}
