// Package guard finds calls that would change nod itself: its settings, its state and its programs, the
// lines by which an agent asks nod, and what the rules are read from. That is a part of layer 0: what it
// finds is denied, and no rule clears it.
//
// A call is looked at in each way in which it may do that: as a command of nod's own, by the effects of a
// command, by names that a command mentions where not all of it is known, as an edit, and as arguments of a
// tool whose meaning nobody has stated.
package guard

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/harm"
	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/internal/wiring"
)

// Call is a call that may change nod. It is not safe for concurrent use.
type Call struct {
	*place.Call
	Loss *harm.Loss // of the same call
	// Sources are settings files of an agent that rules were read from.
	Sources func() []place.Own
	// Read reads a text as the command that an argument may be. The Call that it
	// returns has that command and its report.
	Read func(command string) *Call

	// Unproven is why nod cannot show that an agent would still ask it after the call, once
	// [Call.SelfChange] has looked; "" where it would. That is for a person to decide.
	Unproven place.Objection

	hooked []place.Own // where hooks may stand; nil: not looked yet
}

// SelfChange reports how the call would change nod, by any tool, and what the agent may do instead; "" means nothing.
func (g *Call) SelfChange() (why place.Objection, instead string) {
	for _, find := range []func() change{
		g.selfByCommand, g.selfByEffect, g.selfByMention, g.selfByPath, g.selfByWiring, g.selfByArgument,
	} {
		if c := find(); c.what != "" {
			return place.Objection("nod does not let an agent change nod: " + c.what), c.next
		}
	}
	return "", ""
}

// change is what a call would do to nod, and what to do instead, "" where that is
// nothing. The zero value is that it would do nothing.
type change struct{ what, next string }

// selfByCommand finds nod commands that change something.
func (g *Call) selfByCommand() change {
	for _, c := range g.Report.Commands {
		if len(c.Words) == 0 || !g.isNod(c) {
			continue
		}
		if sub := changingSubcommand(c.Words[1:]); sub == "confine" && len(c.Words) > 2 {
			return change{
				what: "of nod confine it may run the whole line in single quotes behind --, alone, where " +
					"that is switched on",
				next: "type it so",
			}
		} else if sub != "" {
			return change{what: printable.Line(c.Source, 80) + " is for a person at a terminal"}
		}
	}
	return change{}
}

func (g *Call) isNod(c shell.Command) bool {
	first := c.Words[0]
	base := paths.FoldName(path.Base(first.Value))
	switch {
	case c.Program != "" && g.At.Machine.IsSelf(c.Program):
		return true
	case first.Pattern: // n*d
		return slices.ContainsFunc(programs[:], func(name string) bool { return paths.GlobMatch(base, name) })
	case !first.Known: // $(which nod)
		program, _, _ := strings.Cut(c.Source, ")")
		return mentions(program, "which nod") || mentions(program, "-v nod") || mentions(program, "/nod")
	}
	return slices.Contains(programs[:], base)
}

// programs are the names of nod's.
var programs = [...]string{"nod", "nod-hook", "nod-serve"}

// changingSubcommand returns the subcommand unless it only reads. A subcommand that is not constant counts as changing.
func changingSubcommand(words []shell.Word) string {
	plain, known := plainWords(words)
	switch {
	case !known:
		return "an unknown subcommand"
	case len(plain) == 0:
		return ""
	}
	reads := false
	switch plain[0] {
	case "check", "log", "demo", "doctor", "upgrade", "completion", "version", "help":
		reads = true
	case "rules", "mode":
		reads = len(plain) == 1
	case "approvals":
		reads = len(words) == 1
	case "undo": // from nod's own store it only restores; another store could hold anything
		reads = !slices.ContainsFunc(words, func(w shell.Word) bool {
			name, _, _ := strings.Cut(strings.TrimLeft(w.Value, "-"), "=")
			return strings.HasPrefix(w.Value, "-") && name == "state"
		})
	}
	if reads {
		return ""
	}
	return plain[0]
}

// plainWords returns the words that are neither flags nor values of nod's
// flags. known is false where a word is not constant.
func plainWords(words []shell.Word) (plain []string, known bool) {
	value := false
	for _, w := range words {
		switch {
		case !w.Known || w.Pattern:
			return nil, false
		case value:
			value = false
		case strings.HasPrefix(w.Value, "-"):
			switch strings.TrimLeft(w.Value, "-") {
			case "settings", "managed", "state", "root":
				value = true
			}
		default:
			plain = append(plain, w.Value)
		}
	}
	return plain, true
}

