package page

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/question"
	"github.com/nodgate/nod/internal/web"
)

// passkeys sign a yes that comes by a link. They stand in STATE/passkeys.json. Once there is one, a link alone says no,
// and a yes takes a signature over a challenge that names the question, the call's key and what the call does.
type passkeys struct {
	*Server

	mu       sync.Mutex
	pending  map[string]pending
	writable sync.Mutex
}

// pending is what was begun, and can be ended once: "key" and the session's token for a key that is being registered,
// "sign" and the question's id for a signature that the browser was asked for, "ticket" and its hash for a yes.
type pending struct {
	webauthn.SessionData
	text string // the nonce of a signature; what was signed for a yes
}

func (p *passkeys) put(kind, name string, one pending) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending[kind+" "+name] = one
}

func (p *passkeys) take(kind, name string) (one pending, is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one, is = p.pending[kind+" "+name]
	delete(p.pending, kind+" "+name)
	return one, is
}

// ring is the file. It is who signs, as the protocol calls it.
type ring struct {
	Version int       `json:"v"`
	User    []byte    `json:"user"`
	Keys    []passkey `json:"keys"`
}

type passkey struct {
	Name       string              `json:"name"`
	Host       string              `json:"host"` // where it can sign
	Added      time.Time           `json:"added"`
	Credential webauthn.Credential `json:"credential"`
}

func (r ring) WebAuthnID() []byte          { return r.User }
func (r ring) WebAuthnName() string        { return "nod" }
func (r ring) WebAuthnDisplayName() string { return "nod" }
func (r ring) WebAuthnCredentials() (list []webauthn.Credential) {
	for _, k := range r.Keys {
		list = append(list, k.Credential)
	}
	return list
}

// at is the ring with the keys of one host.
func (r ring) at(host string) ring {
	r.Keys = slices.DeleteFunc(slices.Clone(r.Keys), func(k passkey) bool { return k.Host != host })
	return r
}

func (p *passkeys) file() string { return filepath.Join(p.o.State, "passkeys.json") }

func (p *passkeys) read() (r ring, err error) {
	text, err := lines.Read(p.file(), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		r.Version, r.User = 1, make([]byte, 32)
		rand.Read(r.User)
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err == nil && r.Version != 1 {
		err = errors.New("passkeys.json is of another version of nod")
	}
	return r, err
}

// change rewrites the file.
func (p *passkeys) change(to func(r *ring)) error {
	p.writable.Lock()
	defer p.writable.Unlock()
	r, err := p.read()
	if err != nil {
		return err
	}
	to(&r)
	text, _ := json.Marshal(r) // plain data: cannot fail
	return errors.Join(lines.PrivateDir(p.o.State), lines.Replace(p.file(), text, 0o600, -1))
}

var errName = errors.New("a passkey belongs to a name: open the page under https or at http://localhost")

// party is the page under the name that was asked for, with all keys.
func (p *passkeys) party(r *http.Request) (party *webauthn.WebAuthn, host string, all ring, err error) {
	if all, err = p.read(); err != nil {
		return nil, "", all, err
	}
	for _, origin := range p.o.Origins {
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, r.Host) || net.ParseIP(u.Hostname()) != nil ||
			u.Scheme != "https" && u.Hostname() != "localhost" {
			continue
		}
		host = u.Hostname()
		party, err = webauthn.New(&webauthn.Config{RPID: host, RPDisplayName: "nod", RPOrigins: []string{origin}})
		return party, host, all, err
	}
	return nil, "", all, errName
}

// list shows the keys, and registers another.
func (p *passkeys) list(w http.ResponseWriter, r *http.Request, v *visit) error {
	_, _, all, err := p.party(r)
	if err != nil && err != errName {
		return err
	}
	return p.show(w, v, http.StatusOK, "passkeys", "Passkeys", map[string]any{"Keys": all.Keys, "Here": err == nil})
}

// begin returns what the browser needs to make a key.
func (p *passkeys) begin(w http.ResponseWriter, r *http.Request, v *visit) error {
	party, _, all, err := p.party(r)
	if err != nil {
		return err
	}
	verified := protocol.AuthenticatorSelection{UserVerification: protocol.VerificationRequired}
	creation, data, err := party.BeginRegistration(all, webauthn.WithAuthenticatorSelection(verified))
	if err != nil {
		return err
	}
	data.UserID = all.User
	p.put("key", v.session.form, pending{SessionData: *data})
	return writeJSON(w, creation.Response, nil)
}

