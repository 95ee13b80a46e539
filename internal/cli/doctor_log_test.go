//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/version"
)

// A call that was blocked because nod failed inside is told with its id; one of an
// older nod, or one long ago, says nothing of this nod.
func TestDoctorTellsWhatFailedInside(t *testing.T) {
	now := time.Now()
	entry := func(id, nodVersion string, at time.Time, kind fault.Kind) audit.Entry {
		e := audit.Entry{Version: audit.Version, Kind: audit.Decision, ID: id, Time: at, Nod: nodVersion,
			Agent: "codex", Verdict: nod.Deny}
		if kind != "" {
			e.Error = &audit.Error{Kind: kind}
		}
		return e
	}
	ours := version.String()
	tests := map[string]struct {
		entries []audit.Entry
		state   doctor.State
		want    string
	}{
		"nothing": {nil, doctor.OK, "0 calls, nod itself failed at none"},
		"no model": {[]audit.Entry{entry("a", ours, now, fault.NoModel)}, doctor.OK,
			"1 call, nod itself failed at none"},
		"inside": {[]audit.Entry{entry("a", ours, now, ""), entry("b", ours, now, fault.Internal)},
			doctor.Failed, "nod failed inside, and blocked 1 call, the last on"},
		"of another nod": {[]audit.Entry{entry("a", "0.0.1", now, fault.Internal)}, doctor.OK, "0 calls"},
		"long ago":       {[]audit.Entry{entry("a", ours, now.Add(-2*logAge), fault.Internal)}, doctor.OK, "0 calls"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			state := filepath.Join(home, ".local", "state", "nod")
			if err := os.MkdirAll(state, 0o700); err != nil {
				t.Fatal(err)
			}
			log, err := audit.Open(state)
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			for _, e := range tt.entries {
				if err := log.Write(e); err != nil {
					t.Fatal(err)
				}
			}
			b := logBlock(&Process{Environ: []string{"HOME=" + home}}, now)
			if len(b.Lines) != 1 || b.Lines[0].State != tt.state || !strings.Contains(b.Lines[0].Text, tt.want) {
				t.Fatalf("%+v, want one line, %s: %q", b.Lines, tt.state, tt.want)
			}
			if next := b.Lines[0].Next; tt.state == doctor.Failed && next != "nod log b; please report it" {
				t.Errorf("next %q", next)
			}
		})
	}
}
