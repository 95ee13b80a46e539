package llm

import (
	"context"
	"errors"
	"fmt"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
)

// Chain asks the first model, and the next ones in turn where one is not to be
// had: no key, unreachable, overloaded, rate limited, failing, not known, too
// slow. A model that answers badly (a refusal, a malformed answer) is not
// passed over: another one might be found that says yes. The failures of all
// are in the message of the last. It is safe for concurrent use if the models
// are. Without models every question fails.
type Chain []nod.Model

var _ nod.Model = Chain(nil)

// Classify implements [nod.Model].
func (c Chain) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	var before error
	for _, m := range c {
		answer, err := m.Classify(ctx, p)
		if err == nil {
			if before != nil {
				answer.Notices = append(answer.Notices,
					printable.Line("another model answered: "+before.Error(), causeLimit))
			}
			return answer, nil
		}
		if f := fault.Of(err); !unavailable(f.Kind) || ctx.Err() != nil {
			return answer, err
		}
		before = errors.Join(before, err)
	}
	if before == nil {
		return nod.Classification{}, &fault.Error{Kind: fault.NoModel, Message: "no model is configured"}
	}
	last := fault.Of(before)
	return nod.Classification{}, &fault.Error{Kind: last.Kind,
		Message: fmt.Sprintf("none of %d models could be asked; the first: %s", len(c), last.Message),
		Cause:   &shown{brief(before.Error()), before}}
}

// unavailable reports whether a kind says that there was no model, rather
// than a bad answer.
func unavailable(k fault.Kind) bool {
	switch k {
	case fault.NoKey, fault.Unauthorized, fault.NotFound, fault.RateLimited, fault.Overloaded, fault.ServerError,
		fault.Unreachable, fault.TimedOut:
		return true
	}
	return false
}
