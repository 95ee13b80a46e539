package install

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Codex reads managed hooks from a file of requirements, which is TOML. nod
// edits it by lines: it puts its own in, between two comments, takes them out
// again, and leaves every other byte as it is. What each edit means is read
// back before anything is written.

const (
	ownBegin = "# nod-hook: from here to the end of nod's lines, written by nod install"
	ownEnd   = "# nod-hook: end of nod's lines"
	// ownMark ends a line of nod's that must stand elsewhere.
	ownMark = " # nod-hook"
)

// byLines reports whether o's file is one that is edited by lines.
func (o Options) byLines() bool { return strings.HasSuffix(o.relative(), ".toml") }

// planLines plans for such a file. With put nod's lines are in it afterwards.
func (o Options) planLines(put bool) (Plan, error) {
	f, err := o.read()
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Level: o.Level, Path: f.path, Before: f.data, Findings: f.weaknesses(), file: f}
	text, err := withoutOwn(string(f.data))
	if err == nil && put {
		text, err = o.withOwn(text)
	}
	if err != nil {
		return Plan{}, fmt.Errorf("%s: %w; nothing was changed", f.path, err)
	}
	if p.After = []byte(text); text == "" && !put {
		p.After = nil // it held nothing but nod's lines, or is not there
	}
	return p, nil
}

// withoutOwn takes nod's lines out of a text. It refuses where somebody wrote
// between them, and where nod's hooks stand somewhere else.
func withoutOwn(text string) (string, error) {
	for {
		before, rest, found := strings.Cut(text, ownBegin+"\n")
		if !found {
			break
		}
		own, after, ended := strings.Cut(rest, ownEnd+"\n")
		if !ended {
			return "", fmt.Errorf("the line %q is missing", ownEnd)
		}
		if !onlyOwn(own) {
			return "", errors.New("between nod's lines stands something that nod did not write; move it out")
		}
		text = strings.TrimSuffix(before, "\n") + after
		if before != "" && !strings.HasSuffix(before, "\n\n") {
			text = before + after
		}
	}
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "hooks = true"+ownMark+"\n") {
			kept = append(kept, line)
		}
	}
	text = strings.Join(kept, "")
	tree, err := readTree(text)
	if err != nil {
		return "", err
	}
	if len(ownHooks(tree)) > 0 {
		return "", errors.New("hooks that call nod stand outside of nod's own lines; take them out by hand")
	}
	return text, nil
}

// onlyOwn reports whether TOML holds nothing but what nod puts there.
func onlyOwn(text string) bool {
	tree, err := readTree(text)
	if err != nil {
		return false
	}
	all := 0
	hooks, _ := tree["hooks"].(map[string]any)
	for event := range hooks {
		for _, h := range handlersOf(hooks, event) {
			if _, ok := h["command"].(string); ok {
				all++
			}
		}
	}
	features, given := tree["features"].(map[string]any)
	return len(ownHooks(tree)) == all && all > 0 && len(tree) == 1+counted(given) &&
		(!given || reflect.DeepEqual(features, map[string]any{"hooks": true}))
}

func counted(b bool) int {
	if b {
		return 1
	}
	return 0
}

// withOwn puts nod's lines into a text that has none. The feature that Codex
// calls hooks must be required too, or anybody's own settings switch all hooks
// off, managed ones as well (measured on 0.169.0).
func (o Options) withOwn(text string) (string, error) {
	tree, err := readTree(text)
	if err != nil {
		return "", err
	}
	features, _ := tree["features"].(map[string]any)
	if said, given := features["hooks"]; given && said != true {
		return "", errors.New("features.hooks is not true here, so Codex runs no hook; take that line out first")
	}
	for _, try := range []func(string) (head, own string){required, tabled, dotted, headed} {
		head, feature := try(text)
		after := head
		if head != "" && !strings.HasSuffix(head, "\n") {
			after += "\n"
		}
		if after != "" {
			after += "\n"
		}
		after += ownBegin + "\n" + feature + o.ownTables() + ownEnd + "\n"
		if got, err := readTree(after); err == nil && reflect.DeepEqual(got, o.wanted(tree)) {
			return after, nil
		}
	}
	return "", errors.New("its hooks or features are written in a way that nod cannot add to; write " +
		"[[hooks.PreToolUse]] and [features]")
}

// The four ways to require the feature: it is required already, as a table in
// nod's lines, as a line at the head of the table that is there, as a line at
// the top.
func required(text string) (head, own string) { return text, "" }

func tabled(text string) (head, own string) { return text, "[features]\nhooks = true\n\n" }

func dotted(text string) (head, own string) {
	return "features.hooks = true" + ownMark + "\n" + text, ""
}

