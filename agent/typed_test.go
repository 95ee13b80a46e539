package agent_test

import (
	"fmt"
	"testing"

	"github.com/nodgate/nod/agent"
)

// An argument that nod does not know may say where or how a command runs.
func TestFurtherArguments(t *testing.T) {
	payloads := map[string]string{}
	for _, row := range table(t, "typed.txt") { // a host, and a payload of it in which an argument may be put
		payloads[row[0]] = row[1]
	}
	for _, a := range agent.All() {
		for further, denied := range map[string]bool{
			"": false, `,"description":"list","timeout":5`: false, `,"place":""`: false, `,"places":[],"there":null`: false,
			`,"path":"~/.aws"`: true, `,"work_dir":"/"`: true, `,"env":{"PATH":"."}`: true, `,"elevated":true`: true,
			`,"machine":1`: true, `,"args":["-l"]`: true,
		} {
			e, err := a.Decode(fmt.Appendf(nil, payloads[a.Name()], further), []string{"PWD=/u/w"})
			if err != nil || e.Call.Command != "ls" || (e.Call.Rewritten != "") != denied {
				t.Errorf("%s with %s: %q, %v", a.Name(), further, e.Call.Rewritten, err)
			}
		}
	}
}

// So may an argument of a tool for files, unless it is a number, true or false.
func TestFurtherArgumentsOfFiles(t *testing.T) {
	for _, row := range table(t, "typedfiles.txt") { // a host, and a payload of it whose end is left open
		for further, open := range map[string]bool{"": false, `,"most":3,"deep":true,"none":""`: false,
			`,"_host":"laptop"`: true, `,"diff":"--- a/.envrc"`: true, `,"places":["/"]`: true, `,"at":{"x":1}`: true,
		} {
			e, err := agent.Host(row[0]).Decode([]byte(row[1]+further+"}}"), []string{"PWD=/u/w"})
			if err != nil || (e.Call.Unread != "") != open {
				t.Errorf("%s%s: %q, %v", row[1], further, e.Call.Unread, err)
			}
		}
	}
}
