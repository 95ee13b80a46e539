package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
)

const (
	// quickShare is the part of the time left that a quick question may take:
	// 10 s of the 30 that two stages have by default.
	quickShare = 3
	// retryShare is the part of the time left that a pause before the second
	// try may take. What a vendor wants beyond that ends in its own failure.
	retryShare = 2
	// pause is how long a second try waits where the vendor names no time.
	pause = 250 * time.Millisecond
)

// quickSuffix ends the name of a quick question's dump.
const quickSuffix = "-quick"

// Classify implements [nod.Model]. It puts one question, or two: a quick one first where the prompt has it,
// and the careful one unless that was answered with "do not block".
func (c *client) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if p.Quick == "" {
		answer, _, err := c.stage(ctx, question{p, p.Careful}, "")
		return answer, err
	}
	// The quick question has a part of the time, and is put once. A fault counts as "block": the careful one follows.
	quickly, stop := context.WithTimeout(ctx, left(ctx, c.Timeout)/quickShare)
	quick, x, err := c.stage(quickly, question{p, p.Quick}, quickSuffix)
	stop()
	if err == nil && !quick.ShouldBlock {
		quick.Quick, quick.QuickSaid = true, "pass"
		return quick, nil
	}
	if ctx.Err() != nil {
		return nod.Classification{}, c.network(ctx, ctx.Err())
	}
	if x.same(ctx, err) {
		return quick, err
	}
	failed := err
	careful, _, err := c.stage(ctx, question{p, p.Careful}, "")
	if err != nil {
		return nod.Classification{}, err
	}
	// A quick question that failed counts as a block: a vendor that refuses to judge a call has warned of it.
	careful.Cleared, careful.QuickSaid = !careful.ShouldBlock, "block"
	if failed != nil {
		careful.QuickSaid = "failed"
		careful.Notices = append(careful.Notices,
			printable.Line("the quick question failed, and the careful one was answered: "+failed.Error(), causeLimit))
	}
	careful.Usage = nod.Usage{In: quick.Usage.In + careful.Usage.In, Out: quick.Usage.Out + careful.Usage.Out,
		Cached: quick.Usage.Cached + careful.Usage.Cached}
	careful.Cost += quick.Cost
	return careful, nil
}

// same reports whether the careful question would meet the same fault.
func (x *exchange) same(ctx context.Context, err error) bool {
	f := fault.Of(err)
	last := []fault.Kind{fault.NoKey, fault.Unauthorized, fault.NotFound, fault.BadRequest, fault.TooLarge}
	return f != nil && (slices.Contains(last, f.Kind) || (f.Kind == fault.RateLimited || f.Kind == fault.Overloaded) &&
		retryAfter(x.responseHeader) > left(ctx, x.client.Timeout)/retryShare)
}

// left is the time until ctx's deadline, at most most.
func left(ctx context.Context, most time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(most, time.Until(deadline))
	}
	return most
}

// stage puts one question, again where the fault passes, and dumps it. The exchange is the last one.
func (c *client) stage(ctx context.Context, q question, suffix string) (nod.Classification, *exchange, error) {
	answer, x, err := c.try(ctx, q)
	if again, wait := x.passing(ctx, err); again && suffix != quickSuffix {
		select {
		case <-ctx.Done():
		case <-time.After(wait):
			answer, x, err = c.try(ctx, q)
		}
	}
	if c.DumpDir != "" {
		if dumpErr := x.dump(q.Prompt, answer, err, suffix); dumpErr != nil && c.Notice != nil {
			c.Notice("the classifier's dump was not written: " + printable.Line(dumpErr.Error(), causeLimit))
		}
	}
	return answer, x, err
}

// try is one request.
func (c *client) try(ctx context.Context, q question) (nod.Classification, *exchange, error) {
	x := &exchange{client: c, started: time.Now()}
	r, err := x.ask(ctx, q)
	if err != nil {
		return nod.Classification{}, x, err
	}
	in, err := decodeInput(r.input)
	if err != nil {
		return nod.Classification{}, x,
			c.malformed("the input of "+nod.AnswerTool().Name+" is not of the expected shape", err.Error())
	}
	return nod.Classification{
		Digest: q.Digest, ShouldBlock: in.shouldBlock, Reason: in.reason, Thinking: in.thinking,
		Model: printable.Line(cmp.Or(r.model, c.Model), 100), Usage: r.usage, Cost: cost(c.Prices, c.Model, r),
	}, x, nil
}

// passing reports whether a second try makes sense, and after what pause.
func (x *exchange) passing(ctx context.Context, err error) (again bool, wait time.Duration) {
	f, passes := fault.Of(err), []fault.Kind{fault.RateLimited, fault.Overloaded, fault.ServerError, fault.Unreachable}
	if f == nil || !slices.Contains(passes, f.Kind) || isCertificate(f) {
		return false, 0
	}
	wait = retryAfter(x.responseHeader)
	return wait <= left(ctx, x.client.Timeout)/retryShare, wait
}

// retryAfter is how long a vendor wants to be left alone: seconds, a date, or milliseconds.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseInt(h.Get("Retry-After-Ms"), 10, 32); err == nil && ms >= 0 {
		return time.Duration(ms) * time.Millisecond
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseInt(text, 10, 32); err == nil && s >= 0 {
		return time.Duration(s) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return pause + rand.N(pause) // so that many that failed at once do not return at once
}

// Chain asks the first model, and the next models in turn where a model is not to be had: no key, unreachable,
// overloaded, rate limited, failing, not known, too slow. A model that answers badly (a refusal, a malformed answer)
// is not passed over: otherwise some model that says yes might be found. The failures of all are in the message of
// the last. It is safe for concurrent use if the models are. Without models every question fails.
type Chain []nod.Model

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

// unavailable reports whether a kind says that there was no model, rather than a bad answer.
func unavailable(k fault.Kind) bool {
	return slices.Contains([]fault.Kind{fault.NoKey, fault.Unauthorized, fault.NotFound, fault.RateLimited,
		fault.Overloaded, fault.ServerError, fault.Unreachable, fault.TimedOut}, k)
}
