package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/nodgate/nod/internal/store"
)

// scope is what a token is good for. None holds another.
type scope = string

const (
	anybody      scope = "" // of a route: no token
	scopeCheck   scope = "check"
	scopeShip    scope = "ship"
	scopeRead    scope = "read"
	scopeApprove scope = "approve"
	scopeAdmin   scope = "admin"
)

func scopes() []scope { return store.Scopes() }

// machineScopes are those of a machine's token.
func machineScopes() []scope { return []scope{scopeCheck, scopeShip, scopeRead} }

const (
	defaultRate = 1000
	// strangers is how many tokens a second are looked up that were not seen before.
	strangers = 500
	maxKnown  = 100_000
	knownTime = time.Minute
)

// door lets tokens in. It remembers those that it saw for as long as it hears of changes.
type door struct {
	store   *store.Store
	rate    float64
	changed <-chan struct{}
	stop    func()

	mu     sync.Mutex
	known  map[string]known // by hash
	since  time.Time        // when tokens changed last: what was known then is looked up again
	limits map[string]*rate.Limiter
	new    *rate.Limiter
}

type known struct {
	token store.Token
	at    time.Time
}

func newDoor(o Options) *door {
	d := &door{store: o.Store, rate: o.Rate, known: map[string]known{}, limits: map[string]*rate.Limiter{},
		new: rate.NewLimiter(strangers, strangers)}
	if d.rate <= 0 {
		d.rate = defaultRate
	}
	d.changed, d.stop = o.Store.Changed(store.Accounts)
	return d
}

// admit returns the token of a request, or why the request is not let in.
func (d *door) admit(r *http.Request, needs scope) (store.Token, *problem) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return store.Token{}, noToken.because("send one header Authorization: Bearer TOKEN")
	}
	scheme, secret, _ := strings.Cut(given[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || len(secret) > maxKey {
		return store.Token{}, noToken.because("send one header Authorization: Bearer TOKEN")
	}
	found, p := d.find(r.Context(), store.Hash(secret))
	switch {
	case p != nil:
		return store.Token{}, p
	case !slices.Contains(found.Scopes, needs):
		return store.Token{}, noScope.because("this needs a token with the scope " + needs)
	case !d.spend(found, 1):
		return store.Token{}, tooMany.because("the rate is counted for each token")
	}
	return found, nil
}

// find returns the token of a hash that holds now.
func (d *door) find(ctx context.Context, hash string) (found store.Token, p *problem) {
	now, hears := d.store.Now(), d.store.Hears()
	d.mu.Lock()
	select {
	case <-d.changed:
		d.since = now
	default:
	}
	k, seen := d.known[hash]
	is := seen && hears && now.Sub(k.at) < knownTime && k.at.After(d.since)
	if !seen && !d.new.AllowN(time.Now(), 1) {
		d.mu.Unlock()
		return found, tooMany.because("too many unknown tokens")
	}
	d.mu.Unlock()
	if !is {
		var err error
		k.token, err = d.store.Token(ctx, hash)
		if k.at = now; errors.Is(err, store.ErrNotFound) {
			d.mu.Lock()
			delete(d.known, hash)
			d.mu.Unlock()
			return found, noToken.because("the token is not known, or it has ended")
		} else if err != nil {
			return found, notReady.because("the database does not answer")
		}
		d.keep(hash, k)
	}
	if !k.token.Expires.IsZero() && !now.Before(k.token.Expires) {
		return found, noToken.because("the token is not known, or it has ended")
	}
	return k.token, nil
}

func (d *door) keep(hash string, k known) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxKnown {
		clear(d.known)
		clear(d.limits)
	}
	if d.known[hash] = k; d.limits[k.token.ID] == nil {
		d.limits[k.token.ID] = rate.NewLimiter(rate.Limit(d.rate), max(int(d.rate), maxBatch))
	}
}

// spend takes a number of calls off what a token may ask about now.
func (d *door) spend(of store.Token, calls int) bool {
	d.mu.Lock()
	limit := d.limits[of.ID]
	d.mu.Unlock()
	return limit != nil && limit.AllowN(d.store.Now(), calls)
}