// finish keeps the key that the browser made.
func (p *passkeys) finish(w http.ResponseWriter, r *http.Request, v *visit) error {
	begun, is := p.take("key", v.session.form)
	party, host, _, err := p.party(r)
	if !is && err == nil {
		err = errors.New("begin again: nothing was begun here")
	}
	var made *protocol.ParsedCredentialCreationData
	if err == nil {
		made, err = protocol.ParseCredentialCreationResponseBytes([]byte(r.PostForm.Get("credential")))
	}
	var credential *webauthn.Credential
	if err == nil {
		credential, err = party.CreateCredential(ring{User: begun.UserID}, begun.SessionData, made)
	}
	if err == nil {
		err = p.change(func(all *ring) {
			all.User = begun.UserID
			name := printable.Line(r.PostForm.Get("name"), 60)
			all.Keys = append(all.Keys, passkey{name, host, p.o.Now().UTC(), *credential})
		})
	}
	return web.Leads(w, r, "/passkeys", err)
}

func (p *passkeys) remove(w http.ResponseWriter, r *http.Request, _ *visit) error {
	err := p.change(func(all *ring) {
		all.Keys = slices.DeleteFunc(all.Keys, func(k passkey) bool { return k.ID() == r.PostForm.Get("id") })
	})
	return web.Leads(w, r, "/passkeys", err)
}

// ID names the key in a form.
func (k passkey) ID() string { return hashed(string(k.Credential.ID)) }

// needed reports whether a yes by a link takes a signature. A file that cannot be read is no way around it.
func (p *passkeys) needed() bool {
	all, err := p.read()
	return err != nil || len(all.Keys) > 0
}

// said is what a signature is for: the question, the call and the files that it would run, and what it does.
func said(q question.Question) string {
	text, _ := json.Marshal([]any{q.ID, q.Key, q.Does, q.Lost, q.RawTool, q.Input, q.Dir})
	return string(text)
}

// challenge is what a passkey signs.
func challenge(q question.Question, nonce string) []byte {
	sum := sha256.Sum256([]byte(said(q) + nonce))
	return sum[:]
}

// sign asks the browser for a signature.
func (p *passkeys) sign(w http.ResponseWriter, r *http.Request, v *visit, q question.Question) error {
	party, host, all, err := p.party(r)
	if len(q.Scopes()) == 0 {
		err = question.ErrGone
	}
	if err != nil {
		return err
	}
	nonce := rand.Text()
	request, data, err := party.BeginLogin(all.at(host), webauthn.WithChallenge(challenge(q, nonce)),
		webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return errors.New("no passkey of yours can sign under this name")
	}
	p.put("sign", q.ID, pending{*data, nonce})
	options, _ := json.Marshal(request.Response)
	w.Header().Set("Content-Security-Policy", web.Scripted)
	return p.show(w, v, http.StatusOK, "sign", "Sign", map[string]any{"Options": string(options), "Key": q.Key})
}

// signed checks a signature, and returns a ticket for the page that says yes.
func (p *passkeys) signed(r *http.Request, q question.Question) (ticket string, err error) {
	data, is := p.take("sign", q.ID)
	party, host, all, err := p.party(r)
	response, parseErr := protocol.ParseCredentialRequestResponseBytes([]byte(r.PostForm.Get("credential")))
	is = is && data.Challenge == base64.RawURLEncoding.EncodeToString(challenge(q, data.text))
	if err = errors.Join(err, parseErr); err != nil || !is {
		return "", errors.Join(err, errors.New("the signature does not fit the question"))
	}
	credential, err := party.ValidateLogin(all.at(host), data.SessionData, response)
	if err == nil && credential.Authenticator.CloneWarning {
		err = errors.New("that passkey has a copy; take it out")
	}
	if err == nil {
		err = p.change(func(all *ring) {
			for i := range all.Keys {
				if string(all.Keys[i].Credential.ID) == string(credential.ID) {
					all.Keys[i].Credential = *credential
				}
			}
		})
	}
	if err != nil {
		return "", err
	}
	ticket = rand.Text()
	p.put("ticket", hashed(ticket), pending{text: said(q)})
	return ticket, nil
}

// redeem takes a ticket, and reports whether it is for the question as it stands.
func (p *passkeys) redeem(ticket string, q question.Question) bool {
	signed, is := p.take("ticket", hashed(ticket))
	return is && signed.text == said(q)
}
