package server

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nodgate/nod/internal/cedar"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team"
)

// policyDesk answers what is about policies.
type policyDesk struct{ *Server }

func (s policyDesk) routes() []route {
	return []route{
		{"GET", "/v1/policy", scopeRead, 0, s.policy},
		{"GET", "/v1/policies", scopeRead, 0, s.policies},
		{"POST", "/v1/policies/drafts", scopeAdmin, maxBody, s.draft},
		{"POST", "/v1/policies/drafts/{id}/review", scopeAdmin, maxBody, s.review},
		{"POST", "/v1/policies/drafts/{id}/replay", scopeAdmin, maxBody, s.replayDraft},
		{"POST", "/v1/policies/drafts/{id}/publish", scopeAdmin, maxBody, s.publish},
		{"POST", "/v1/policies/{version}/restore", scopeAdmin, maxBody, s.restore},
	}
}

// heads are the policies that teams' machines get, as they were last read. Thousands of machines that are woken at once
// have the database asked once.
type heads struct {
	mu sync.Mutex
	of map[[2]string]head // by organisation and team
}

type head struct {
	at     time.Time // when it was begun to be read
	signed []byte    // nil: none was published
}

// read returns what a team's machines get, read since a moment.
func (h *heads) read(ctx context.Context, s *store.Store, who store.Identity, since time.Time) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := [2]string{who.Org, who.Team}
	if one := h.of[key]; !one.at.Before(since) {
		return one.signed, nil
	}
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	at := time.Now()
	signed, err := s.Bundle(ctx, who.Org, who.Team)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if h.of == nil {
		h.of = map[[2]string]head{}
	}
	h.of[key] = head{at, signed}
	return signed, nil
}

// policy gives a machine its team's signed policy. With ?wait=50s it waits until there is another than the machine has.
func (s policyDesk) policy(w http.ResponseWriter, r *http.Request, v *visit) {
	wait, err := time.ParseDuration("0" + r.URL.Query().Get("wait"))
	if v.who.Machine == "" || err != nil {
		refuse(w, *badRequest.because("a machine's token, and ?wait= such as 50s"))
		return
	}
	changed, stop := s.o.Store.Changed(store.Policies(v.who.Org))
	defer stop()
	ctx, cancel := context.WithTimeout(r.Context(), min(wait, most))
	defer cancel()
	for {
		signed, err := s.heads.read(r.Context(), s.o.Store, v.who, time.Now())
		switch tag := team.Tag(signed); {
		case err != nil:
			s.failed(w, err)
			return
		case signed != nil && tag != r.Header.Get("If-None-Match"):
			w.Header().Set("ETag", tag)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(signed)
			return
		}
		select {
		case <-changed:
			continue
		case <-ctx.Done():
		case <-s.closing:
		}
		if signed == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("ETag", team.Tag(signed))
		w.WriteHeader(http.StatusNotModified)
		return
	}
}

// policyList is a page of what was published and drafted, the newest first.
type policyList struct {
	Version  int            `json:"v"`
	Versions []store.Policy `json:"versions"`
	Drafts   []store.Draft  `json:"drafts"`
}

const policyPage = 50

func (s policyDesk) policies(w http.ResponseWriter, r *http.Request, v *visit) {
	if v.who.Machine != "" { // it has a policy of its own, and no business with those of other teams
		refuse(w, *noScope.because("a machine asks for /v1/policy"))
		return
	}
	q := r.URL.Query()
	before, _ := strconv.ParseInt(q.Get("before_version"), 10, 64) // what is no number is the newest
	versions, err := s.o.Store.Policies(r.Context(), v.who.Org, before, policyPage)
	drafts, wrong := s.o.Store.Drafts(r.Context(), v.who.Org, q.Get("before_draft"), policyPage)
	s.reply(w, policyList{1, slices.Concat([]store.Policy{}, versions), slices.Concat([]store.Draft{}, drafts)},
		errors.Join(err, wrong))
}

// drafting is a document as an editor sends it.
type drafting struct {
	team.Document
	Team   string `json:"team"`   // the name of the team that it holds for
	Remove bool   `json:"remove"` // the document of this name goes
}

// settingsOf returns a document as settings, or why it is none.
func settingsOf(d team.Document) (_ team.Document, err error) {
	if strings.HasSuffix(d.Name, cedar.Suffix) {
		d.Text, err = cedar.Settings(d.Name, d.Text)
	}
	if err == nil {
		err = config.CheckDocument(nowhere(), d)
	}
	return d, err
}

func (s policyDesk) draft(w http.ResponseWriter, r *http.Request, v *visit) {
	var q drafting
	err := decode(v.body, &q)
	if err == nil {
		q.Document, err = settingsOf(q.Document)
	}
	teams, wrong := s.o.Store.Teams(r.Context(), v.who.Org)
	if wrong != nil {
		s.failed(w, wrong)
		return
	}
	i := slices.IndexFunc(teams, func(t store.Team) bool { return t.Name == q.Team })
	if err == nil && (i >= 0) != (q.For == team.ForTeam) {
		err = errors.New("a document for a team, and no other, names one of the organisation's teams")
	}
	if err != nil {
		refuse(w, *badRequest.because(printable.Line(err.Error(), 500)))
		return
	}
	d := store.PolicyDocument{Document: q.Document}
	if i >= 0 {
		d.Team = teams[i].ID
	}
	s.changes(w, r, func(tx *store.Tx) (any, error) { return tx.MakeDraft(r.Context(), v.who, d, q.Remove) })
}

func (s policyDesk) review(w http.ResponseWriter, r *http.Request, v *visit) {
	s.changes(w, r, func(tx *store.Tx) (any, error) {
		return health{"reviewed"}, tx.Review(r.Context(), v.who, r.PathValue("id"))
	})
}

func (s policyDesk) publish(w http.ResponseWriter, r *http.Request, v *visit) {
	s.changes(w, r, func(tx *store.Tx) (any, error) { return tx.Publish(r.Context(), v.who, r.PathValue("id")) })
}

// restore publishes an old version as a new one.
func (s policyDesk) restore(w http.ResponseWriter, r *http.Request, v *visit) {
	s.changes(w, r, func(tx *store.Tx) (any, error) {
		to, err := strconv.ParseInt(r.PathValue("version"), 10, 64)
		if err != nil || to < 1 {
			return nil, store.ErrNotFound
		}
		return tx.RollBack(r.Context(), v.who, to)
	})
}

// changes makes a change of the policy, and answers with what it made.
func (s policyDesk) changes(w http.ResponseWriter, r *http.Request, work func(tx *store.Tx) (any, error)) {
	var made any
	err := s.o.Store.Tx(r.Context(), func(tx *store.Tx) (err error) {
		made, err = work(tx)
		return err
	})
	s.reply(w, made, err)
}

// signingKey reads a key such as openssl genpkey -algorithm ed25519 makes; nil for no file.
func signingKey(file string) (ed25519.PrivateKey, error) {
	if file == "" {
		return nil, nil
	}
	text, err := lines.Read(file, maxHeader)
	if err != nil {
		return nil, fmt.Errorf("--signing-key: %w", err)
	}
	var key any
	if block, _ := pem.Decode(text); block != nil {
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	signs, is := key.(ed25519.PrivateKey)
	if !is || err != nil {
		return nil, fmt.Errorf("--signing-key %s: no ed25519 key as PEM; openssl genpkey -algorithm ed25519 makes one", file)
	}
	return signs, nil
}
