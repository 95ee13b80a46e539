package server

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/nodgate/nod/internal/lines"
)

// scope is what a token is good for. None holds another.
type scope string

const (
	anybody      scope = "" // of a route: no token
	scopeCheck   scope = "check"
	scopeShip    scope = "ship"
	scopeRead    scope = "read"
	scopeApprove scope = "approve"
	scopeAdmin   scope = "admin"
)

func scopes() []scope { return []scope{scopeCheck, scopeShip, scopeRead, scopeApprove, scopeAdmin} }

// token is one token as it is kept. The token itself is kept nowhere.
type token struct {
	Name    string    `json:"name"`
	Scopes  []scope   `json:"scopes"`
	SHA256  string    `json:"sha256"`
	Made    time.Time `json:"made"`
	Expires time.Time `json:"expires,omitzero"`
}

func (t token) expired(now time.Time) bool { return !t.Expires.IsZero() && !now.Before(t.Expires) }

// kept is what tokens.json holds.
type kept struct {
	Version int     `json:"v"`
	Tokens  []token `json:"tokens"`
}

const (
	tokensFile  = "tokens.json"
	tokensLimit = 8 << 20
	tokenPrefix = "nod_"
	defaultRate = 1000
)

// readTokens returns the tokens in a state directory; without a file there are none.
func readTokens(state string) (k kept, err error) {
	text, err := lines.Read(filepath.Join(state, tokensFile), tokensLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return kept{Version: 1}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err == nil && k.Version != 1 {
		err = fmt.Errorf("version %d is not known; use the nod-serve that wrote it", k.Version)
	}
	if err != nil {
		return kept{}, fmt.Errorf("%s: %w", tokensFile, err)
	}
	return k, nil
}

// changeTokens has one process at a time change the tokens.
func changeTokens(state string, change func(*kept) error) error {
	if err := lines.PrivateDir(state); err != nil {
		return err
	}
	lock, err := lines.Open(filepath.Join(state, "tokens.lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	if !lock.LockFor(5 * time.Second) {
		return fmt.Errorf("%s is being changed by another process; try again", tokensFile)
	}
	k, err := readTokens(state)
	if err == nil {
		err = change(&k)
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	return lines.Replace(filepath.Join(state, tokensFile), append(text, '\n'), 0o600, -1)
}

// addToken makes a token and returns it, the only time.
func addToken(state string, t token) (secret string, err error) {
	random := make([]byte, 32)
	rand.Read(random)
	secret = tokenPrefix + base64.RawURLEncoding.EncodeToString(random)
	t.SHA256 = hashed(secret)
	return secret, changeTokens(state, func(k *kept) error {
		if slices.ContainsFunc(k.Tokens, func(old token) bool { return old.Name == t.Name }) {
			return fmt.Errorf("there is a token %q; revoke it first, or take another name", t.Name)
		}
		k.Tokens = append(k.Tokens, t)
		return nil
	})
}

func hashed(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// tokens are the tokens of a running server.
type tokens struct {
	state string
	rate  float64
	now   func() time.Time

	mu     sync.Mutex
	seen   fs.FileInfo // the file that was read; nil: none was
	err    error       // why it could not be
	byHash map[string]token
	limits map[string]*rate.Limiter
}

func newTokens(o Options) *tokens {
	t := &tokens{state: o.Places.State, rate: o.Rate, now: o.Now, limits: map[string]*rate.Limiter{}}
	if t.rate <= 0 {
		t.rate = defaultRate
	}
	return t
}

// load reads the tokens where the file is another than before.
func (t *tokens) load() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	info, err := os.Lstat(filepath.Join(t.state, tokensFile))
	if err != nil {
		t.seen, t.byHash = nil, nil
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if same := t.seen != nil && os.SameFile(info, t.seen); same && info.ModTime().Equal(t.seen.ModTime()) &&
		info.Size() == t.seen.Size() && info.Mode() == t.seen.Mode() {
		return t.err
	}
	k, err := readTokens(t.state)
	t.seen, t.err, t.byHash = info, err, map[string]token{}
	limits := map[string]*rate.Limiter{}
	for _, one := range k.Tokens {
		t.byHash[one.SHA256] = one
		if limits[one.SHA256] = t.limits[one.SHA256]; limits[one.SHA256] == nil {
			limits[one.SHA256] = rate.NewLimiter(rate.Limit(t.rate), max(int(t.rate), maxBatch))
		}
	}
	t.limits = limits
	return err
}

// admit returns the token of a request, or why the request is not let in.
func (t *tokens) admit(r *http.Request, needs scope) (token, *problem) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return token{}, noToken.because("send one header Authorization: Bearer TOKEN")
	}
	scheme, secret, _ := strings.Cut(given[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || t.load() != nil {
		return token{}, noToken.because("send one header Authorization: Bearer TOKEN")
	}
	t.mu.Lock()
	found, is := t.byHash[hashed(secret)] // found by its hash, so that no time tells of the token
	t.mu.Unlock()
	switch {
	case !is || found.expired(t.now()):
		return token{}, noToken.because("the token is not known, or it has ended")
	case !slices.Contains(found.Scopes, needs):
		return token{}, noScope.because("this needs a token with the scope " + string(needs))
	case !t.spend(found, 1):
		return token{}, tooMany.because("the rate is counted for each token")
	}
	return found, nil
}

// spend takes a number of calls off what a token may ask about now.
func (t *tokens) spend(of token, calls int) bool {
	t.mu.Lock()
	limit := t.limits[of.SHA256]
	t.mu.Unlock()
	return limit != nil && limit.AllowN(t.now(), calls)
}
