package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
)

// statuslineLimit bounds what is read of Claude Code's JSON.
const statuslineLimit = 1 << 20

func statusline(_ context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	if err := a.parse(args, 0); err != nil {
		return err
	}
	var session struct {
		ID        string `json:"session_id"`
		Workspace struct {
			Project string `json:"project_dir"`
		} `json:"workspace"`
	}
	in := json.NewDecoder(io.LimitReader(p.Stdin, statuslineLimit))
	if isTerminal(p.Stdin) || in.Decode(&session) != nil {
		fmt.Fprintln(p.Stdout, "nod: no session on standard input")
		return nil
	}
	if filepath.IsAbs(session.Workspace.Project) {
		a.places.Root = session.Workspace.Project
	}
	fmt.Fprintln(p.Stdout, "nod "+statusOf(a.places)+" | "+sessionCounts(a.places.State, session.ID))
	return nil
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

// sessionCounts says what was decided in a session. Where nod has no model a call
// may be left to the agent's own judge.
func sessionCounts(state, session string) string {
	if session == "" || state == "" {
		return "nothing decided yet"
	}
	counts := map[string]int{}
	filter := audit.Filter{Session: session, Kinds: []audit.Kind{audit.Decision}, Since: time.Now().Add(-recent)}
	for line, err := range audit.Newest(state, filter) {
		switch {
		case err != nil:
		case line.Verdict == nod.Ask && line.Answered == "abstained" && line.Setting == config.Enforce.String():
			counts["left to Claude Code"]++
		case line.Verdict == nod.Ask:
			counts["asked"]++
		case line.Verdict == nod.Allow:
			counts["allowed"]++
		default:
			counts["denied"]++
		}
	}
	var parts []string
	for _, what := range []string{"allowed", "asked", "left to Claude Code", "denied"} {
		if counts[what] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[what], what))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "nothing decided yet")
}
