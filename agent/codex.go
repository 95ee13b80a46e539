package agent

import (
	"strings"

	"github.com/nodgate/nod"
)

// Codex is the adapter for OpenAI's Codex CLI. What it states was measured on version 0.169.0,
// in `codex exec` and through its app-server, against a scripted model.
//
// # Two seats
//
// PreToolUse comes before every call and can only veto; PermissionRequest comes when Codex is
// about to ask a person, and can grant as well:
//
//	                        allow    ask       deny
//	PreToolUse              -        deny (1)  deny
//	PermissionRequest       allow    -         deny
//
// "-" is silence. An allow is silence where a rule of the person's has Codex ask, or may
// ([Event.Reserved]). (1) silence where the rollout says that the call asks to leave the
// sandbox, since PermissionRequest then follows, and, for what is open, where Codex runs
// commands in its sandbox or asks about the tools of MCP servers ([Event.Contained]). In mode
// "bypassPermissions" (always under `codex exec`) PermissionRequest never comes.
//
// # What the host does with an answer
//
//	PreToolUse: deny with a reason      blocked; the model reads the reason
//	allow with updatedInput.command     that runs in the place of the command
//	deny without a reason, an unknown key, "allow", "ask", exit 1, killed,
//	time-out, cut-off JSON, plain text, exit 2 without text   the command RUNS
//	exit 2, text on stderr              blocked in both seats; the model reads it
//	PermissionRequest: anything else    the person is asked
//
// There is no switch that makes a failing hook block, so nod is registered behind a line of
// shell that turns every failure into exit 2 with a reason.
//
// # What no hook is shown
//
//   - write_stdin: text typed into a program that was started with tty.
//   - web_search, which the vendor's servers run.
//   - the arguments tty, shell, workdir and sandbox_permissions of a command. They stand in the
//     rollout, where [Event.Complete] reads them. shell picks among the system's own shells.
//
// PermissionRequest also asks whether a command may reach a host. The payload then is the
// command's, told apart by its description: such a request is no shell command here. The
// workspace is where Codex started the hook: cwd follows the directory that the model names.
type Codex struct{ profiled[codex] }

type codex struct{}

func (codex) profile() profile {
	return profile{agent: "codex", own: claudeMCPOnly, special: codexItems, quirk: codexQuirk,
		mayRewrite: Codex{}.MayRewrite}
}

// codexItems looks at what an agent is told in pieces: a piece that is no text names a
// file, which the host reads.
func codexItems(call *nod.Call, _ string, in fields) {
	if in.maybe("items") == nil {
		return
	}
	for _, item := range in.list("items") {
		if item.optional("type") != "text" || len(item.members) > 2 {
			call.Unread = "an item that is no plain text may name a file, which Codex reads by itself; give a message"
		}
	}
}

func codexQuirk(e *Event, in, f fields) {
	child := f.optional("agent_id") != ""
	e.Call.StdinUnseen = true
	name := f.nullable("transcript_path")
	if name != "" {
		codexRecord(e.Call.ID, child).of(&e.Call, name)
	}
	command := ""
	if e.Call.RawTool == "Bash" {
		command = in.hint("command")
	}
	if e.Kind == Prompt && e.Call.Tool == "bash" {
		codexNetwork(&e.Call, in)
	}
	codexPatch(&e.Call)
	read := command != "" || e.Call.MCP != nil
	e.Reserved = read && e.Kind == Prompt && e.Call.Tool != "apply_patch"
	e.Complete = func(e *Event) {
		e.Theirs = e.Kind == Decide && attended("codex")
		if read {
			codexComplete(e, name, command)
		}
	}
}

// codexNetwork tells a request for the network from one to run the command.
func codexNetwork(call *nod.Call, in fields) {
	target, found := strings.CutPrefix(in.optional("description"), "network-access ")
	if found {
		call.Tool, call.Command, call.URL = "network_access", "", target
	}
}

// codexPatch recognises `apply_patch <<'EOF'`, which Codex does not hand to a
// shell but applies itself, in the one form that can be read in one way only.
func codexPatch(call *nod.Call) {
	if call.Tool != "bash" {
		return
	}
	first, body, _ := strings.Cut(call.Command, "\n")
	word, found := strings.CutPrefix(first, "apply_patch <<'")
	word, closed := strings.CutSuffix(word, "'")
	if !found || !closed || word == "" || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return
	}
	text, found := strings.CutSuffix(strings.TrimSuffix(body, "\n"), "\n"+word)
	if !found || strings.HasSuffix(text, "\n") || strings.Contains("\n"+text+"\n", "\n"+word+"\n") {
		return
	}
	if edits, ok := readPatch(text); ok {
		patched(call, text)
		call.Tool, call.Command, call.Edits = "apply_patch", "", edits
	}
}

// MayRewrite implements [Rewriter]: measured on 0.169.0. Codex holds its own rules to the
// line that it is handed, and asks a person about that line: so it is handed none where a
// rule of theirs speaks of the command, or a prompt follows.
func (Codex) MayRewrite(e Event) bool {
	return rewritable(e, "Bash") && e.Mode == "bypassPermissions" && !codexAsks(&e, e.Project)
}
