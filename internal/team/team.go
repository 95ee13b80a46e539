// Package team is a machine's place in a team: which server it belongs to, kept in STATE/team.
//
// `nod-serve join` writes [Member] from the answer to an enrolment code. nod-serve daemon uses it to fetch policies, to
// ship the log and to have questions answered. The hook reads what the daemon left here and talks to nobody, so that
// this package links no network.
package team

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/nodgate/nod/internal/lines"
)

// Member is how a machine speaks to its team's server.
type Member struct {
	Version int    `json:"v"`
	Server  string `json:"server"`  // https://nod.example, without a slash at its end
	Machine string `json:"machine"` // the machine's id there
	Token   string `json:"token"`   // with the scopes of a machine
	// Key is the organisation's ed25519 public key, base64: what it did not sign is no policy.
	Key string `json:"key"`
	// Authorities is a PEM file with the certificates that the server's is checked by; "" for the system's.
	Authorities string `json:"authorities,omitempty"`
}

// ErrNone says that the machine belongs to no team.
var ErrNone = errors.New("this machine belongs to no team; nod-serve join does that")

const (
	memberFile = "member.json"
	maxBytes   = 64 << 10
)

// Dir is where a state directory keeps what is the team's.
func Dir(state string) string { return filepath.Join(state, "team") }

// File is the file that makes a machine a member. Its time is when the machine joined.
func File(state string) string { return filepath.Join(Dir(state), memberFile) }

// Load returns the membership that a state directory has, or [ErrNone].
func Load(state string) (m Member, err error) {
	text, err := lines.Read(filepath.Join(Dir(state), memberFile), maxBytes)
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
		return Member{}, fmt.Errorf("%s: %w", filepath.Join(Dir(state), memberFile), err)
	}
	return m, nil
}

// check refuses what no server could have given.
func (m Member) check() error {
	key, err := base64.StdEncoding.DecodeString(m.Key)
	switch {
	case m.Version != 1:
		return fmt.Errorf("version %d is not known; join again", m.Version)
	case !strings.HasPrefix(m.Server, "https://") && !strings.HasPrefix(m.Server, "http://127.0.0.1:"):
		return fmt.Errorf("%q is no https address", m.Server)
	case m.Machine == "" || m.Token == "":
		return errors.New("the machine's id or its token is missing; join again")
	case err != nil || len(key) != 32:
		return errors.New("the organisation's key is not one of 32 bytes; join again")
	}
	return nil
}

// Save writes the membership, readable by its owner alone.
func (m Member) Save(state string) error {
	err := m.check()
	if err == nil {
		err = lines.PrivateDir(Dir(state))
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return lines.Replace(filepath.Join(Dir(state), memberFile), append(text, '\n'), 0o600, -1)
}
