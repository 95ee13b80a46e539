package llm

import (
	"context"
	"crypto/tls"
	_ "embed" // what statuses mean
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
)

// causeLimit bounds what is shown of a vendor's text, in bytes.
const causeLimit = 300

// shown is an error whose text is fit to be shown: one line, escaped, masked.
type shown struct {
	text string
	err  error
}

func (s *shown) Error() string { return s.text }

// Unwrap returns the error as it was, for errors.Is.
func (s *shown) Unwrap() error { return s.err }

// cause makes text fit to be shown; nil for "".
func (c *client) cause(text string, err error) error {
	text = brief(c.mask(text))
	if text == "" {
		return nil
	}
	return &shown{text, err}
}

// brief cuts text to causeLimit bytes and escapes it onto one line.
func brief(text string) string {
	const mark = "…"
	out := printable.Line(strings.TrimSpace(text), causeLimit)
	if len(out) <= causeLimit {
		return out
	}
	return printable.Head(out, causeLimit-len(mark)) + mark
}

// quote shows a setting or a header in a message.
func quote(s string) string { return strconv.Quote(printable.Line(s, 80)) }

func badSettings(format string, args ...any) error {
	return &fault.Error{Kind: fault.BadSettings, Message: fmt.Sprintf(format, args...)}
}

func (c *client) failure(kind fault.Kind, message, cause string) *fault.Error {
	return &fault.Error{Kind: kind, Message: c.mask(message), Cause: c.cause(cause, nil)}
}

func (c *client) malformed(what, cause string) *fault.Error {
	return c.failure(fault.Malformed,
		what+"; if this persists, see what [model] endpoint is, and set [log] dump_dir to keep the answers", cause)
}

func (c *client) refused(why string) error {
	return c.failure(fault.Refused, "the model declined to judge this call; decide it yourself", why)
}

func (c *client) cutOff(why string) error {
	return c.failure(fault.CutOff, "the answer was cut off before its end; raise [model] max_tokens", why)
}

// oneCall reports what is wrong with an answer of so many calls and texts.
func (c *client) oneCall(calls int, named bool, texts int) error {
	switch {
	case calls == 0 || calls == 1 && !named:
		return c.failure(fault.NoDecision, "the model answered without calling "+nod.AnswerTool().Name+
			"; if this persists, choose another [model] name", "")
	case calls > 1:
		return c.malformed(fmt.Sprintf("the model made %d tool calls instead of one", calls), "")
	case texts > 0 && c.style.channel != Auto:
		return c.malformed("the model wrote text beside its decision", "")
	}
	return nil
}

// network says why a request got no answer. The error's own text may hold a URL or an address, never more.
func (c *client) network(ctx context.Context, err error) *fault.Error {
	var timeout net.Error
	f := &fault.Error{Kind: fault.Unreachable,
		Message: c.host() + " could not be reached, or the connection broke; see that this machine " +
			"has a network, and [model] endpoint and proxy", Cause: c.cause(err.Error(), err)}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		f.Kind, f.Message = fault.TimedOut, "the question was cancelled before "+c.host()+" answered"
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		f.Kind, f.Message = fault.TimedOut, c.host()+" did not answer in time; try again, or raise [model] timeout"
	case isGarbled(err):
		return c.malformed("the answer's compression is broken", err.Error())
	case isCertificate(err):
		f.Message = c.host() + " could not show a certificate that this machine trusts; behind an inspecting proxy, " +
			"name its certificate as [model] ca_file"
	}
	return f
}

//go:embed statuses.txt
var statuses string

// status says what a status other than 200 means, and what to do about it.
func (c *client) status(code int, url string, body []byte) *fault.Error {
	if code == http.StatusBadRequest && isCredit(body) {
		code = http.StatusPaymentRequired
	}
	for line := range strings.Lines(statuses) {
		var from, to int
		var kind fault.Kind
		if n, _ := fmt.Sscan(line, &from, &to, &kind); n < 3 || code < from || code > to {
			continue
		}
		_, advice, _ := strings.Cut(strings.TrimSpace(line), string(kind)+" ")
		advice = strings.NewReplacer("MODEL", quote(c.Model), "URL", quote(url)).Replace(advice)
		return c.failure(kind, fmt.Sprintf("%s answered with status %d: %s", c.host(), code, advice), errorText(body))
	}
	return c.malformed("the answer has no status", "")
}

// isCredit reports whether a refusal is about money: Anthropic says so under status 400.
func isCredit(body []byte) bool {
	text := strings.ToLower(errorText(body))
	return strings.Contains(text, "credit balance") || strings.Contains(text, "insufficient_quota") ||
		strings.Contains(text, "billing")
}

func isCertificate(err error) bool {
	var failed *tls.CertificateVerificationError
	return errors.As(err, &failed)
}

func (c *client) host() string { return strings.TrimPrefix(c.base, "https://") }

// errorText is what an error body says, in the shape both vendors use, else the body itself.
func errorText(body []byte) string {
	var e struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &e) != nil || e.Error.Message == "" {
		return string(body)
	}
	if e.Error.Type == "" {
		return e.Error.Message
	}
	return e.Error.Type + ": " + e.Error.Message
}
