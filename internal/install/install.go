// Package install puts nod into a coding agent's settings and takes it out again.
//
// It edits one file of JSON or TOML as text: what is not nod's keeps its bytes, comments and order. [PlanInstall] and
// [PlanUninstall] say what would change without touching anything, [Apply] writes it: a backup beside the file first,
// then one rename. Installing twice changes nothing.
//
// It must not leave a person believing that calls are checked. So it also says whether nod's programs will stay where
// they are ([Programs.Check]), whether this Claude Code blocks when a hook fails ([ProgramVersion], [FailsClosed]),
// whether it will read this file at all and whether other settings silence the hook ([Finding], [OffSwitches]).
//
// nod is recognised by the base name of a hook's program, nod-hook. Nothing here is linked into nod-hook itself.
package install

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/system"
)

// HookName is the base name of the hook's program, by which nod's entries are known.
const HookName = "nod-hook"

// HookBeside is where the hook's program lies beside nod.
func HookBeside(nod string) string {
	name := filepath.Join(filepath.Dir(nod), HookName)
	if filepath.Ext(nod) == ".exe" {
		name += ".exe"
	}
	return name
}

// Level is the settings file that nod is written to. The zero value is the file that a repository cannot silence.
type Level uint8

const (
	// Managed is the machine's file. A repository's disableAllHooks does not
	// silence its hooks (measured, Claude Code 2.1.329). Root writes it.
	Managed Level = iota
	// User is the file in the home directory. A repository's disableAllHooks silences its hooks.
	User
)

// String returns the level as the command line spells it.
func (l Level) String() string { return [...]string{"managed", "user"}[l] }

// Options says which file to edit and what to write into it.
type Options struct {
	// Agent is the adapter's name; "" is claude-code.
	Agent string
	Level Level
	// Root stands before the managed file's path; "" is "/". For tests and for images that are being built.
	Root string
	// OS is runtime.GOOS if empty.
	OS string
	// Home is the home directory, needed for User.
	Home string

	// Hook is the absolute path of nod-hook, Nod that of nod. PlanUninstall needs neither.
	Hook, Nod string
	// Settings, Managed and State are the absolute paths that nod-hook is told. An empty path is left out of its
	// command line; nod-hook then finds the file by the home directory of whoever runs the agent.
	Settings, Managed, State string
}

// Plan is a change to one settings file that has not been made.
type Plan struct {
	Level Level
	// Path is the file as named, and After what it would hold, nil where it
	// would be gone. Before is what it holds, nil where there is no such file.
	Path          string
	Before, After []byte
	// Findings are what the person should know. A plan with an [Unread] finding would not take effect.
	Findings []Finding

	file file
}

// Changed reports whether there is anything to write.
func (p Plan) Changed() bool { return !bytes.Equal(p.Before, p.After) }

// Diff returns the change as lines that start with "-", "+" or a space; "" for
// no change. Control characters are shown escaped.
func (p Plan) Diff() string {
	var out strings.Builder
	text := string(diff.Diff("", ended(p.Before), "", ended(p.After)))
	_, text, _ = strings.Cut(text, "\n@@ ")
	for line := range strings.Lines("@@ " + text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case text == "":
		case !strings.HasPrefix(line, "@@ "):
			out.WriteString(printable.Text(line[:1]+" "+strings.ReplaceAll(line[1:], "\t", "    ")) + "\n")
		case out.Len() > 0:
			out.WriteString("  ...\n")
		}
	}
	return out.String()
}

// ended is a text whose last line has an end, if there is one.
func ended(text []byte) []byte {
	if len(text) == 0 || bytes.HasSuffix(text, []byte("\n")) {
		return text
	}
	return append(slices.Clip(text), '\n')
}

// PlanInstall says how the settings file must change so that nod-hook is asked about every call, once. Entries of an
// older nod are replaced where they stand, second ones taken out.
func PlanInstall(o Options) (Plan, error) {
	if err := o.check(); err != nil {
		return Plan{}, err
	}
	p, err := o.plan(true)
	if hidden := p.hidden(); err == nil && hidden != "" {
		p.Findings = append(p.Findings, Finding{Weak, hidden, 0, 0,
			"other users of this machine cannot read it, so that their agents run without nod; chmod a+rX it"})
	}
	return p, err
}

// PlanUninstall says how the settings file must change so that nothing of nod
// is left in it. It needs no program of nod's.
func PlanUninstall(o Options) (Plan, error) { return o.plan(false) }

