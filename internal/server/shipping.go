package server

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/otlp"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team/client"
)

// shipping is the server as machines ship their logs to it.
type shipping struct{ *Server }

func (s shipping) routes() []route {
	return []route{
		{"POST", "/v1/log", scopeShip, 0, s.takeLines}, // it reads its body by itself: packed lines
		{"GET", "/v1/log", scopeRead, 0, s.findLines},
		{"GET", "/v1/log/stats", scopeRead, 0, s.countLines},
	}
}

const (
	maxPacked = 16 << 20
	maxLines  = 32 << 20 // of one batch, unpacked
	pageBytes = 8 << 20
	maxPage   = 1000
	maxField  = 200
	maxShips  = 16
)

// shippedAnswer says what became of a batch, after it is kept for good.
type shippedAnswer struct {
	Version int  `json:"v"`
	New     int  `json:"new"`   // how many had not come before
	Whole   bool `json:"whole"` // the batch continues the machine's chain; else there is an event
}

func (s shipping) takeLines(w http.ResponseWriter, r *http.Request, v *visit) {
	select {
	case s.ships <- struct{}{}: // not of s.batches: who ships slowly holds up no decision
		defer func() { <-s.ships }()
	case <-r.Context().Done():
		return
	}
	text, p := s.packedBody(w, r)
	if p == nil && v.who.Machine == "" {
		p = badRequest.because("only a machine ships its log; see nod-serve join")
	}
	if p != nil {
		refuse(w, *p)
		return
	}
	var done store.Shipped
	org, err := s.o.Store.Org(r.Context(), v.who.Org)
	if err == nil {
		batch := batchOf(text, s.o.Now(), org.Settings.NoInputs)
		done, err = s.o.Store.Ship(r.Context(), v.who.Org, v.who.Machine, batch)
	}
	s.reply(w, shippedAnswer{1, done.New, done.Gap == ""}, err)
}

// packedBody reads lines, and unpacks them as far as a batch may be long.
func (s *Server) packedBody(w http.ResponseWriter, r *http.Request) ([]byte, *problem) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	packing := r.Header.Get("Content-Encoding")
	if kind != client.Lines || packing != "" && packing != "gzip" {
		return nil, notJSON.because("send " + client.Lines + ", as it is or with Content-Encoding: gzip")
	}
	text, err := s.inTime(w, func() (_ []byte, err error) {
		in := io.Reader(http.MaxBytesReader(w, r.Body, maxPacked))
		if packing == "gzip" {
			in, err = gzip.NewReader(in)
		}
		if err != nil {
			return nil, err
		}
		return io.ReadAll(io.LimitReader(in, maxLines+1))
	})
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large), len(text) > maxLines:
		return nil, tooLarge.because(fmt.Sprintf("at most %d MiB, and %d MiB unpacked", maxPacked>>20, maxLines>>20))
	case err != nil:
		return nil, badRequest.because("the body ended early, came too slowly, or is no gzip")
	}
	return text, nil
}

// batchOf reads lines. What is odd about one is no reason to refuse the others: its machine would send it for ever.
func batchOf(text []byte, now time.Time, bare bool) (batch []store.Line) {
	for raw := range bytes.SplitSeq(text, []byte("\n")) {
		if len(raw) == 0 {
			continue
		}
		l := lineOf(raw, bare)
		if l.Time.Year() < 1970 || l.Time.Year() > 9999 {
			if l.Time = now; len(batch) > 0 {
				l.Time = batch[len(batch)-1].Time
			}
		}
		batch = append(batch, l)
	}
	return batch
}

