package nod

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// analyze asks what is known of the call's command.
func (g *Gate) analyze(c Call, p places) shell.Report {
	return shell.Analyze(c.Command, shell.Env{
		Dialect: c.Dialect, Dir: c.Dir, Home: g.home, Roots: p.roots, Files: g.files,
		Lookup:  func(name string) (string, bool) { return lookup(c.Environ, name) },
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
		if wipes(e) {
			return "this cannot be undone: " + Printable(e.Words)
		}
	}
	return ""
}

func wipes(e shell.Effect) bool {
	switch e.Kind {
	case shell.Exhaust:
		return true
	case shell.Delete, shell.Write:
		if e.Place == shell.Device {
			return isDisk(e.Target)
		}
		return e.Recursive && (e.Place == shell.HomeDir || e.Place == shell.System && topLevel(e.Target))
	case shell.Remote:
		return e.Forced && e.Recursive // the history of every branch
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
	parts := foldPath(target)
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
	cleared := make([]bool, len(t.report.Commands))
	for i, c := range t.report.Commands {
		if r, ok := t.allowedBy(c); ok && t.permits(r, i) {
			cleared[i], rule = true, r
		}
	}
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
	for _, e := range t.report.Effects {
		switch {
		case e.Kind == shell.Write && e.Place != shell.Null:
			made = append(made, Printable(path.Base(e.Target)))
		case e.Kind == shell.Fetch:
			return "it reads from a host on your list"
		}
	}
	if made != nil {
		return "it only makes what was not there: " + strings.Join(made, ", ")
	}
	return "it changes nothing"
}

// unsettled names the first thing that is not known or not harmless and that
// no allow rule clears.
func (t *trial) unsettled(cleared []bool) (why string) {
	covered := func(command int, part shell.Part) bool {
		return t.covered(cleared, command, part)
	}
	for _, u := range t.report.Unknowns {
		if !covered(u.Command, u.Part) {
			return Printable(u.What)
		}
	}
	for _, e := range t.report.Effects {
		if covered(e.Command, e.Part) {
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
	switch e.Kind {
	case shell.Read:
		switch {
		case e.Target == "" && !t.fedByNames(e):
			return "what this reads is not known: " + Printable(e.Words)
		case e.Place == shell.Device:
			return "this reads a device: " + Printable(e.Words)
		}
		return ""
	case shell.Write:
		if t.byGit(e) {
			return "this changes the repository: " + Printable(e.Words)
		}
		return t.writeHarm(e)
	case shell.Fetch:
		if hostAllowed(t.gate.rules.Hosts, e.Target) {
			return ""
		}
	}
	return effectName(e.Kind) + ": " + Printable(e.Words)
}

// fedByNames reports whether a command reads what xargs hands it, and all that
// comes before in the line only names files of the workspace, or picks among
// such names. What prints the content of a file may name any other.
func (t *trial) fedByNames(e shell.Effect) bool {
	if e.Command < 1 || e.Command >= len(t.report.Commands) || !slices.Contains(t.report.Commands[e.Command].Wrappers, "xargs") {
		return false
	}
	for i, c := range t.report.Commands[:e.Command] {
		if !namesFiles(c) && !(picksLines(c) && !t.reads(i)) || t.readsElsewhere(i) {
			return false
		}
	}
	return true
}

// namesFiles reports whether a program prints names below where it looks.
func namesFiles(c shell.Command) bool {
	has := func(words ...string) bool {
		return slices.ContainsFunc(c.Words, func(w shell.Word) bool { return w.Known && slices.Contains(words, w.Value) })
	}
	switch path.Base(c.Program) {
	case "ls", "fd", "fdfind":
		return true
	case "find":
		return !has("-printf", "-exec", "-execdir", "-fprintf")
	case "git":
		return len(c.Words) > 1 && (c.Words[1].Value == "ls-files" || c.Words[1].Value == "diff" && has("--name-only"))
	case "grep", "rg":
		return has("-l", "-rl", "-rln", "-lr", "-ril", "--files-with-matches", "--files", "-L")
	}
	return false
}

// picksLines reports whether a program passes some of its lines on unchanged.
func picksLines(c shell.Command) bool {
	switch path.Base(c.Program) {
	case "sort", "uniq", "head", "tail", "grep", "egrep", "fgrep":
		return true
	}
	return false
}

func (t *trial) reads(command int) bool {
	return slices.ContainsFunc(t.report.Effects, func(e shell.Effect) bool { return e.Command == command })
}

func (t *trial) readsElsewhere(command int) bool {
	return slices.ContainsFunc(t.report.Effects, func(e shell.Effect) bool {
		return e.Command == command && e.Place != shell.Workspace
	})
}

// copiesTree reports whether a command makes a copy of a directory: hooks,
// agent settings and keys in it would arrive unseen.
func (t *trial) copiesTree(e shell.Effect) bool {
	if e.Command < 0 || e.Command >= len(t.report.Commands) {
		return false
	}
	switch path.Base(t.report.Commands[e.Command].Program) {
	case "cp", "rsync", "ditto", "gcp":
		return e.Recursive || slices.ContainsFunc(t.report.Effects, func(r shell.Effect) bool {
			return r.Command == e.Command && r.Kind == shell.Read && r.Recursive && r.Pattern == ""
		})
	}
	return false
}

// byGit reports whether git itself writes to its directory.
func (t *trial) byGit(e shell.Effect) bool {
	if e.Part != shell.PartWords || e.Command < 0 || e.Command >= len(t.report.Commands) {
		return false
	}
	return path.Base(t.report.Commands[e.Command].Program) == "git"
}

// writeHarm lets a command make a new ordinary file where an edit tool might
// make it too. What is already there may be work that nobody can restore.
func (t *trial) writeHarm(e shell.Effect) (why string) {
	switch {
	case e.Place == shell.Null:
		return ""
	case t.copiesTree(e):
		return "this copies a whole tree, whatever it holds: " + Printable(e.Words)
	}
	if why := t.gate.writable(t.places, e.Target); why != "" {
		return why
	}
	if _, err := t.gate.files.Lstat(e.Target); !isMissing(err) {
		return "this may overwrite " + Printable(e.Target)
	}
	return ""
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

// hostAllowed reports whether a plain http address, or a bare host, is on the
// list: exactly, or below an entry that starts with "*.".
func hostAllowed(hosts []string, address string) bool {
	host := hostOf(address)
	for _, h := range hosts {
		h = strings.ToLower(h)
		if h == host && host != "" {
			return true
		}
		if suffix, ok := strings.CutPrefix(h, "*."); ok && strings.HasSuffix(host, "."+suffix) {
			return true
		}
	}
	return false
}

// hostOf returns the host of an address, "" where there is any doubt: a user
// name, a port that is no number, a character that no host has.
func hostOf(address string) string {
	address = strings.ToLower(address)
	for _, scheme := range [...]string{"https://", "http://"} {
		address = strings.TrimPrefix(address, scheme)
	}
	if i := strings.IndexAny(address, "/?#"); i >= 0 {
		address = address[:i]
	}
	host, port, _ := strings.Cut(address, ":")
	if strings.Trim(port, "0123456789") != "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return ""
	}
	return strings.TrimSuffix(host, ".")
}

// allowedBy finds the allow pattern whose words equal the command's.
func (t *trial) allowedBy(c shell.Command) (Rule, bool) {
	if len(t.gate.rules.Allow) == 0 || !t.atHome(c.Dir) {
		return Rule{}, false
	}
	for _, r := range t.gate.rules.Allow {
		if r.clears(c) && t.writtenFor(r, c) && t.confined(r, c) {
			return r, true
		}
	}
	return Rule{}, false
}

// writtenFor reports whether a rule that names its program by a relative path
// means this one: such a path starts in the call's directory or a workspace.
func (t *trial) writtenFor(r Rule, c shell.Command) bool {
	name := r.words[0]
	if !strings.Contains(name, "/") || path.IsAbs(name) {
		return true
	}
	for _, dir := range append([]string{t.call.Dir}, t.places.roots...) {
		if real, err := t.gate.locate(dir, name); err == nil && real == c.Program {
			return true
		}
	}
	return false
}

// confined reports whether a command runs where the rule holds.
func (t *trial) confined(r Rule, c shell.Command) bool {
	return r.Within == "" || t.gate.inside([]string{r.Within}, t.gate.real(c.Dir))
}

// atHome reports whether a command runs where its rule was written for: the
// call's own directory, or a workspace. npm test is other code elsewhere.
func (t *trial) atHome(dir string) bool {
	if dir == "" {
		return false
	}
	real := t.gate.real(dir)
	return real == t.gate.real(t.call.Dir) || t.gate.inside(t.places.roots, real)
}

// clears reports whether an allow pattern matches. A name that the agent can
// give to anything (a program in the workspace) is not matched by name, only
// by the very path that the rule writes.
func (r Rule) clears(c shell.Command) bool {
	n := len(r.words)
	if n == 0 || len(c.Words) < n || !r.open && len(c.Words) > n {
		return false
	}
	if c.Foreign && !strings.Contains(r.words[0], "/") || slices.ContainsFunc(c.Wrappers, changesMeaning) {
		return false
	}
	for i, w := range r.words {
		if got := c.Words[i]; !got.Known || got.Pattern || got.Value != w {
			return false
		}
	}
	return true
}

// changesMeaning reports whether a command under this wrapper is another one:
// as somebody else, on another machine, in a container.
func changesMeaning(wrapper string) bool {
	switch path.Base(wrapper) {
	case "env", "nice", "ionice", "nohup", "time", "timeout", "stdbuf", "setsid", "command", "builtin", "exec", "eval",
		"xargs", "find", "sh", "bash", "zsh", "dash", "ksh":
		return false
	}
	return true
}

// softDenied looks for a soft_deny pattern in the command.
func (t *trial) softDenied() bool {
	for _, r := range t.gate.rules.SoftDeny {
		for _, c := range t.report.Commands {
			if r.occursIn(c, anyWord) && t.gate.knownProgram(t.call, r.words[0]) {
				t.soft, t.open = r, "soft_deny rule: "+r.Text
				return true
			}
		}
	}
	return false
}

// matchesHard looks for a hard_deny pattern in the command: as a command of
// its own, or anywhere among the words of a program that nod does not know
// and that may therefore run its arguments.
func (t *trial) matchesHard(r Rule) bool {
	for i, c := range t.report.Commands {
		where := firstWord
		if t.hasUnknown(i) {
			where = anyWord
		}
		if r.occursIn(c, where) {
			return true
		}
	}
	return false
}

func (t *trial) hasUnknown(command int) bool {
	for _, u := range t.report.Unknowns {
		if u.Command == command {
			return true
		}
	}
	return false
}

type position bool

const (
	firstWord position = false
	anyWord   position = true
)

// occursIn reports whether a denying pattern is among the command's words:
// its program, then its other words in any places behind, single-letter
// options however they are bundled. It errs towards matching.
func (r Rule) occursIn(c shell.Command, where position) bool {
	if len(r.words) == 0 {
		return false
	}
	for i, w := range c.Words {
		if w.Known && (w.Value == r.words[0] || path.Base(w.Value) == r.words[0]) && followedBy(r.words[1:], c.Words[i+1:]) {
			return true
		}
		if where == firstWord {
			return false
		}
	}
	return false
}

func followedBy(want []string, words []shell.Word) bool {
	for _, w := range want {
		if !hasWord(w, words) {
			return false
		}
	}
	return true
}

func hasWord(want string, words []shell.Word) bool {
	letters, short := shortOptions(want)
	var seen strings.Builder
	for _, w := range words {
		if w.Known && w.Value == want {
			return true
		}
		if got, ok := shortOptions(w.Value); ok && w.Known {
			seen.WriteString(got)
		}
	}
	if !short {
		return false
	}
	for _, l := range letters {
		if !strings.ContainsRune(seen.String(), l) {
			return false
		}
	}
	return true
}

// shortOptions returns the letters of a bundle such as -rf.
func shortOptions(word string) (letters string, ok bool) {
	if len(word) < 2 || word[0] != '-' || word[1] == '-' {
		return "", false
	}
	return word[1:], true
}

// knownProgram reports whether a word is a program of nod's data or of the
// call's PATH, so that a rule that starts with it is a pattern.
func (g *Gate) knownProgram(c Call, name string) bool {
	if strings.Contains(name, "/") || shell.Known(name) {
		return true
	}
	value, _ := lookup(c.Environ, "PATH")
	for dir := range strings.SplitSeq(value, ":") {
		if info, err := g.files.Lstat(path.Clean(dir + "/" + name)); err == nil && !info.Mode.IsDir() && path.IsAbs(dir) {
			return true
		}
	}
	return false
}