// plan plans for a file in which nod's lines are afterwards, or are not.
func (o Options) plan(put bool) (Plan, error) {
	if !o.HasLevel() {
		return Plan{}, fmt.Errorf("install: %s has no hooks at the %s level that nod could edit",
			cmp.Or(Title(o.Agent), o.Agent), o.Level)
	}
	f, err := o.read()
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Level: o.Level, Path: f.path, Before: f.data, Findings: f.weaknesses(), file: f}
	switch {
	case o.row().Install.Format == "code":
		err = o.planCode(&p, put)
	case isTOML(p.Path):
		err = o.planTOML(&p, put)
	default:
		err = o.planJSON(&p, put)
	}
	if err != nil {
		return Plan{}, err
	}
	return p, nil
}

// planCode plans for an agent for which nod writes a file of its own.
func (o Options) planCode(p *Plan, put bool) error {
	theirs := len(p.Before) > 0 && !bytes.HasPrefix(p.Before, []byte(pluginMark))
	switch {
	case put && theirs:
		return fmt.Errorf("%s: nod did not write this file; move it away first, nothing was changed", p.Path)
	case put:
		p.After = o.plugin()
	case theirs:
		p.After = p.Before
	}
	return nil
}

func (o Options) planJSON(p *Plan, put bool) error {
	d, err := parse(p.Path, p.Before)
	if err != nil {
		return err
	}
	if !put {
		if len(bytes.TrimSpace(bytes.TrimPrefix(p.Before, []byte(byteOrderMark)))) == 0 {
			p.After = p.Before // missing or empty
			return nil
		}
		if err := d.unregister(o); err != nil {
			return err
		}
		if p.After = d.pack(); p.Changed() && o.made(*p) {
			p.After = nil
		}
		return nil
	}
	p.Findings = append(p.Findings, unread(d, o)...)
	for _, off := range OffSwitches(o, "") {
		if !off.Elsewhere {
			p.Findings = append(p.Findings, off.Finding)
		}
	}
	if err := d.register(o); err != nil {
		return err
	}
	p.After = d.pack()
	return nil
}

// made reports whether nod made the file: what would be left in it is what nod's
// own edit of no file leaves, and no copy beside it is of a time before nod.
func (o Options) made(p Plan) bool {
	o.Hook, o.Nod = "/"+HookName, "/nod"
	empty, err := parse(p.Path, nil)
	if err != nil || empty.register(o) != nil || empty.unregister(o) != nil {
		return false
	}
	return slices.Equal(strings.Fields(string(empty.pack())), strings.Fields(string(p.After))) &&
		!slices.ContainsFunc(p.Backups(), func(name string) bool {
			text, err := os.ReadFile(name)
			return err != nil || !bytes.Contains(text, []byte(HookName))
		})
}

// Agents returns the names of the agents that nod can be installed for.
func Agents() (names []string) {
	for _, row := range hosts.Agents() {
		if row.Install.Format != "" {
			names = append(names, row.Name)
		}
	}
	return names
}

// Title returns the name that people call an agent by; "" for none of [Agents].
func Title(agent string) string { return Options{Agent: agent}.row().Title }

// readOnly goes with every agent that nod's tests do not run.
const readOnly = "nod's tests do not run this agent: what nod says to it is from its documentation. See that a call " +
	"you have forbidden by hard_deny does not run before you rely on it."

// Next returns what a person must do after installing at a level before the agent asks nod, "" if nothing.
func Next(agent string, level Level) string {
	row := Options{Agent: agent}.row()
	switch {
	case strings.HasPrefix(row.Source, "read: "):
		return strings.TrimSpace(strings.Replace(readOnly, "this agent", row.Title, 1) + " " + row.Install.Next)
	case level == Managed:
		return row.Install.Next
	}
	return cmp.Or(row.Install.Next, row.Install.Confirm)
}

// HasLevel reports whether nod can be installed for o's agent at o's level.
func (o Options) HasLevel() bool { return o.relative() != "" }

