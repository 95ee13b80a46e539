package cli

import (
	"errors"
	"fmt"

	"github.com/nodgate/nod/internal/ancestry"
)

// Ancestor is a process above this one.
type Ancestor = ancestry.Process

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
		list = ancestry.Above
	}
	above, err := list()
	name, ok := ancestry.Agent(above)
	if !ok {
		name, ok = ancestry.Marked(p.Getenv)
	}
	if ok {
		return fmt.Errorf("a coding agent (%s) %w", name, errAgent)
	}
	return err
}
