package server

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/team/client"
)

// asking is the server as it has calls on machines answered by people.
type asking struct{ *Server }

func (s asking) routes() []route {
	return []route{
		{"POST", "/v1/questions", scopeShip, maxBody, s.asked},
		{"GET", "/v1/questions/answers", scopeShip, 0, s.hear},
		{"GET", "/v1/questions", scopeApprove, 0, s.listWaiting},
		{"POST", "/v1/questions/{id}/answer", scopeApprove, maxBody, s.answered},
	}
}

const (
	maxWait     = 50 * time.Second // how long a request for answers is held
	maxQuestion = 10 * time.Minute
	maxOpen     = 100 // of one machine
	maxHooks    = 16  // webhooks that are called at once
)

// asked keeps which calls wait on a machine, and tells the organisation of new ones.
func (s asking) asked(w http.ResponseWriter, r *http.Request, v *visit) {
	var a client.Asked
	err := json.Unmarshal(v.body, &a) // a newer machine may say more
	var list, fresh []store.Question
	titles := map[string]string{}
	for _, one := range a.Questions {
		q, wrong := s.questionOf(one, v.who)
		list, titles[q.ID] = append(list, q), question.Title(one.Question.Agent, one.Question.RawTool, one.Question.Dir)
		err = errors.Join(err, wrong)
	}
	if err != nil || v.who.Machine == "" || a.Version != 1 || len(list) > maxOpen {
		refuse(w, *badRequest.because("a machine's questions, each with its id, its key and the time that is left"))
		return
	}
	err = s.o.Store.Tx(r.Context(), func(tx *store.Tx) (err error) {
		fresh, err = tx.Ask(r.Context(), v.who.Org, v.who.Machine, list)
		return err
	})
	for i := 0; i < len(fresh) && err == nil; i++ {
		s.tell(fresh[i], titles[fresh[i].ID])
	}
	s.reply(w, health{"ok"}, err)
}

// questionOf is a machine's question as it is kept.
func (s asking) questionOf(one client.AskedCall, who store.Identity) (store.Question, error) {
	q, left, now := one.Question, time.Duration(one.Left)*time.Millisecond, s.o.Now()
	q.Lasting, q.Link = "", ""
	text, err := json.Marshal(q)
	if !short(q.ID) || !short(q.Key) {
		err = errors.New("no id, or no key")
	}
	return store.Question{ID: store.Hash(who.Machine + "\n" + q.ID)[:32], Org: who.Org, Machine: who.Machine,
		Team: who.Team, Name: q.ID, Key: q.Key, Text: bytes.ToValidUTF8(text, []byte("\uFFFD")), Asked: now,
		Ends: now.Add(min(left, maxQuestion)), Scopes: scopesFrom(q)}, err
}

// short reports whether a text may be an id or a key.
func short(text string) bool { return text != "" && text == printable.Line(text, maxField) }

// scopesFrom are those that a yes from elsewhere may have: what lasts is for the machine's own person.
func scopesFrom(q question.Question) string {
	var words []string
	for _, one := range q.Scopes() {
		if one == question.Once || one == question.Session {
			words = append(words, string(one))
		}
	}
	return strings.Join(words, ",")
}

// hear gives a machine what was answered to it, as soon as there is something, or when its time is over.
func (s asking) hear(w http.ResponseWriter, r *http.Request, v *visit) {
	wait, err := time.ParseDuration("0" + r.URL.Query().Get("wait"))
	if err != nil || v.who.Machine == "" {
		refuse(w, *badRequest.because("a machine's wait, such as 50s"))
		return
	}
	changed, stop := s.o.Store.Changed(store.Questions(v.who.Machine))
	defer stop()
	end := time.After(min(wait, maxWait))
	for last := wait <= 0; ; {
		a, err := s.answers(r.Context(), v.who)
		if last || err != nil || len(a.Answers) > 0 {
			s.reply(w, a, err)
			return
		}
		select {
		case <-changed:
		case <-end:
			last = true
		case <-s.closing:
			last = true
		case <-r.Context().Done():
			return
		}
	}
}

