package nod

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// analyze asks what is known of the call's command.
func (g *Gate) analyze(c Call, roots []string) shell.Report {
	return shell.Analyze(c.Command, shell.Env{
		Dialect: c.Dialect, Dir: c.Dir, Home: g.machine.Home, Roots: roots, Files: g.machine.Files,
		Lookup: func(name string) (string, bool) { return place.Lookup(c.Environ, name) },
		Brings: func() []string { return hosts.ByName(c.Agent).Brings },
	})
}

// irrecoverable reports what of a command nobody could undo and nobody means: wiping home, the system or a disk, a
// fork bomb, a text that no agent sends in good faith, one too complex to check.
func (t *trial) irrecoverable() objection {
	switch r := t.report; {
	case r.Exceeded != "":
		return against("this is too complex to check (" + r.Exceeded + ")").
			orElse("write the file with the edit tool, or split the command")
	case r.Malformed != "":
		return against("this command holds " + r.Malformed + ", which can hide what it does").orElse("write it without")
	}
	for _, e := range t.report.Effects {
		if t.loss.Wipes(e) {
			return against("this cannot be undone: " + printable.Line(t.loss.Source(e), 160))
		}
	}
	if p := t.possible(); p != nil {
		return p.irrecoverable()
	}
	return objection{}
}

// possible is the call as what could be commands in texts that nod does not follow; nil where it
// follows all. What it is denied for, the call is denied for. Nothing else is asked of it.
func (t *trial) possible() *trial { return t.supposing(t.report.Possible) }

// handed is the call as what runners in it start; nil for a call without runners. What
// speaks against that speaks against the call.
func (t *trial) handed() *trial { return t.supposing(t.report.Handed) }

func (t *trial) supposing(report *shell.Report) *trial {
	if report == nil {
		return nil
	}
	p := &trial{gate: t.gate, call: t.call}
	p.enter(t.at, report)
	return p
}

// typedInto reports an interpreter that runs what it will be told later, on a host that does not show
// what is typed. What a pipe or a file feeds it is another matter.
func (t *trial) typedInto() objection {
	if !t.call.StdinUnseen {
		return objection{}
	}
	for _, e := range t.report.Effects {
		fed := slices.ContainsFunc(t.report.Unknowns, func(u shell.Unknown) bool {
			return u.Command == e.Command && u.Part == shell.PartWords
		})
		if e.Kind == shell.Run && e.Target == "standard input" && !fed {
			return against("nod is not shown what is typed into a program that runs: " + printable.Text(e.Words)).
				orElse("give it the script in the command itself")
		}
	}
	return objection{}
}

// stays is why a call may not move a shell that the host keeps for the next call.
func (t *trial) stays() objection {
	if !t.call.Keeps || !t.report.Lasts {
		return objection{}
	}
	return against("this may leave the shell in another directory or with other variables, and the host keeps that " +
		"shell: nod would not see in what the next call runs").orElse("put it in parentheses: (cd x && ...)")
}

// harmless is layer 3: everything the command does is known and either
// harmless here or cleared by an allow rule. Else it is what speaks against it.
func (t *trial) harmless() (clearance, objection) {
	if t.call.StdinUnseen {
		const why = "nod is not shown what is typed into this once it runs (a pager or a prompt takes commands)"
		return clearance{}, against(why)
	}
	if t.call.Outlives {
		return clearance{}, against("what this starts goes on after the session: the host is told not to end it")
	}
	rule := t.ruled.clear()
	switch o := t.unsettled(); {
	case o.stands() && t.ruled.changed.stands():
		return clearance{}, t.ruled.changed
	case o.stands():
		return clearance{}, o
	case rule.Text != "":
		return clearance{"allow rule: " + rule.Text, rule}, objection{}
	}
	return clearance{why: t.harmlessReason()}, objection{}
}

// harmlessReason says what the command does, in a few words.
func (r *rooms) harmlessReason() string {
	var made []string
	said := "it changes nothing"
	for _, e := range r.report.Effects {
		switch {
		case e.Kind == shell.Fetch && e.Declared != "":
			return "it reads from the network, where " + e.Declared + " leads"
		case e.Kind == shell.Fetch && match.IsThisMachine(e.Target):
			return "it reads what a program of this machine serves"
		case e.Kind == shell.Fetch:
			return "it reads from a host on your list"
		case e.Kind == shell.Delete:
			said = "what it deletes or overwrites can be restored"
		case e.Kind == shell.Write && e.Kept:
			said = "git keeps what was there"
		case e.Kind == shell.Write && r.report.By(e, shell.StatusUndone) && said == "it changes nothing":
			said = "it only changes a mode"
		case e.Kind == shell.Write && r.report.By(e, shell.StatusUndone):
		case e.Kind == shell.Write && e.Place != shell.Null:
			if name := printable.Text(e.Target); !slices.Contains(made, name) {
				made = append(made, name)
			}
			if _, err := r.at.Machine.Files.Lstat(e.Target); err == nil && e.Appends && said == "it changes nothing" {
				said = "what is there stays"
			} else if err == nil {
				said = "what it deletes or overwrites can be restored"
			}
		}
	}
	if made != nil && said == "it changes nothing" {
		return "it only makes what was not there: " + strings.Join(made, ", ")
	}
	return said
}