func headed(text string) (head, own string) {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(line)
		name, _, _ := strings.Cut(line, "#")
		if strings.TrimSpace(name) == "[features]" && strings.HasSuffix(line, "\n") {
			out.WriteString("hooks = true" + ownMark + "\n")
		}
	}
	return out.String(), ""
}

// ownTables are nod's hooks.
func (o Options) ownTables() string {
	var b strings.Builder
	for _, r := range registrations(o) {
		fmt.Fprintf(&b, "[[hooks.%s]]\n[[hooks.%s.hooks]]\n", r.event, r.event)
		for _, m := range r.handler { // a JSON string is one of TOML too
			fmt.Fprintf(&b, "%s = %s\n", m.name, encode(m.value))
		}
	}
	return b.String()
}

// wanted is what must be read in the end: what was there, and nod's.
func (o Options) wanted(before map[string]any) map[string]any {
	tree := copied(before)
	hooks, features := copied(tree["hooks"]), copied(tree["features"])
	for _, r := range registrations(o) {
		groups, _ := hooks[r.event].([]any)
		hooks[r.event] = append(slices.Clone(groups), map[string]any{"hooks": []any{asTable(r.handler)}})
	}
	features["hooks"] = true
	tree["hooks"], tree["features"] = hooks, features
	return tree
}

func copied(v any) map[string]any {
	out := map[string]any{}
	from, _ := v.(map[string]any)
	for k, v := range from {
		out[k] = v
	}
	return out
}

// asTable is a hook as it is read from TOML.
func asTable(h ordered) map[string]any {
	table := map[string]any{}
	for _, m := range h {
		if n, ok := m.value.(int); ok {
			table[m.name] = int64(n)
			continue
		}
		table[m.name] = m.value
	}
	return table
}

func readTree(text string) (map[string]any, error) {
	tree := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &tree); err != nil {
		return nil, fmt.Errorf("not TOML: %w", err)
	}
	return tree, nil
}

// handlersOf lists the hooks of an event; a group that has none counts as one
// that is empty.
func handlersOf(hooks map[string]any, event string) (all []map[string]any) {
	groups, _ := hooks[event].([]any)
	if groups == nil {
		return []map[string]any{{}}
	}
	for _, g := range groups {
		group, _ := g.(map[string]any)
		list, _ := group["hooks"].([]any)
		if len(list) == 0 {
			all = append(all, map[string]any{})
		}
		for _, h := range list {
			handler, _ := h.(map[string]any)
			all = append(all, handler)
		}
	}
	return all
}

// ownHook is one of nod's in a tree.
type ownHook struct {
	Registered
	table map[string]any
}

// ownHooks finds nod's hooks, by event and place.
func ownHooks(tree map[string]any) (found []ownHook) {
	hooks, _ := tree["hooks"].(map[string]any)
	var events []string
	for event := range hooks {
		events = append(events, event)
	}
	slices.Sort(events)
	for _, event := range events {
		groups, _ := hooks[event].([]any)
		for g := range groups {
			group, _ := groups[g].(map[string]any)
			matcher, _ := group["matcher"].(string)
			list, _ := group["hooks"].([]any)
			for i := range list {
				table, _ := list[i].(map[string]any)
				line, _ := table["command"].(string)
				if path.Base(programOf(line)) == HookName {
					found = append(found, ownHook{Registered{Event: event, Group: g, Index: i, Matcher: matcher,
						line: line}, table})
				}
			}
		}
	}
	return found
}

// inspectLines reads such a file.
func (o Options) inspectLines(f file) *Installed {
	in := &Installed{Path: f.path, Options: o, Findings: f.weaknesses()}
	tree, err := readTree(string(bytes.TrimPrefix(f.data, []byte("\ufeff"))))
	if err != nil {
		in.Findings = append(in.Findings, Finding{Kind: Unread, Path: f.path, Text: err.Error()})
		return in
	}
	h := o.host()
	for i, own := range ownHooks(tree) {
		if i == 0 {
			in.Options = o.withPaths(lineWords(own.line))
		}
		for _, e := range h.events {
			if e.name == own.Event {
				own.Decides = e.decides
				own.Written = in.Options.check() == nil &&
					reflect.DeepEqual(own.table, asTable(h.handler(in.Options, e.decides)))
			}
		}
		in.Hooks = append(in.Hooks, own.Registered)
	}
	if len(in.Hooks) == 0 {
		return in
	}
	if features, _ := tree["features"].(map[string]any); features["hooks"] != true {
		in.Findings = append(in.Findings, Finding{Kind: Silences, Path: f.path,
			Text: "features.hooks = true is not required here, so a person's settings and those of a project that " +
				"they trust can switch nod off"})
	}
	in.again()
	return in
}
