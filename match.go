package nod

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
)

// allowedBy finds the allow pattern whose words equal the command's.
func (t *trial) allowedBy(c shell.Command) (Rule, bool) {
	for _, r := range t.gate.rules.Allow {
		if t.allows(r, c) {
			return r, true
		}
	}
	return Rule{}, false
}

func (t *trial) allows(r Rule, c shell.Command) bool {
	return r.speaksOf(t.call.Agent) && r.clears(c) && t.atHome(c.Dir) && t.writtenFor(r, c) && t.confined(r, c)
}

// writtenFor reports whether a rule that names its program by a relative path
// means this one: such a path starts in the call's directory or a workspace.
func (t *trial) writtenFor(r Rule, c shell.Command) bool {
	name := r.words[0]
	if !strings.Contains(name, "/") || path.IsAbs(name) {
		return true
	}
	for _, dir := range append([]string{t.call.Dir}, t.at.Roots...) {
		if real, err := t.gate.machine.Locate(dir, name); err == nil && real == c.Program {
			return true
		}
	}
	return false
}

// confined reports whether a command runs where the rule holds.
func (t *trial) confined(r Rule, c shell.Command) bool {
	return r.Within == "" || t.gate.machine.Inside([]string{r.Within}, t.gate.machine.Real(c.Dir))
}

// atHome reports whether a command runs where its rule was written for: the
// call's own directory, or a workspace. npm test is other code elsewhere.
func (t *trial) atHome(dir string) bool {
	if dir == "" {
		return false
	}
	real := t.gate.machine.Real(dir)
	return real == t.gate.machine.Real(t.call.Dir) || t.gate.machine.Inside(t.at.Roots, real)
}

// beyond reports whether an effect is more than an open rule stands for: its
// command's further arguments lead to another program (go test -exec X), or to
// what is guarded or lies outside the workspace (go build -o ~/.bashrc).
func (t *trial) beyond(e shell.Effect) bool {
	if e.Part != shell.PartWords || e.Command < 0 || e.Command >= len(t.report.Commands) || !t.leadsAway(e) {
		return false
	}
	c, beyond := t.report.Commands[e.Command], false
	for _, r := range t.gate.rules.Allow {
		switch {
		case !t.allows(r, c):
		case !r.open || len(c.Words) == len(r.words) || t.standsFor(r, c, e):
			return false
		default:
			beyond = true
		}
	}
	return beyond
}

func (t *trial) leadsAway(e shell.Effect) bool {
	switch e.Kind {
	case shell.Run:
		return true
	case shell.Write, shell.Delete:
		outside := e.Place != shell.Workspace && e.Place != shell.Temporary && e.Place != shell.Null
		return !e.Kept && (e.Target == "" || outside || t.at.Guarded(e.Target) || t.gate.machine.Guards.Match(e.Target) && e.Place == shell.Temporary)
	}
	return false
}

// standsFor reports whether a rule's own words have the effect too.
func (t *trial) standsFor(r Rule, c shell.Command, e shell.Effect) bool {
	call := t.call
	call.Command, call.Dir = shell.QuoteWords(r.words), c.Dir
	return slices.ContainsFunc(t.gate.analyze(call, t.at.Roots).Effects, func(o shell.Effect) bool {
		return o.Kind == e.Kind && o.Target == e.Target
	})
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
		if r.permission != nil && t.fits(*r.permission) != misses {
			t.soft, t.open = r, "soft_deny rule: "+r.Text
			return true
		}
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
		if w.Known && (w.Value == r.words[0] || path.Base(w.Value) == r.words[0]) && followedBy(r.words[0], r.words[1:], c.Words[i+1:]) {
			return true
		}
		if where == firstWord {
			return false
		}
	}
	return false
}

// followedBy reports whether all wanted words are there, an option by either of
// its spellings.
func followedBy(program string, want []string, words []shell.Word) bool {
	for _, w := range want {
		if !strings.HasPrefix(w, "-") && !hasWord(w, words) {
			return false
		}
	}
	for _, w := range want {
		if !strings.HasPrefix(w, "-") || hasWord(w, words) {
			continue
		}
		if other := shell.OtherSpelling(program, w); other == "" || !hasWord(other, words) {
			return false
		}
	}
	return true
}

func hasWord(want string, words []shell.Word) bool {
	letters, short := harm.ShortOptions(want)
	var seen strings.Builder
	for _, w := range words {
		if w.Known && w.Value == want {
			return true
		}
		if got, ok := harm.ShortOptions(w.Value); ok && w.Known {
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

// knownProgram reports whether a word is a program of nod's data or of the
// call's PATH, so that a rule that starts with it is a pattern.
func (g *Gate) knownProgram(c Call, name string) bool {
	if strings.Contains(name, "/") || shell.Known(name) {
		return true
	}
	value, _ := place.Lookup(c.Environ, "PATH")
	for dir := range strings.SplitSeq(value, ":") {
		if info, err := g.machine.Files.Lstat(path.Clean(dir + "/" + name)); err == nil && !info.Mode.IsDir() && path.IsAbs(dir) {
			return true
		}
	}
	return false
}
