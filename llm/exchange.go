package llm

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/nodgate/nod/fault"
)

// bodyLimit bounds an answer, counted after decompression. A real one has
// about 2 KB.
const bodyLimit = 1 << 20

var errBodyTooLong = errors.New("the answer is longer than 1 MiB")

// exchange is one request and its answer as they crossed the wire. It is one
// goroutine's.
type exchange struct {
	client  *client
	started time.Time

	method, url    string
	requestHeader  http.Header
	request        []byte
	status         int
	responseHeader http.Header
	response       []byte
	failure        *fault.Error // what the wire alone showed to be wrong
}

// watch is the middleware that each SDK calls in place of the transport. The
// SDK sees an answer only after it was read whole, within the limit, and is a
// JSON document under status 200; so nothing lenient in an SDK can matter.
func (x *exchange) watch(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	x.keepRequest(req)
	res, err := next(req)
	if err != nil {
		return nil, x.fail(x.client.network(req.Context(), err))
	}
	defer res.Body.Close()
	x.status, x.responseHeader = res.StatusCode, res.Header
	x.response, err = readBounded(res.Body)
	switch {
	case errors.Is(err, errBodyTooLong):
		return nil, x.fail(x.client.malformed(err.Error(), ""))
	case err != nil:
		return nil, x.fail(x.client.network(req.Context(), err))
	}
	if f := x.judge(); f != nil {
		return nil, x.fail(f)
	}
	res.Body = io.NopCloser(bytes.NewReader(x.response))
	return res, nil
}

func (x *exchange) fail(f *fault.Error) error {
	x.failure = f
	return f
}

// keepRequest copies the body and gives the request one of its own: not every
// SDK's GetBody returns one that can be read beside the first.
func (x *exchange) keepRequest(req *http.Request) {
	x.method, x.url, x.requestHeader = req.Method, req.URL.String(), req.Header.Clone()
	if req.Body == nil {
		return
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return // the transport meets an empty body, and refuses it
	}
	x.request = body
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, _ = req.GetBody()
}

// readBounded reads all of r, and no more than bodyLimit.
func readBounded(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, bodyLimit+1))
	if len(body) > bodyLimit {
		return body[:bodyLimit], errBodyTooLong
	}
	return body, err
}

// judge looks at status, content type and JSON syntax.
func (x *exchange) judge() *fault.Error {
	if x.status != http.StatusOK {
		return x.client.status(x.status, x.url, x.response)
	}
	media, _, err := mime.ParseMediaType(x.responseHeader.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return x.client.malformed(fmt.Sprintf("the answer's content type is %s, not application/json",
			quote(x.responseHeader.Get("Content-Type"))), string(x.response))
	}
	if err := checkDocument(x.response); err != nil {
		return x.client.malformed("the answer is not one well-formed JSON object", err.Error())
	}
	if why := errorBeside(x.response); why != "" {
		return x.client.malformed("the answer is not a response, or not only: it holds an error under status 200", why)
	}
	return nil
}

// failing is what holds an error beside what else it says.
type failing struct {
	Error json.RawMessage `json:"error"`
}

// errorBeside is what an answer under status 200 says of an error, at its top or
// in a choice or candidate; "" for nothing. A decision beside it does not count. A Responses
// body that says of itself that it failed is read as one.
func errorBeside(body []byte) string {
	var top struct {
		Status     string          `json:"status"`
		Error      json.RawMessage `json:"error"`
		Incomplete json.RawMessage `json:"incomplete_details"`
		Choices    []failing       `json:"choices"`
		Candidates []failing       `json:"candidates"`
	}
	if json.Unmarshal(body, &top) != nil || top.Status == "failed" || top.Status == "incomplete" {
		return ""
	}
	found := []json.RawMessage{top.Error, top.Incomplete}
	for _, choice := range append(top.Choices, top.Candidates...) {
		found = append(found, choice.Error)
	}
	for _, e := range found {
		if len(e) > 0 && string(e) != "null" {
			return string(e)
		}
	}
	return ""
}

// failed says why a question has no answer: what the wire showed, else what
// the context or the dialect's reader says.
func (x *exchange) failed(ctx context.Context, err error) *fault.Error {
	var f *fault.Error
	switch {
	case x.failure != nil:
		return x.failure
	case errors.As(err, &f):
		return f
	case ctx.Err() != nil:
		return x.client.network(ctx, ctx.Err())
	case x.status == http.StatusOK:
		return x.client.malformed("the answer does not fit the API", err.Error())
	}
	return &fault.Error{Kind: fault.Internal, Message: "the request could not be built",
		Cause: x.client.cause(err.Error(), err)}
}

// isGarbled reports whether err says that compressed bytes made no sense.
func isGarbled(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
}