func (s asking) answers(ctx context.Context, who store.Identity) (a client.Answers, err error) {
	org, err := s.o.Store.Org(ctx, who.Org)
	if err != nil {
		return a, err
	}
	a = client.Answers{Version: 1, Asks: org.Settings.Approvals, Answers: []client.Signed{}}
	list, err := s.o.Store.Answers(ctx, who.Org, who.Machine)
	if err != nil || len(list) == 0 {
		return a, err
	}
	return a, s.o.Store.Tx(ctx, func(tx *store.Tx) error {
		key, err := tx.SigningKey(ctx, who.Org)
		for _, q := range list {
			signed, wrong := client.Answer{Version: 1, Machine: q.Machine, Question: q.Name, Key: q.Key,
				Yes: q.Yes, Scope: question.Scope(q.Scope), By: q.Who, At: q.Answered}.Sign(key)
			a.Answers, err = append(a.Answers, signed), errors.Join(err, wrong)
		}
		return err
	})
}

// waiting are the questions that nobody has answered, the oldest first.
type waiting struct {
	Version   int              `json:"v"`
	Questions []store.Question `json:"questions"`
}

func (s asking) listWaiting(w http.ResponseWriter, r *http.Request, v *visit) {
	list, err := s.o.Store.Waiting(r.Context(), v.who.Org, v.who.Team)
	s.reply(w, waiting{1, append([]store.Question{}, list...)}, err)
}

// given is an answer to a question. The key says which call was seen.
type given struct {
	Key   string `json:"key"`
	Yes   bool   `json:"yes"`
	Scope string `json:"scope,omitempty"`
}

func (s asking) answered(w http.ResponseWriter, r *http.Request, v *visit) {
	var g given
	if err := decode(v.body, &g); err != nil || !short(g.Key) || g.Yes == (g.Scope == "") || v.who.Machine != "" {
		refuse(w, *badRequest.because("the question's key, yes or no, and of a yes its scope"))
		return
	}
	s.reply(w, health{"ok"}, s.o.Store.Tx(r.Context(), func(tx *store.Tx) error {
		return tx.Answer(r.Context(), store.Question{ID: r.PathValue("id"), Org: v.who.Org, Key: g.Key, Yes: g.Yes,
			Scope: g.Scope, Who: v.who.Name}, v.who.Team)
	}))
}

// reply answers with what the database gave, or why it did not.
func (s *Server) reply(w http.ResponseWriter, a any, err error) {
	switch {
	case err == nil:
		put(w, a)
	case errors.Is(err, store.ErrNotFound):
		refuse(w, *notFound.because(err.Error()))
	case errors.Is(err, store.ErrUnfit):
		refuse(w, *notNow.because(printable.Line(err.Error(), 300)))
	case errors.Is(err, store.ErrAnswered), errors.Is(err, store.ErrLate), errors.Is(err, store.ErrFits):
		refuse(w, *notCounted.because(err.Error()))
	default:
		s.failed(w, err)
	}
}

// tell calls the organisation's webhook: a sentence in Slack's shape that holds nothing that the call could choose.
// Nod-Signature is the time, a dot and the organisation's signature over hookPurpose, the time, a dot and the body.
func (s asking) tell(q store.Question, title string) {
	select {
	case s.hooks <- struct{}{}:
	default:
		s.say("a webhook is left out: too many at once")
		return
	}
	go func() {
		defer func() { <-s.hooks }()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.webhook(ctx, q, title); err != nil {
			s.say("the webhook: %v", err)
		}
	}()
}

const hookPurpose = "nod webhook 1\n"

func (s asking) webhook(ctx context.Context, q store.Question, title string) error {
	org, err := s.o.Store.Org(ctx, q.Org)
	if err != nil || org.Settings.Webhook == "" {
		return err
	}
	if !strings.HasPrefix(org.Settings.Webhook, "https://") {
		return errors.New("it is no https address")
	}
	if s.o.Public != "" {
		title += "\n" + strings.TrimSuffix(s.o.Public, "/") + "/questions/" + q.ID
	}
	var key ed25519.PrivateKey
	body, err := json.Marshal(map[string]string{"text": title})
	if err = errors.Join(err, s.o.Store.Tx(ctx, func(tx *store.Tx) (err error) {
		key, err = tx.SigningKey(ctx, q.Org)
		return err
	})); err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, "POST", org.Settings.Webhook, bytes.NewReader(body))
	if err != nil {
		return err
	}
	at := fmt.Sprint(s.o.Now().Unix())
	signature := ed25519.Sign(key, append([]byte(hookPurpose+at+"."), body...))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Nod-Signature", at+"."+base64.StdEncoding.EncodeToString(signature))
	return send(s.o.Web, r)
}

func send(web *http.Client, r *http.Request) error {
	got, err := web.Do(r)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(got.Body, maxBody))
	if got.StatusCode/100 != 2 {
		return fmt.Errorf("%s answers %s", r.URL.Host, got.Status)
	}
	return nil
}
