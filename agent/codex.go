package agent

import (
	"strings"

	"github.com/nodgate/nod"
)

// codexItems looks at what an agent is told in pieces: a piece that is not text names a file, which the host reads.
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
	if e.Kind == Prompt && e.Call.Tool == "bash" { // tell a request for the network from one to run the command
		if target, found := strings.CutPrefix(in.optional("description"), "network-access "); found {
			e.Call.Tool, e.Call.Command, e.Call.URL = "network_access", "", target
		}
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

// codexPatch recognises `apply_patch <<'EOF'`, which Codex does not hand to a
// shell but applies itself. It takes only the form that has a single reading.
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
	if _, ok := readPatch(text); ok {
		patched(call, text)
		call.Tool, call.Command = "apply_patch", ""
	}
}

// codexMayRewrite: measured on 0.169.0. Codex holds its own rules to the line that it is handed, and asks a person
// about that line: so it is handed none where a rule of theirs speaks of the command, or a prompt follows.
func codexMayRewrite(e Event) bool {
	return rewritable(e, "Bash") && e.Mode == "bypassPermissions" && !codexAsks(&e, e.Project)
}
