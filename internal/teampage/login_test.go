//go:build unix

package teampage

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/store"
)

// issuer is an OpenID Connect provider that says what a test wants.
type issuer struct {
	t      *testing.T
	at     string
	key    *rsa.PrivateKey
	claims map[string]any // of the next token; what is nil is left out
	alg    string
	sign   *rsa.PrivateKey
	asked  url.Values // what the page asked for: state, nonce, challenge
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{t: t, key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		i.say(w, map[string]any{"issuer": i.at, "authorization_endpoint": i.at + "/authorize",
			"token_endpoint": i.at + "/token", "jwks_uri": i.at + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		i.say(w, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1",
			"n": part64(key.N.Bytes()), "e": part64(big.NewInt(int64(key.E)).Bytes())}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
		id, secret, _ := r.BasicAuth()
		if r.PostFormValue("code") != "good" || part64(sum[:]) != i.asked.Get("code_challenge") ||
			i.asked.Get("code_challenge_method") != "S256" || id != "nod" || secret != "s3cret" {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		i.say(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": i.token()})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	i.at = server.URL
	return i
}

func part64(text []byte) string { return base64.RawURLEncoding.EncodeToString(text) }

func (i *issuer) say(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		i.t.Error(err)
	}
}

func (i *issuer) token() string {
	head, _ := json.Marshal(map[string]string{"alg": i.alg, "kid": "1", "typ": "JWT"})
	body, _ := json.Marshal(i.claims)
	text := part64(head) + "." + part64(body)
	if i.alg == "none" {
		return text + "."
	}
	sum := sha256.Sum256([]byte(text))
	signed, err := rsa.SignPKCS1v15(rand.Reader, i.sign, crypto.SHA256, sum[:])
	if err != nil {
		i.t.Fatal(err)
	}
	return text + "." + part64(signed)
}

// begin is a person's click; it returns where the issuer leads back to, and what the browser keeps meanwhile.
func (i *issuer) begin(w *world, to string) (back url.Values, kept *http.Cookie) {
	i.t.Helper()
	a, body := w.answer(w.request("GET", "/login?to="+url.QueryEscape(to), "", nil))
	at, err := url.Parse(a.Header.Get("Location"))
	if err != nil || a.StatusCode != 303 || len(a.Cookies()) != 1 ||
		!strings.HasPrefix(at.String(), i.at+"/authorize?") {
		i.t.Fatal(a.Status, a.Header, body)
	}
	i.asked, kept = at.Query(), a.Cookies()[0]
	if i.asked.Get("redirect_uri") != w.at+"/login/done" || !kept.HttpOnly || kept.SameSite != http.SameSiteLaxMode {
		i.t.Error(i.asked, kept)
	}
	i.alg, i.sign = "RS256", i.key
	i.claims = map[string]any{"iss": i.at, "aud": "nod", "sub": "ada", "email": "ada@x.example", "email_verified": true,
		"name": "Ada", "nonce": i.asked.Get("nonce"), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	return url.Values{"code": {"good"}, "state": {i.asked.Get("state")}}, kept
}

// back is the browser's way back from the issuer.
func (w *world) back(q url.Values, kept *http.Cookie) (*http.Response, string) {
	w.Helper()
	r := w.request("GET", "/login/done?"+q.Encode(), "", nil)
	for name, value := range map[string]string{"Site": "cross-site", "Mode": "navigate", "Dest": "document"} {
		r.Header.Set("Sec-Fetch-"+name, value)
	}
	if kept != nil {
		r.AddCookie(&http.Cookie{Name: kept.Name, Value: kept.Value})
	}
	return w.answer(r)
}

func withIssuer(t *testing.T) (*world, *issuer) {
	i := newIssuer(t)
	return newWorld(t, sqlite(t), func(o *Options) {
		o.Login.Issuer, o.Login.Client, o.Login.Secret = i.at, "nod", "s3cret"
	}), i
}

// Somebody whom the issuer knows gets in with the role that an admin has given, and with none before.
func TestOpenIDConnect(t *testing.T) {
	w, i := withIssuer(t)
	if _, body := w.get("/machines?after=x", ""); !strings.Contains(body, `href="/login?to=%2fmachines%3fafter%3dx"`) {
		t.Error(body)
	}
	back, kept := i.begin(w, "/machines?after=x")
	a, body := w.back(back, kept)
	if a.StatusCode != 403 || !strings.Contains(body, "No role yet") ||
		strings.Contains(strings.Join(a.Header["Set-Cookie"], ""), "nod-serve=") {
		t.Fatal("the first person is let in:", a.Status, body)
	}
	all, err := w.db.People(t.Context(), w.acme)
	if err != nil || len(all) != 1 || all[0].Email != "ada@x.example" || all[0].Issuer != i.at ||
		all[0].Subject != "ada" {
		t.Fatal(all, err)
	}
	w.do(func(tx *store.Tx) error {
		return tx.SetRole(t.Context(), store.Identity{Org: w.acme, Name: "a test"}, all[0].ID, store.Viewer, "")
	})
	for to, want := range map[string]string{"/machines?after=x": "/machines?after=x", "//evil.example/": "/",
		"https://evil.example/": "/", `/\evil.example`: "/", "": "/"} {
		back, kept = i.begin(w, to)
		i.claims["email"] = "ada@new.example" // an e-mail may change; the subject is the person
		a, body = w.back(back, kept)
		cookies := a.Cookies()
		if a.StatusCode != 303 || a.Header.Get("Location") != want || len(cookies) != 2 || cookies[0].MaxAge >= 0 {
			t.Fatal(to, a.Status, a.Header, body)
		}
		if code, body := w.get("/", cookies[1].Value); code != 200 || !strings.Contains(body, "ada@new.example") {
			t.Error(code, body)
		}
	}
}

// Whatever is wrong with a token or the way back, nobody is let in, and nobody new is kept.
func TestOpenIDConnectRefuses(t *testing.T) {
	w, i := withIssuer(t)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(name string, value any) func(url.Values, *http.Cookie) {
		return func(url.Values, *http.Cookie) {
			if i.claims[name] = value; value == nil {
				delete(i.claims, name)
			}
		}
	}
	for what, spoil := range map[string]func(back url.Values, kept *http.Cookie){
		"another nonce":        claim("nonce", "x"),
		"no nonce":             claim("nonce", nil),
		"another audience":     claim("aud", "other"),
		"two audiences":        claim("aud", []string{"nod", "other"}),
		"another client":       claim("azp", "other"),
		"expired":              claim("exp", time.Now().Add(-time.Minute).Unix()),
		"no end":               claim("exp", nil),
		"not yet":              claim("nbf", time.Now().Add(time.Hour).Unix()),
		"another issuer":       claim("iss", "https://evil.example"),
		"an unverified e-mail": claim("email_verified", false),
		"one that says so":     claim("email_verified", "true"),
		"no word of it":        claim("email_verified", nil),
		"no e-mail":            claim("email", ""),
		"no subject":           claim("sub", ""),
		"unsigned":             func(url.Values, *http.Cookie) { i.alg = "none" },
		"another's key":        func(url.Values, *http.Cookie) { i.sign = stranger },
		"by a shared key":      func(url.Values, *http.Cookie) { i.alg = "HS256" },
		"another state":        func(back url.Values, _ *http.Cookie) { back.Set("state", "x") },
		"no state":             func(back url.Values, _ *http.Cookie) { back.Del("state") },
		"another code":         func(back url.Values, _ *http.Cookie) { back.Set("code", "x") },
		"an error":             func(back url.Values, _ *http.Cookie) { back.Set("error", "access_denied\x1b[31m") },
		"an issuer mixed up":   func(back url.Values, _ *http.Cookie) { back.Set("iss", "https://evil.example") },
		"another browser":      func(_ url.Values, kept *http.Cookie) { kept.Name = "x" },
		"another verifier": func(_ url.Values, kept *http.Cookie) {
			p := strings.Split(kept.Value, ".")
			kept.Value = strings.Join([]string{p[0], p[1], strings.Repeat("A", 43), p[3]}, ".")
		},
	} {
		back, kept := i.begin(w, "/")
		spoil(back, kept)
		if a, body := w.back(back, kept); a.StatusCode < 400 || strings.Contains(body, "No role yet") ||
			strings.Contains(strings.Join(a.Header["Set-Cookie"], ""), "nod-serve=") {
			t.Errorf("%s: %s %s", what, a.Status, body)
		}
	}
	if all, err := w.db.People(t.Context(), w.acme); err != nil || len(all) != 0 {
		t.Error(all, err)
	}
}

// An issuer that is away, or answers with nonsense, lets in nobody, and is asked again the next time.
func TestTheIssuerIsAway(t *testing.T) {
	w, i := withIssuer(t)
	there := i.at
	i.at = "https://evil.example" // its description names another than was asked
	if code, _ := w.get("/login", ""); code != 403 {
		t.Error(code)
	}
	i.at = there
	i.begin(w, "/")
}
