// Package classify is the wire between the hook and the process that reaches the vendors: one [Request] in, one
// [Answer] out, each a line of JSON. `nod classify` speaks it on its standard streams. The package links no network,
// so that the hook can use it.
//
//	request  {"v":1,"prompt":{"id":…,"digest":…,"system":…,"user":…},"timeout_ms":15000}
//	answer   {"v":1,"digest":…,"classification":{…}}
//	         {"v":1,"digest":…,"error":{"kind":…,"message":…}}
//
// Both are read strictly: unknown, doubled or differently spelled keys, other versions, and anything after the end
// are errors. An answer is of use to the call it was asked for only, which [Answer.Open] checks by its digest.
package classify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/strict"
)

// Version of the wire. Either side refuses any other.
const Version = 1

const (
	requestLimit = 4 << 20
	answerLimit  = 2 << 20
	// textLimit bounds an error's text in an answer, in runes.
	textLimit = 1000
)

// Request is one question.
type Request struct {
	Version   int        `json:"v"`
	Prompt    nod.Prompt `json:"prompt"`
	TimeoutMS int64      `json:"timeout_ms"` // how long the asker waits; 0 leaves it to the model
}

// NewRequest returns a question that is waited for until timeout has passed.
func NewRequest(p nod.Prompt, timeout time.Duration) Request {
	ms := timeout.Milliseconds()
	if timeout > 0 && ms == 0 {
		ms = 1
	}
	return Request{Version: Version, Prompt: p, TimeoutMS: ms}
}

// Encode returns r as one line.
func (r Request) Encode() []byte {
	line, _ := lines.JSON(r) // texts and numbers
	return append(line, '\n')
}

// ReadRequest reads the one question that in holds.
func ReadRequest(in io.Reader) (Request, error) {
	var r Request
	text, err := io.ReadAll(io.LimitReader(in, requestLimit+1))
	if err == nil {
		err = decode(text, requestLimit, &r)
	}
	if err != nil {
		return Request{}, fmt.Errorf("the request is malformed: %w", err)
	}
	switch {
	case r.Version != Version:
		return Request{}, fmt.Errorf("the request is of version %d, and this nod speaks %d; install nod-hook "+
			"and nod of one release", r.Version, Version)
	case r.Prompt.Digest == "":
		return Request{}, errors.New("the request's prompt has no digest")
	case r.Prompt.System == "" || r.Prompt.User == "":
		return Request{}, errors.New("the request's prompt is empty")
	case r.TimeoutMS < 0 || r.TimeoutMS > int64(24*time.Hour/time.Millisecond):
		return Request{}, fmt.Errorf("the request's timeout_ms is %d; want 0 to a day", r.TimeoutMS)
	}
	return r, nil
}

// Answer is the reply to one Request. Exactly one of Classification and Error is set. The zero value is no answer.
type Answer struct {
	Version        int                 `json:"v"`
	Digest         string              `json:"digest"` // the prompt's
	Classification *nod.Classification `json:"classification,omitempty"`
	Error          *Error              `json:"error,omitempty"`
	// Notices are for the person: what went wrong beside the answer.
	Notices []string `json:"notices,omitempty"`
}

// Error is a [fault.Error] on the wire. Message may be shown to an agent;
// Cause holds what the vendor wrote and is for the person.
type Error struct {
	Kind    fault.Kind `json:"kind"`
	Message string     `json:"message"`
	Cause   string     `json:"cause,omitempty"`
}

