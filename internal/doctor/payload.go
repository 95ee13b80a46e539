package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/nodgate/nod/agent"
)

// callID is the host's id of the calls that are asked about.
const callID = "nod-doctor"

// payload returns what the host would send about a shell command at an event,
// and writes the transcript that goes with it beside dir. The host's own shape
// is the one of those in use that its adapter reads as that command at that
// event; ok is false where it reads none of them so.
func payload(a agent.Adapter, event string, environ []string, dir, session, command, mode string) (text []byte, ok bool) {
	transcript := filepath.Join(filepath.Dir(dir), "transcript.jsonl")
	if os.WriteFile(transcript, rollout(command), 0o600) != nil {
		return nil, false
	}
	for _, shape := range shapes(event, dir, session, command, transcript, mode) {
		text, err := json.Marshal(shape)
		if err != nil {
			continue
		}
		e, err := a.Decode(text, environ)
		if err == nil && (e.Kind == agent.Decide || e.Kind == agent.Prompt) && e.Name == event && e.Call.Command == command {
			return text, true
		}
	}
	return nil, false
}

// rollout is a transcript in which Codex has written the call: without it the
// adapter does not know that nobody can type into the command. Where a call is
// settled no other adapter reads its transcript.
func rollout(command string) []byte {
	args, err := json.Marshal(fields{"cmd": command})
	if err != nil {
		return nil
	}
	line, err := json.Marshal(fields{"timestamp": "2026-01-01T00:00:00.000Z", "type": "response_item", "payload": fields{
		"type": "function_call", "name": "exec_command", "arguments": string(args), "call_id": callID}})
	if err != nil {
		return nil
	}
	return append(line, '\n')
}

type fields = map[string]any

// shapes lists the payloads of the hosts that are known: that of Claude Code
// and its kin under each name of the shell tool, Copilot's two, Cursor's,
// that of nod's own code in agents that load it, Crush's,
// OpenHands', Windsurf's, Antigravity's.
func shapes(event, dir, session, command, transcript, mode string) (all []fields) {
	args := fields{"command": command, "description": "nod doctor tries its hook"}
	for _, tool := range []string{"Bash", "run_shell_command", "Shell", "Execute", "exec_command", "shell", "bash"} {
		nested := fields{"session_id": session, "transcript_path": transcript, "cwd": dir, "permission_mode": mode,
			"hook_event_name": event, "tool_name": tool, "tool_input": args}
		called := fields{"tool_use_id": callID, "turn_id": "nod-doctor", "timestamp": "2026-01-01T00:00:00.000Z"}
		for k, v := range nested {
			called[k] = v
		}
		bare := fields{}
		for k, v := range called {
			if k != "transcript_path" {
				bare[k] = v
			}
		}
		all = append(all, called, bare, nested) // the extra members are ids that some events lack
	}
	return append(all,
		fields{"sessionId": session, "timestamp": 1767225600000, "cwd": dir, "toolName": "bash", "toolArgs": args},
		fields{"hookName": event, "sessionId": session, "timestamp": 1767225600000, "cwd": dir, "toolName": "bash", "toolInput": args, "permissionSuggestions": []any{}},
		fields{"conversation_id": session, "generation_id": "nod-doctor", "hook_event_name": event, "command": command, "cwd": dir, "workspace_roots": []string{dir}},
		fields{"conversation_id": session, "generation_id": "nod-doctor", "hook_event_name": event, "tool_name": "Shell", "tool_input": args, "tool_use_id": callID, "cwd": dir, "workspace_roots": []string{dir}},
		fields{"hook": event, "session": session, "call": callID, "directory": dir, "tool": "bash", "args": fields{"command": command}},
		fields{"event": event, "session_id": session, "cwd": dir, "tool_name": "bash", "tool_input": args},
		fields{"event_type": event, "session_id": session, "working_dir": dir, "tool_name": "terminal", "tool_input": fields{"command": command}},
		fields{"agent_action_name": event, "trajectory_id": session, "execution_id": "nod-doctor", "timestamp": "2026-01-01T00:00:00.000Z", "tool_info": fields{"command_line": command, "cwd": dir}},
		fields{"toolCall": fields{"name": "run_command", "args": fields{"CommandLine": command, "Cwd": dir}}, "conversationId": session, "stepIdx": 1, "workspacePaths": []string{dir}},
	)
}
