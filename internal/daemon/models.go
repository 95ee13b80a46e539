//go:build unix

package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"sync"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
)

// warm is a model with its connections, and the print of what it was built
// from.
type warm struct {
	print string
	model nod.Model
}

// notices are what went wrong beside an answer; a model that dumps has them.
func (w warm) notices() []string {
	if d, ok := w.model.(interface{ Notices() []string }); ok {
		return d.Notices()
	}
	return nil
}

// models keeps the model of the settings as they last were. The zero value is
// empty.
type models struct {
	mu   sync.Mutex
	last warm
}

func (m *models) size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last.model == nil {
		return 0
	}
	return 1
}

// of returns the model of these settings. Another settings file, key or bundle
// of certificates makes a new one. One that writes dumps is made anew for each
// question, so that what it reports belongs to that one.
func (m *models) of(s *server, settings config.Settings) (warm, error) {
	print, err := fingerprint(s.Places, settings)
	if err != nil {
		return warm{}, err
	}
	if settings.Log.DumpDir != "" {
		model, err := s.Build(settings, s.limits)
		return warm{print, model}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last.model != nil && m.last.print == print {
		return m.last, nil
	}
	model, err := s.Build(settings, s.limits)
	if err != nil {
		return warm{}, err
	}
	m.last = warm{print, model}
	return m.last, nil
}

// fingerprint stands for everything that a model is built from.
func fingerprint(p config.Places, s config.Settings) (string, error) {
	h := sha256.New()
	for _, source := range s.Sources {
		fmt.Fprintf(h, "%q %s\n", source.Path, source.SHA256)
	}
	for _, t := range append([]config.Target{s.Model.Target}, s.Model.Fallbacks...) {
		key, err := t.Key(p.Files, p.UID)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q\n", key)
	}
	if s.Model.CAFile != "" {
		info, err := os.Stat(s.Model.CAFile)
		if err != nil {
			return "", &fault.Error{Kind: fault.BadSettings, Message: "[model] ca_file cannot be read", Cause: err}
		}
		fmt.Fprintf(h, "%d %d\n", info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