// lineOf takes from a line what it is found by. bare has it kept without what the call was given, also where its
// machine does not know that the organisation wants that.
func lineOf(raw []byte, bare bool) store.Line {
	var e struct {
		Hash, Prev, Verdict, Layer, Agent, Session, Root, Tool string
		Kind                                                   audit.Kind
		Unlocked                                               bool
		Time                                                   time.Time
		Rule                                                   struct{ Text string }
	}
	if json.Unmarshal(raw, &e) != nil {
		e.Kind = audit.Unread
	}
	if sum, err := hex.DecodeString(e.Hash); err != nil || len(sum) != 16 {
		if e.Hash = audit.Link(raw); bare {
			l, _, _ := audit.Decode(raw) // of what is no line nothing is kept
			raw, _ = lines.JSON(client.Without(raw, l.Entry))
			e.Root = ""
		}
	}
	return store.Line{ID: e.Hash, Prev: field(e.Prev), Loose: e.Unlocked, Time: e.Time, Kind: field(string(e.Kind)),
		Verdict: field(e.Verdict), Layer: field(e.Layer), Agent: field(e.Agent), Session: field(e.Session),
		Root: field(e.Root), Tool: field(e.Tool), Rule: field(e.Rule.Text), Text: kept(string(raw))}
}

// field is a short text of a machine's as a column takes it.
func field(text string) string { return kept(printable.Head(text, maxField)) }