// unsettled names the first thing that is not known or not harmless and that no allow rule clears.
func (t *trial) unsettled() objection {
	for _, u := range t.report.Unknowns {
		if !t.ruled.clearsPart(u.Command, u.Part) {
			return against(printable.Text(u.What))
		}
	}
	for _, e := range t.report.Effects {
		if t.ruled.clearsEffect(e) {
			continue
		}
		if o := t.harm(e, t.gate.options.Rules.Hosts); o.stands() {
			return o
		}
	}
	if len(t.report.Commands) == 0 && len(t.report.Effects) == 0 && strings.TrimSpace(t.call.Command) == "" {
		return against("this is an empty command")
	}
	return objection{}
}

// harm says why an effect is not harmless here. hosts are those that may be read from.
func (r *rooms) harm(e shell.Effect, hosts []string) objection {
	switch e.Kind {
	case shell.Read:
		switch {
		case e.Names:
			return objection{}
		case e.Target == "":
			return against("this reads files, and nod does not know which: " + printable.Text(e.Words))
		case e.Place == shell.Device:
			return against("this reads a device, which nod does not judge: " + printable.Text(e.Words))
		}
		return objection{}
	case shell.Write:
		if r.loss.ByGit(e) {
			return object(r.loss.GitHarm(e))
		}
		return object(r.loss.WriteHarm(e))
	case shell.Delete:
		return object(r.loss.DeleteHarm(e))
	case shell.Run:
		if strings.HasPrefix(e.Target, "/") && e.Note == "" && r.at.Missing(e.Target) {
			return against("this runs " + printable.Text(e.Target) + ", which is not there: " + printable.Text(e.Words))
		}
	case shell.Fetch:
		if e.Declared != "" || match.HostAllowed(hosts, e.Target) {
			return object(harm.Modules(r.fit.Call, e))
		}
	}
	what := effectName(e.Kind)
	switch {
	case e.Kind == shell.Fetch && e.Note != "":
		return against("this asks " + printable.Text(e.Note) + ": " + printable.Text(e.Words))
	case e.Kind == shell.Fetch:
		what = fetchName(e.Target)
	}
	if e.Note != "" {
		return against(what + ": " + printable.Text(e.Words) + " (" + printable.Text(e.Note) + ")")
	}
	return against(what + ": " + printable.Text(e.Words))
}

// sentAway puts in front of what is said of a secret that the same line sends
// something: what, and whether it is the secret, nod does not follow.
func (r *rooms) sentAway(secret objection) objection {
	to := ""
	for _, e := range r.report.Effects {
		switch host := match.HostOf(e.Target); {
		case e.Kind != shell.Send && e.Kind != shell.Remote:
		case e.Kind == shell.Send && host != "", strings.Contains(host, "."): // of the others it is a name for people
			to = "to " + printable.Text(host)
		default:
			to = cmp.Or(to, "out of this machine")
		}
	}
	if to != "" {
		what := strings.TrimPrefix(string(secret.why), "this ")
		secret.why = place.Objection("this may send a secret " + to + ": it " + what)
	}
	return secret
}

func effectName(k shell.Kind) string {
	switch k {
	case shell.Delete:
		return "this deletes, and nod cannot tell that all of it could be restored"
	case shell.Run:
		return "this runs code that nod has not read"
	case shell.Send:
		return "this may send data out"
	case shell.Remote:
		return "this changes something outside of this machine"
	case shell.Kill:
		return "this ends processes, and nod does not know whose"
	case shell.Persist:
		return "this arranges for something to run later"
	case shell.Privilege:
		return "this runs as somebody else"
	}
	return "this is not known to be harmless"
}

// fetchName says where a call reads from: a sheet may say what is asked where the command does not ("the-registry").
func fetchName(target string) string {
	host := match.HostOf(target)
	switch what, ok := strings.CutPrefix(host, "the-"); {
	case match.IsThisMachine(target):
		return "this asks a program of this machine for what speaks of secrets, administration or debugging"
	case host == "":
		return "this reads from the network, from a host that is not on your list"
	case ok && !strings.Contains(what, "."):
		return "this asks the " + strings.ReplaceAll(what, "-", " ") + " over the network"
	}
	return "this reads from " + host + ", a host that is not on your list"
}

const maxChanges = 40 // how many files of one call are named

// changes lists what a call may change, which runs behind nod's boundary or not. A
// denied call changes nothing, but that is not known here.
func (r *rooms) changes(c Call, confined bool) []string {
	var names []string
	add := func(name string) {
		switch {
		case name == "" || slices.Contains(names, name):
		case len(names) < maxChanges:
			names = append(names, name)
		case len(names) == maxChanges:
			names = append(names, "/") // more than are told apart
		}
	}
	for _, e := range r.report.Effects {
		if (e.Kind == shell.Write || e.Kind == shell.Delete) && e.Place != shell.Null && e.Place != shell.Network {
			add(e.Target)
		}
	}
	if confined { // all that lies in the workspace
		for _, root := range r.at.Roots {
			add(root)
		}
	}
	if c.IsEdit() {
		for _, name := range c.Paths {
			reals, _ := r.at.Readings(name)
			add(reals[0])
		}
	}
	return names
}
