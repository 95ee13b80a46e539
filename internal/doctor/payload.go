package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/hosts"
)

// callID is the host's id of the calls that are asked about.
const callID = "nod-doctor"

// payload returns what the host would send about a shell command at an event,
// and writes the transcript that goes with it beside dir. It is the first of the
// agent's row that its adapter reads as that command at that event; ok is false
// where the adapter reads none so.
func payload(a agent.Adapter, event string, environ []string,
	dir, session, command, mode string) (text []byte, ok bool) {
	transcript := filepath.Join(filepath.Dir(dir), "transcript.jsonl")
	if os.WriteFile(transcript, rollout(command), 0o600) != nil {
		return nil, false
	}
	named := strings.NewReplacer(
		`"$EVENT"`, quoted(event), `"$SESSION"`, quoted(session), `"$CALL"`, quoted(callID), `"$DIR"`, quoted(dir),
		`"$COMMAND"`, quoted(command), `"$MODE"`, quoted(mode), `"$TRANSCRIPT"`, quoted(transcript))
	for _, shape := range hosts.ByName(a.Name()).Payloads {
		text := []byte(named.Replace(shape))
		e, err := a.Decode(text, environ)
		if err == nil && (e.Kind == agent.Decide || e.Kind == agent.Prompt) && e.Name == event &&
			e.Call.Command == command {
			return text, true
		}
	}
	return nil, false
}

// quoted is a text as a string of JSON; what cannot be one is null, which no
// adapter takes.
func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		return "null"
	}
	return string(data)
}

// rollout is a transcript in which Codex has written the call: without it the
// adapter does not know that nobody can type into the command. Where a call is
// settled no other adapter reads its transcript.
func rollout(command string) []byte {
	args, err := json.Marshal(fields{"cmd": command})
	if err != nil {
		return nil
	}
	line, err := json.Marshal(fields{"timestamp": "2026-01-01T00:00:00.000Z", "type": "response_item",
		"payload": fields{
			"type": "function_call", "name": "exec_command", "arguments": string(args), "call_id": callID}})
	if err != nil {
		return nil
	}
	return append(line, '\n')
}

type fields = map[string]any
