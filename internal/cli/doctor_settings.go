package cli

import (
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/confine/behind"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/printable"
)

// settingsBlock says whether nod's settings can be used, and which lines of them are left
// out, as rules that would allow any code are.
func settingsBlock(p *Process) doctor.Block {
	b := doctor.Block{Title: "Settings"}
	settings, err := config.Load(behind.Places(p.Environ))
	switch {
	case err != nil:
		b.Lines = []doctor.Line{{State: doctor.Failed, What: "nod.toml", Text: printable.Line(err.Error(), 300),
			Next: "no call is allowed until it can be used"}}
	case len(settings.Notices) == 0:
		b.Lines = []doctor.Line{{State: doctor.OK, What: "nod.toml", Text: "every line of it counts"}}
	}
	for _, notice := range settings.Notices {
		b.Lines = append(b.Lines, doctor.Line{State: doctor.Note, What: "left out", Text: printable.Line(notice, 300)})
	}
	return b
}
