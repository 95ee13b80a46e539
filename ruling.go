package nod

import (
	"slices"

	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/withheld"
)

// ruling is what the rules of a gate say about one call. It is handed on to what answers an open call.
type ruling struct {
	gate *Gate
	call Call
	fit  *match.Call

	soft    Rule      // the soft_deny pattern that matched; Text "" if none
	doubt   objection // of a hard_deny rule that may forbid the call, if nod knew more
	brought objection // that a rule which names the called tool does not count
	// changed says which definition keeps an allow rule from clearing its
	// command; bound are the definitions that rules were held to.
	changed objection
	bound   []Evidence
	cleared []bool // which commands an allow rule clears, once layer 3 has looked
}

// forbids is what hard_deny says. A rule that may be meant is kept as a doubt.
func (r *ruling) forbids() objection {
	for _, rule := range r.gate.options.Rules.HardDeny {
		switch r.degree(rule) {
		case match.FitsAll:
			return objection{why: "a hard_deny rule" + rule.place() + " forbids this: " + place.Objection(rule.Text),
				rule: rule}
		case match.MayFit:
			r.doubt = objection{rule: rule, why: "this may be what a hard_deny rule" + rule.place() +
				" forbids, and nod cannot tell: " + place.Objection(rule.Text)}
		}
	}
	return objection{}
}

// reserves finds a rule that leaves the call to a person. A rule that may be meant counts.
func (r *ruling) reserves() objection {
	for _, rule := range r.gate.options.Rules.Ask {
		switch r.degree(rule) {
		case match.FitsAll:
			return objection{rule: rule, why: "an ask rule" + rule.place() +
				" leaves this to a person: " + place.Objection(rule.Text)}
		case match.MayFit:
			return objection{rule: rule, why: "this may be what an ask rule" + rule.place() +
				" leaves to a person, and nod cannot tell: " + place.Objection(rule.Text)}
		}
	}
	return objection{}
}

// degree is how well the call fits a rule of hard_deny or ask.
func (r *ruling) degree(rule Rule) match.Degree {
	switch {
	case rule.permission != nil:
		return r.fit.Fits(*rule.permission)
	case r.fit.Forbids(rule.command):
		return match.FitsAll
	case r.fit.MayForbid(rule.command):
		return match.MayFit
	}
	return match.Misses
}

// softDenied looks for a soft_deny pattern in the call.
func (r *ruling) softDenied() bool {
	i := slices.IndexFunc(r.gate.options.Rules.SoftDeny, func(rule Rule) bool {
		return rule.permission != nil && r.fit.Fits(*rule.permission) != match.Misses || r.fit.Mentions(rule.command)
	})
	if i < 0 {
		return false
	}
	r.soft = r.gate.options.Rules.SoftDeny[i]
	return true
}

// permitsTool returns the allow rule that names the tool of an MCP server that is called.
func (r *ruling) permitsTool() clearance {
	for _, rule := range r.gate.options.Rules.Allow {
		if rule.permission == nil || !r.fit.Names(*rule.permission) {
			continue
		}
		switch {
		case !r.fit.HoldsIn(r.call.Dir, rule.Within):
		case r.call.MCP.Brought && rule.Within == "":
			const why = "the repository brings this MCP server, so that a rule for it stands under [[repository]]: "
			r.brought = objection{why: why + place.Objection(rule.Text), rule: rule}
		default:
			return clearance{"allow rule: " + rule.Text, rule}
		}
	}
	return clearance{}
}

// clear finds out which commands allow rules clear, and returns one of the rules.
func (r *ruling) clear() (rule Rule) {
	r.cleared = make([]bool, len(r.fit.Report.Commands))
	rules := r.gate.options.Rules.Allow
	for i, c := range r.fit.Report.Commands {
		by := slices.IndexFunc(rules, func(rule Rule) bool { return r.allows(rule, c) })
		if by >= 0 && r.permits(rules[by], i) {
			r.cleared[i], rule = true, rules[by]
		}
	}
	return rule
}

func (r *ruling) allows(rule Rule, c shell.Command) bool {
	return r.fit.Clears(rule.command, c) && r.fit.HoldsIn(c.Dir, rule.Within)
}

// clearsPart reports whether allow rules clear this part of a command: of what the line
// writes that is a command's words.
func (r *ruling) clearsPart(command int, part shell.Part) bool {
	return command >= 0 && command < len(r.cleared) && r.cleared[command] && part == shell.PartWords
}

// clearsCommand reports whether allow rules clear the words of a command.
func (r *ruling) clearsCommand(command int) bool { return r.clearsPart(command, shell.PartWords) }

// clearsEffect reports whether allow rules clear an effect.
func (r *ruling) clearsEffect(e shell.Effect) bool {
	return r.clearsPart(e.Command, e.Part) && !r.beyond(e)
}

// beyond reports whether an effect is more than an open rule stands for: its command's further arguments lead to
// another program (go test -exec X), or to what is guarded or lies outside the workspace (go build -o ~/.bashrc).
func (r *ruling) beyond(e shell.Effect) bool {
	commands := r.fit.Report.Commands
	if e.Part != shell.PartWords || e.Command < 0 || e.Command >= len(commands) || !r.fit.LeadsAway(e) {
		return false
	}
	c, beyond := commands[e.Command], false
	for _, rule := range r.gate.options.Rules.Allow {
		switch {
		case !r.allows(rule, c):
		case !rule.command.Open || len(c.Words) == len(rule.command.Words) || r.standsFor(rule, c, e):
			return false
		default:
			beyond = true
		}
	}
	return beyond
}

// standsFor reports whether a rule's own words have the effect too.
func (r *ruling) standsFor(rule Rule, c shell.Command, e shell.Effect) bool {
	call := r.call
	call.Command, call.Dir = shell.QuoteWords(rule.command.Words), c.Dir
	return slices.ContainsFunc(r.gate.analyze(call, r.fit.At.Roots).Effects, func(o shell.Effect) bool {
		return o.Kind == e.Kind && o.Target == e.Target
	})
}

// permits reports whether an allow rule that matches a command permits what runs now: a rule stands
// for what its definitions (package scripts, Makefile, task file, script, and the files they name)
// said when the session began. What changed since goes to the model, once for each content.
func (r *ruling) permits(rule Rule, command int) bool {
	ok := true
	for _, d := range r.fit.Report.Definitions {
		if d.Command != command {
			continue
		}
		e := Evidence{Path: d.Path, SHA256: d.SHA256}
		if !slices.Contains(r.bound, e) && d.SHA256 != "" {
			r.bound = append(r.bound, e)
		}
		why := ""
		if d.SHA256 == "" {
			why = " cannot be read as it will be run"
		} else if r.gate.options.Memory != nil && r.gate.options.Memory.Standing(e) == Changed {
			why = " may have changed in this session"
		}
		if why != "" && ok {
			ok = false
			r.changed = against(printable.Text(withheld.ShortPath(r.call.Dir, d.Path)) + why +
				", so the allow rule does not cover it: " + rule.Text)
		}
	}
	return ok
}
