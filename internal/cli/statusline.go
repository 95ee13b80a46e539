package cli

import (
	"context"
	"encoding/json"
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
	text, err := io.ReadAll(io.LimitReader(p.Stdin, statuslineLimit))
	if err == nil {
		err = json.Unmarshal(text, &session)
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
	counts := map[string]int{}
	filter := audit.Filter{Session: session, Kinds: []audit.Kind{audit.Decision}, Since: time.Now().Add(-recent)}
	for line, err := range audit.Newest(state, filter) {
		if err == nil {
			counts[became(line.Entry)]++
		}
	}
	var parts []string
	for _, what := range []string{allowed, asked, left, denied} {
		if counts[what] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[what], what))
		}
	}
	if len(parts) == 0 {
		return "nothing decided yet"
	}
	return strings.Join(parts, ", ")
}

// What the line says of a call.
const (
	allowed = "allowed"
	asked   = "asked"
	left    = "left to Claude Code"
	denied  = "denied"
)

// became is what the line says of a decision. Where nod has no model a call may be
// left to the agent's own judge.
func became(e audit.Entry) string {
	switch {
	case e.Verdict == nod.Ask && e.Answered == "abstained" && e.Setting == config.Enforce.String():
		return left
	case e.Verdict == nod.Ask:
		return asked
	case e.Verdict == nod.Allow:
		return allowed
	}
	return denied
}
