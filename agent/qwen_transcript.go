package agent

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/transcript"
)

// qwenTranscript returns what reads a session file of Qwen Code (0.24.4): JSON
// lines {type, provenance, message{role, parts}}. A sub-agent's hook is shown
// the file of its root. The call with the id that is being decided is left
// out.
//
// A text is a person's only where the host says so (provenance "real_user",
// and no subtype but that of a message that came while the agent worked) and
// it is one text that nothing marks as the host's own.
func qwenTranscript(name, call string) func(context.Context) iter.Seq2[transcript.Turn, error] {
	return lineTranscript(name, "Qwen Code", qwenResults(), qwenLine(call))
}

func qwenResults() []string { return []string{`"tool_result",`} }

// qwenLine reads one line.
func qwenLine(call string) turnsOf {
	return func(line object) ([]transcript.Turn, bool, error) {
		turns, err := qwenTurns(line, call)
		return turns, len(turns) > 0, err
	}
}

func qwenTurns(line object, call string) (turns []transcript.Turn, err error) {
	f := fieldsOf(line, &err)
	kind := f.word("type")
	switch kind {
	case "user", "assistant", "tool_result":
	case "system":
		return nil, err
	default: // nobody knows who speaks in it
		return []transcript.Turn{{Origin: transcript.Other, Text: "a line of type " + kind}}, err
	}
	message, _ := f.child("message")
	if err != nil || message.maybe("parts") == nil {
		return nil, err
	}
	parts := message.list("parts")
	texts, results := partTexts(parts)
	turns = results
	origin := transcript.Agent
	if kind != "assistant" {
		origin = qwenSpeaker(f, kind, texts)
	}
	if text := strings.Join(texts, "\n"); text != "" {
		turns = append(turns, transcript.Turn{Origin: origin, Text: text})
	}
	turns = append(turns, qwenCalls(parts, call)...)
	at, _ := time.Parse(time.RFC3339, line.hint("timestamp"))
	for i := range turns {
		turns[i].Time = at
	}
	return turns, err
}

// qwenCalls are the calls of a message, but for the one with that id.
func qwenCalls(parts []fields, call string) (turns []transcript.Turn) {
	for _, part := range parts {
		made, given := part.maybeChild("functionCall")
		if given == nil {
			continue
		}
		if id := made.optional("id"); id == "" || id != call {
			turns = append(turns, calledTurn(made))
		}
	}
	return turns
}

// qwenSpeaker says who speaks in a line that is not the assistant's.
func qwenSpeaker(f fields, kind string, texts []string) transcript.Origin {
	subtype := f.optional("subtype")
	switch {
	case kind == "tool_result":
		return transcript.Tool
	case slices.Contains(qwenHosts(), f.optional("provenance")), subtype != "" &&
		subtype != "mid_turn_user_message", f.maybe("backgroundTurn") != nil:
		return transcript.Harness
	case f.optional("provenance") != "real_user":
		return transcript.Other
	case f.optional("agentId") != "":
		return transcript.OtherAgent
	}
	return speaker(texts)
}

// qwenHosts are what Qwen Code says of texts that it wrote itself.
func qwenHosts() []string {
	return []string{"system", "goal_runtime", "assistant_output", "tool_result"}
}
