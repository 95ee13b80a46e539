package transcript

import (
	"context"
	"iter"
	"slices"
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