func (o Options) check() error {
	for _, p := range []struct{ what, path string }{{"the hook", o.Hook}, {"nod", o.Nod}} {
		if p.path == "" {
			return fmt.Errorf("install: the path of %s is missing", p.what)
		}
	}
	if strings.TrimSuffix(filepath.Base(o.Hook), ".exe") != HookName {
		return fmt.Errorf("install: %q: the hook's program must be called %s, or uninstall cannot find it again",
			o.Hook, HookName)
	}
	for _, path := range []string{o.Hook, o.Nod, o.Settings, o.Managed, o.State} {
		if err := plainPath(path); err != nil {
			return err
		}
	}
	return nil
}

// plainPath refuses what would not arrive at nod-hook as written, "" apart.
func plainPath(path string) error {
	switch {
	case path == "":
		return nil
	case !filepath.IsAbs(path) || filepath.Clean(path) != filepath.FromSlash(path):
		return fmt.Errorf("install: %q is not a clean absolute path", path)
	case !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl):
		return fmt.Errorf("install: %q holds control characters or is not UTF-8", path)
	case strings.Contains(path, "${"):
		return fmt.Errorf("install: %q: Claude Code would expand ${...} in it", path)
	}
	return nil
}

// Presence says by what an agent shows on this machine.
type Presence struct {
	Agent string
	// Program is the absolute path of its program, "" where PATH has none.
	Program string
	// Config is its directory in the home directory, "" without one.
	Config string
}

// Find lists the agents that have a program in PATH or a directory in the home directory. It starts nothing.
func Find(home, path string) (all []Presence) {
	for _, name := range Agents() {
		row := hosts.ByName(name)
		p := Presence{Agent: name, Program: FindProgram(row.ProgramName(), path)}
		dir := filepath.Join(home, row.Home[0])
		if info, err := os.Stat(dir); filepath.IsAbs(home) && err == nil && info.IsDir() {
			p.Config = dir
		}
		if p.Program != "" || p.Config != "" {
			all = append(all, p)
		}
	}
	return all
}

// FindProgram returns the first program of that name in a PATH, made absolute; "" without one. Relative elements
// are passed over: what they mean depends on the directory.
func FindProgram(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		if at := filepath.Join(dir, name); filepath.IsAbs(dir) && system.IsProgram(at) {
			return at
		}
	}
	return ""
}

// Version is that of an agent's program: major, minor, patch.
type Version [3]uint

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// FailsClosed is the first Claude Code that knows onFailure "block" for command hooks. An older one lets a call run
// when its hook is missing, crashes or hangs.
func FailsClosed() Version { return Version{2, 1, 295} }

// Before reports whether v is older than w.
func (v Version) Before(w Version) bool { return slices.Compare(v[:], w[:]) < 0 }

// parseVersion reads what `claude --version` prints: "2.1.329 (Claude Code)".
// A pre-release is refused: what it can do is not known.
func parseVersion(s string) (v Version, err error) {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	if _, err := fmt.Sscanf(word, "%d.%d.%d", &v[0], &v[1], &v[2]); err != nil || v.String() != word {
		return Version{}, fmt.Errorf("%q is not a version such as 2.1.329", word)
	}
	return v, nil
}

// ProgramVersion asks the agent's program at an absolute path for its version, with a home directory that is thrown
// away and no more environment than PATH, which a script needs to find its interpreter. Root does not run a program
// that another user can replace.
func ProgramVersion(ctx context.Context, program, path string) (Version, error) {
	if err := plainPath(program); err != nil || program == "" {
		return Version{}, fmt.Errorf("install: %q is not a clean absolute path", program)
	}
	if os.Geteuid() == 0 {
		if why := replaceable(program); why != "" {
			return Version{}, fmt.Errorf("%s: %s, and root does not start such a program", program, why)
		}
	}
	home, err := os.MkdirTemp("", "nod-install-*")
	if err != nil {
		return Version{}, fmt.Errorf("install: %w", err)
	}
	defer os.RemoveAll(home)
	v := Version{}
	out, err := output(ctx, []string{"HOME=" + home, "TMPDIR=" + home, "PATH=" + path, "DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1"}, program, "--version")
	if err == nil {
		v, err = parseVersion(versionWord(out))
	}
	if err != nil {
		return Version{}, fmt.Errorf("%s --version: %w", program, err)
	}
	return v, nil
}

// versionWord is the first word that starts with a digit; the whole line where none does.
func versionWord(line string) string {
	for word := range strings.FieldsSeq(line) {
		if word = strings.TrimPrefix(word, "v"); word != "" && '0' <= word[0] && word[0] <= '9' {
			return strings.TrimRight(word, ".,")
		}
	}
	return line
}
