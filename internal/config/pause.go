package config

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/view"
)

// MaxPause is the longest pause. A pause is mode observe for a time: nod's state directory holds its beginning
// and its end, and whoever reads the settings looks at the clock, so that nothing has to run for it to end.
const (
	MaxPause  = 24 * time.Hour
	pauseFile = "/pause"
)

// Pause pauses nod from now on, or ends a pause where the time is 0. The caller has made sure that a person wants it.
func Pause(p Places, d time.Duration) error {
	if d == 0 && p.State == "" {
		return nil
	}
	if d == 0 {
		if err := os.Remove(p.State + pauseFile); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := lines.PrivateDir(p.State); err != nil {
		return err
	}
	now := p.onDisk().Now().UTC()
	times := now.Format(time.RFC3339) + " " + now.Add(d).Format(time.RFC3339) + "\n"
	return lines.Replace(p.State+pauseFile, []byte(times), 0o600, -1)
}

// paused is until when nod is paused, the zero time where it is not: also where the times cannot be read, are
// further apart than a pause may be, or begin later than now, since then a clock was set back.
func (p Places) paused() time.Time {
	if p.State == "" {
		return time.Time{}
	}
	_, text, err := p.read(p.State+pauseFile, 100, func(real string, info view.Info) error {
		return checkPrivate(real, info, p.UID)
	})
	from, until, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	begin, noBegin := time.Parse(time.RFC3339, from)
	end, noEnd := time.Parse(time.RFC3339, until)
	now := p.Now()
	if errors.Join(err, noBegin, noEnd) != nil || now.Before(begin) || !now.Before(end) || end.Sub(begin) > MaxPause {
		return time.Time{}
	}
	return end
}

// pause observes where nod is paused, unless the organisation says which mode holds.
func (s *Settings) pause(p Places, layers []layer) {
	ruled := func(l layer) bool { return l.source.Level == Managed && l.modeLine > 0 }
	if s.Mode != Enforce || slices.ContainsFunc(layers, ruled) {
		return
	}
	if s.Paused = p.paused(); !s.Paused.IsZero() {
		s.Mode, s.ModeOrigin = Observe, "a pause until "+s.Paused.Local().Format(time.DateTime)
	}
}
