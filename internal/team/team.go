// Package team is a machine's place in a team: which server it belongs to, kept in STATE/team, or, where root joined
// for the whole machine, in [Managed].
//
// `nod-serve join` writes [Member] from the answer to an enrolment code. nod-serve daemon uses it to fetch policies, to
// ship the log and to have questions answered. The hook reads what the daemon left here and talks to nobody, so that
// this package links no network.
//
// # Policies
//
// A [Policy] is made of settings as TOML, and signed by the organisation's key ([Seal], [Open]). The daemon keeps a new
// one as it came (package client), and whoever reads the settings verifies it again (package config). A policy in a
// state directory is as safe as that directory: nod guards it from agents, and its user could remove it. In [Managed]
// only root can.
package team

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nodgate/nod/internal/lines"
)

// Member is how a machine speaks to its team's server.
type Member struct {
	Version int    `json:"v"`
	Server  string `json:"server"`  // https://nod.example, without a slash at its end
	Org     string `json:"org"`     // the organisation's id there
	Team    string `json:"team"`    // the team's
	Machine string `json:"machine"` // the machine's
	Token   string `json:"token"`   // with the scopes of a machine
	// Key is the organisation's ed25519 public key, base64: what it did not sign is no policy.
	Key string `json:"key"`
	// Authorities is a PEM file with the certificates that the server's is checked by; "" for the system's.
	Authorities string `json:"authorities,omitempty"`
}

// ErrNone says that the machine belongs to no team.
var ErrNone = errors.New("this machine belongs to no team; nod-serve join does that")

const maxBytes = 64 << 10

// Dir is where a state directory keeps what is the team's.
func Dir(state string) string { return filepath.Join(state, "team") }

// Load returns the membership that a state directory has, or [ErrNone]. It [Member.Fits] the machine.
func Load(settings, state string) (m Member, err error) {
	if m, err = (Seat{Dir: Dir(state)}).Load(); err == nil {
		err = m.Fits(settings)
	}
	return m, err
}

// Seat is a directory with a membership.
type Seat struct {
	Dir    string
	Public bool // it is [Managed], which every user may read, but for the token
}

// Find returns the seat that holds on a machine with a managed settings file and a state directory.
func Find(settings, state string) Seat {
	managed := Managed(settings)
	if _, err := os.Lstat(filepath.Join(managed, TrustFile)); settings == "" || errors.Is(err, fs.ErrNotExist) {
		return Seat{Dir: Dir(state)}
	}
	return Seat{managed, true}
}

// Load returns the membership there, or [ErrNone].
func (s Seat) Load() (m Member, err error) {
	text, err := lines.Read(filepath.Join(s.Dir, MemberFile), maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return m, ErrNone
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return Member{}, fmt.Errorf("%s: %w", filepath.Join(s.Dir, MemberFile), err)
	}
	return m, nil
}

// Trust is by what the machine knows its policies.
func (m Member) Trust() Trust { return Trust{m.Org, m.Team, m.Key, m.Server} }

// Fits refuses a user's membership of another organisation or server than root joined the machine to: whom a policy of
// root's asks, nobody else may be. Before the user has joined, only the server is compared. settings is that of [Find].
func (m Member) Fits(settings string) error {
	seat := Find(settings, "")
	if !seat.Public {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(seat.Dir, TrustFile))
	root, wrong := ReadTrust(text)
	if err = errors.Join(err, wrong); err != nil {
		return fmt.Errorf("%s: %w", seat.Dir, err)
	}
	if root.Server != "" && root.Server != m.Server || m.Org != "" && (root.Org != m.Org || root.Key != m.Key) {
		return fmt.Errorf("root joined this machine to the organisation %s at %q; users join that, at that address",
			root.Org, root.Server)
	}
	return nil
}

// check refuses what no server could have given.
func (m Member) check() error {
	switch {
	case m.Version != 1:
		return fmt.Errorf("version %d is not known; join again", m.Version)
	case !strings.HasPrefix(m.Server, "https://") && !strings.HasPrefix(m.Server, "http://127.0.0.1:"):
		return fmt.Errorf("%q is no https address", m.Server)
	case m.Machine == "" || m.Token == "":
		return errors.New("the machine's id or its token is missing; join again")
	}
	return m.Trust().check()
}

// SaveAt writes the membership, readable by its owner alone, and in a public seat what of it others may read.
func (m Member) SaveAt(s Seat) error {
	err := m.check()
	if err == nil && s.Public {
		err = errors.Join(os.MkdirAll(s.Dir, 0o755), os.Chmod(s.Dir, 0o755)) // whatever root's umask is
	} else if err == nil {
		err = lines.PrivateDir(s.Dir)
	}
	if err == nil {
		err = s.write(MemberFile, m, 0o600)
	}
	if err == nil && s.Public {
		err = s.write(TrustFile, m.Trust(), 0o644)
	}
	return err
}

func (s Seat) write(name string, what any, mode fs.FileMode) error {
	text, err := json.MarshalIndent(what, "", "  ")
	if err != nil {
		return err
	}
	return lines.Replace(filepath.Join(s.Dir, name), append(text, '\n'), mode, -1)
}
