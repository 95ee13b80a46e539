package llm

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/lines"
)

// bodyLimit bounds an answer, counted after decompression. A real answer has about 2 KB.
const bodyLimit = 1 << 20

// exchange is one request and its answer as they crossed the wire. It is one goroutine's.
type exchange struct {
	client  *client
	started time.Time

	url            string
	requestHeader  http.Header
	request        []byte
	status         int
	responseHeader http.Header
	response       []byte
}

// ask puts one question. An answer is read whole, within the limit, and counts as a JSON document under status 200.
func (x *exchange) ask(ctx context.Context, q question) (reply, error) {
	c := x.client
	var req *http.Request
	body, err := lines.JSON(c.ask(c, q))
	if err == nil {
		req, err = http.NewRequestWithContext(ctx, http.MethodPost, c.base+c.path, bytes.NewReader(body))
	}
	if err != nil {
		return reply{}, &fault.Error{Kind: fault.Internal, Message: "the request could not be built",
			Cause: c.cause(err.Error(), err)}
	}
	x.request = body
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"},
		"User-Agent": {"nod"}}
	for _, headers := range []map[string]string{c.fixed, c.Headers} {
		for name, value := range headers {
			req.Header.Set(name, value)
		}
	}
	err = c.grant(req, x.request)
	x.url, x.requestHeader = req.URL.String(), req.Header.Clone()
	if err != nil {
		return reply{}, c.network(ctx, err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return reply{}, c.network(ctx, err)
	}
	defer res.Body.Close()
	x.status, x.responseHeader = res.StatusCode, res.Header
	x.response, err = io.ReadAll(io.LimitReader(res.Body, bodyLimit+1))
	switch {
	case len(x.response) > bodyLimit:
		x.response = x.response[:bodyLimit]
		return reply{}, c.malformed("the answer is longer than 1 MiB", "")
	case err != nil:
		return reply{}, c.network(ctx, err)
	}
	answer, err := x.judge()
	if err != nil {
		return reply{}, err
	}
	return c.read(c, answer)
}

func (x *exchange) judge() (value, error) {
	c := x.client
	if x.status != http.StatusOK {
		return value{}, c.status(x.status, x.url, x.response)
	}
	media, _, err := mime.ParseMediaType(x.responseHeader.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return value{}, c.malformed(fmt.Sprintf("the answer's content type is %s, not application/json",
			quote(x.responseHeader.Get("Content-Type"))), string(x.response))
	}
	answer, err := parse(x.response)
	if err != nil {
		return value{}, c.malformed("the answer is not one well-formed JSON object", err.Error())
	}
	if beside := errorBeside(answer); beside.any != nil {
		return value{}, c.malformed("the answer is not a response, or not only: it holds an error under status 200",
			string(beside.json()))
	}
	return answer, nil
}

// errorBeside is what an answer under status 200 says of an error, at its top or in a choice or candidate. A decision
// beside it does not count. A Responses body that says of itself that it failed is read elsewhere.
func errorBeside(answer value) value {
	if status := answer.at("status").text(); status == "failed" || status == "incomplete" {
		return value{}
	}
	found := []value{answer.folded("error"), answer.folded("incomplete_details")}
	for _, choice := range append(answer.at("choices").list(), answer.at("candidates").list()...) {
		found = append(found, choice.folded("error"))
	}
	for _, e := range found {
		if e.any != nil {
			return e
		}
	}
	return value{}
}

// isGarbled reports whether err says that compressed bytes made no sense.
func isGarbled(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
}
