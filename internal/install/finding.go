package install

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/tailscale/hujson"

	"github.com/nodgate/nod/internal/printable"
)

// Kind says what a finding does to nod.
type Kind uint8

const (
	// Unread: Claude Code throws the whole file away, so a hook in it does
	// not run and every call passes.
	Unread Kind = iota
	// Silences: hooks that stand in other files do not run.
	Silences
	// Unreadable: nod cannot tell what the file says.
	Unreadable
	// Weak: somebody else can change it.
	Weak
)

// String returns the kind in a word.
func (k Kind) String() string {
	switch k {
	case Unread:
		return "unread"
	case Silences:
		return "silences"
	case Unreadable:
		return "unreadable"
	case Weak:
		return "weak"
	}
	return "unknown"
}

// Finding is something about a settings file that a person should know.
type Finding struct {
	Kind Kind
	Path string
	// Line and Col count from 1; 0 where the finding is about the file.
	Line, Col int
	Text      string
}

// String returns "path:line:col: text", without control characters.
func (f Finding) String() string {
	where := f.Path
	if f.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", f.Path, f.Line, f.Col)
	}
	return printable.Text(where + ": " + f.Text)
}

// unread finds what makes Claude Code throw a whole settings file away
// (measured with 2.1.329, which takes a byte order mark and any line ends):
// the first comment or trailing comma, and entries of the deciding events that
// do not have the shape of hooks. There are more causes, such as a known key
// of the wrong type; `claude doctor` lists them.
func unread(d *document, h host) []Finding {
	if !h.plain {
		return nil
	}
	so := "; " + h.title() + " then throws the whole file away, so no hook in it would run and every call would pass"
	if h.agent == "claude-code" {
		so = "; Claude Code (measured: 2.1.329) then throws the whole file away, so no hook in it would run and " +
			"every call would pass"
	}
	var all []Finding
	if at, what := d.notPlain(); what != "" {
		line, col := d.position(at)
		all = append(all, Finding{Unread, d.path, line, col, what + so})
	}
	if h.flat {
		return all
	}
	for _, m := range misshapen(d) {
		line, col := d.position(m.at)
		all = append(all, Finding{Unread, d.path, line, col, m.what + so})
	}
	return all
}

// notPlain returns the place of the first thing that is not standard JSON.
func (d *document) notPlain() (at int, what string) {
	if d.root.IsStandard() {
		return 0, ""
	}
	// Standardize blanks it out, byte by byte.
	blank := d.root.Clone()
	blank.Standardize()
	packed := blank.Pack()
	for at < len(packed)-1 && packed[at] == d.text[at] {
		at++
	}
	if d.text[at] == ',' {
		return at, "a trailing comma"
	}
	return at, "a comment"
}

// shapeFault is something in a list of hooks that is not a hook.
type shapeFault struct {
	at   int
	what string
}

func misshapen(d *document) (faults []shapeFault) {
	root, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	hooks := find(root, d.under)
	if hooks == nil {
		return nil
	}
	for _, event := range []string{"PreToolUse", "PermissionRequest"} {
		events, _ := hooks.Value.(*hujson.Object)
		if events == nil {
			continue
		}
		list := find(events, event)
		if groups, ok := arrayOf(list); ok {
			for i := range groups.Elements {
				faults = append(faults, groupFaults(event, &groups.Elements[i])...)
			}
		}
	}
	return faults
}

func groupFaults(event string, v *hujson.Value) (faults []shapeFault) {
	g, ok := v.Value.(*hujson.Object)
	if !ok {
		return []shapeFault{{v.StartOffset, "an entry of hooks." + event + " that is not an object"}}
	}
	if m := find(g, "matcher"); m != nil && m.Value.Kind() != '"' {
		faults = append(faults, shapeFault{m.StartOffset, "a matcher in hooks." + event + " that is not a string"})
	}
	handlers, ok := arrayOf(find(g, "hooks"))
	if !ok {
		return append(faults, shapeFault{v.StartOffset, "an entry of hooks." + event + " without a list of hooks"})
	}
	for i := range handlers.Elements {
		if h := &handlers.Elements[i]; h.Value.Kind() != '{' {
			faults = append(faults, shapeFault{h.StartOffset, "a hook in hooks." + event + " that is not an object"})
		}
	}
	return faults
}

