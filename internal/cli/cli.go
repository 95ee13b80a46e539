// Package cli is the nod command: one file per subcommand, each a function of
// its streams, its environment and its arguments.
package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/nodgate/nod/internal/config"
)

// Exit codes, documented in cmd/nod/doc.go.
const (
	ExitOK       = 0 // done; for check: allow
	ExitInternal = 1 // a fault of nod's
	ExitBadInput = 2 // arguments, settings or input that cannot be used
	ExitAsk      = 3 // check: a person must decide
	ExitDeny     = 4 // check: must not run
)

// Process is all that a subcommand sees of the outside.
type Process struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // as os.Environ gives it
	Dir            string   // the current directory, absolute
	// Terminal says that Stdout is one: colour and progress are welcome.
	Terminal bool
	// Width is how many columns that terminal has; 0 is any number.
	Width int
	// Ancestors lists the processes above this one, nearest first. nil: asks
	// the system.
	Ancestors func() ([]Ancestor, error)
	// Running lists this user's processes. nil: asks the system, unless
	// Ancestors does not.
	Running func() []Ancestor
}

// Getenv returns the value of a variable of p.Environ, "" where unset.
func (p *Process) Getenv(name string) string {
	for i := len(p.Environ) - 1; i >= 0; i-- {
		if kv := p.Environ[i]; len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:]
		}
	}
	return ""
}

// command is one subcommand. usage is the line after "nod", summary fits a
// line of `nod help`, long and examples are the rest of `nod help NAME`.
type command struct {
	name, usage, summary, long string
	examples                   []string
	run                        func(ctx context.Context, p *Process, args []string) int
}

// commands lists every subcommand, in the order of `nod help`.
func commands() []command {
	return []command{
		demoCommand(), checkCommand(), promptCommand(), installCommand(), uninstallCommand(), doctorCommand(),
		logCommand(), historyCommand(), rulesCommand(), initCommand(), modeCommand(), trustCommand(), confineCommand(),
		approveCommand(), approvalsCommand(), undoCommand(),
		acpCommand(), mcpCommand(),
		classifyCommand(), daemonCommand(), statuslineCommand(), completionCommand(), versionCommand(), helpCommand(),
	}
}

// Main runs the subcommand that args name and returns the exit code.
func Main(ctx context.Context, p *Process, args []string) int {
	if len(args) == 0 {
		args = []string{"help"}
	}
	if name, asked := helpAsked(args); asked {
		return help(ctx, p.folded([]string{"help"}), name)
	}
	if args[0] == "--version" || args[0] == "-version" || args[0] == "-v" {
		return printVersion(ctx, p, args[1:])
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, p.folded(args), args[1:])
		}
	}
	fmt.Fprintln(p.Stderr, "nod:", noSubcommand(args[0]))
	return ExitBadInput
}

// noSubcommand says that a word is no subcommand, and which subcommand is meant.
func noSubcommand(word string) string {
	known := fmt.Sprintf("there is no subcommand %q; ", word)
	if strings.HasPrefix(word, "-") {
		return fmt.Sprintf("%s stands behind a subcommand, as in nod check %s; see nod help", word, word)
	}
	if meant, ok := otherWords()[word]; ok {
		return known + "did you mean " + meant + "?"
	}
	if near, ok := config.Nearest(word, commandNames()); ok {
		return known + "did you mean nod " + near + "?"
	}
	return known + "see nod help"
}

// otherWords are subcommands of other programs, and what they are called here.
func otherWords() map[string]string {
	return map[string]string{
		"status": "nod doctor, or nod mode", "why": "nod log ID", "explain": "nod check", "test": "nod check",
		"config": "nod rules, or nod help settings", "settings": "nod rules, or nod help settings",
		"setup": "nod install", "remove": "nod uninstall", "revoke": "nod approvals --revoke",
		"allow": "nod approve, or nod help settings", "deny": "nod help settings", "list": "nod rules, or nod log",
		"restore": "nod undo",
	}
}

// helpAsked reports whether the first or second argument asks for help, as
// with other commands, and about which subcommand.
func helpAsked(args []string) (name []string, asked bool) {
	for i, arg := range args[:min(len(args), 2)] {
		switch arg {
		case "-h", "-help", "--help":
			return args[:i], true
		}
	}
	return nil, false
}
