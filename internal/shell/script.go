package shell

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// Limits of what is read of the files that a line runs.
const (
	maxDefinition  = 64 << 20 // of a file whose content is only hashed
	maxScripts     = 4        // scripts inside each other
	maxDefinitions = 48
	maxParsed      = 1 << 20 // of all that is parsed for one line
)

// source is a file that a command runs, read whole.
type source struct {
	real string
	name string // as the command has it, which is what $0 says
	text string
}

// definitions are the files that say what commands of the line run, and those by
// which a command was read.
type definitions struct {
	machine *machine
	out     *draft
	limits  *limits

	walking  []string  // definitions being walked
	watching []watched // files whose content counts
	contents []kept    // and what they say
}

// load reads a file that the current command runs and records it as one of
// its definitions. ok is false where its content cannot be taken for what
// runs: the path is not known, it is no regular file, it is too large for a
// script, others can change it, or a wrapper runs it somewhere else.
//
// Whoever can say what code in another language does asks for it here.
func (f *definitions) load(w word, inv *invocation) (s source, ok bool) {
	name, known := absolute(w, inv.st)
	if !known || w.many || w.glob > 0 || w.output || f.out.away != "" || f.machine.env.Files == nil ||
		grammar.Disguise(name) != "" {
		return s, false
	}
	s.name = w.text
	var data []byte
	if s.real, data, ok = f.defined(name); !ok || !f.out.asWritten() || len(data) > grammar.MaxBytes ||
		len(f.out.links) > 0 || !f.machine.settledFile(s.real) {
		return s, false
	}
	s.text = string(data)
	return s, true
}

// asWritten reports whether the wrappers around a command run it here, as
// this user, in the directory that is known.
func (d *draft) asWritten() bool {
	for _, w := range d.wrappers {
		name := path.Base(w)
		if runsItself(name) || name == "trap" || grammar.Shells(name) != nil {
			continue
		}
		if s, ok := d.machine.sheet(name); !ok || !s.stays {
			return false
		}
	}
	return true
}

// defined records a file as a definition of the current command and returns
// its content, if it could be read whole.
func (f *definitions) defined(name string) (real string, data []byte, ok bool) {
	real, data, sum := f.content(name)
	if !strings.Contains(real, "/node_modules/") { // what is installed is nobody's definition
		f.define(real, sum)
	}
	return real, data, sum != "" && sum != Absent
}

// content reads a file, once, and remembers that the report rests on it.
func (f *definitions) content(name string) (real string, data []byte, sum string) {
	for _, k := range f.contents {
		if k.name == name {
			f.watch(k.real)
			return k.real, k.data, k.sum
		}
	}
	if len(f.contents) >= 2*maxDefinitions {
		return path.Clean(name), nil, ""
	}
	real, data, sum = f.readContent(name)
	f.settingsElsewhere(name, real)
	f.contents = append(f.contents, kept{name, real, data, sum})
	return real, data, sum
}

// settingsElsewhere reports a file that a program looks for by a name which is a
// link to a file of another name: the program may print what it cannot read there.
func (f *definitions) settingsElsewhere(name, real string) {
	info, err := f.machine.env.Files.Lstat(real)
	if path.Base(real) != path.Base(name) || err == nil && hasOtherName(info) {
		_, place := f.machine.place(real)
		f.out.effect(Effect{Kind: Read, Target: real, Place: place, Words: name, Part: PartWords})
	}
}

// kept is a file that was read.
type kept struct {
	name, real string
	data       []byte
	sum        string
}

// afford counts the bytes of definitions that are parsed. A line that runs a
// large script many times over is not followed to the end.
func (l *limits) afford(text string) bool {
	l.parsed += len(text)
	return l.parsed <= maxParsed
}

