package nod

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// analyze asks what is known of the call's command.
func (g *Gate) analyze(c Call, roots []string) shell.Report {
	return shell.Analyze(c.Command, shell.Env{
		Dialect: c.Dialect, Dir: c.Dir, Home: g.machine.Home, Roots: roots, Files: g.machine.Files,
		Lookup:  func(name string) (string, bool) { return place.Lookup(c.Environ, name) },
		Ambient: variableNames(c.Environ),
	})
}

func variableNames(environ []string) []string {
	names := make([]string, 0, len(environ))
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		names = append(names, name)
	}
	return names
}

// irrecoverable reports what of a command nobody could undo and nobody means:
// wiping home, the system or a disk, a fork bomb, a text that no agent sends
// in good faith, one too complex to check. "" where there is nothing of that.
func (t *trial) irrecoverable() (why string) {
	switch r := t.report; {
	case r.Exceeded != "":
		return "too complex to check (" + r.Exceeded + "); write the file with the edit tool, or split the command"
	case r.Malformed != "":
		return "the command holds " + r.Malformed
	}
	for _, e := range t.report.Effects {
		if t.wipes(e) {
			return "this cannot be undone: " + printable.Text(e.Words)
		}
	}
	if p := t.possible(); p != nil {
		return p.irrecoverable()
	}
	return ""
}

// possible is the call as what could be commands in texts that nod does not
// follow; nil where it follows all. What it is denied for, the call is denied
// for. Nothing else is asked of it.
func (t *trial) possible() *trial {
	if t.report.Possible == nil {
		return nil
	}
	return &trial{gate: t.gate, call: t.call, at: t.at, report: *t.report.Possible}
}

// typedInto reports an interpreter that runs what it will be told later, on a
// host that does not show what is typed; "" if there is none. What a pipe or a
// file feeds it is another matter.
func (t *trial) typedInto() (why string) {
	if !t.call.StdinUnseen {
		return ""
	}
	for _, e := range t.report.Effects {
		fed := slices.ContainsFunc(t.report.Unknowns, func(u shell.Unknown) bool { return u.Command == e.Command && u.Part == shell.PartWords })
		if e.Kind == shell.Run && e.Target == "standard input" && !fed {
			return "nod is not shown what is typed into a program that runs: " + printable.Text(e.Words) + "; give it the script in the command itself"
		}
	}
	return ""
}

// wipes reports whether an effect takes a disk, the home directory or the
// system along. What only adds to those, or takes what tests pick out, is for
// a model to judge; removing the name of a device is no loss.
func (t *trial) wipes(e shell.Effect) bool {
	switch e.Kind {
	case shell.Exhaust:
		return true
	case shell.Delete, shell.Write:
		if e.Kind == shell.Delete && e.Recursive && e.Picked == "" && strings.TrimSuffix(e.Target, "/") == "/dev" {
			return true
		}
		if e.Place == shell.Device {
			return isDisk(e.Target) && (e.Kind == shell.Write || e.Recursive)
		}
		whole := e.Recursive && e.Picked == "" && (!e.Moved || t.discards(e)) && (e.Kind == shell.Delete || t.changesMode(e) || t.empties(e))
		return whole && (e.Place == shell.HomeDir || e.Place == shell.System && topLevel(e.Target))
	case shell.Remote:
		return e.Forced && e.Recursive // the history of every branch
	}
	return false
}

// discards reports whether a command moves what it moves to nowhere.
func (t *trial) discards(e shell.Effect) bool {
	return slices.ContainsFunc(t.report.Effects, func(o shell.Effect) bool {
		return o.Command == e.Command && o.Kind == shell.Write && o.Place == shell.Null
	})
}

// empties recognises programs that leave nothing of what they write to.
func (t *trial) empties(e shell.Effect) bool {
	switch t.report.ProgramOf(e) {
	case "truncate", "tee", "dd", "shred":
		return true
	}
	return false
}

// isDisk reports whether a device file is a whole disk or a partition.
func isDisk(target string) bool {
	name, ok := strings.CutPrefix(target, "/dev/")
	if !ok {
		return false
	}
	for _, prefix := range [...]string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "md", "dm-", "mapper/", "loop", "nbd"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			return true
		}
	}
	return false
}

