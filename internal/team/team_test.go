//go:build unix

package team

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"
)

// A membership is its owner's alone; of one for the whole machine others may read by what a policy is known, and no
// token.
func TestWhoMayReadAMembership(t *testing.T) {
	dir := t.TempDir()
	settings, state := dir+"/etc/nod/nod.toml", dir+"/state"
	m := Member{Version: 1, Server: "https://nod.example", Org: "acme", Team: "web", Machine: "m", Token: "secret",
		Key: base64.StdEncoding.EncodeToString(make([]byte, 32))}
	if err := m.SaveAt(Seat{Dir: Dir(state)}); err != nil || Find(settings, state) != (Seat{Dir: Dir(state)}) {
		t.Error(err)
	}
	whole := Seat{Managed(settings), true}
	if err := m.SaveAt(whole); err != nil || Find(settings, state) != whole {
		t.Error(err)
	}
	if got, err := whole.Load(); err != nil || got != m {
		t.Errorf("%+v %v", got, err)
	}
	other := m
	other.Server = "https://other.example"
	wrong := other.SaveAt(Seat{Dir: Dir(state)})
	if _, err := Load(settings, state); wrong != nil || err == nil {
		t.Error(wrong, "a user's server is another than root's")
	}
	if err := whole.Keep([]byte("x"), Heard{}); err != nil {
		t.Error(err)
	}
	modes := map[string]os.FileMode{MemberFile: 0o600, TrustFile: 0o644, PolicyFile: 0o644, HeardFile: 0o644}
	for name, want := range modes {
		if info, err := os.Stat(filepath.Join(whole.Dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
}
