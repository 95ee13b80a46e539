package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/version"
)

// texts are what `nod help` prints: of each subcommand its summary, how it is
// called, what it does and examples; of "settings" what may stand in a file.
//
//go:embed help
var texts embed.FS

// text is one of them, "" for none.
func text(name string) string {
	raw, err := texts.ReadFile("help/" + name + ".txt")
	if err != nil {
		return ""
	}
	return strings.Replace(string(raw), "@AGENTS@", agentLines(), 1)
}

// agentLines lists the agents, five to a line.
func agentLines() string {
	var lines []string
	for some := range slices.Chunk(install.Agents(), 5) {
		lines = append(lines, strings.Join(some, ", "))
	}
	return strings.Join(lines, ",\n  ")
}

// summary is the first line of a text, which `nod help` shows.
func (c command) summary() string {
	first, _, _ := strings.Cut(text(c.name), "\n")
	return first
}

// long is the rest.
func (c command) long() string {
	_, rest, _ := strings.Cut(text(c.name), "\n")
	return rest
}

// usageLine is how the subcommand is called.
func (c command) usageLine() string {
	line, _, _ := strings.Cut(c.long(), "\n")
	return strings.TrimPrefix(line, "usage: nod ")
}

func help(_ context.Context, p *Process, args []string) error {
	switch {
	case len(args) == 0:
		var list strings.Builder
		for _, c := range commands() {
			fmt.Fprintf(&list, "  %-10s %s\n", c.name, c.summary())
		}
		fmt.Fprint(p.Stdout, strings.Replace(text("overview"), "@COMMANDS@\n", list.String(), 1))
		return nil
	case strings.HasPrefix(args[0], "-"):
		return usage(errors.New("flag provided but not defined: " + args[0]))
	case args[0] == "settings":
		fmt.Fprint(p.Stdout, text("settings"))
		return nil
	}
	c, known := commandOf(args[0])
	if !known {
		return errors.New(noSubcommand(args[0]))
	}
	fmt.Fprint(p.Stdout, c.long())
	return nil
}

func printVersion(_ context.Context, p *Process, args []string) error {
	if err := newArguments(p).parse(args, 0); err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout, "nod", version.String())
	return nil
}