// topLevel reports whether target is / or one of the system's own top-level
// directories.
func topLevel(target string) bool {
	parts := paths.Fold(target)
	if len(parts) > 1 {
		return parts[0] == "private" && len(parts) == 2 || parts[0] == "usr" && len(parts) == 2 && parts[1] != "local"
	}
	if len(parts) == 0 {
		return true
	}
	switch parts[0] {
	case "bin", "boot", "dev", "etc", "home", "lib", "lib64", "opt", "proc", "root", "sbin", "srv", "sys", "usr", "var",
		"system", "library", "users", "applications", "private":
		return true
	}
	return false
}

// harmless is layer 3: everything the command does is known and either
// harmless here or cleared by an allow rule. why is "" where it is not.
func (t *trial) harmless() (why string, rule Rule) {
	if t.call.StdinUnseen {
		t.open = "nod is not shown what is typed into this once it runs (a pager or a prompt takes commands)"
		return "", Rule{}
	}
	cleared := make([]bool, len(t.report.Commands))
	for i, c := range t.report.Commands {
		if r, ok := t.allowedBy(c); ok && t.permits(r, i) {
			cleared[i], rule = true, r
		}
	}
	t.ruled = cleared
	if open := t.unsettled(cleared); open != "" {
		if t.open = open; t.changed != "" {
			t.open = t.changed
		}
		return "", Rule{}
	}
	if rule.Text != "" {
		return "allow rule: " + rule.Text, rule
	}
	return t.harmlessReason(), Rule{}
}