// selfByEffect finds commands that write to or delete nod's own files, or
// anything that holds them, and files that call nod.
func (g *Call) selfByEffect() change {
	for _, e := range g.Report.Effects {
		if e.Kind != shell.Write && e.Kind != shell.Delete || g.Loss.Wipes(e) { // denied next, with a better reason
			continue
		}
		if c := g.selfByOne(e); c.what != "" {
			return c
		}
		if !wiring.IsSettings(e.Target) {
			continue
		}
		if wiring.HoldsKey(strings.ToLower(wiring.Unescape(g.Command))) {
			return change{what: "this would silence its hooks"}
		}
		g.Unproven = cmp.Or(g.Unproven, place.Objection("this changes "+printable.Text(e.Target)+
			" by a command, and nod cannot show that hooks stay in force; use the edit tool"))
	}
	return change{}
}

func (g *Call) selfByOne(e shell.Effect) change {
	switch {
	case g.At.Machine.IsSelf(e.Target):
		return change{what: printable.Text(e.Target) + " belongs to nod"}
	case (e.Recursive || e.Moved) && e.Place != shell.Network && g.takesSelf(e):
		return change{what: printable.Text(e.Target) + " holds files of nod"}
	}
	names, _ := g.At.Machine.Names(e)
	for _, name := range names {
		switch {
		case name == "" || e.Place == shell.Network:
		case g.callsNod(name) && g.registers(name):
			const next = "use the edit tool, so that nod can see that this stays so"
			return change{printable.Text(name) + " calls nod", next}
		case g.isSource(name):
			const next = "use the edit tool, so that nod can see that they stay"
			return change{"nod takes rules from " + printable.Text(name), next}
		}
	}
	if name := g.takesRegistration(e); name != "" {
		return change{what: printable.Text(name) + ", which calls nod, would not be there"}
	}
	return change{}
}

// takesSelf reports whether what an effect does to a tree it may do to something of nod's in it. Nobody can move
// /, mkdir changes nothing that is there, and what find picks out is nod's only where the test may hold for it.
func (g *Call) takesSelf(e shell.Effect) bool {
	if e.Moved && e.Target == "/" || e.Pattern != "" && g.Report.By(e, shell.MakesDirectories) {
		return false
	}
	target := strings.ToLower(e.Target)
	return slices.ContainsFunc(slices.Concat(g.At.Machine.Self(), g.Sources()), func(own place.Own) bool {
		return target != "" && view.Below(target, own.Lower) && passes(e.Picked, own.Name[len(e.Target):])
	})
}

// passes reports whether a file of nod's may pass a test of find, below the directory where find starts. nod
// reads its files all the time; they are small, have the mode that nod gives them, and belong to the user.
func passes(test, below string) bool {
	name, value, _ := strings.Cut(test, " ")
	switch name {
	case "-name", "-iname":
		names := append(strings.Split(below, "/"), "nod.toml", "decisions.jsonl", "x.json")
		return slices.ContainsFunc(names, func(part string) bool { return paths.FindMatch(value, part) })
	case "-maxdepth":
		return strings.Count(strings.Trim(below, "/"), "/") == 0
	case "-atime", "-size", "-user", "-group", "-uid", "-gid", "-perm", "-empty":
		return false
	}
	return true
}

// selfByMention finds nod's files in the text of a command that is not wholly
// known: an interpreter's code, a program without data.
func (g *Call) selfByMention() change {
	runs := func(e shell.Effect) bool { return e.Kind == shell.Run }
	if len(g.Report.Unknowns) == 0 && !slices.ContainsFunc(g.Report.Effects, runs) {
		return change{}
	}
	for _, own := range g.At.Machine.Self() {
		if mentions(g.Command, g.spelling(own.Name)) {
			return change{what: "this is not known to leave " + printable.Text(own.Name) + " as it is"}
		}
	}
	for _, name := range [...]string{"nod-gate", "nodgate/nod/cmd"} { // on npm and PyPI; as Go has it
		if mentions(strings.ToLower(g.Command), name) {
			return change{what: "this is not known to leave the package " + name + " as it is"}
		}
	}
	return change{}
}

// spelling is how one of nod's own paths must be written at the least: below home the part from there on is enough.
func (g *Call) spelling(own string) string {
	for _, home := range [...]string{g.At.Machine.Home, g.At.Machine.RealHome} {
		if home != "" && strings.HasPrefix(own, home) && strings.HasPrefix(own[len(home):], "/") {
			return own[len(home)+1:]
		}
	}
	return own
}

