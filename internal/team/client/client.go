// Package client is how a machine speaks to its team's server. nod-serve daemon and nod classify link it.
//
//	c, err := client.New(member)
//	err = c.Ship(ctx, batch, true)
//	(&client.Relay{Client: c, State: dir, ...}).Run(ctx)
//
// [Client.Ship] sends lines of the log (ship.go). [Relay] has questions answered by people elsewhere (relay.go). What
// the server says is believed as far as it is signed by the organisation: an answer that does not verify, is for
// another machine, another question or another call counts for nothing. A server that is busy or away costs nothing but
// time: see [Later].
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/team"
)

// Client speaks to one server as one machine. Make one with [New].
type Client struct {
	member team.Member
	http   *http.Client
}

// Later is a request that the server did not take now. After is when it may be tried again, 0 where it did not say.
type Later struct {
	After time.Duration
	Err   error
}

// Error says why.
func (l *Later) Error() string { return l.Err.Error() }

// Unwrap returns the cause.
func (l *Later) Unwrap() error { return l.Err }

// The bounds of a request and of what the server may answer.
const (
	slowest   = 30 * time.Second
	longPoll  = 50 * time.Second
	maxAnswer = 4 << 20
	maxLater  = time.Hour
)

// New returns a client that trusts the authorities of the membership, or the system's.
func New(m team.Member) (*Client, error) {
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if m.Authorities != "" {
		text, err := os.ReadFile(m.Authorities)
		if trust.RootCAs = x509.NewCertPool(); err == nil && !trust.RootCAs.AppendCertsFromPEM(text) {
			err = errors.New("there is no certificate in it")
		}
		if err != nil {
			return nil, fmt.Errorf("the team's authorities, %s: %w", m.Authorities, err)
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig, transport.ForceAttemptHTTP2 = trust, true
	transport.ResponseHeaderTimeout = longPoll + slowest
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the token is for one server
	return &Client{m, &http.Client{Transport: transport, CheckRedirect: stay}}, nil
}

// Join sends the code of a machine that is no member yet, and takes the membership.
func (c *Client) Join(ctx context.Context, code, membership any) error {
	return c.tell(ctx, "POST", "/v1/machines", code, membership)
}

// tell sends JSON.
func (c *Client) tell(ctx context.Context, method, path string, what, answer any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return c.do(ctx, request{method: method, path: path, kind: "application/json", body: body, answer: answer})
}

// request is one request. Only a status of 2xx is no error.
type request struct {
	method, path string
	kind         string // the media type
	gzip         bool
	body         []byte
	answer       any           // nil: what is answered does not matter
	raw          *[]byte       // gets what is answered as it is, where that is something else than match
	match        string        // an ETag
	wait         time.Duration // how long the server may hold it
}

func (c *Client) do(ctx context.Context, q request) error {
	ctx, cancel := context.WithTimeout(ctx, slowest+q.wait)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, q.method, c.member.Server+q.path, bytes.NewReader(q.body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.member.Token)
	if q.kind != "" {
		r.Header.Set("Content-Type", q.kind)
	}
	if q.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	if q.match != "" {
		r.Header.Set("If-None-Match", q.match)
	}
	got, err := c.http.Do(r)
	if err != nil {
		return &Later{Err: err}
	}
	defer got.Body.Close()
	text, err := io.ReadAll(io.LimitReader(got.Body, maxAnswer))
	switch {
	case got.StatusCode == http.StatusNotModified && q.match != "", got.StatusCode == http.StatusNoContent:
		return nil
	case got.StatusCode/100 != 2:
		return refusal(got, text)
	case err == nil && q.raw != nil:
		*q.raw = text
	case err == nil && q.answer != nil:
		err = json.Unmarshal(text, q.answer)
	}
	if err != nil {
		return &Later{Err: fmt.Errorf("%s: the server's answer cannot be read: %w", q.path, err)}
	}
	return nil
}

// refusal is the error of an answer that is no 2xx.
func refusal(got *http.Response, text []byte) error {
	var p struct{ Title, Detail string }
	_ = json.Unmarshal(text, &p) // what is no problem of RFC 9457 is told by its status alone
	err := fmt.Errorf("the server says %d %s", got.StatusCode, printable.Line(p.Title+": "+p.Detail, 200))
	seconds, _ := strconv.Atoi(got.Header.Get("Retry-After"))
	return &Later{min(max(time.Duration(seconds)*time.Second, 0), maxLater), err}
}
