package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// Command is what a host starts: a program and its arguments, or a line that a shell reads.
type Command struct {
	Words []string
	Shell string // "" where Words are meant
}

// Registered is one hook of nod's in a settings file.
type Registered struct {
	Event   string
	Decides bool // nod answers there before a call runs
	// Group and Index are its place in the event's list.
	Group, Index int
	// Matcher is what it is asked about: "" or "*" is every tool.
	Matcher string
	// Written says that the hook is, member for member, what this nod writes for the paths in it.
	Written bool

	table   map[string]any // the hook as it stands there
	path    []any          // to it, from the file's top
	matches bool           // it is asked about every tool
}

// Installed is what a settings file says of nod.
type Installed struct {
	Path string
	// Options are the paths on the command line of the first hook.
	Options Options
	Hooks   []Registered
	// Code says that the file is code that the agent loads, with nod's command
	// line in it; Hooks then are the events under which it asks.
	Code bool
	// Again is what installing once more would change, as lines; "" if nothing.
	Again string
	// Findings are what [PlanInstall] finds in this file.
	Findings []Finding
}

// Inspect reads the settings file that o names. It returns nil where nothing of nod is in it. A file that mentions
// nod in no way that this nod writes has no Hooks.
func Inspect(o Options) (*Installed, error) {
	if !o.HasLevel() {
		return nil, nil
	}
	f, err := o.read()
	if err != nil || !bytes.Contains(f.data, []byte(HookName)) {
		return nil, err
	}
	in := &Installed{Path: f.path, Options: o, Findings: f.weaknesses()}
	switch {
	case o.row().Install.Format == "code":
		in.readCode(string(f.data))
	case isTOML(f.path):
		err = in.readTOML(f.data)
	default:
		err = in.readJSON(f.data)
	}
	if err != nil {
		in.Findings = []Finding{{Kind: Unread, Path: f.path, Text: err.Error()}}
	}
	if len(in.Hooks) > 0 && in.Again == "" {
		in.Again = in.again()
	}
	return in, nil
}

// readCode reads a file of code of nod's own, which holds nod-hook's command line as a list.
func (in *Installed) readCode(text string) {
	in.Code = true
	_, after, found := strings.Cut(text, "\nconst words = ")
	line, _, _ := strings.Cut(after, "\n")
	var words []string
	if !found || json.Unmarshal([]byte(line), &words) != nil || len(words) == 0 {
		return
	}
	in.Options = in.Options.withPaths(words)
	in.Again = in.again()
	for _, event := range in.Options.row().Install.Decides {
		in.Hooks = append(in.Hooks, Registered{Event: event, Decides: true, Written: in.Again == "", matches: true})
	}
}

func (in *Installed) readTOML(data []byte) error {
	tree, err := readTree(string(data))
	if err != nil {
		return err
	}
	in.collect(tree)
	if features, _ := tree["features"].(map[string]any); len(in.Hooks) > 0 && features["hooks"] != true {
		in.Findings = append(in.Findings, Finding{Kind: Silences, Path: in.Path,
			Text: "features.hooks = true is not required here, so a person's settings and those of a project that " +
				"they trust can switch nod off"})
	}
	return nil
}

func (in *Installed) readJSON(data []byte) error {
	d, err := parse(in.Path, data)
	if err != nil {
		return err
	}
	in.Findings = append(in.Findings, unread(d, in.Options)...)
	in.collect(object(&d.root))
	return nil
}

// collect finds nod's hooks, reads the paths off the first, and compares each with what nod would write.
func (in *Installed) collect(tree map[string]any) {
	in.Hooks = in.Options.owned(tree)
	if len(in.Hooks) == 0 {
		return
	}
	in.Options = in.Options.withPaths(wordsOf(in.Hooks[0].table))
	for i, h := range in.Hooks {
		for _, r := range in.Options.registrations() {
			if r.event == h.Event && in.Options.check() == nil {
				in.Hooks[i].Written = same(h.table, r.handler)
			}
		}
	}
}

// again says what installing once more would change.
func (in *Installed) again() string {
	plan, err := PlanInstall(in.Options)
	if err != nil {
		return err.Error()
	}
	return plan.Diff()
}