// mentions reports whether text holds a path, not merely as the beginning of a longer name.
func mentions(text, name string) bool {
	for from := 0; name != "" && name != "/"; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		if from += i + len(name); from == len(text) || !wiring.NameByte(text[from]) {
			return true
		}
	}
	return false
}

// selfByPath finds edits of nod's own files.
func (g *Call) selfByPath() change {
	for _, name := range g.Paths {
		reals, _ := g.At.Readings(name)
		if g.IsEdit() && slices.ContainsFunc(reals, g.At.Machine.IsSelf) {
			return change{what: printable.Text(name) + " belongs to nod"}
		}
	}
	return change{}
}

// selfByWiring finds edits of agent settings that would take nod's lines out, put in a key that silences
// hooks, or change rules that nod takes from them. Edits of one file follow each other.
func (g *Call) selfByWiring() change {
	edited := map[string][]byte{}
	for _, e := range g.Edits {
		reals, _ := g.At.Readings(e.Path)
		for _, real := range slices.Compact(slices.Clone(reals)) { // twice the same place is one edit
			if why := g.miswiredAt(edited, real, e); why != "" {
				return change{what: why}
			}
		}
	}
	return change{}
}

// miswiredAt judges an edit of the file at one place where its path may lead.
func (g *Call) miswiredAt(edited map[string][]byte, real string, e place.Edit) (why string) {
	if real == "" {
		return ""
	}
	before, after, known := g.simulate(edited, real, e)
	edited[real] = after
	if !g.isSource(real) && (!concernsHooks(real, e.Old, before, after) || !g.registers(real)) {
		return ""
	}
	return g.miswired(real, e, before, after, known)
}

// concernsHooks is false where an edit cannot change who is asked, in any file: neither the name of the file nor the
// content speaks of nod's hook, or of what silences hooks. Most edits are done with here.
func concernsHooks(real, old string, before, after []byte) bool {
	if wiring.IsTOML(real) {
		return true
	}
	settings := wiring.IsSettings(real)
	for _, text := range [...]string{old, string(before), string(after)} {
		text = strings.ToLower(wiring.Unescape(text))
		if strings.Contains(text, "nod-hook") || strings.Contains(text, "hooksconfig") || wiring.HoldsKey(text) ||
			settings && (strings.Contains(text, "hook") || strings.Contains(text, `env"`)) {
			return true
		}
	}
	return false
}

func (g *Call) miswired(real string, e place.Edit, before, after []byte, known bool) (why string) {
	shown := printable.Text(real)
	switch {
	case g.isSource(real) && (!known || wiring.Permissions(before) != wiring.Permissions(after)):
		return "nod takes rules from the permissions and autoMode of " + shown
	case !known && (wiring.MentionsHook(e.Old) || wiring.MentionsHook(e.New)):
		return "this changes the lines of " + shown + " that call nod"
	case !known && wiring.Calls(real, before):
		return "the text to be replaced is not in " + shown + ", which calls nod, so that what stays is not known"
	case known:
		why, unsure := g.rewired(real, before, after)
		if why != "" {
			return why
		}
		g.Unproven = cmp.Or(g.Unproven, place.Objection(unsure))
	}
	if wiring.Silenced(real, string(before), string(after)) {
		return "this would silence its hooks"
	}
	return ""
}

// simulate returns a file's content before and after an edit; edited is what other edits of the call have left.
// known is false where the content cannot be read and is not replaced whole, or the text to be replaced is not in
// it as it stands: some hosts match more loosely than byte by byte. Then after is what the edit puts in.
func (g *Call) simulate(edited map[string][]byte, real string, e place.Edit) (before, after []byte, known bool) {
	before, again := edited[real]
	var err error
	if !again {
		before, err = g.At.Machine.Files.Read(real, 1<<20)
	}
	unreadable := err != nil && !errors.Is(err, fs.ErrNotExist)
	switch {
	case e.Whole && unreadable: // it may have called nod
		return []byte("nod-hook"), []byte(e.New), true
	case e.Whole:
		return before, []byte(e.New), true
	case unreadable, !bytes.Contains(before, []byte(e.Old)):
		return before, []byte(e.New), false
	case e.All:
		return before, bytes.ReplaceAll(before, []byte(e.Old), []byte(e.New)), true
	}
	return before, bytes.Replace(before, []byte(e.Old), []byte(e.New), 1), true
}

// isSource reports whether a real path is a file of an agent that rules were read from.
func (g *Call) isSource(real string) bool {
	return slices.ContainsFunc(g.Sources(), func(s place.Own) bool { return s.Lower == strings.ToLower(real) })
}