func arrayOf(v *hujson.Value) (*hujson.Array, bool) {
	if v == nil {
		return nil, false
	}
	a, ok := v.Value.(*hujson.Array)
	return a, ok
}

// Silencers returns what in the settings of the given directories
// (DIR/.claude/settings.json and settings.local.json) would keep a user's or
// a project's nod from being asked when an agent works there. A hook at the
// managed level still runs (measured, Claude Code 2.1.329). Directories
// without settings have none.
func Silencers(dirs ...string) []Finding {
	var all []Finding
	for _, dir := range dirs {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			path := filepath.Join(dir, ".claude", name)
			all = append(all, switches(path, "disableAllHooks",
				"hooks that are not managed do not run, nod's among them")...)
		}
	}
	return all
}

// ManagedSilencers returns what in the machine's settings would keep nod from
// being asked, if it stands at the given level. root and goos are
// [Options.Root] and [Options.OS].
func ManagedSilencers(level Level, root, goos string) []Finding {
	target := Options{Level: Managed, Root: root, OS: goos}.Target()
	// A pattern that cannot be read would be an error; this one has no
	// brackets but the root's, which only tests and image builds set.
	parts, _ := filepath.Glob(filepath.Join(filepath.Dir(target), "managed-settings.d", "*.json"))
	var all []Finding
	for _, path := range append([]string{target}, parts...) {
		all = append(all, switches(path, "disableAllHooks", "no hook runs, nod's among them")...)
		if level != Managed {
			all = append(all, switches(path, "allowManagedHooksOnly",
				"only hooks at the managed level run; install nod there")...)
		}
	}
	return all
}

// silencers are those of the files that count for o's level.
func (o Options) silencers() (all []Finding) {
	if h := o.host(); h.agent != "claude-code" {
		for _, key := range h.silencers {
			all = append(all, switches(o.Target(), key, "no hook in this file runs, nod's among them")...)
		}
		return all
	}
	all = ManagedSilencers(o.Level, o.Root, o.OS)
	if o.Level != Managed && o.Home != "" {
		all = append(all, Silencers(o.Home)...)
	}
	if o.Level == Project && o.Project != o.Home {
		all = append(all, Silencers(o.Project)...)
	}
	return all
}

// switches finds a key at the top of a settings file, set to anything but
// false or null, and says what that does.
func switches(path, key, effect string) []Finding {
	d, err := open(path)
	if err != nil {
		return []Finding{{Kind: Unreadable, Path: path, Text: "cannot tell whether it silences nod: " + err.Error()}}
	}
	root, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	var all []Finding
	for i := range root.Members {
		m := &root.Members[i]
		if nameOf(m) != key || m.Value.Value.Kind() == 'f' || m.Value.Value.Kind() == 'n' {
			continue
		}
		line, col := d.position(m.Name.StartOffset)
		all = append(all, Finding{Silences, path, line, col, fmt.Sprintf("%q: %s; %s", key, minimal(&m.Value), effect)})
	}
	return all
}

// open parses a settings file for reading, through links as the agent would.
// One that is not there holds nothing.
func open(path string) (*document, error) {
	data, err := readAny(path)
	if err != nil {
		return nil, err
	}
	return parse(path, data)
}

// readAny reads a settings file through links; one that is not there is empty.
func readAny(path string) ([]byte, error) {
	f := file{path: path}
	var err error
	f.real, err = filepath.EvalSymlinks(path)
	if err == nil {
		err = f.load()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return nil, err
	}
	return f.data, nil
}
