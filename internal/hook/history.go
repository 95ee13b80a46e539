package hook

import (
	"fmt"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/session"
)

// history is the session's memory as the gate asks it about layer 4.
type history struct {
	*session.Session // what it denied
	run              *run
	settings         config.ModelSettings
}

// history is what the gate is told; nil for a run that keeps no state.
func (r *run) history(s config.Settings, memory *session.Session) nod.History {
	if r.Places.State == "" {
		return nil
	}
	return history{memory, r, s.Model}
}

// Exhausted implements nod.History. A sum that is not known counts as having reached its ceiling.
func (h history) Exhausted() string {
	if most := h.settings.MaxCostSession; most > 0 {
		if !h.Remembers() {
			return "what this session has cost is not known, and [model] max_cost_session sets a ceiling"
		}
		if sum := h.Cost(); sum >= most {
			return fmt.Sprintf("this session has cost $%.4f, and [model] max_cost_session is $%.2f", sum, most)
		}
	}
	if most := h.settings.MaxCostDay; most > 0 {
		sum, err := session.Spent(h.run.Places.State, h.run.Now())
		if err != nil {
			return "what today has cost cannot be read, and [model] max_cost_day sets a ceiling: " +
				printable.Line(err.Error(), 100)
		}
		if sum >= most {
			return fmt.Sprintf("today's sessions have cost $%.4f, and [model] max_cost_day is $%.2f (days are UTC)",
				sum, most)
		}
	}
	return ""
}

// unpriced warns where a ceiling does not count an answer.
func unpriced(s config.ModelSettings, d nod.Decision) []string {
	c := d.Classification
	if s.MaxCostSession == 0 && s.MaxCostDay == 0 || c == nil || c.Cost > 0 {
		return nil
	}
	if c.Usage.In == 0 {
		return []string{"the provider of the model " + printable.Line(c.Model, 60) +
			" did not say how many tokens it counted, so no ceiling counts this answer"}
	}
	return []string{"the price of the model " + printable.Line(c.Model, 60) +
		" is not known, so no ceiling counts it; add a [[price]]"}
}
