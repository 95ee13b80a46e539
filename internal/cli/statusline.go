package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
)

func statuslineCommand() command {
	return command{
		name:    "statusline",
		usage:   "statusline [--settings F] [--managed F] [--state DIR]",
		summary: "a status line for Claude Code",
		long: `Prints one line about nod for the status line of Claude Code, which gives it
the session as JSON on standard input: the mode where it is another than
enforce, whether a model is configured, and what was decided in this session.

  nod enforce | 41 allowed, 2 asked, 1 denied

To have it: nod install claude-code --status-line, which writes it where no
other program's status line stands. To have it beside your own, call nod
statusline from that, with the same standard input.

  --settings F, --managed F, --state DIR   instead of the usual places

Exit status: 0, also where something cannot be read: the line says what.`,
		examples: []string{`echo '{"session_id":"x"}' | nod statusline`},
		run:      statusline,
	}
}

// statuslineLimit bounds what is read of Claude Code's JSON.
const statuslineLimit = 1 << 20

func statusline(_ context.Context, p *Process, args []string) int {
	flags := flag.NewFlagSet("statusline", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	places := config.DefaultPlaces(p.Getenv("HOME"))
	placeFlags(flags, &places)
	if err := flags.Parse(args); err != nil {
		return usageError(p, statuslineCommand(), err)
	}
	if flags.NArg() > 0 {
		return usageError(p, statuslineCommand(), fmt.Errorf("unexpected %q", flags.Arg(0)))
	}
	var session struct {
		ID        string `json:"session_id"`
		Workspace struct {
			Project string `json:"project_dir"`
		} `json:"workspace"`
	}
	err := errors.New("a person is at standard input")
	if !isTerminal(p.Stdin) {
		err = json.NewDecoder(io.LimitReader(p.Stdin, statuslineLimit)).Decode(&session)
	}
	if err != nil {
		fmt.Fprintln(p.Stdout, "nod: no session on standard input")
		return ExitOK
	}
	if filepath.IsAbs(session.Workspace.Project) {
		places.Root = session.Workspace.Project
	}
	fmt.Fprintln(p.Stdout, "nod "+statusOf(places)+" | "+sessionCounts(places.State, session.ID))
	return ExitOK
}

// statusOf is the mode, and that there is no model.
func statusOf(places config.Places) string {
	s, err := config.Load(places)
	switch {
	case err != nil:
		return "settings broken, calls are blocked (nod rules)"
	case s.Mode != config.Enforce:
		return s.Mode.String() + ": " + aboutMode(s.Mode)
	case s.Model.Provider == "":
		return "enforce, no model"
	}
	return "enforce"
}

// recent bounds how far back a session's decisions are counted: the line is
// drawn often.
const recent = 24 * time.Hour

// sessionCounts says what was decided in a session.
func sessionCounts(state, session string) string {
	if session == "" || state == "" {
		return "nothing decided yet"
	}
	var counts became
	filter := audit.Filter{Session: session, Kinds: []audit.Kind{audit.Decision}, Since: time.Now().Add(-recent)}
	for line, err := range audit.Newest(state, filter) {
		if err == nil {
			counts.add(line.Entry)
		}
	}
	return counts.String()
}

// became counts what became of a session's calls.
type became struct{ allowed, asked, left, denied int }

// add counts a decision. Where nod has no model a call may be left to the agent's
// own judge.
func (b *became) add(e audit.Entry) {
	switch {
	case e.Verdict == nod.Ask && e.Answered == "abstained" && e.Setting == config.Enforce.String():
		b.left++
	case e.Verdict == nod.Ask:
		b.asked++
	case e.Verdict == nod.Allow:
		b.allowed++
	default:
		b.denied++
	}
}

// String leaves out what did not happen.
func (b became) String() string {
	var parts []string
	for _, of := range []struct {
		n    int
		what string
	}{{b.allowed, "allowed"}, {b.asked, "asked"}, {b.left, "left to Claude Code"}, {b.denied, "denied"}} {
		if of.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.what))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing decided yet")
}
