// Package transcript holds the nouns of a conversation between a person and an agent: turns, who
// speaks in them, and what became of the calls in them.
//
// Adapters make turns of what a host keeps; nod reads them for the model of layer 4. The zero value
// of each type is the strictest: nobody knows who said it, and nobody knows what became of it.
package transcript

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"time"
)

// Origin says who speaks in a turn. The zero value is a stranger.
type Origin uint8

const (
	Other      Origin = iota // unknown: never read as consent
	Person                   // the person typed it
	Agent                    // the model said or called it
	Tool                     // a tool returned it
	OtherAgent               // another agent or session sent it
	Harness                  // the agent program put it there
)

// ErrEarlier is in the chain of the error that ends a transcript which does not show all turns.
var ErrEarlier = errors.New("earlier turns are not shown")

// Turn is one entry of a transcript.
type Turn struct {
	Origin Origin
	// Text is what was said. For a tool call it is empty.
	Text string
	// Tool and Input are set for a tool call.
	Tool  string
	Input json.RawMessage
	// Call is the agent's id of a tool call, also on the turn that says what
	// became of it; "" where the transcript does not say.
	Call string
	// Ended says what became of the call.
	Ended Ended
	Time  time.Time // zero where the transcript does not say
}

// Ended says what became of an earlier call. The zero value is not known.
type Ended uint8

const (
	EndedUnknown Ended = iota
	EndedFailed        // it ran and failed, or was never run
	EndedRefused       // a person said no at the host's prompt
	EndedBlocked       // nod or the host's own judge said no
)

// Of returns the turns of a conversation that is held in memory, given oldest first, in
// the form of nod.Call.Transcript.
func Of(turns ...Turn) func(context.Context) iter.Seq2[Turn, error] {
	return func(context.Context) iter.Seq2[Turn, error] {
		return func(yield func(Turn, error) bool) {
			for _, t := range slices.Backward(turns) {
				if !yield(t, nil) {
					return
				}
			}
		}
	}
}
