package agent

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/transcript"
)

// decodeSaid reads the conversation, if the payload has one.
func (s shim) decodeSaid(call *nod.Call, f fields) {
	if f.maybe("said") == nil {
		return
	}
	var turns []transcript.Turn
	for _, one := range f.list("said") {
		turns = append(turns, saidTurn(one))
	}
	call.Transcript = saidTranscript(turns, f.flag("cut"))
	if first := f.optional("first"); first != "" {
		call.Opening = func(context.Context) (transcript.Turn, bool) {
			return transcript.Turn{Origin: transcript.Person, Text: first}, true
		}
	}
}

// saidTurn reads one turn. A call's arguments are JSON in a string, shortened
// where they are long.
func saidTurn(f fields) transcript.Turn {
	text := f.text("text")
	switch by, tool := f.word("by"), f.optional("tool"); {
	case by == "agent" && tool != "":
		input := json.RawMessage(text)
		if !json.Valid(input) {
			input = json.RawMessage(quoted(text))
		}
		return transcript.Turn{Origin: transcript.Agent, Tool: tool, Input: input}
	case by == "agent":
		return transcript.Turn{Origin: transcript.Agent, Text: text}
	case by == "person" && tool == "":
		return transcript.Turn{Origin: transcript.Person, Text: text}
	}
	return transcript.Turn{Origin: transcript.Other, Text: text}
}

// saidTranscript yields what the lines in opencode or Pi heard while they ran.
//
// A person's words are those that the host hands over as typed, before it puts
// something else in their place. The host's own record (opencode's database,
// Pi's session file) is not read: the text of a command, a template or a skill,
// which a repository may bring, stands there like what was typed. So what was
// said before the agent was started is not shown. Where that is all there is,
// there is no transcript to read, as before.
func saidTranscript(turns []transcript.Turn, cut bool) func(context.Context) iter.Seq2[transcript.Turn, error] {
	return func(context.Context) iter.Seq2[transcript.Turn, error] {
		return func(yield func(transcript.Turn, error) bool) {
			for _, turn := range slices.Backward(turns) {
				if !yield(turn, nil) {
					return
				}
			}
			if cut && len(turns) > 0 {
				yield(transcript.Turn{}, transcript.ErrEarlier)
			}
		}
	}
}
