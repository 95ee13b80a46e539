package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Codex reads managed hooks from a file of requirements, which is TOML. nod puts its lines at the end of it, between
// two comments, takes them out again, and leaves every other byte as it is. What each edit means is read back before
// anything is written.
const (
	ownBegin = "# nod-hook: from here to the end of nod's lines, written by nod install"
	ownEnd   = "# nod-hook: end of nod's lines"
)

// planTOML plans for such a file.
func (o Options) planTOML(p *Plan, put bool) error {
	text, err := o.withoutOwn(string(p.Before))
	if err == nil && put {
		text, err = o.withOwn(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w; nothing was changed", p.Path, err)
	}
	if text != "" || put {
		p.After = []byte(text) // else it held nothing but nod's lines, or is not there
	}
	return nil
}

// withoutOwn takes nod's lines out of a text. It refuses where somebody wrote
// between them, and where nod's hooks stand somewhere else.
func (o Options) withoutOwn(text string) (string, error) {
	before, rest, found := strings.Cut(text, ownBegin+"\n")
	if found {
		own, after, ended := strings.Cut(rest, ownEnd+"\n")
		if !ended {
			return "", fmt.Errorf("the line %q is missing", ownEnd)
		}
		if !o.onlyOwn(own) {
			return "", errors.New("between nod's lines stands something that nod did not write; move it out")
		}
		text = strings.TrimSuffix(before, "\n") + after
		if before != "" && !strings.HasSuffix(before, "\n\n") {
			text = before + after
		}
	}
	tree, err := readTree(text)
	if err == nil && len(o.owned(tree)) > 0 {
		err = errors.New("hooks that call nod stand outside of nod's own lines; take them out by hand")
	}
	return text, err
}

// onlyOwn reports whether TOML holds nothing but what nod puts there.
func (o Options) onlyOwn(text string) bool {
	tree, err := readTree(text)
	own := o.owned(tree)
	if err != nil || len(own) == 0 {
		return false
	}
	features, _ := tree["features"].(map[string]any)
	delete(tree, "features")
	delete(features, "hooks")
	all := 0
	hooks, _ := tree["hooks"].(map[string]any)
	for _, list := range hooks {
		groups, _ := list.([]any)
		for _, g := range groups {
			group, _ := g.(map[string]any)
			handlers, _ := group["hooks"].([]any)
			all += max(1, len(handlers))
		}
	}
	return len(features) == 0 && len(tree) == 1 && all == len(own)
}

// withOwn puts nod's lines into a text without them. The feature that Codex calls hooks must be required too, or
// anybody's own settings switch all hooks off, managed ones as well (measured on 0.169.0).
func (o Options) withOwn(text string) (string, error) {
	tree, err := readTree(text)
	if err != nil {
		return "", err
	}
	var own strings.Builder
	features, given := tree["features"].(map[string]any)
	switch said, spoken := features["hooks"]; {
	case spoken && said != true:
		return "", errors.New("features.hooks is not true here, so Codex runs no hook; take that line out first")
	case given && !spoken:
		return "", errors.New("features are here already, and nod cannot add to them; add hooks = true to them first")
	case !given:
		own.WriteString("[features]\nhooks = true\n\n")
	}
	want := o.registrations()
	for _, r := range want {
		fmt.Fprintf(&own, "[[hooks.%s]]\n[[hooks.%s.hooks]]\n", r.event, r.event)
		for _, m := range r.handler { // a JSON string is a TOML string too
			fmt.Fprintf(&own, "%s = %s\n", m.name, encode(m.value))
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if text != "" {
		text += "\n"
	}
	text += ownBegin + "\n" + own.String() + ownEnd + "\n"
	tree, err = readTree(text)
	if features, _ := tree["features"].(map[string]any); err != nil || features["hooks"] != true ||
		len(o.owned(tree)) != len(want) {
		return "", errors.New("its hooks or features are written in a way that nod cannot add to; write " +
			"[[hooks.PreToolUse]] and [features]")
	}
	return text, nil
}

// readTree reads TOML as a tree of the values that JSON has.
func readTree(text string) (tree map[string]any, err error) {
	var read map[string]any
	if err := toml.Unmarshal([]byte(strings.TrimPrefix(text, byteOrderMark)), &read); err != nil {
		return nil, fmt.Errorf("not TOML: %w", err)
	}
	data, err := json.Marshal(read)
	if err == nil {
		err = json.Unmarshal(data, &tree)
	}
	return tree, err
}
