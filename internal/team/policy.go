package team

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/lines"
)

// The names of what lies in a team's directory.
const (
	MemberFile = "member.json"
	PolicyFile = "policy.json" // as the server signed it, byte by byte
	HeardFile  = "heard.json"  // see [Heard]
	// TrustFile is what of a membership in [Managed] every user may read: not the token.
	TrustFile = "trust.json"
)

// MaxPolicy is the longest signed policy that is taken. The hook reads it at each start.
const MaxPolicy = 1 << 20

// Managed is where root keeps the membership of a whole machine: beside the managed settings file. It wins over that of
// a state directory.
func Managed(settings string) string { return path.Join(path.Dir(filepath.ToSlash(settings)), "team") }

// Trust is by what a machine knows a policy for its own.
type Trust struct {
	Org    string `json:"org"`
	Team   string `json:"team"`
	Key    string `json:"key"`              // see [Member]
	Server string `json:"server,omitempty"` // that of [Member]; "" by an older nod-serve
}

// ReadTrust reads a member.json or a trust.json.
func ReadTrust(text []byte) (t Trust, err error) {
	if err = json.Unmarshal(text, &t); err == nil {
		err = t.check()
	}
	return t, err
}

func (t Trust) check() error {
	key, err := base64.StdEncoding.DecodeString(t.Key)
	switch {
	case err != nil || len(key) != ed25519.PublicKeySize:
		return errors.New("the organisation's key is not one of 32 bytes; join again")
	case t.Org == "" || t.Team == "":
		return errors.New("the organisation or the team is missing; join again")
	}
	return nil
}

// Policy is what an organisation wants of a team's machines.
type Policy struct {
	Format    int        `json:"v"`
	Org       string     `json:"org"`
	Team      string     `json:"team"`
	Version   int64      `json:"version"` // rises with each that is published
	Made      time.Time  `json:"made"`
	MaxAge    int64      `json:"max_age_s"` // how long it is fresh, in seconds, without a word of the server
	Documents []Document `json:"documents"`
}

// Document is nod's settings as TOML, at the managed level, and what they hold for.
type Document struct {
	Name string `json:"name"`
	For  string `json:"for"` // [ForOrg], [ForTeam] or [ForRepository]
	// Repository is a pattern such as github.com/acme/*: all repositories below what it fits. Whoever can write to a
	// repository chooses its remotes, so that a document for it may only tighten (package config refuses the rest).
	// What it adds goes away with the remote: what must hold everywhere stands in another document.
	Repository string `json:"repository,omitempty"`
	Text       string `json:"text"`
}

// What a document holds for. They are applied in this order.
const (
	ForOrg        = "org"
	ForTeam       = "team"
	ForRepository = "repository"
)