// Write writes a as one line, with one call of w.Write.
func (a Answer) Write(w io.Writer) error {
	line, err := lines.JSON(a)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// DecodeAnswer reads the one answer that text is. Whether it is the answer to a given call, and what it says, is for
// [Answer.Open]. An error is a *[fault.Error].
func DecodeAnswer(text []byte) (Answer, error) {
	var a Answer
	if err := decode(text, answerLimit, &a); err != nil {
		return Answer{}, malformed("the answer of nod classify is malformed", err)
	}
	if a.Classification != nil && !decides(text) {
		return Answer{}, malformed("the answer of nod classify holds no decision", nil)
	}
	return a, nil
}

// decides reports whether the classification says should_block: null would read as "do not block".
func decides(text []byte) bool {
	var a struct {
		Classification struct {
			ShouldBlock *bool `json:"should_block"`
		} `json:"classification"`
	}
	return json.Unmarshal(text, &a) == nil && a.Classification.ShouldBlock != nil
}

// Open returns what the answer says to the call with this digest. It returns a *[fault.Error] for an answer to another
// call or of another version, for an answer that does not say exactly one thing, and for an answer that is an error.
func (a Answer) Open(digest string) (nod.Classification, error) {
	switch {
	case a.Version != Version:
		return nod.Classification{}, malformed(fmt.Sprintf("nod classify speaks version %d and not %d; install "+
			"nod-hook and nod of one release", a.Version, Version), nil)
	case (a.Classification == nil) == (a.Error == nil):
		return nod.Classification{}, malformed("nod classify answered neither a classification nor an error, or both",
			nil)
	case digest == "" || a.Digest != digest:
		return nod.Classification{}, malformed("the answer of nod classify belongs to another call", nil)
	case a.Error != nil:
		return nod.Classification{}, a.Error.failure()
	case a.Classification.Digest != digest:
		return nod.Classification{}, malformed("the classification belongs to another call", nil)
	}
	return *a.Classification, nil
}

func (e *Error) failure() *fault.Error {
	f := &fault.Error{Kind: fault.Kind(printable.Line(string(e.Kind), 40)),
		Message: printable.Line(e.Message, textLimit)}
	if cause := printable.Line(e.Cause, textLimit); cause != "" {
		f.Cause = errors.New(cause)
	}
	return f
}

// Fail is the answer to r that says that err kept it from being one.
func Fail(r Request, err error) Answer {
	f := fault.Of(err)
	if f == nil {
		f = &fault.Error{Kind: fault.Internal, Message: "nod failed without saying why"}
	}
	e := &Error{Kind: f.Kind, Message: printable.Line(f.Message, textLimit)}
	if f.Cause != nil {
		e.Cause = printable.Line(f.Cause.Error(), textLimit)
	}
	return Answer{Version: Version, Digest: r.Prompt.Digest, Error: e}
}

// Reply asks m and returns its answer to r, within r's timeout. A panic of m is an error of kind Internal.
func Reply(ctx context.Context, m nod.Model, r Request) (a Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = Fail(r, &fault.Error{Kind: fault.Internal, Message: "the classifier failed inside",
				Cause: fmt.Errorf("%v\n%s", p, debug.Stack())})
		}
	}()
	if r.TimeoutMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(r.TimeoutMS)*time.Millisecond)
		defer cancel()
	}
	c, err := m.Classify(ctx, r.Prompt)
	if err == nil && c.Digest != r.Prompt.Digest {
		err = malformed("the model's answer belongs to another call", nil)
	}
	if err != nil {
		a = Fail(r, err)
	} else {
		a = Answer{Version: Version, Digest: r.Prompt.Digest, Classification: &c}
	}
	a.Notices = c.Notices
	return a
}

func malformed(message string, cause error) *fault.Error {
	return &fault.Error{Kind: fault.Malformed, Message: message, Cause: cause}
}

// decode reads exactly one JSON value into v: no unknown key, none twice or in another case, nothing after it.
func decode(text []byte, limit int, v any) error {
	switch {
	case len(text) > limit:
		return fmt.Errorf("it is longer than %d bytes", limit)
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("it is empty")
	case !utf8.Valid(text):
		return errors.New("it holds bytes that are not UTF-8")
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(v); err != nil {
		return err
	}
	if _, err := in.Token(); err != io.EOF {
		return errors.New("something follows its end")
	}
	name, odd := "", false // the first key that is spelled otherwise, or else the last that was looked at
	err := strict.Check(text, func(key string) string {
		if !odd {
			name, odd = key, strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != ""
		}
		return key
	})
	if odd || err != nil && !errors.Is(err, strict.ErrHalf) {
		return fmt.Errorf("the key %q is not known, or occurs twice", printable.Line(name, 80))
	}
	return nil
}