// wordsOf is nod-hook's command line in a hook: its arguments, or what a shell is handed behind the guard script.
func wordsOf(handler map[string]any) []string {
	args, ok := handler["args"].([]any)
	if !ok {
		return lineWords(commandText(handler))
	}
	command, _ := handler["command"].(string)
	words := []string{command}
	for _, a := range args {
		if word, ok := a.(string); ok {
			words = append(words, word)
		}
	}
	return words
}

// Command returns what the host starts for r, with other paths in it: a copy of the
// line in the settings, which must be as nod writes it.
func (in *Installed) Command(r Registered, o Options) (Command, error) {
	switch {
	case !r.Written:
		return Command{}, fmt.Errorf("the hook of %s is not as this nod writes it", r.Event)
	case in.Code:
		return Command{Words: o.words()}, nil
	}
	var handler map[string]any
	if err := json.Unmarshal(encode(o.handler(r.Decides)), &handler); err != nil {
		return Command{}, err
	}
	line := commandText(handler)
	if line == "" {
		return Command{Words: wordsOf(handler)}, nil
	}
	return Command{Shell: line}, nil
}

// Guarded reports whether the hooks that decide stand behind the guard script,
// which turns every failure of nod-hook into a denial.
func (in *Installed) Guarded() bool {
	for _, r := range in.Hooks {
		if r.Decides {
			return strings.HasPrefix(commandText(r.table), "/bin/sh -c '")
		}
	}
	return false
}

// Missing lists the events that decide and have no hook of nod's which is asked about every tool.
func (in *Installed) Missing() (events []string) {
	for _, event := range in.Options.row().Install.Decides {
		if !slices.ContainsFunc(in.Hooks, func(r Registered) bool { return r.Event == event && r.matches }) {
			events = append(events, event)
		}
	}
	return events
}

// Trust says whether the host will start a hook that it found.
type Trust uint8

const (
	// Untrusted: no person has confirmed it, and it does not run.
	Untrusted Trust = iota
	// Altered: it was confirmed and has changed since, and does not run.
	Altered
	// Disabled: a person has switched it off.
	Disabled
	// Trusted: it runs.
	Trusted
)

// Trust returns what a person has said about each hook in in.Hooks, in their order. asks is false on hosts that ask
// nobody, and at the managed level. Only Codex asks: a hook in hooks.json runs once the person has confirmed it in
// Codex, which is theirs to do, so that nod never writes the hash that stands for it. Managed hooks run without that.
//
// The hash is compared with the hash that Codex wrote down; the recipe was
// measured on 0.169.0 (TestDoctor in e2e holds it to what Codex itself says).
func (in *Installed) Trust() (list []Trust, asks bool, err error) {
	if in.Options.Agent != "codex" || in.Options.Level == Managed {
		return nil, false, nil
	}
	v, err := openTOML(filepath.Join(in.Options.Home, ".codex", "config.toml"))
	if err != nil {
		return nil, true, err
	}
	tree, _ := v.(map[string]any)
	real, err := filepath.EvalSymlinks(in.Path)
	if err != nil {
		return nil, true, err
	}
	hooks, _ := tree["hooks"].(map[string]any)
	state, _ := hooks["state"].(map[string]any)
	for _, h := range in.Hooks {
		entry, found := state[codexKey(in.Path, h)].(map[string]any)
		if !found {
			entry, _ = state[codexKey(real, h)].(map[string]any)
		}
		list = append(list, codexSays(entry, codexHash(h)))
	}
	return list, true, nil
}

func codexSays(entry map[string]any, hash string) Trust {
	trusted, _ := entry["trusted_hash"].(string)
	enabled, said := entry["enabled"].(bool)
	switch {
	case said && !enabled:
		return Disabled
	case trusted == "":
		return Untrusted
	case trusted != hash:
		return Altered
	}
	return Trusted
}

func codexKey(path string, r Registered) string {
	return fmt.Sprintf("%s:%s:%d:%d", path, snake(r.Event), r.Group, r.Index)
}

// snake writes PreToolUse as pre_tool_use.
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// codexHash is that of a hook as Codex writes it down: compact JSON with sorted names. What nod did not write may
// have other members; then the hash differs, and so it must.
func codexHash(h Registered) string {
	hook := map[string]any{"async": false}
	maps.Copy(hook, h.table)
	named := map[string]any{"event_name": snake(h.Event), "hooks": []any{hook}}
	if h.Matcher != "" {
		named["matcher"] = h.Matcher
	}
	sum := sha256.Sum256(encode(named))
	return "sha256:" + hex.EncodeToString(sum[:])
}