// Check refuses a document that holds for nothing.
func (d Document) Check() error {
	plain := strings.Trim(d.Name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
	_, wrong := path.Match(d.Repository, "")
	switch {
	case d.Name == "" || len(d.Name) > 60 || !plain:
		return fmt.Errorf("a document is called %q; a name has 1 to 60 of a-z, 0-9 and ._-", d.Name)
	case d.For == ForRepository && (wrong != nil || strings.Count(d.Repository, "/") == 0):
		return fmt.Errorf("%s: %q is no pattern of repositories such as github.com/acme/*", d.Name, d.Repository)
	case d.For != ForRepository && d.Repository != "":
		return fmt.Errorf("%s: only a document for a repository has a pattern", d.Name)
	case d.For != ForOrg && d.For != ForTeam && d.For != ForRepository:
		return fmt.Errorf("%s holds for %q; it is org, team or repository", d.Name, d.For)
	}
	return nil
}

// Fits reports whether the document holds where the remotes are those of git, as host/path.
func (d Document) Fits(remotes []string) bool {
	if d.For != ForRepository {
		return true
	}
	depth := strings.Count(d.Repository, "/") + 1
	for _, remote := range remotes {
		parts := strings.Split(strings.ToLower(remote), "/")
		top := strings.Join(parts[:min(depth, len(parts))], "/")
		if fits, _ := path.Match(strings.ToLower(d.Repository), top); fits { // the pattern was checked
			return true
		}
	}
	return false
}

// envelope is a policy as it is sent and kept.
type envelope struct {
	Format    int    `json:"v"`
	Payload   []byte `json:"payload"`
	Signature []byte `json:"signature"`
}

// domain stands before what is signed, so that no signature for another purpose is one of a policy.
const domain = "nod team policy 1\n"

// Seal signs a policy. The same policy and key give the same bytes.
func Seal(p Policy, key ed25519.PrivateKey) ([]byte, error) {
	p.Format = 1
	payload, err := json.Marshal(p)
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(envelope{1, payload, ed25519.Sign(key, append([]byte(domain), payload...))})
	if err == nil && len(text) > MaxPolicy {
		err = fmt.Errorf("a policy of %d KiB is longer than %d; shorten its documents", len(text)>>10, MaxPolicy>>10)
	}
	return text, err
}

// Tag is the ETag of a signed policy.
func Tag(signed []byte) string {
	sum := sha256.Sum256(signed)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// Open returns a policy that the organisation signed for the team. Whether its documents are settings is for package
// config to say.
func Open(text []byte, t Trust) (p Policy, err error) {
	var e envelope
	if err := errors.Join(t.check(), json.Unmarshal(text, &e)); err != nil || e.Format != 1 || len(text) > MaxPolicy {
		return p, errors.Join(errors.New("this is no signed policy"), err)
	}
	key, _ := base64.StdEncoding.DecodeString(t.Key) // checked
	if !ed25519.Verify(key, append([]byte(domain), e.Payload...), e.Signature) {
		return p, errors.New("the organisation's key did not sign this policy")
	}
	d := json.NewDecoder(bytes.NewReader(e.Payload))
	d.DisallowUnknownFields() // what a newer server says by a new field would be missed
	if err = d.Decode(&p); err == nil {
		err = p.check()
	}
	if err == nil && (p.Org != t.Org || p.Team != t.Team) {
		err = fmt.Errorf("the policy is for the team %s of the organisation %s", p.Team, p.Org)
	}
	if err != nil {
		return Policy{}, err
	}
	return p, nil
}

func (p Policy) check() error {
	if p.Format != 1 || p.Version < 1 || p.MaxAge < 1 {
		return fmt.Errorf("no policy has the format %d, the version %d and the greatest age %d", p.Format, p.Version,
			p.MaxAge)
	}
	for _, d := range p.Documents {
		if err := d.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Heard is the last word of the server.
type Heard struct {
	At      time.Time `json:"at"`
	Version int64     `json:"version"` // the highest that was ever kept, which no later one may go below
}

// Stale reports whether the server was not heard for longer than the policy allows, or, by a clock that was set back,
// nobody can say.
func (p Policy) Stale(h Heard, now time.Time) bool {
	const skew = 5 * time.Minute
	age := now.Sub(h.At)
	return p.Version == 0 || age > time.Duration(p.MaxAge)*time.Second || age < -skew
}

// Keep keeps a signed policy, or nothing where there is none, and then the word of the server.
func (s Seat) Keep(signed []byte, h Heard) error {
	mode := fs.FileMode(0o600)
	if s.Public {
		mode = 0o644
	}
	if signed != nil {
		if err := lines.Replace(filepath.Join(s.Dir, PolicyFile), signed, mode, -1); err != nil {
			return err
		}
	}
	return s.write(HeardFile, h, mode)
}

// Kept returns the policy that is kept, as it is kept, and the last word of the server. What cannot be read or does not
// verify is none, but Heard tells of its version.
func (s Seat) Kept(t Trust) (p Policy, signed []byte, h Heard) {
	if text, err := os.ReadFile(filepath.Join(s.Dir, HeardFile)); err == nil {
		_ = json.Unmarshal(text, &h) // then it is as if it had not been
	}
	signed, err := os.ReadFile(filepath.Join(s.Dir, PolicyFile))
	if err == nil {
		p, err = Open(signed, t)
	}
	if err != nil {
		return p, nil, h
	}
	h.Version = max(h.Version, p.Version)
	return p, signed, h
}
