package agent

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"path"
	"strings"
	"time"

	"github.com/nodgate/nod/transcript"
)

// copilotTranscript returns what reads the events of a session of Copilot CLI
// (1.0.102): JSON lines {type, data, timestamp} below the home directory, which
// no payload names. A sub-agent's events stand among its root's and carry the
// sub-agent's id.
func copilotTranscript(environ []string, session string) func(context.Context) iter.Seq2[transcript.Turn, error] {
	return func(ctx context.Context) iter.Seq2[transcript.Turn, error] {
		name := copilotEvents(environ, session)
		if name == "" {
			return func(yield func(transcript.Turn, error) bool) {
				yield(transcript.Turn{}, errors.New("nobody can say where the session's events are"))
			}
		}
		return lineTranscript(name, "Copilot", copilotResults(), copilotTurns)(ctx)
	}
}

func copilotResults() []string { return []string{`"tool.execution_complete",`} }

// copilotEvents is the session's file, "" where nobody can say.
func copilotEvents(environ []string, session string) string {
	home := variable(environ, "HOME")
	if !path.IsAbs(home) || session == "" || strings.Trim(session, "0123456789abcdefABCDEF-") != "" {
		return ""
	}
	return path.Join(home, ".copilot", "session-state", session, "events.jsonl")
}

func copilotTurns(line object) (turns []transcript.Turn, message bool, err error) {
	f := fieldsOf(line, &err)
	kind := f.word("type")
	switch kind {
	case "user.message", "assistant.message", "tool.execution_start", "tool.execution_complete":
	default:
		return nil, false, err
	}
	data, _ := f.child("data")
	turn := copilotTurn(kind, data)
	if err != nil {
		return nil, false, err
	}
	if f.optional("agentId") != "" && turn.Origin == transcript.Person {
		turn.Origin = transcript.OtherAgent
	}
	turn.Time, _ = time.Parse(time.RFC3339, line.hint("timestamp"))
	if turn.Text == "" && turn.Tool == "" {
		return nil, true, err
	}
	return []transcript.Turn{turn}, true, err
}

// copilotTurn reads one event. content is what was typed; what the host adds
// to it stands in transformedContent, which is not read. A message with a
// source (a skill, another session) was not typed.
func copilotTurn(kind string, data fields) transcript.Turn {
	switch kind {
	case "user.message":
		turn := transcript.Turn{Origin: transcript.Person, Text: data.text("content")}
		if data.maybe("source") != nil {
			turn.Origin = transcript.Harness
		}
		return turn
	case "assistant.message":
		return transcript.Turn{Origin: transcript.Agent, Text: data.optional("content")}
	case "tool.execution_start":
		turn := transcript.Turn{Origin: transcript.Agent, Tool: data.word("toolName")}
		if m := data.maybe("arguments"); m != nil {
			turn.Input = bytes.Clone(m.value)
		}
		return turn
	}
	turn := transcript.Turn{Origin: transcript.Tool}
	if result, given := data.maybeChild("result"); given != nil {
		turn.Text = result.beginning(result.maybe("content"))
	}
	return turn
}