func (f *definitions) readContent(name string) (real string, data []byte, sum string) {
	real, err := view.Resolve(f.machine.env.Files, name)
	if err != nil {
		f.watch(name)
		return path.Clean(name), nil, ""
	}
	f.watch(real)
	if clean := path.Clean(name); clean != real {
		f.watch(clean)
	}
	if data, err = f.machine.env.Files.Read(real, maxDefinition); err != nil {
		if _, lerr := f.machine.env.Files.Lstat(real); errors.Is(lerr, fs.ErrNotExist) {
			return real, nil, Absent
		}
		return real, nil, ""
	}
	f.rests(real, data)
	return real, data, digest(data)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// define records what the current command is defined by. Of too many nobody
// could keep track: that is stated as one that cannot be read.
func (f *definitions) define(name, sum string) {
	d := Definition{Path: name, SHA256: sum, Command: f.out.command}
	if slices.Contains(f.out.report.Definitions, d) {
		return
	}
	if len(f.out.report.Definitions) >= maxDefinitions {
		d.SHA256 = ""
	}
	if len(f.out.report.Definitions) < 2*maxDefinitions {
		f.out.report.Definitions = append(f.out.report.Definitions, d)
	}
}

// watched is a file whose content, or absence, a command was read by.
type watched struct {
	path    string
	command int
	heeded  bool // the command reads it before it does anything
	begins  bool // any name that begins so
	folded  bool // in any case of its letters
}

func (f *definitions) watch(name string) { f.watches(watched{path: name, command: f.out.command}) }

func (f *definitions) watches(w watched) {
	if !slices.Contains(f.watching, w) {
		f.watching = append(f.watching, w)
	}
}

// unstable reports commands whose definitions the line itself changes, before
// they run or while they do: what was read is not what will run. What a
// command makes and then runs is its own doing, and defines nothing.
func (f *definitions) unstable() {
	if len(f.watching) == 0 {
		return
	}
	var found []watched
	for _, e := range f.out.report.Effects {
		if e.Kind != Write && e.Kind != Delete || e.Place == Null || e.Place == Network {
			continue
		}
		for _, w := range f.watching {
			own := f.out.outermost(e.Command) == f.out.outermost(w.command)
			if slices.Contains(found, w) || w.heeded && f.out.standsIn(e.Command, w.command) ||
				!f.changes(e, w.path, own) && !(w.begins && strings.HasPrefix(e.Target, w.path)) &&
					!(w.folded && strings.EqualFold(e.Target, w.path)) {
				continue
			}
			if found = append(found, w); own {
				f.undefine(w)
			}
		}
	}
	for _, w := range found {
		f.changedByLine(w)
	}
}

// changes reports whether an effect may change a file. One on a path that is
// not known may, unless it belongs to what the file defines: then it is stated
// there already.
func (f *definitions) changes(e Effect, name string, own bool) bool {
	switch {
	case e.Target == "":
		return !own
	case e.Target != name && f.out.makesDirectories(e.Command):
		return false
	case e.Kept && (view.Below(e.Target+"/.git", name) || path.Base(e.Target) == ".git" &&
		view.Below(e.Target+"/hooks", name)):
		return false // git puts no hooks into its directory
	}
	return view.Within(f.machine.env.Files, e.Target, name) || e.Name != "" && view.Below(e.Name, name)
}

// makesDirectories reports whether a command makes directories and puts nothing
// into them.
func (d *draft) makesDirectories(command int) bool {
	if command < 0 || command >= len(d.report.Commands) {
		return false
	}
	return d.report.Commands[command].Has(MakesDirectories)
}

// outermost is the command of the line in whose definitions a command stands.
func (d *draft) outermost(command int) int {
	for command >= 0 && command < len(d.report.Commands) && d.report.Commands[command].Caller > 0 {
		command = d.report.Commands[command].Caller - 1
	}
	return command
}

// standsIn reports whether a command is another one, or stands in what that
// one runs.
func (d *draft) standsIn(command, outer int) bool {
	for command >= 0 && command < len(d.report.Commands) {
		if command == outer {
			return true
		}
		command = d.report.Commands[command].Caller - 1
	}
	return false
}

func (f *definitions) undefine(w watched) {
	f.out.report.Definitions = slices.DeleteFunc(f.out.report.Definitions, func(d Definition) bool {
		return d.Path == w.path && f.out.report.Commands != nil && d.Command != f.out.outermost(d.Command) &&
			f.out.outermost(d.Command) == f.out.outermost(w.command)
	})
}

func (f *definitions) changedByLine(w watched) {
	f.out.command = w.command
	if w.begins {
		w.path = cmp.Or(strings.TrimSuffix(w.path, "/"), "/")
	}
	for _, e := range f.out.report.Effects {
		if (e.Kind == Write || e.Kind == Delete) && e.Place != Null && e.Place != Network &&
			f.out.outermost(e.Command) != f.out.outermost(w.command) && f.changes(e, w.path, false) {
			f.define(w.path, "")
			break
		}
	}
	f.out.effect(Effect{Kind: Run, Target: w.path, Place: f.machine.placeOf(w.path), Words: w.path, Part: PartWords})
	f.out.unknown(PartWords, w.path, "this runs "+grammar.Escaped(w.path)+", which the same line changes")
}

// settledFile reports whether a file is one that only this user and root can
// change or put in its place, and that does not run as somebody else.
func (m *machine) settledFile(real string) bool {
	home, err := m.env.Files.Lstat(m.realHome())
	if err != nil || m.env.Home == "" {
		return false
	}
	own := func(name string, odd fs.FileMode) bool {
		info, err := m.env.Files.Lstat(name)
		return err == nil && info.Mode&odd == 0 && (info.UID == 0 || info.UID == home.UID) &&
			(info.Mode.Perm()&0o002 == 0 || info.Mode.IsDir() && info.Mode&fs.ModeSticky != 0)
	}
	if !own(real, fs.ModeType|fs.ModeSetuid|fs.ModeSetgid) {
		return false
	}
	for dir := path.Dir(real); ; dir = path.Dir(dir) {
		if !own(dir, fs.ModeSymlink) {
			return false
		}
		if dir == "/" {
			return true
		}
	}
}

// shebang returns the grammars of a script that the kernel starts, nil where
// its interpreter is no shell that is read or gets options that matter.
func (m *machine) shebang(text string, st state) []syntax.LangVariant {
	rest, ok := strings.CutPrefix(text, "#!")
	if !ok {
		return grammar.Shells("sh") // whoever starts it hands it to a shell then
	}
	line, _, _ := strings.Cut(rest, "\n")
	if len(line) > 120 || strings.ContainsAny(line, "\r\x00") {
		return nil
	}
	interpreter, arg, _ := strings.Cut(strings.Trim(line, " \t"), " ")
	if path.Base(interpreter) == "env" && path.IsAbs(interpreter) && grammar.Identifier(arg) &&
		!m.suspect(interpreter, st) {
		interpreter, arg = arg, ""
	} else if !path.IsAbs(interpreter) {
		return nil
	}
	switch arg {
	case "", "-", "--", "-e", "-u", "-x", "-eu", "-ue", "-ex", "-eux", "-xe", "-xeu":
	default:
		return nil
	}
	if m.suspect(interpreter, st) {
		return nil
	}
	return grammar.Shells(path.Base(interpreter))
}

// suspect reports whether a name does not lead to a program that only root or
// the person can write.
func (m *machine) suspect(name string, st state) bool {
	p := m.find(name, st)
	return p.fault != "" || p.foreign
}

// passage is shell text of a file: a script, a recipe, an entry of package.json.
type passage struct {
	file  string // what the words of effects name, and what a cycle is seen by
	name  string // $0 and BASH_SOURCE; "" where it is none
	text  string
	langs []syntax.LangVariant
	line  int // of the file, where the text is one line of it; 0: count
}

func (f *definitions) readable(t passage) bool {
	return f.limits.afford(t.text) && len(f.walking) < maxScripts &&
		!slices.Contains(f.walking, t.file) &&
		strings.IndexByte(t.text, '\r') < 0 && grammar.Malformed(t.text) == "" && grammar.Exceeded(t.text) == "" &&
		!strings.HasPrefix(t.text, "\uFEFF")
}

// spot is the place of the text that is walked, for the words that quote it.
type spot struct {
	file  string // "" for the line itself
	name  string
	line  int
	fixed bool // line does not follow the statements
}

func whereOf(t passage) spot {
	return spot{file: t.file, name: t.name, line: max(t.line, 1), fixed: t.line > 0}
}

// located puts file and line before what is quoted from a file.
func (d *draft) located(words string) string {
	if d.where.file == "" {
		return words
	}
	return d.short(d.where.file) + ":" + strconv.Itoa(d.where.line) + ": " + words
}

// short is a path as a person names it: relative to the directory of the line
// where it lies below.
func (d *draft) short(name string) string {
	if rest, ok := strings.CutPrefix(name, d.machine.env.Dir+"/"); ok && d.machine.env.Dir != "" {
		name = rest
	}
	return grammar.Escaped(name)
}

// mark is how far a report has come.
type mark struct {
	effects, unknowns, commands, links, definitions int
	command, caller                                 int
	changed                                         bool
	made, fielded                                   int
}

func (f *definitions) mark() mark {
	r := &f.out.report
	return mark{len(r.Effects), len(r.Unknowns), len(r.Commands), len(f.out.links), len(r.Definitions), f.out.command,
		f.out.caller, f.out.changed, f.limits.made, f.limits.fielded}
}

// rollback takes back what was reported since the mark. What was found to
// define the command stays, as its own.
func (f *definitions) rollback(m mark) {
	r := &f.out.report
	r.Effects, r.Unknowns, r.Commands, f.out.links = r.Effects[:m.effects], r.Unknowns[:m.unknowns],
		r.Commands[:m.commands], f.out.links[:m.links]
	if f.limits.made > maxMade || f.limits.fielded > maxFields { // not the line's fault, but nothing more is read
		f.limits.made, f.limits.fielded = m.made, m.fielded
		f.limits.scripted = maxWork
		if len(f.walking) > 0 {
			f.limits.work = maxWork
		}
	}
	f.out.command, f.out.caller, f.out.changed, f.limits.over = m.command, m.caller, m.changed, ""
	for i := m.definitions; i < len(r.Definitions); i++ {
		r.Definitions[i].Command = min(r.Definitions[i].Command, m.command)
	}
	for i := range f.watching {
		f.watching[i].command = min(f.watching[i].command, m.command)
	}
}

// runnable reports whether the kernel would start the file.
func (m *machine) runnable(real string) bool {
	info, err := m.env.Files.Lstat(real)
	return err == nil && info.Mode.Perm()&0o111 != 0
}
