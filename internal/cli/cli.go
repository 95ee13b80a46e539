// Package cli is the nod command: each subcommand is a function of its streams, its environment and its arguments.
// What `nod help NAME` prints is help/NAME.txt.
package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/demo"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
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
	// Ancestors lists the processes above this one, nearest first. nil: asks the system.
	Ancestors func() ([]Ancestor, error)
	Views     *Views // nil, as in nod: what takes them is handed to nod-serve
}

// Getenv returns the value of a variable of p.Environ, "" where unset.
func (p *Process) Getenv(name string) string {
	if name == "HOME" && runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	value, _ := place.Lookup(p.Environ, name)
	return value
}

// command is one subcommand. [internal], [ended] and [usage] make errors that end it in their own way.
type command struct {
	name string
	run  func(ctx context.Context, p *Process, args []string) error
}

// commands lists every subcommand, in the order of `nod help`.
func commands() []command {
	return []command{
		{"demo", runDemo},
		{"check", check},
		{"prompt", showPrompt},
		{"install", installer{examine: doctor.Examine}.install},
		{"uninstall", installer{}.uninstall},
		{"doctor", installer{}.doctor},
		{"log", showLog},
		{"watch", served("watch", watchAll)},
		{"why", showWhy},
		{"stats", showStats},
		{"replay", replayLog},
		{"suggest", suggestRules},
		{"verify", verify},
		{"export", export},
		{"history", pastSessions},
		{"rules", rules},
		{"init", initialize},
		{"allow", ruleWriter{list: "allow", verdict: nod.Allow, did: "let through"}.run},
		{"deny", ruleWriter{list: "hard_deny", verdict: nod.Deny, did: "denied"}.run},
		{"ask", ruleWriter{list: "ask", verdict: nod.Ask, did: "asked you about"}.run},
		{"mode", mode},
		{"pause", pause},
		{"confine", runConfine},
		{"approve", approve},
		{"approvals", approvals},
		{"undo", undo},
		{"ui", served("ui", ui)},
		{"acp", runACP},
		{"mcp", served("mcp", serveMCP)},
		{"daemon", served("daemon", nil)},
		{"serve", served("serve", nil)},
		{"classify", classifyOne},
		{"upgrade", installer{}.upgrade},
		{"completion", completion},
		{"version", printVersion},
		{"help", help},
	}
}

func commandOf(name string) (command, bool) {
	for _, c := range commands() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}

// Main runs the subcommand that args name and returns the exit code.
func Main(ctx context.Context, p *Process, args []string) int {
	if len(args) == 0 {
		args = []string{"help"}
	}
	switch first := args[0]; {
	case isHelp(first):
		args = []string{"help"}
	case len(args) > 1 && isHelp(args[1]):
		args = []string{"help", first}
	case first == "--version" || first == "-version" || first == "-v":
		args[0] = "version"
	}
	c, known := commandOf(args[0])
	if !known {
		fmt.Fprintln(p.Stderr, "nod:", noSubcommand(args[0]))
		return ExitBadInput
	}
	return c.main(ctx, p, args[1:])
}

func isHelp(word string) bool { return word == "-h" || word == "-help" || word == "--help" }

func (c command) main(ctx context.Context, p *Process, args []string) int {
	err := c.run(ctx, p, args)
	var e exit
	switch {
	case err == nil:
		return ExitOK
	case !errors.As(err, &e):
		e = exit{code: ExitBadInput}
	case e.said:
		return e.code
	case e.usage:
		called, _, _ := strings.Cut(c.long(), "\n")
		fmt.Fprintf(p.Stderr, "nod %s: %s\n%s\n", c.name, c.wrong(e.error), called)
		return e.code
	}
	fmt.Fprintf(p.Stderr, "nod %s: %s\n", c.name, printable.Lines(err.Error()))
	return e.code
}

// exit is an error that says with which status nod ends. The zero value is no such error.
type exit struct {
	error
	code  int
	said  bool // nothing is left to say
	usage bool // the arguments are wrong
}

func (e exit) Unwrap() error { return e.error }

// Error has a text where the status is all that is said, too.
func (e exit) Error() string {
	if e.error == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.error.Error()
}

// internal is a fault of nod's, or an output that broke. nil stays nil.
func internal(err error) error {
	if err == nil {
		return nil
	}
	return exit{error: err, code: ExitInternal}
}

// usage says that the arguments cannot be used. nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return exit{error: err, code: ExitBadInput, usage: true}
}

// ended is the error of a status about which nothing is left to say.
func ended(code int) error {
	if code == ExitOK {
		return nil
	}
	return exit{code: code, said: true}
}

// noSubcommand says that a word is no subcommand, and which subcommand is meant.
func noSubcommand(word string) string {
	if strings.HasPrefix(word, "-") {
		return fmt.Sprintf("%s stands behind a subcommand, as in nod check %s; see nod help", word, word)
	}
	return fmt.Sprintf("there is no subcommand %q; see nod help", word)
}

func isTerminal(r any) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Run is [Main] with the streams, environment, directory and arguments of the process, until it is told to end. A
// second signal ends what does not heed the first: a question that waits for its answer.
func Run(v *Views) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "nod: the current directory cannot be read:", err)
		return ExitInternal
	}
	return Main(ctx, &Process{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Dir: dir,
		Views: v}, os.Args[1:])
}

// texts are what `nod help` prints: of each subcommand its summary, how it is
// called, what it does and examples; of "settings" what may stand in a file.
//
//go:embed help shells installed.txt
var texts embed.FS

// text is one of them, "" for none.
func text(name string) string {
	raw, err := texts.ReadFile("help/" + name + ".txt")
	if err != nil {
		return ""
	}
	return strings.Replace(string(raw), "@AGENTS@", agentLines(), 1)
}

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

func (c command) long() string {
	_, rest, _ := strings.Cut(text(c.name), "\n")
	return rest
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
	case args[0] == "--man":
		return forShell(p, "man")
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

func runDemo(ctx context.Context, p *Process, args []string) error {
	if err := newArguments(p).parse(args, 0); err != nil {
		return err
	}
	return internal(demo.Run(ctx, p.Stdout))
}
