package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
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

// ask puts one question, or two: a quick one first where the prompt has it,
// and the careful one unless that was answered with "do not block".
func (c *client) ask(ctx context.Context, p nod.Prompt, s send) (nod.Classification, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if p.Quick == "" {
		return c.stage(ctx, question{p, p.Careful, classifyForm()}, s, "")
	}
	quick, err := c.quick(ctx, p, s)
	if err == nil && !quick.ShouldBlock {
		quick.Quick, quick.QuickSaid = true, "pass"
		return quick, nil
	}
	if ctx.Err() != nil {
		return nod.Classification{}, c.network(ctx, ctx.Err())
	}
	if c.same(ctx, err) {
		return quick, err
	}
	failed := err
	careful, err := c.stage(ctx, question{p, p.Careful, classifyForm()}, s, "")
	if err != nil {
		return nod.Classification{}, err
	}
	// A quick question that failed counts as a block: a vendor that refuses to judge a
	// call has warned of it.
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

// same reports whether the careful question would meet the same fault: a key that
// is refused, a model that is not there, a request that is too large or refused as
// it stands, a vendor that wants to be left alone for
// longer than a question may wait.
func (c *client) same(ctx context.Context, err error) bool {
	f := fault.Of(err)
	if f == nil {
		return false
	}
	switch f.Kind {
	case fault.NoKey, fault.Unauthorized, fault.NotFound, fault.BadRequest, fault.TooLarge:
		return true
	case fault.RateLimited, fault.Overloaded:
		return RetryAfter(err) > left(ctx, c.timeout)/retryShare
	}
	return false
}

// quick asks with a part of the time, and once: what follows is a second try. A fault counts as "block": the careful
// question follows either way.
func (c *client) quick(ctx context.Context, p nod.Prompt, s send) (nod.Classification, error) {
	ctx, cancel := context.WithTimeout(ctx, left(ctx, c.timeout)/quickShare)
	defer cancel()
	return c.stage(ctx, question{p, p.Quick, classifyForm()}, s, quickSuffix)
}

// left is the time until ctx's deadline, at most most.
func left(ctx context.Context, most time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(most, time.Until(deadline))
	}
	return most
}

// stage puts one question of the gate's.
func (c *client) stage(ctx context.Context, q question, s send, suffix string) (nod.Classification, error) {
	return put(ctx, c, q, s, suffix, func(r reply) (nod.Classification, error) {
		in, err := decodeInput(r.input)
		return nod.Classification{
			Digest: q.Digest, ShouldBlock: in.shouldBlock, Reason: in.reason, Thinking: in.thinking,
			Model: c.named(r), Usage: r.usage, Cost: cost(c.prices, c.model, r),
		}, err
	})
}

// named is the model as the provider names it.
func (c *client) named(r reply) string { return printable.Line(orDefault(r.model, c.model), 100) }

// put puts one question, a second time where the fault passes, and dumps what
// came of it. read takes the answer out of a reply; an error of it says that
// the reply is malformed.
func put[T any](ctx context.Context, c *client, q question, s send, suffix string,
	read func(reply) (T, error)) (T, error) {
	answer, x, err := try(ctx, c, q, s, read)
	if again, wait := x.passing(ctx, err); again && suffix != quickSuffix {
		select {
		case <-ctx.Done():
		case <-time.After(wait):
			answer, x, err = try(ctx, c, q, s, read)
		}
	}
	err = x.resting(err)
	if c.dumpDir != "" {
		if dumpErr := x.dump(q.Prompt, answer, err, suffix); dumpErr != nil && c.notice != nil {
			c.notice("the classifier's dump was not written: " + printable.Line(dumpErr.Error(), causeLimit))
		}
	}
	return answer, err
}

// try is one request.
func try[T any](ctx context.Context, c *client, q question, s send, read func(reply) (T, error)) (T, *exchange, error) {
	var none T
	x := &exchange{client: c, started: time.Now()}
	r, err := c.sent(ctx, q, s, x)
	if err != nil {
		return none, x, x.failed(ctx, err)
	}
	answer, err := read(r)
	if err != nil {
		return none, x, c.malformed("the input of "+q.form.name+" is not of the expected shape", err.Error())
	}
	return answer, x, nil
}

// sent keeps a panic in an SDK, which an odd answer can cause, to this question.
func (c *client) sent(ctx context.Context, q question, s send, x *exchange) (r reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = c.malformed("the answer broke the library that reads it", fmt.Sprint(p))
		}
	}()
	return s(ctx, q, x)
}

// passing reports whether a second try makes sense, and after what pause: the
// fault is one that passes, and the vendor's own wish leaves time enough.
func (x *exchange) passing(ctx context.Context, err error) (again bool, wait time.Duration) {
	f := fault.Of(err)
	if f == nil {
		return false, 0
	}
	switch f.Kind {
	case fault.RateLimited, fault.Overloaded, fault.ServerError:
	case fault.Unreachable:
		if isCertificate(f) {
			return false, 0
		}
	default:
		return false, 0
	}
	wait = retryAfter(x.responseHeader)
	return wait <= left(ctx, x.client.timeout)/retryShare, wait
}

// retryAfter is how long a vendor wants to be left alone: seconds or a date,
// or milliseconds in the header that both SDKs know.
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

// delayed is a cause with how long the vendor wants to be left alone.
type delayed struct {
	cause error // nil where the vendor said no more
	wait  time.Duration
}

func (d *delayed) Error() string {
	if d.cause == nil {
		return "asked to be left alone for " + d.wait.String()
	}
	return d.cause.Error()
}

// Unwrap returns the cause.
func (d *delayed) Unwrap() error { return d.cause }

// RetryAfter is how long the vendor wants to be left alone after a question
// that failed with err, 0 where it said nothing of the kind.
func RetryAfter(err error) time.Duration {
	var d *delayed
	if errors.As(err, &d) {
		return d.wait
	}
	return 0
}

// resting puts the vendor's wish into a failure that is about load.
func (x *exchange) resting(err error) error {
	f := fault.Of(err)
	if f == nil || f.Kind != fault.RateLimited && f.Kind != fault.Overloaded {
		return err
	}
	with := *f
	with.Cause = &delayed{f.Cause, retryAfter(x.responseHeader)}
	return &with
}