// kept is a text as both databases take it.
func kept(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// search reads what a request looks for. A machine sees its own lines, and whoever is of one team that team's.
func (s shipping) search(r *http.Request, v *visit) (store.Search, error) {
	get := func(name string) string { return field(r.URL.Query().Get(name)) }
	var errs []error
	at := func(name string, days int) time.Time {
		t, err := s.o.Now().AddDate(0, 0, days), error(nil)
		if text := get(name); text != "" {
			t, err = time.Parse(time.RFC3339, text)
		}
		errs = append(errs, err)
		return t
	}
	most, err := strconv.Atoi(cmp.Or(get("limit"), "100"))
	if most < 1 || most > maxPage {
		err = errors.New("limit")
	}
	q := store.Search{Org: v.who.Org, Team: cmp.Or(v.who.Team, get("team")), Agent: get("agent"), Layer: get("layer"),
		Machine: cmp.Or(v.who.Machine, get("machine")), Verdict: get("verdict"), Rule: get("rule"), Most: most,
		Before: get("before"), From: at("from", -7), To: at("to", 1), Bytes: pageBytes}
	return q, errors.Join(append(errs, err)...)
}

// foundLines is a page of lines, the newest first. Next is for the next page, as "before".
type foundLines struct {
	Version int          `json:"v"`
	Lines   []store.Line `json:"lines"`
	Next    string       `json:"next,omitempty"`
}

// counts are how many decisions there were, by a key and by their verdicts.
type counts struct {
	Version int           `json:"v"`
	Counts  []store.Count `json:"counts"`
}

func (s shipping) findLines(w http.ResponseWriter, r *http.Request, v *visit) {
	s.find(w, r, v, func(ctx context.Context, q store.Search) (any, error) {
		page, next, err := s.o.Store.Lines(ctx, q)
		return foundLines{1, append([]store.Line{}, page...), next}, err
	})
}

func (s shipping) countLines(w http.ResponseWriter, r *http.Request, v *visit) {
	s.find(w, r, v, func(ctx context.Context, q store.Search) (any, error) {
		list, err := s.o.Store.Stats(ctx, q, cmp.Or(r.URL.Query().Get("by"), "day"))
		return counts{1, append([]store.Count{}, list...)}, err
	})
}

func (s shipping) find(w http.ResponseWriter, r *http.Request, v *visit,
	how func(context.Context, store.Search) (any, error)) {
	ctx, cancel := context.WithTimeout(r.Context(), most)
	defer cancel()
	q, err := s.search(r, v)
	if err != nil {
		refuse(w, *badRequest.because("from and to are times of RFC 3339, limit is 1 to " + strconv.Itoa(maxPage)))
		return
	}
	a, err := how(ctx, q)
	s.reply(w, a, err)
}

// keepLog does what the log needs, now and every hour, until ctx ends.
func (s shipping) keepLog(ctx context.Context) {
	for ctx.Err() == nil {
		err := errors.Join(s.o.Store.KeepLines(ctx), verdicts(s).kept().Forget(ctx), s.signHeads(ctx))
		if err != nil && ctx.Err() == nil {
			s.say("the log: %v", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Hour):
		}
	}
}

// export sends what machines ship to a collector until ctx ends.
func (s shipping) export(ctx context.Context, to *otlp.Collector) {
	for failed := 0; ctx.Err() == nil; {
		pause := time.Second
		err := s.o.Store.SendOut(ctx, func(some []store.Outgoing) error { return s.sendTo(ctx, to, some, new(int)) })
		if failed++; err == nil {
			failed = 0
		} else if pause = client.Pause(err, failed, pause); ctx.Err() == nil {
			s.say("otlp: not taken yet, and kept: %v", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// sendTo sends decisions, those of a newer nod as far as this one can read them. What is refused for good is sent by
// halves: if a collector takes one half, and refuses each decision of the other five times, the other is left to the
// log. refused counts in a row: who refuses all that comes is asked again later.
func (s shipping) sendTo(ctx context.Context, to *otlp.Collector, some []store.Outgoing, refused *int) error {
	to.Forget() // another server may have sent what this one could not
	for _, o := range some {
		var e audit.Entry
		_ = json.Unmarshal([]byte(o.Text), &e)
		to.Add(e, "nod.org", o.Org, "nod.machine", o.Machine, "host.name", o.Name)
	}
	err := to.Send(ctx)
	for try := 1; len(some) == 1 && otlp.Refused(err) && try < 5; try++ {
		err = to.Send(ctx)
	}
	switch *refused++; {
	case err == nil:
		*refused = 0
		return nil
	case *refused > 50:
		return errors.New("the collector refuses all that it is sent")
	case len(some) == 1 || !otlp.Refused(err):
		return err
	}
	half := len(some) / 2
	one, two := s.sendTo(ctx, to, some[:half], refused), s.sendTo(ctx, to, some[half:], refused)
	lost, why := some[:half], one
	if one == nil {
		lost, why = some[half:], two
	}
	if (one == nil) != (two == nil) && otlp.Refused(why) {
		s.say("otlp: %d decisions were refused for good, the first of machine %s; they are in the log: %v", len(lost),
			lost[0].Machine, why)
		return nil
	}
	if otlp.Refused(one) && two != nil {
		return two // it says as much, or is why all is sent once more
	}
	return cmp.Or(one, two)
}

// signHeads lays the newest line of each machine's chain outside, for [audit.VerifyShipped]. What the place has not
// taken is signed anew an hour later. A server that ends in between lays some twice.
func (s shipping) signHeads(ctx context.Context) error {
	if s.o.Heads == nil {
		return nil
	}
	heads, err := s.o.Store.Heads(ctx)
	if err != nil || len(heads) == 0 {
		return err
	}
	var signed [][]byte
	heads = slices.DeleteFunc(heads, func(h audit.Head) bool {
		h.Time = s.o.Now().UTC()
		wrong := s.o.Store.Tx(ctx, func(tx *store.Tx) error {
			key, err := tx.SigningKey(ctx, h.Org)
			if err != nil {
				return err
			}
			line, err := h.Sign(key)
			signed = append(signed, line)
			return err
		})
		err = errors.Join(err, wrong)
		return wrong != nil
	})
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if wrong := s.o.Heads(limited, s.o.Web, signed); wrong != nil {
		return errors.Join(err, fmt.Errorf("signed heads, tried again in an hour: %w", wrong))
	}
	for _, h := range heads { // each by itself: machines ship meanwhile
		err = errors.Join(err, s.o.Store.Tx(ctx, func(tx *store.Tx) error { return tx.Signed(ctx, h) }))
	}
	return err
}
