package agent

import (
	"bytes"
	"errors"

	"github.com/nodgate/nod"
)

// rolloutLimit bounds how far back a call is looked for.
const rolloutLimit = 512 << 10

// codexComplete reads from the rollout what Codex does not tell its hooks of
// a command: whether the agent can type into it later, by which shell it is
// read, and whether it asks to leave the sandbox.
//
// A PermissionRequest has no id, so there every recent call of that command
// must have the same answer.
func codexComplete(e *Event, rollout string) {
	calls := codexCalls(rollout, e.Call.ID, e.Call.Command)
	if len(calls) == 0 {
		return
	}
	typed, escalated := false, true
	for _, c := range calls {
		typed = typed || c.tty
		escalated = escalated && c.escalated
		if c.shell != "" && c.shell != "bash" && c.shell != "zsh" && c.shell != "sh" {
			e.Call.Dialect = nod.PowerShell // no shell that nod reads
		}
	}
	e.Call.StdinUnseen = typed
	if e.Kind == Decide && escalated && e.Mode != "bypassPermissions" && e.Mode != "" {
		e.PromptFollows = true
	}
}

// codexCall is what a command was started with.
type codexCall struct {
	tty, escalated bool
	shell          string // base name; "" for the user's own
}

// codexCalls returns the recent calls with that id, or, without an id, of
// that command; nil where one of them cannot be read.
func codexCalls(rollout, id, command string) (calls []codexCall) {
	lines, err := openBackwards(rollout, rolloutLimit)
	if err != nil {
		return nil
	}
	defer lines.close()
	for {
		line, torn, err := lines.next()
		if err != nil { // the start, or the limit
			return calls
		}
		if !bytes.Contains(line, []byte(`"function_call"`)) {
			continue
		}
		call, is, err := codexCallOf(line, id, command)
		switch {
		case err != nil && torn:
		case err != nil:
			return nil
		case is:
			if calls = append(calls, call); id != "" {
				return calls
			}
		}
	}
}

// codexCallOf reads one line; is says that it is the call in question.
func codexCallOf(line []byte, id, command string) (call codexCall, is bool, err error) {
	top, err := readObject(line, scanner{depth: 512, halve: true})
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
	args, err := readObject([]byte(payload.optional("arguments")), scanner{depth: 512})
	if err != nil {
		return call, false, err
	}
	f := fieldsOf(args, &err)
	is = f.word("cmd") == command
	call = codexCall{tty: f.flag("tty"), shell: baseName(f.optional("shell")), escalated: f.optional("sandbox_permissions") == "require_escalated"}
	if id != "" && !is && err == nil {
		err = errors.New("the call is of another command")
	}
	return call, is, err
}

// baseName is the last part of a path.
func baseName(name string) string {
	return name[bytes.LastIndexByte([]byte(name), '/')+1:]
}
