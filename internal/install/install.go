// Package install puts nod into a coding agent's settings and takes it out
// again.
//
// It edits one JSON file as text: what is not nod's keeps its bytes, comments
// and order. [PlanInstall] and [PlanUninstall] say what would change without
// touching anything, [Apply] writes it: a backup beside the file first, then
// one rename. Installing twice changes nothing.
//
// What it must not do silently is leave a person believing that calls are
// checked. So it also answers: are nod's own programs somewhere they will
// stay ([Programs.Check]), does this Claude Code block when a hook fails
// ([ClaudeVersion], [FailsClosed]), will it read this file at all and will
// other settings silence the hook ([Finding], [Silencers]).
//
// nod is recognised in a settings file by the base name of a hook's program,
// nod-hook. Nothing here is linked into nod-hook itself.
package install

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// HookName is the base name of the hook's program, by which nod's entries are
// known.
const HookName = "nod-hook"

// Level is the settings file that nod is written to. The zero value is the
// one that a repository cannot silence.
type Level uint8

const (
	// Managed is the machine's file. A repository's disableAllHooks does not
	// silence its hooks (measured, Claude Code 2.1.329). Root writes it.
	Managed Level = iota
	// User is the file in the home directory. A repository's disableAllHooks
	// silences its hooks.
	User
	// Project is a repository's file, for everyone who works on it. Whoever
	// can change the repository can take it out.
	Project
)

// String returns the level as the command line spells it.
func (l Level) String() string {
	switch l {
	case Managed:
		return "managed"
	case User:
		return "user"
	case Project:
		return "project"
	}
	return "unknown"
}

// Options says which file to edit and what to write into it.
type Options struct {
	// Agent is the adapter's name; "" is claude-code.
	Agent string
	Level Level
	// Root stands before the managed file's path; "" is "/". For tests and
	// for images that are being built.
	Root string
	// OS is runtime.GOOS if empty.
	OS string
	// Home is the home directory, needed for User. Project is the
	// repository's directory, needed for Project.
	Home, Project string

	// Hook is the absolute path of nod-hook, Nod that of nod. PlanUninstall
	// needs neither.
	Hook, Nod string
	// Settings, Managed and State are the absolute paths that nod-hook is
	// told. An empty one is left out of its command line; nod-hook then finds
	// it by the home directory of whoever runs the agent.
	Settings, Managed, State string
	// StatusLine also writes nod's status line. It is for Claude Code alone, and
	// refused where the file has another program's.
	StatusLine bool
}

// Target returns the settings file that o names.
func (o Options) Target() string { return filepath.Join(o.base(), o.relative()) }

// base is the directory below which the target lies and which the person
// named; links above it are theirs.
func (o Options) base() string {
	switch o.Level {
	case User:
		return o.Home
	case Project:
		return o.Project
	}
	return filepath.Join("/", o.Root)
}

// Plan is a change to one settings file that has not been made.
type Plan struct {
	Level Level
	// Path is the file as named, and After what it would hold, nil where it
	// would be gone. Before is what it holds, nil where there is no such file.
	Path          string
	Before, After []byte
	// Findings are what the person should know. A plan with an [Unread]
	// finding would not take effect.
	Findings []Finding

	file file
}

// Changed reports whether there is anything to write.
func (p Plan) Changed() bool { return !bytes.Equal(p.Before, p.After) }

// Diff returns the change as lines that start with "-", "+" or a space, ""
// if there is none. Control characters are shown escaped.
func (p Plan) Diff() string {
	if !p.Changed() {
		return ""
	}
	return diff(string(p.Before), string(p.After))
}

// PlanInstall says how the settings file must change so that nod-hook is
// asked about every call, once. Entries of an older nod are replaced where
// they stand, second ones taken out.
func PlanInstall(o Options) (Plan, error) {
	if err := o.check(); err != nil {
		return Plan{}, err
	}
	p, err := o.planInstall()
	if hidden := p.hidden(); err == nil && hidden != "" {
		p.Findings = append(p.Findings, Finding{Weak, hidden, 0, 0,
			"other users of this machine cannot read it, so that their agents run without nod; chmod a+rX it"})
	}
	return p, err
}

func (o Options) planInstall() (Plan, error) {
	if h := o.host(); h.file != nil {
		return o.planFile(h.file(o))
	}
	if o.byLines() {
		return o.planLines(true)
	}
	p, doc, err := o.open()
	if err != nil {
		return Plan{}, err
	}
	p.Findings = slices.Concat(p.file.weaknesses(), unread(doc, o.host()), o.silencers())
	if err := register(doc, o); err != nil {
		return Plan{}, err
	}
	p.After = doc.pack()
	if _, err := parse(p.Path, p.After); err != nil {
		return Plan{}, fmt.Errorf("install: a fault in nod's edit: %w", err)
	}
	return p, nil
}

// PlanUninstall says how the settings file must change so that nothing of nod
// is left in it. It needs no program of nod's.
func PlanUninstall(o Options) (Plan, error) {
	if o.host().file != nil {
		return o.planFile(nil)
	}
	if o.byLines() {
		return o.planLines(false)
	}
	p, doc, err := o.open()
	if err != nil {
		return Plan{}, err
	}
	if len(bytes.TrimSpace(bytes.TrimPrefix(p.Before, []byte("\ufeff")))) == 0 { // missing or empty
		p.After = p.Before
		return p, nil
	}
	unregister(doc)
	if p.After = doc.pack(); p.Changed() && o.made(p) {
		p.After = nil
	}
	return p, nil
}

// made reports whether nod made the file: what would be left in it is what nod's
// own edit of no file leaves, and no copy beside it is of a time before nod.
func (o Options) made(p Plan) bool {
	empty, err := parse(p.Path, nil)
	if err != nil {
		return false
	}
	o.Hook, o.Nod, empty.under = "/"+HookName, "/nod", o.host().under()
	if register(empty, o) != nil {
		return false
	}
	unregister(empty)
	return slices.Equal(strings.Fields(string(empty.pack())), strings.Fields(string(p.After))) &&
		!slices.ContainsFunc(p.Backups(), func(name string) bool {
			text, err := os.ReadFile(name)
			return err != nil || !bytes.Contains(text, []byte(HookName))
		})
}

func (o Options) open() (Plan, *document, error) {
	if !o.HasLevel() {
		return Plan{}, nil, o.noLevel()
	}
	f, err := o.read()
	if err != nil {
		return Plan{}, nil, err
	}
	doc, err := parse(f.path, f.data)
	if err == nil {
		doc.under = o.host().under()
	}
	return Plan{Level: o.Level, Path: f.path, Before: f.data, file: f}, doc, err
}

func (o Options) noLevel() error {
	return fmt.Errorf("install: %s has no hooks at the %s level that nod could edit", cmp.Or(o.host().title(), o.Agent),
		o.Level)
}

func (o Options) check() error {
	for _, p := range []struct{ what, path string }{
		{"the hook", o.Hook}, {"nod", o.Nod},
	} {
		if p.path == "" {
			return fmt.Errorf("install: the path of %s is missing", p.what)
		}
	}
	if filepath.Base(o.Hook) != HookName {
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
	case !filepath.IsAbs(path) || filepath.Clean(path) != path:
		return fmt.Errorf("install: %q is not a clean absolute path", path)
	case !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl):
		return fmt.Errorf("install: %q holds control characters or is not UTF-8", path)
	case strings.Contains(path, "${"):
		return fmt.Errorf("install: %q: Claude Code would expand ${...} in it", path)
	}
	return nil
}
