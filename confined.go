package nod

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// HoldsSecret reports whether a real path is on the list of secrets, or is a file of
// settings that holds a login (.npmrc). A run that nod confines does not see such a file.
func (g *Gate) HoldsSecret(real string) bool { return g.machine.TouchesSecret(real, false) }

// confineWords stand between nod's program and the quoted line. What an agent may call takes no options.
const confineWords = " confine -- "

// confinedText is what an agent types to have a line run behind nod's boundary. program is nod's own, absolute.
func confinedText(program, line string) string {
	return program + confineWords + "'" + strings.ReplaceAll(line, "'", `'\''`) + "'"
}

// confinedLine returns the line that the call hands to nod's boundary. ok is false for everything but
// the exact form of confinedText: what else stands in a command runs outside.
func (t *trial) confinedLine() (line string, ok bool) {
	text := strings.TrimSpace(t.call.Command)
	_, quoted, found := strings.Cut(text, confineWords)
	if !found || t.gate.options.Confine == nil || t.call.Dialect == PowerShell || t.call.Dialect == Unread ||
		len(quoted) < 2 {
		return "", false
	}
	line = strings.ReplaceAll(quoted[1:len(quoted)-1], `'\''`, "'")
	program := t.gate.options.Confine()
	return line, program != "" && strings.TrimSpace(line) != "" && text == confinedText(program, line)
}

// decideConfined answers for a line that is handed to the boundary: as for the
// line itself, but that code which nod has not read may run.
func (t *trial) decideConfined(line string) Decision {
	defer func(whole string) { t.call.Command = whole }(t.call.Command)
	t.call.Command = line
	t.enter(t.at, t.report)
	if d, settled := t.settle(); settled {
		return d
	}
	if o := t.unconfinable(); o.stands() {
		o.why = "this cannot run confined (" + o.why + ")"
		return t.denied(LayerShell, o.orElse("type the line itself"))
	}
	t.behind = true
	return t.allowed(LayerShell, clearance{why: ReasonConfined})
}

// ReasonConfined is why a line runs behind the boundary, in the log too.
const ReasonConfined = "it runs code that nod has not read, confined"

// confineInstead answers a call that runs unread code, if nothing worse is known of the call. The answer is an
// allow with a line that runs the call confined, where the host runs such a line instead, else a denial with the
// line to type. ok is false where something else speaks against the call, or nothing can be confined here.
func (t *trial) confineInstead() (d Decision, ok bool) {
	if t.gate.options.Confine == nil || t.call.Command == "" || t.unconfinable().stands() {
		return Decision{}, false
	}
	program := t.gate.options.Confine()
	if program == "" {
		return Decision{}, false
	}
	line := confinedText(program, t.call.Command)
	if t.call.Rewrites != nil && t.call.Rewrites() {
		d = t.allowed(LayerShell, clearance{why: ReasonConfined})
		d.Instead = line
		return d, true
	}
	shown := line
	if len(line) > maxInstead || printable.Text(line) != line {
		shown = program + confineWords + "'...' with the whole line in single quotes"
	}
	d = t.denied(LayerShell, against(string(t.open.why)))
	d.Reason = printable.Line(d.Reason, reasonLimit) + confinedOffer + shown
	d.Instead = line
	return d, true
}

// confinedOffer says what running behind the boundary means.
const confinedOffer = "; it may run confined, without network or home (what it overwrites in the workspace is changed)" +
	": type exactly "

const maxInstead = 4000 // the longest line that is written out for the agent

// unconfinable says why the line cannot run behind the boundary: it has another fault than code that
// was not read, or it needs what is not there. Called once layers 0 to 3 have left the call open.
func (t *trial) unconfinable() objection {
	switch {
	case t.ruled.soft.Text != "" || t.ruled.doubt.stands() || t.secrets || t.call.StdinUnseen:
		return against(string(t.open.why))
	case !t.confinableDir():
		return against("it is not started in a repository of the workspace")
	}
	for _, u := range t.report.Unknowns {
		// Nothing of what asks other machines, or works on git's store, is there in a confined run.
		if c := t.report.Commands; u.Command >= 0 && u.Command < len(c) &&
			shell.AsksOthers(path.Base(c[u.Command].Program)) {
			return against(printable.Text(u.What))
		}
	}
	for _, c := range t.report.Commands {
		if why := t.changesHost(c); why.stands() {
			return why
		}
	}
	runs := len(t.report.Unknowns) > 0
	for _, e := range t.report.Effects {
		if why := t.needsOutside(e, t.gate.options.Rules.Hosts); why.stands() {
			return why
		}
		runs = runs || e.Kind == shell.Run
	}
	if !runs {
		return against(string(t.open.why))
	}
	return objection{}
}

// confinableDir reports whether what confinement takes for the workspace, the
// repository around the call's directory or else that directory, lies in it.
func (r *rooms) confinableDir() bool {
	dir, err := view.Resolve(r.at.Machine.Files, r.at.Dir)
	if err != nil || r.at.Dir == "" {
		return false
	}
	if r := repo.Around(r.at.Machine.Files, dir); r != nil {
		dir = r.Top
	}
	return slices.ContainsFunc(r.at.Roots, func(root string) bool { return view.Within(r.at.Machine.Files, root, dir) })
}

// changesHost reports a command that would change the host's own shell, which a
// process of its own cannot. To go where the shell is changes nothing.
func (r *rooms) changesHost(c shell.Command) objection {
	if len(c.Words) == 0 || c.Foreign {
		return objection{}
	}
	switch c.Words[0].Value {
	case "cd":
		if len(c.Words) == 2 && c.Words[1].Known && path.IsAbs(c.Words[1].Value) &&
			r.at.Machine.Real(c.Words[1].Value) == r.at.Machine.Real(r.at.Dir) {
			return objection{}
		}
		return against("cd changes the directory of your shell, which a confined run cannot").
			orElse("use a path, or cd in a call of its own")
	case "pushd", "popd", "export", "unset", "alias", "unalias", "set", "umask", "ulimit", "source", ".", "exec",
		"eval", "wait", "jobs", "fg", "bg", "disown":
		return against(c.Words[0].Value + " changes your shell, which a confined run cannot")
	}
	return objection{}
}

// needsOutside says why an effect needs what is not there behind the boundary, or is more than code
// that was not read. An allow rule clears a command outside of the boundary only.
func (r *rooms) needsOutside(e shell.Effect, hosts []string) objection {
	switch e.Kind {
	case shell.Run:
		if e.Place == shell.Temporary || e.Place == shell.InHome || e.Place == shell.HomeDir {
			return against("what it runs is not there in a confined run: " + printable.Text(e.Words))
		}
		return objection{}
	case shell.Read:
		if e.Target != "" && e.Place != shell.Workspace && e.Place != shell.System && e.Place != shell.Null {
			return against("what it reads is not there in a confined run: " + printable.Text(e.Words))
		}
	case shell.Write, shell.Delete:
		if e.Place != shell.Workspace && e.Place != shell.Null {
			return against("what it writes outside of the workspace would be gone: " + printable.Text(e.Words))
		}
	case shell.Fetch:
		return against(effectName(e.Kind) + ": " + printable.Text(e.Words))
	}
	return r.harm(e, hosts)
}
