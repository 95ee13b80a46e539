package install

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tailscale/hujson"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/printable"
)

// Kind says what a finding does to nod.
type Kind uint8

const (
	// Unread: the agent throws the whole file away, so a hook in it does not run and every call passes.
	Unread Kind = iota
	// Silences: hooks that stand in other files do not run.
	Silences
	// Unreadable: nod cannot tell what the file says.
	Unreadable
	// Weak: somebody else can change it.
	Weak
)

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

// unread finds what makes an agent throw a whole settings file away (measured with Claude Code 2.1.329, which takes a
// byte order mark and any line ends): the first comment or trailing comma, and entries of the deciding events that do
// not have the shape of hooks. There are more causes, such as a known key of the wrong type; `claude doctor` lists
// them.
func unread(d *document, o Options) (all []Finding) {
	row := o.row()
	if !row.Install.Plain {
		return nil
	}
	who := row.Title
	if row.Name == "claude-code" {
		who += " (" + row.Source + ")"
	}
	say := func(at int, what string) {
		line, col := d.position(at)
		all = append(all, Finding{Unread, d.path, line, col, what + "; " + who +
			" then throws the whole file away, so no hook in it would run and every call would pass"})
	}
	if at, what := d.notPlain(); what != "" {
		say(at, what)
	}
	if row.Install.Flat {
		return all
	}
	for _, event := range []string{"PreToolUse", "PermissionRequest"} {
		if list := d.at(o.under(), event); list != nil {
			for _, group := range elements(list) {
				sayGroup(group.value, event, say)
			}
		}
	}
	return all
}

// sayGroup says what in an entry of an event's list is not a group of hooks.
func sayGroup(group *hujson.Value, event string, say func(at int, what string)) {
	if group.Value.Kind() != '{' {
		say(group.StartOffset, "an entry of hooks."+event+" that is not an object")
		return
	}
	if m := child(group, "matcher"); m != nil && m.Value.Kind() != '"' {
		say(m.StartOffset, "a matcher in hooks."+event+" that is not a string")
	}
	handlers := child(group, "hooks")
	if handlers == nil || handlers.Value.Kind() != '[' {
		say(group.StartOffset, "an entry of hooks."+event+" without a list of hooks")
		return
	}
	for _, h := range elements(handlers) {
		if h.value.Value.Kind() != '{' {
			say(h.value.StartOffset, "a hook in hooks."+event+" that is not an object")
		}
	}
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

// Off is a setting that silences nod, and for whom.
type Off struct {
	Finding
	// Elsewhere says that it silences an agent that is started in another directory, and
	// does not silence an agent that is started in the directory that was asked about.
	Elsewhere bool
}

// OffSwitches returns the settings of the machine, in home, dir and the directories above dir that keep o's nod from
// being asked at o's level, as far as they are known. A file that cannot be read is one of them.
func OffSwitches(o Options, dir string) (all []Off) {
	row := o.row()
	machine := o
	machine.Level = Managed
	for _, s := range row.Off {
		switch {
		case s.Counts("own"):
			s.File = o.Target()
		case s.Counts("managed") || s.Counts("unmanaged") && o.Level != Managed:
			s.File = filepath.Join(filepath.Dir(machine.Target()), s.File)
		default:
			continue
		}
		for _, f := range offs(s) {
			all = append(all, Off{Finding: f})
		}
	}
	if o.Level == Managed {
		return all
	}
	dirs := parents(dir)
	if len(dirs) == 0 || o.Home != dirs[0] {
		dirs = append(dirs, o.Home)
	}
	seen := map[string]bool{"": true}
	for _, at := range dirs {
		if seen[at] {
			continue
		}
		seen[at] = true
		home, here := at == o.Home, at == filepath.Clean(dir)
		all = append(all, offBelow(row, at, func(s hosts.Switch) bool {
			return home && s.Counts("home") || here && s.Counts("here") || !home && !here && s.Counts("above")
		})...)
	}
	return all
}

// offBelow are an agent's switches that are off in the settings of a directory, and whether they count there.
func offBelow(row hosts.Agent, dir string, counts func(hosts.Switch) bool) (all []Off) {
	for _, s := range row.Off {
		if s.Counts("home") || s.Counts("here") || s.Counts("above") {
			elsewhere := !counts(s)
			s.File = filepath.Join(dir, s.File)
			for _, f := range offs(s) {
				all = append(all, Off{f, elsewhere})
			}
		}
	}
	return all
}

// Silencers returns what in the settings of the given directories would keep a
// user's or a project's nod from being asked when Claude Code works there.
func Silencers(dirs ...string) (all []Finding) {
	for _, dir := range dirs {
		for _, off := range offBelow(hosts.ByName("claude-code"), dir, func(hosts.Switch) bool { return true }) {
			all = append(all, off.Finding)
		}
	}
	return all
}

// parents lists a directory and those above it, up to the root.
func parents(dir string) (all []string) {
	if !filepath.IsAbs(dir) {
		return nil
	}
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if all = append(all, at); at == filepath.Dir(at) {
			return all
		}
	}
}

// offs says in which files a switch is off. Its file is absolute, and may be a pattern.
func offs(s hosts.Switch) (all []Finding) {
	files := []string{s.File}
	if strings.Contains(filepath.Base(s.File), "*") {
		files, _ = filepath.Glob(s.File) // of a file name without brackets
	}
	effect := "keeps every hook of the user's and the project's from running, nod's among them"
	if s.When != "" {
		effect += ", " + s.When
	}
	for _, path := range files {
		value, line, col, err := Setting(path, s.Key)
		switch {
		case err != nil:
			all = append(all, Finding{Kind: Unreadable, Path: path,
				Text: "cannot tell whether it silences nod: " + err.Error()})
		case value != "" && value != "null" && (value == "false") == s.Falsely:
			all = append(all, Finding{Silences, path, line, col, fmt.Sprintf("%s = %s %s", s.Key, value, effect)})
		}
	}
	return all
}

// Setting returns a value of a settings file as JSON, with its place, "" where it is not there.
// key is a path of names with dots between them.
func Setting(path, key string) (value string, line, col int, err error) {
	if isTOML(path) {
		v, err := openTOML(path)
		for name := range strings.SplitSeq(key, ".") {
			table, _ := v.(map[string]any)
			v = table[name]
		}
		if v == nil {
			return "", 0, 0, err
		}
		return fmt.Sprint(v), 0, 0, err
	}
	d, err := open(path)
	if err != nil {
		return "", 0, 0, err
	}
	v := &d.root
	for name := range strings.SplitSeq(key, ".") {
		if v = child(v, name); v == nil {
			return "", 0, 0, nil
		}
	}
	line, col = d.position(v.StartOffset)
	return string(minimal(v)), line, col, nil
}

// open parses a settings file for reading.
func open(path string) (*document, error) {
	data, err := readAny(path)
	if err != nil {
		return nil, err
	}
	return parse(path, data)
}

// openTOML is open for TOML.
func openTOML(path string) (tree any, err error) {
	data, err := readAny(path)
	if err == nil {
		tree, err = readTree(string(data))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tree, nil
}

// readAny reads a settings file through links, as the agent would; a missing file is empty.
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
