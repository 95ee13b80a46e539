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
)

// rolloutLimit bounds how far back a call is looked for.
const rolloutLimit = 512 << 10

// codexComplete reads from the rollout what Codex does not tell its hooks:
// whether its sandbox confines the turn's commands, and of a command whether the
// agent can type into it later, by which shell it is read, and whether it asks
// to leave the sandbox.
//
// A PermissionRequest has no id, so there every recent call of that command that has
// no result yet must have the same answer.
func codexComplete(e *Event, rollout, command string) {
	turn := codexTurnOf(rollout)
	reserved := e.Reserved
	e.Reserved = reserved && codexAsks(e, turn.dir)
	if e.Call.MCP != nil {
		e.Contained = e.Kind == Decide && turn.asks && e.Mode != "bypassPermissions"
		return
	}
	calls := codexCalls(rollout, e.Call.ID, command)
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
		if !codexShell(c.shell, place) {
			e.Call.Dialect = nod.PowerShell // no shell that nod reads
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

// codexTurn is what the record of a turn says of Codex's sandbox and prompts.
type codexTurn struct {
	confines bool   // commands run in the sandbox
	asks     bool   // a person is asked about what leaves it
	dir      string // where its commands start; "" where the record does not say so
}

// codexTurnOf reads the record of the last turn, the zero value where there is
// none within reach, or one that says anything else than is known here.
func codexTurnOf(rollout string) codexTurn {
	lines, err := openBackwards(rollout, rolloutLimit)
	if err != nil {
		return codexTurn{}
	}
	defer lines.file.Close()
	for {
		line, torn, err := lines.next()
		if err != nil {
			return codexTurn{}
		}
		if torn || !bytes.Contains(line, []byte(`"turn_context"`)) {
			continue
		}
		if turn, is := codexTurnIn(line); is {
			return turn
		}
	}
}

func codexTurnIn(line []byte) (turn codexTurn, is bool) {
	top, err := readLoosely(line)
	if err != nil {
		return turn, false
	}
	f := fieldsOf(top, &err)
	if f.optional("type") != "turn_context" {
		return turn, false
	}
	payload, raw := f.maybeChild("payload")
	if raw == nil {
		return turn, true
	}
	switch policy, given := payload.maybeChild("sandbox_policy"); {
	case given == nil:
	case policy.optional("type") == "workspace-write", policy.optional("type") == "read-only":
		turn.confines = true
	}
	if profile, given := payload.maybeChild("permission_profile"); given != nil {
		files, restricted := profile.maybeChild("file_system")
		turn.confines = turn.confines && profile.optional("type") == "managed" && restricted != nil &&
			files.optional("type") == "restricted"
	}
	turn.asks = payload.optional("approval_policy") == "on-request"
	if turn.dir = payload.optional("cwd"); !path.IsAbs(turn.dir) {
		turn.dir = ""
	}
	if err != nil {
		return codexTurn{}, true
	}
	return turn, true
}

// codexCall is what a command was started with.
type codexCall struct {
	id             string
	tty, escalated bool
	wider          bool   // it asks for more than the turn's sandbox gives
	workdir        string // "" for the turn's directory
	shell          string // "" for the user's own
	further        string // why an argument may say that it runs elsewhere
}

// codexCalls returns the recent calls with that id, or, without an id, those of
// that command without a result; nil where one of them cannot be read.
func codexCalls(rollout, id, command string) (calls []codexCall) {
	lines, err := openBackwards(rollout, rolloutLimit)
	if err != nil {
		return nil
	}
	defer lines.file.Close()
	done := map[string]bool{}
	for {
		line, torn, err := lines.next()
		if err != nil { // the start, or the limit
			return calls
		}
		if id == "" && bytes.Contains(line, []byte(`"function_call_output"`)) {
			done[codexDone(line)] = true
		}
		if !bytes.Contains(line, []byte(`"function_call"`)) {
			continue
		}
		call, is, err := codexCallOf(line, id, command)
		switch {
		case err != nil && torn:
		case err != nil:
			return nil
		case is && call.id != "" && done[call.id]:
		case is:
			if calls = append(calls, call); id != "" {
				return calls
			}
		}
	}
}

// codexDone is the call whose result a line records, "" where it cannot be read.
func codexDone(line []byte) string {
	top, err := readLoosely(line)
	if err != nil {
		return ""
	}
	payload, raw := fieldsOf(top, &err).maybeChild("payload")
	if raw == nil || payload.optional("type") != "function_call_output" {
		return ""
	}
	return payload.optional("call_id")
}

// codexCallOf reads one line; is says that it is the call in question.
func codexCallOf(line []byte, id, command string) (call codexCall, is bool, err error) {
	top, err := readLoosely(line)
	if err != nil {
		return call, false, err
	}
	payload, raw := fieldsOf(top, &err).maybeChild("payload")
	if raw == nil || payload.optional("type") != "function_call" || id != "" && payload.optional("call_id") != id {
		return call, false, err
	}
	if payload.optional("name") != "exec_command" {
		if id != "" {
			err = errors.New("the call is of another tool")
		}
		return call, false, err
	}
	args, err := readPayload([]byte(payload.optional("arguments")))
	if err != nil {
		return call, false, err
	}
	args.path = "arguments"
	f := fieldsOf(args, &err)
	is = f.word("cmd") == command
	call = codexCall{id: payload.optional("call_id"), tty: f.flag("tty"), shell: f.optional("shell"),
		escalated: f.optional("sandbox_permissions") == "require_escalated", workdir: f.optional("workdir"),
		wider: f.maybe("additional_permissions") != nil}
	var seen nod.Call
	lookFurther(&seen, f, codexExec(), codexRun())
	call.further = seen.Rewritten
	if id != "" && !is && err == nil {
		err = errors.New("the call is of another command")
	}
	return call, is, err
}

// codexRun is the tool by which the model has a command run; hooks name it Bash.
func codexRun() builtin { return builtin{"exec_command", "bash", command} }

// codexExec is how exec_command calls its arguments (0.169.0; a test holds it to what the
// program offers). environment_id, which names a machine, is not among them.
func codexExec() spelling {
	return spelling{command: "cmd", workdir: "workdir", beside: map[string][]string{codexRun().raw: {
		"additional_permissions", "justification", "login", "max_output_tokens", "prefix_rule", "sandbox_permissions",
		"shell", "tty", "yield_time_ms"}}}
}

// codexShell reports whether a shell that the model names is one that nod reads, and the
// system's own. 0.169.0 picks among those by the base name; sources of other versions take
// a file of that very name where there is one (get_shell_by_model_provided_path).
func codexShell(name, dir string) bool {
	dirs, base := path.Split(name)
	switch dirs {
	case "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/":
	case "":
		if _, err := os.Lstat(dir + "/" + name); name != "" && (dir == "" || !errors.Is(err, fs.ErrNotExist)) {
			return false
		}
	default:
		return false
	}
	return base == "" || base == "bash" || base == "zsh" || base == "sh"
}
