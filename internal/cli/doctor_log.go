package cli

import (
	"fmt"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/version"
)

// logAge is how far back nod doctor reads the log.
const logAge = 7 * 24 * time.Hour

// logBlock is what nod doctor says of the log: what nod blocked in the last days
// because nod itself failed, or could not read what the agent sent. Nothing else
// tells a person so. What an older nod failed at is left out.
func logBlock(p *Process, now time.Time) doctor.Block {
	b := doctor.Block{Title: "Decision log, the last 7 days"}
	var decided int
	var inside, payload failures
	state := config.DefaultPlaces(p.Getenv("HOME")).State
	for l, err := range audit.Read(state, audit.Filter{Since: now.Add(-logAge)}) {
		switch {
		case err != nil:
			b.Lines = append(b.Lines, doctor.Line{State: doctor.Note, What: "log", Text: err.Error()})
		case l.Nod != version.String():
		case l.Kind == audit.BadInput:
			payload.add(l)
		case l.Kind == audit.Decision:
			decided++
			if l.Error != nil && l.Error.Kind == fault.Internal {
				inside.add(l)
			}
		}
	}
	b.Lines = append(b.Lines, inside.lines("nod failed inside, and blocked", "please report it")...)
	b.Lines = append(b.Lines, payload.lines("nod could not read what the agent sent, and blocked",
		"the agent may be newer than this nod: look for a newer nod, else please report it")...)
	if len(b.Lines) == 0 {
		b.Lines = append(b.Lines, doctor.Line{State: doctor.OK, What: "log",
			Text: fmt.Sprintf("%s, nod itself failed at none", counted(decided, "call"))})
	}
	return b
}

// failures are the lines of the log about one way to fail.
type failures struct {
	n    int
	last audit.Line
}

func (f *failures) add(l audit.Line) { f.n, f.last = f.n+1, l }

// lines is a finding about the failures, where there were any.
func (f *failures) lines(what, next string) []doctor.Line {
	if f.n == 0 {
		return nil
	}
	at := f.last.Time.Local().Format("2006-01-02 15:04")
	text := fmt.Sprintf("%s %s, the last on %s with %s", what, counted(f.n, "call"), at, f.last.Agent)
	show := "nod log --kind " + string(f.last.Kind)
	if f.last.ID != "" {
		show = "nod log " + f.last.ID
	}
	return []doctor.Line{{State: doctor.Failed, What: "log", Text: text, Next: show + "; " + next}}
}