// harmlessReason says what the command does, in a few words.
func (t *trial) harmlessReason() string {
	var made []string
	said := "it changes nothing"
	for _, e := range t.report.Effects {
		switch {
		case e.Kind == shell.Fetch && e.Declared != "":
			return "it reads from the network, where " + e.Declared + " leads"
		case e.Kind == shell.Fetch && t.ownDatabase(e):
			return "it reads a database of this machine"
		case e.Kind == shell.Fetch:
			return "it reads from a host on your list"
		case e.Kind == shell.Delete:
			said = "what it deletes or overwrites can be restored"
		case e.Kind == shell.Write && e.Kept:
			said = "git keeps what was there"
		case e.Kind == shell.Write && e.Place != shell.Null:
			if name := printable.Text(path.Base(e.Target)); !slices.Contains(made, name) {
				made = append(made, name)
			}
			if _, err := t.gate.machine.Files.Lstat(e.Target); err == nil && e.Appends && said == "it changes nothing" {
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

// unsettled names the first thing that is not known or not harmless and that
// no allow rule clears.
func (t *trial) unsettled(cleared []bool) (why string) {
	covered := func(command int, part shell.Part) bool {
		return t.covered(cleared, command, part)
	}
	for _, u := range t.report.Unknowns {
		if !covered(u.Command, u.Part) {
			return printable.Text(u.What)
		}
	}
	for _, e := range t.report.Effects {
		if covered(e.Command, e.Part) && !t.beyond(e) {
			continue
		}
		if why := t.harm(e); why != "" {
			return why
		}
	}
	if len(t.report.Commands) == 0 && len(t.report.Effects) == 0 && strings.TrimSpace(t.call.Command) == "" {
		return "an empty command"
	}
	return ""
}

// harm says why an effect is not harmless here, "" if it is.
func (t *trial) harm(e shell.Effect) (why string) {
	if why := t.plainHarm(e); why != "" {
		return why
	}
	return t.taintedHarm(e)
}

func (t *trial) plainHarm(e shell.Effect) (why string) {
	switch e.Kind {
	case shell.Read:
		switch {
		case e.Names:
			return ""
		case e.Target == "" && e.Given:
			// Nothing that this call says names a file, and what an agent types
			// later is a call of its own (Call.StdinUnseen says where not).
			return ""
		case e.Target == "" && !t.fedByNames(e):
			return "what this reads is not known: " + printable.Text(e.Words)
		case e.Place == shell.Device:
			return "this reads a device: " + printable.Text(e.Words)
		}
		return ""
	case shell.Write:
		if t.byGit(e) {
			return t.gitHarm(e)
		}
		return t.writeHarm(e)
	case shell.Delete:
		return t.deleteHarm(e)
	case shell.Fetch:
		if e.Declared != "" || hostAllowed(t.gate.rules.Hosts, e.Target) || t.ownDatabase(e) {
			return ""
		}
	}
	if e.Note != "" {
		return effectName(e.Kind) + ": " + printable.Text(e.Words) + " (" + printable.Text(e.Note) + ")"
	}
	return effectName(e.Kind) + ": " + printable.Text(e.Words)
}

// ownDatabase reports whether a command asks a database on this machine. What
// it holds may be read as a file may.
func (t *trial) ownDatabase(e shell.Effect) bool {
	if e.Target != "localhost" || e.Command < 0 || e.Command >= len(t.report.Commands) {
		return false
	}
	c := t.report.Commands[e.Command]
	if c.Foreign || len(c.Words) == 0 || len(c.Wrappers) > 0 {
		return false
	}
	switch path.Base(c.Words[0].Value) {
	case "psql", "mysql", "mariadb":
		return true
	}
	return false
}

// fedByNames reports whether what a command reads is named by others in the
// line that only print names of files, or pick among them, and below which lies
// no secret. What prints the content of a file may name any other.
func (t *trial) fedByNames(e shell.Effect) bool {
	if e.From < 0 || e.From >= e.To || e.To > len(t.report.Commands) || e.Command < 0 || e.Command >= len(t.report.Commands) {
		return false
	}
	if dir := t.report.Commands[e.Command].Dir; dir == "" || t.gate.machine.TouchesSecret(dir, true) {
		return false // a name alone may be one of those here
	}
	for i := e.From; i < e.To; i++ {
		if c := t.report.Commands[i]; !namesFiles(c) && !(picksLines(c) && !t.reads(i)) || !t.readsOpenly(i) {
			return false
		}
	}
	return true
}

// namesFiles reports whether a program prints names below where it looks.
func namesFiles(c shell.Command) bool {
	if c.Foreign {
		return false
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(c.Words, func(w shell.Word) bool { return w.Known && slices.Contains(words, w.Value) })
	}
	fed := slices.Contains(c.Wrappers, "xargs") // then names are among the words
	says := func(options ...string) bool {      // something else than names
		return slices.ContainsFunc(c.Words, func(w shell.Word) bool {
			return !w.Known && !fed || slices.ContainsFunc(options, func(o string) bool { return strings.HasPrefix(w.Value, o) })
		})
	}
	if says("--format", "--time-style", "--quoting-style", "--path-separator", "--line-prefix", "--label", "--hyperlink", "-printf", "-exec", "-ok") {
		return false
	}
	switch path.Base(c.Program) {
	case "ls", "fd", "fdfind", "find":
		return true
	case "git":
		return len(c.Words) > 1 && (c.Words[1].Value == "ls-files" || c.Words[1].Value == "diff" && has("--name-only"))
	case "grep", "rg":
		return has("-l", "-rl", "-rln", "-lr", "-ril", "--files-with-matches", "--files", "-L")
	}
	return false
}

// picksLines reports whether a program passes some of its lines on unchanged.
func picksLines(c shell.Command) bool {
	if c.Foreign {
		return false
	}
	switch path.Base(c.Program) {
	case "sort", "uniq", "head", "tail":
		return true
	case "grep", "egrep", "fgrep":
		return !slices.ContainsFunc(c.Words, func(w shell.Word) bool { // parts of lines
			letters, short := shortOptions(w.Value)
			return !w.Known || short && strings.Contains(letters, "o") || strings.HasPrefix(w.Value, "--only") || strings.HasPrefix(w.Value, "--label")
		})
	}
	return false
}

func (t *trial) reads(command int) bool {
	return slices.ContainsFunc(t.report.Effects, func(e shell.Effect) bool { return e.Command == command })
}

// readsOpenly reports whether a command only reads, and might read all of what
// it names without coming upon a secret.
func (t *trial) readsOpenly(command int) bool {
	for _, e := range t.report.Effects {
		if e.Command != command || e.Place == shell.Null {
			continue
		}
		if e.Kind != shell.Read || e.Place == shell.Device || e.Target == "" && (e.To > command || !t.fedByNames(e)) {
			return false
		}
		if e.Target != "" && (t.gate.machine.TouchesSecret(e.Target, true) || e.Name != "" && t.gate.machine.TouchesSecret(e.Name, true)) {
			return false
		}
	}
	return true
}

func effectName(k shell.Kind) string {
	switch k {
	case shell.Delete:
		return "this deletes"
	case shell.Run:
		return "this runs code that nod has not read"
	case shell.Fetch:
		return "this reads from the network"
	case shell.Send:
		return "this sends data"
	case shell.Remote:
		return "this changes something elsewhere"
	case shell.Kill:
		return "this ends processes"
	case shell.Persist:
		return "this arranges for something to run later"
	case shell.Privilege:
		return "this runs as somebody else"
	}
	return "this is not known to be harmless"
}
