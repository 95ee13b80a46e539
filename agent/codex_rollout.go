package agent

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/view"
)

// rolloutLimit bounds how far back a call is looked for.
const rolloutLimit = 512 << 10

// codexComplete reads from the rollout what Codex does not tell its hooks: whether its sandbox
// confines the turn's commands, and of a command whether the agent can type into it later, by which
// shell it is read, and whether it asks to leave the sandbox.
//
// A PermissionRequest has no id, so there every recent call of that command that has no result yet
// must have the same answer.
func codexComplete(e *Event, rollout, command string) {
	turn, calls := readRollout(rollout, e.Call.ID, command)
	reserved := e.Reserved
	e.Reserved = reserved && codexAsks(e, turn.dir)
	if e.Call.MCP != nil {
		e.Contained = e.Kind == Decide && turn.asks && e.Mode != "bypassPermissions"
		return
	}
	if len(calls) == 0 {
		e.Reserved = reserved && (e.Reserved || e.Call.Tool == "bash")
		return
	}
	typed, escalated, wider := false, true, false
	place := codexPlace(turn.dir, calls[0].workdir, e.Call.Dir)
	for _, c := range calls {
		if codexPlace(turn.dir, c.workdir, e.Call.Dir) != place {
			place = "" // nobody can say which of them asks
		}
		typed = typed || c.tty
		escalated, wider = escalated && c.escalated, wider || c.wider
		e.Call.Rewritten = cmp.Or(e.Call.Rewritten, c.further)
		if !codexShell(c.shell, place) || c.shell != "" && e.Call.Dialect == nod.PowerShell {
			e.Call.Dialect = nod.Unread
		}
	}
	e.Call.StdinUnseen, e.Call.Dir = typed, place
	if e.Call.Tool == "bash" && !escalated { // a rule asks, since the sandbox does not
		e.Reserved = reserved
	}
	e.Contained = e.Kind == Decide && turn.confines && !escalated && !wider
	if e.Kind == Decide && escalated && e.Mode != "bypassPermissions" && e.Mode != "" {
		e.PromptFollows = true
	}
}

// codexPlace is where a command runs: in the turn's directory, and from there where the
// model says. What a payload calls cwd is either (0.169.0 followed the model).
func codexPlace(turn, workdir, cwd string) string {
	switch {
	case workdir == "":
		return cwd
	case path.IsAbs(workdir):
		return workdir
	case turn == "" && strings.HasSuffix(cwd, "/"+strings.TrimSuffix(workdir, "/")):
		return cwd
	}
	return strings.TrimSuffix(cmp.Or(turn, cwd), "/") + "/" + workdir
}

// codexTurn is what the record of a turn says of Codex's sandbox and prompts. The zero
// value is a record that says anything else than is known here.
type codexTurn struct {
	confines bool   // commands run in the sandbox
	asks     bool   // a person is asked about what leaves it
	dir      string // where its commands start; "" where the record does not say so
}

// codexCall is what a command was started with.
type codexCall struct {
	tty, escalated bool
	wider          bool   // it asks for more than the turn's sandbox gives
	workdir        string // "" for the turn's directory
	shell          string // "" for the user's own
	further        string // why an argument may say that it runs elsewhere
}

// readRollout returns the record of the last turn, and the recent calls with that id, or, without
// an id, those of that command without a result; nil where one of them cannot be read.
func readRollout(rollout, id, command string) (turn codexTurn, calls []codexCall) {
	lines, err := tailOf(rollout, rolloutLimit)
	if err != nil {
		return turn, nil
	}
	done := map[string]bool{}
	turned, over := false, false
	for !turned || !over {
		text, torn, err := lines.next()
		if err != nil { // the start, or the limit
			break
		}
		top, err := readLoosely(text)
		switch {
		case len(bytes.TrimSpace(text)) == 0, err != nil && (torn || over):
			continue
		case err != nil:
			calls, over = nil, true
			continue
		}
		payload, _ := top.maybeChild("payload")
		ended := payload.hint("call_id")
		switch {
		case top.hint("type") == "turn_context" && !turned:
			turn, turned = codexTurnIn(payload), true
		case payload.hint("type") == "function_call_output":
			done[ended] = true
		case over, payload.hint("type") != "function_call", id != "" && ended != id, id == "" && done[ended]:
		default:
			call, is, err := codexCallOf(payload, command)
			over = err != nil || id != ""
			if err != nil || id != "" && !is {
				calls = nil
			} else if is {
				calls = append(calls, call)
			}
		}
	}
	return turn, calls
}

func codexTurnIn(payload fields) (turn codexTurn) {
	if policy, given := payload.maybeChild("sandbox_policy"); given != nil {
		kind := policy.optional("type")
		turn.confines = kind == "workspace-write" || kind == "read-only"
	}
	if profile, given := payload.maybeChild("permission_profile"); given != nil {
		files, _ := profile.maybeChild("file_system")
		turn.confines = turn.confines && profile.optional("type") == "managed" && files.optional("type") == "restricted"
	}
	turn.asks = payload.optional("approval_policy") == "on-request"
	if turn.dir = payload.optional("cwd"); !path.IsAbs(turn.dir) {
		turn.dir = ""
	}
	if *payload.err != nil {
		return codexTurn{}
	}
	return turn
}

// codexCallOf reads a call; is says that it is of that command.
func codexCallOf(payload fields, command string) (call codexCall, is bool, err error) {
	if payload.hint("name") != "exec_command" {
		return call, false, nil
	}
	f, err := readPayload([]byte(payload.hint("arguments")))
	if err != nil {
		return call, false, err
	}
	f.path = "arguments"
	is = f.word("cmd") == command
	call = codexCall{tty: f.flag("tty"), shell: f.optional("shell"),
		escalated: f.optional("sandbox_permissions") == "require_escalated", workdir: f.optional("workdir"),
		wider: f.maybe("additional_permissions") != nil}
	var seen nod.Call
	lookFurther(&seen, f, lookUp("codex", "exec_command"))
	call.further = seen.Rewritten
	return call, is, *f.err
}

// codexShell reports whether nod reads the shell that the model names, and the shell is the
// system's own. 0.169.0 picks among those by the base name; sources of other versions take
// a file of that very name if it exists (get_shell_by_model_provided_path).
func codexShell(name, dir string) bool {
	dirs, base := path.Split(name)
	switch dirs {
	case "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/":
	case "":
		_, err := os.Lstat(view.Native(dir + "/" + name))
		if name != "" && (dir == "" || !errors.Is(err, fs.ErrNotExist)) {
			return false
		}
	default:
		return false
	}
	return base == "" || base == "bash" || base == "zsh" || base == "sh"
}
