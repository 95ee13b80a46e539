package teampage

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/web"
)

// Login is how OpenID Connect lets people in. Without an issuer it lets in nobody.
type Login struct {
	Issuer, Client string
	Secret         string // "" for a client without one
	Org            string // the id of the organisation that people come into
}

type login struct {
	Login
	client *http.Client

	mu       sync.Mutex
	provider *oidc.Provider // nil until the issuer answered for the first time
}

func newLogin(l Login) login {
	return login{Login: l, client: &http.Client{Timeout: 10 * time.Second, Transport: bounded{}}}
}

// bounded has an issuer say no more than 1 MiB at a time.
type bounded struct{}

func (bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, maxBody), answer.Body}
	}
	return answer, err
}

// ready asks the issuer where its parts are, until it has said so.
func (l *login) ready(ctx context.Context, origin string) (*oidc.Provider, *oauth2.Config, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Issuer == "" {
		return nil, nil, store.ErrNotFound
	}
	if l.provider == nil {
		p, err := oidc.NewProvider(ctx, l.Issuer)
		if err != nil {
			return nil, nil, err
		}
		l.provider = p
	}
	return l.provider, &oauth2.Config{ClientID: l.Client, ClientSecret: l.Secret, Endpoint: l.provider.Endpoint(),
		RedirectURL: origin + "/login/done", Scopes: []string{oidc.ScopeOpenID, "email", "profile"}}, nil
}

// attempt is what a browser keeps while its person is at the issuer: to is where they wanted to go.
type attempt struct{ state, nonce, verifier, to string }

const loginTime = 10 * time.Minute

func (s *Server) attempt(r *http.Request, value string) *http.Cookie {
	return s.o.Origins.Cookie(r, "nod-login", value, int(loginTime.Seconds()), http.SameSiteLaxMode)
}

// signIn leads to the issuer.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request, _ *visit) error {
	if web.Prefetched(r) || !s.visits.Allow() {
		return web.Refuse(http.StatusTooManyRequests, "Try again in a moment.")
	}
	_, config, err := s.login.ready(oidc.ClientContext(r.Context(), s.login.client), s.o.Origins[0])
	if err != nil {
		return s.noLogin(err)
	}
	a := attempt{rand.Text(), rand.Text(), oauth2.GenerateVerifier(), r.URL.Query().Get("to")}
	to := base64.RawURLEncoding.EncodeToString([]byte(a.to))
	http.SetCookie(w, s.attempt(r, strings.Join([]string{a.state, a.nonce, a.verifier, to}, ".")))
	at := config.AuthCodeURL(a.state, oidc.Nonce(a.nonce), oauth2.S256ChallengeOption(a.verifier))
	return web.Leads(w, r, at, nil)
}

// noLogin says that the issuer cannot be used; why is for those who run the server.
func (s *Server) noLogin(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return err
	}
	s.o.Say("OpenID Connect: %v", err)
	return web.Refuse(http.StatusForbidden, "Nobody was signed in. The server's standard error says why.")
}

// begun reads what the browser kept.
func (s *Server) begun(r *http.Request) (a attempt, is bool) {
	c, err := r.Cookie(s.attempt(r, "").Name)
	if err != nil {
		return a, false
	}
	p := strings.Split(c.Value, ".")
	if len(p) != 4 || p[0] == "" || !web.Equal(p[0], r.URL.Query().Get("state")) {
		return a, false
	}
	to, err := base64.RawURLEncoding.DecodeString(p[3])
	if err != nil || !strings.HasPrefix(string(to), "/") || strings.ContainsAny(string(to), "\\\r\n") ||
		strings.HasPrefix(string(to), "//") {
		to = []byte("/") // it must not lead elsewhere
	}
	return attempt{p[0], p[1], p[2], string(to)}, true
}

// signedIn is where the issuer leads back to. It begins a session for somebody who has a role.
func (s *Server) signedIn(w http.ResponseWriter, r *http.Request, v *visit) error {
	a, is := s.begun(r)
	over := s.attempt(r, "")
	over.MaxAge = -1
	http.SetCookie(w, over)
	if !is || !s.visits.Allow() {
		return web.Refuse(http.StatusForbidden, "This sign-in was not begun here, or it took too long. Begin again.")
	}
	who, err := s.claimed(r, a)
	if err != nil {
		return s.noLogin(err)
	}
	var secret string
	err = s.o.Store.Tx(r.Context(), func(tx *store.Tx) error {
		if who, err = tx.Arrive(r.Context(), who); err == nil && who.Role != "" {
			secret, err = tx.Begin(r.Context(), who)
		}
		return err
	})
	if err == nil && who.Role == "" {
		return s.show(w, v, http.StatusForbidden, "roleless", "No role yet", who)
	}
	return s.welcome(w, r, secret, a.to, err)
}

// claimed returns whom the issuer has seen.
func (s *Server) claimed(r *http.Request, a attempt) (who store.Person, err error) {
	q, ctx := r.URL.Query(), oidc.ClientContext(r.Context(), s.login.client)
	if q.Has("error") || q.Has("iss") && q.Get("iss") != s.login.Issuer {
		return who, fmt.Errorf("the issuer said %s", printable.Line(q.Get("error")+" "+q.Get("error_description"), 200))
	}
	provider, config, err := s.login.ready(ctx, s.o.Origins[0])
	if err != nil {
		return who, err
	}
	token, err := config.Exchange(ctx, q.Get("code"), oauth2.VerifierOption(a.verifier))
	if err != nil {
		return who, err
	}
	raw, _ := token.Extra("id_token").(string)
	checks := &oidc.Config{ClientID: config.ClientID, Now: s.o.Store.Now}
	id, err := provider.VerifierContext(ctx, checks).Verify(ctx, raw)
	if err != nil {
		return who, err
	}
	return s.person(id, a)
}

// person is whom a token that was verified names. What the library leaves to its callers is looked at here.
func (s *Server) person(id *oidc.IDToken, a attempt) (who store.Person, err error) {
	var says struct {
		Email    string `json:"email"`
		Verified bool   `json:"email_verified"`
		Name     string `json:"name"`
		For      string `json:"azp"`
	}
	switch err := id.Claims(&says); {
	case err != nil:
		return who, err
	case !web.Equal(id.Nonce, a.nonce):
		return who, errors.New("the token was made for another sign-in")
	case says.For != s.login.Client && (says.For != "" || len(id.Audience) > 1):
		return who, errors.New("the token was made for another client")
	case id.Subject == "" || says.Email == "" || !says.Verified:
		return who, errors.New("the token names nobody whose e-mail is verified")
	}
	return store.Person{Org: s.login.Org, Issuer: s.login.Issuer, Subject: id.Subject,
		Email: printable.Line(says.Email, 200), Name: printable.Line(says.Name, 100)}, nil
}
