package cli

import (
	"context"
	"fmt"

	"github.com/nodgate/nod/internal/version"
)

func helpCommand() command {
	return command{name: "help", usage: "help [SUBCOMMAND]", summary: "this, or all about one subcommand", run: help,
		long: "Prints the subcommands, or what one of them does, its flags and exit status."}
}

const intro = `nod decides whether a coding agent's tool call may run without asking a person.

usage: nod SUBCOMMAND [ARGUMENTS]

`

const outro = `
Start with: nod demo, then nod install claude-code.
Exit status: 0 done or allow, 1 a fault of nod's, 2 bad input, 3 ask, 4 deny.
`

func help(_ context.Context, p *Process, args []string) int {
	if len(args) > 0 {
		return helpFor(p, args[0])
	}
	fmt.Fprint(p.Stdout, intro)
	for _, c := range commands() {
		fmt.Fprintf(p.Stdout, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(p.Stdout, outro)
	return ExitOK
}

func helpFor(p *Process, name string) int {
	for _, c := range commands() {
		if c.name == name {
			fmt.Fprintf(p.Stdout, "usage: nod %s\n\n%s\n", c.usage, c.long)
			return ExitOK
		}
	}
	fmt.Fprintf(p.Stderr, "nod help: there is no subcommand %q; see nod help\n", name)
	return ExitBadInput
}

func versionCommand() command {
	return command{name: "version", usage: "version", summary: "which nod this is", run: printVersion,
		long: "Prints the version. nod and nod-hook must be of the same version."}
}

func printVersion(_ context.Context, p *Process, _ []string) int {
	fmt.Fprintln(p.Stdout, "nod", version.String())
	return ExitOK
}
