package cli

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
)

// Ancestor is a process above this one.
type Ancestor struct {
	PID  int
	Name string // as the system lists it, often cut off at 15 bytes
	Exe  string // the program's file, "" where that may not be known
	Args []string
}

// person returns nil if a person, and not an agent, seems to be asking for a change to nod itself: standard input is
// a terminal, or unattended was asked for, and no process above this one is a coding agent.
//
// This stops accidents. An agent that means to can detach a process from
// itself; layer 0 and managed settings are what stands against that.
func person(p *Process, unattended bool) error {
	err := belowAgent(p)
	if errors.Is(err, errAgent) {
		return err
	}
	if unattended {
		if err != nil {
			return fmt.Errorf("--unattended: cannot see which processes run this command: %w; run it in a terminal, "+
				"without --unattended", err)
		}
		return nil
	}
	if !isTerminal(p.Stdin) {
		return errNoTerminal
	}
	return nil
}

var errNoTerminal = errors.New("this changes nod, and standard input is not a terminal; run it in " +
	"a terminal, or with --unattended or --yes from a provisioning tool")

// personHere is person where nothing stands in for a terminal.
func personHere(p *Process) error {
	err := person(p, false)
	if errors.Is(err, errNoTerminal) {
		err = errors.New("a person has to do this, and standard input is not a terminal; run it in a " +
			"terminal of your own")
	}
	return err
}

var errAgent = errors.New("runs this command, and agents may not change nod; run it in a terminal of your own")

// belowAgent returns errAgent if a process above is a coding agent, another error if that is not seen.
func belowAgent(p *Process) error {
	list := p.Ancestors
	if list == nil {
		list = ancestors
	}
	above, err := list()
	name, ok := firstAgent(above)
	if !ok {
		name, ok = marked(p)
	}
	if ok {
		return fmt.Errorf("a coding agent (%s) %w", name, errAgent)
	}
	return err
}

func firstAgent(above []Ancestor) (string, bool) {
	for _, a := range above {
		if name, ok := a.agent(); ok {
			return name, true
		}
	}
	return "", false
}

// agent returns the coding agent that the process is. An agent shows as its process name, as the program that was
// started, as the directory above "versions" (Claude Code installs itself so), or as the script or package that an
// interpreter runs.
func (a Ancestor) agent() (string, bool) {
	candidates := []string{a.Name, path.Base(a.Exe)}
	if dir := path.Dir(a.Exe); path.Base(dir) == "versions" {
		candidates = append(candidates, path.Base(path.Dir(dir)))
	}
	if len(a.Args) > 0 {
		candidates = append(candidates, path.Base(a.Args[0]))
		if runsScripts(path.Base(a.Args[0])) || runsScripts(path.Base(a.Exe)) {
			candidates = append(candidates, script(a.Args[1:])...)
		}
	}
	names := hosts.Processes()
	for _, c := range candidates {
		if name := plainName(c); slices.Contains(names, name) {
			return name, true
		}
	}
	return "", false
}

// plainName takes off what a login shell, an installer or Windows puts around a name.
func plainName(s string) string {
	s = strings.ToLower(strings.TrimPrefix(s, "-"))
	for _, suffix := range []string{".exe", ".js", ".mjs", ".cjs", ".py", ".sh"} {
		s = strings.TrimSuffix(s, suffix)
	}
	return s
}

// runsScripts reports whether a program's arguments name what really runs.
func runsScripts(base string) bool {
	switch strings.TrimRight(plainName(base), "0123456789.") {
	case "node", "nodejs", "bun", "deno", "python", "tsx", "electron":
		return true
	}
	return false
}

// script returns the names under which an interpreter's script, or its packages, may be known.
func script(args []string) []string {
	var names []string
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		names = append(names, path.Base(arg))
		_, inside, ok := strings.Cut(arg, "/node_modules/")
		if !ok {
			_, inside, ok = strings.Cut(arg, "/site-packages/")
		}
		if ok {
			names = append(names, strings.Split(inside, "/")...)
		}
	}
	return names
}

// marked returns the agent whose mark an environment bears, also where the process left its parent.
func marked(p *Process) (string, bool) {
	for _, a := range hosts.Agents() {
		for _, name := range a.Marks {
			if p.Getenv(name) != "" {
				return a.Name + ", by " + name, true
			}
		}
	}
	return "", false
}
