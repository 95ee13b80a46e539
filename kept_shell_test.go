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
		"{ cd src; }":            nod.Deny,
		"if ls; then cd src; fi": nod.Deny, "cd \"$X\" && ls": nod.Deny,
		"cd src && python3 x.py": nod.Deny,
		"ls | cd src":            nod.Deny,
		"set -e":                 nod.Deny, "set -eu; ls": nod.Deny, "export A=b": nod.Deny, "HOME=/x": nod.Deny, "export A=b && ls": nod.Deny, "for HOME in a; do ls; done": nod.Deny,
		"A=b ls": nod.Allow, "a=b": nod.Deny, "for __x in a; do ls; done": nod.Deny, "(a=b; ls)": nod.Allow,
		"(cd src && ls)": nod.Allow, "cd " + p.dir + " && ls": nod.Allow, "cd . && ls": nod.Allow,
		"ls":                   nod.Allow,
		"echo $(cd src && ls)": nod.Allow, "git -C src status": nod.Allow, "cd " + p.dir + "/. && ls src": nod.Allow,
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
