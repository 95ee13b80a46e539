// Package withheld keeps secrets out of what nod says. The content of a secret store and of nod's own files never
// becomes part of a question, a reason or a log, no matter how the call would use it; a model is told that something
// is withheld. What looks like a token elsewhere is masked.
package withheld

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/masks"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell/grammar"
)

// ShortPath is a name as it is written from dir, where it lies below.
func ShortPath(dir, name string) string {
	if rest, ok := strings.CutPrefix(name, dir+"/"); ok && dir != "" {
		return rest
	}
	return name
}

// IsStore reports whether a file's content stays here. What has a second name (a hard link) may be a store by that.
func (c *Call) IsStore(real string) bool {
	info, err := c.At.Machine.Files.Lstat(real)
	return err == nil && info.Mode.IsRegular() && info.Links > 1 ||
		c.At.Machine.TouchesSecret(real, false) || c.At.Machine.IsSelf(real)
}

// ShownFact masks a command, or what may be a target instead: a single word is no program.
func ShownFact(text string) string {
	if strings.ContainsAny(text, " \t\n") {
		return masks.Command(text)
	}
	return masks.Text(text)
}

// Interpreted is the first secret store that the command's meaning rests on: it is sourced, included or run.
// "" for none. What a command makes of its content may then stand in any target, in any unknown.
func (c *Call) Interpreted() string {
	for _, e := range c.Report.Read {
		if c.IsStore(e.Path) {
			return e.Path
		}
	}
	for _, d := range c.Report.Definitions {
		if c.IsStore(d.Path) {
			return d.Path
		}
	}
	return ""
}

// Spoken reports whether a text that a report holds stands in the call itself,
// so that it is nothing that came out of a file.
func (c *Call) Spoken(text string) bool {
	if text == "" || strings.Contains(c.Command, text) {
		return true
	}
	for _, base := range []string{c.At.Dir, c.At.Machine.Home} {
		if below, ok := strings.CutPrefix(text, base+"/"); ok && base != "" && below != "" &&
			strings.Contains(c.Command, below) {
			return true
		}
	}
	return false
}

// Reason is a reason of layers 0 to 3 without what a secret store may have put into it, its paths
// relative to the workspace. It goes to the agent and into the log.
func (c *Call) Reason(why string) string {
	roots := c.At.Roots
	if roots == nil && strings.Contains(why, "/") { // nobody needed them for the decision
		roots = c.At.Machine.UsableRoots(c.Roots, c.At.Environ)
	}
	return printable.Near(c.openly(why), roots, c.At.Machine.Home)
}

func (c *Call) openly(why string) string {
	what, words, found := strings.Cut(why, ": ")
	if !found || c.Spoken(words) {
		return why
	}
	if store := c.Interpreted(); store != "" {
		shown := printable.Text(ShortPath(c.At.Dir, store))
		return what + "; the content of " + shown + " decides this, and may be secret, so it is not shown"
	}
	return why
}

// Names are the files that a call may change, without names that a secret store may have given.
func (c *Call) Names(names []string) []string {
	if len(names) == 0 {
		return names
	}
	store := c.Interpreted()
	if store == "" {
		return names
	}
	kept := names[:0:0]
	for _, name := range names {
		if name == store || c.Spoken(name) {
			kept = append(kept, name)
		} else if !slices.Contains(kept, "/") {
			kept = append(kept, "/") // somewhere
		}
	}
	return kept
}

// Input is a call's input as a model may see it, on one line. What an edit
// writes to a secret store, or replaces in one, is withheld; tokens are masked.
func (c *Call) Input(input json.RawMessage) string {
	return string(masks.Mask(json.RawMessage(c.withoutStores(printable.Compact(input)))))
}

// Stored is a call's input as it may be written down, not masked yet.
func (c *Call) Stored(input json.RawMessage) json.RawMessage {
	return json.RawMessage(c.withoutStores(string(input)))
}

// withoutStores is an input without what is written to a secret store, or replaced in one.
func (c *Call) withoutStores(input string) string {
	text := masks.EachString(input, c.withoutHunks)
	if c.namesStore(text) {
		text = c.withheldStrings(text)
	}
	return text
}

// namesStore reports whether a string of a JSON text, at any depth, is the name of a secret store.
func (c *Call) namesStore(text string) (found bool) {
	masks.EachString(text, func(key, value string) string {
		found = found || !isCommand(key) && c.isStoresName(key, value)
		return value
	})
	return found
}

// isCommand reports whether a key names a command, which is judged and so never withheld.
func isCommand(key string) bool { return key == "command" || key == "cmd" }

// nameLimit bounds what may be the name of a file.
const nameLimit = 4096

// isStoresName reports whether a string is the name of a secret store, under a key that servers give to a place.
func (c *Call) isStoresName(key, value string) bool {
	switch strings.ToLower(key) {
	case "name", "dest", "destination", "source", "src", "from", "to", "output", "out":
	default:
		if !isPathKey(key) {
			return false
		}
	}
	return value != "" && len(value) <= nameLimit && c.storeAt(strings.TrimPrefix(value, "file://"))
}

func isPathKey(key string) bool {
	key = strings.ToLower(key)
	return strings.Contains(key, "path") || strings.Contains(key, "file") || key == "target" || key == "uri"
}

func (c *Call) storeAt(name string) bool {
	reals, err := c.At.Readings(name)
	if err != nil {
		return c.IsStore(name)
	}
	return slices.ContainsFunc(reals, c.IsStore)
}

// withheldStrings puts a mark in the place of every string of a JSON text but
// keys, commands, the values of keys that name a path, and names of stores.
func (c *Call) withheldStrings(text string) string {
	return masks.EachString(text, func(key, value string) string {
		if isCommand(key) || isPathKey(key) && !strings.Contains(value, "\n") || c.isStoresName(key, value) {
			return value
		}
		return contentWithheld
	})
}

// SecretStore is what the model is told in the place of a content.
const SecretStore = "secret store"

const contentWithheld = "[content withheld: " + SecretStore + "]"

// Call is a call that nod says something about.
type Call struct{ *place.Call }

// withoutHunks is a string of a call without the lines of a patch that stand in a secret store. A command may run what
// looks like such a line. So of a command only those go that a shell takes as they stand, as in a here-document.
func (c *Call) withoutHunks(key, text string) string {
	if !strings.Contains(text, "*** ") && !strings.Contains(text, "+++ ") {
		return text
	}
	if !isCommand(key) || strings.HasPrefix(text, "*** Begin Patch") {
		return c.hunks(text, "+- ")
	}
	var out strings.Builder
	at := 0
	for _, part := range grammar.Documents(text, "apply_patch", "applypatch", "git", "patch", "cat") {
		if part[0] < at {
			continue
		}
		out.WriteString(c.hunks(text[at:part[0]], "+-"))
		out.WriteString(c.hunks(text[part[0]:part[1]], "+- "))
		at = part[1]
	}
	return out.String() + c.hunks(text[at:], "+-")
}

// hunks puts a mark in the place of a patch's lines that begin with one of these
// characters and stand in a secret store.
func (c *Call) hunks(text, begin string) string {
	lines := strings.SplitAfter(text, "\n")
	store := false
	for i, line := range lines {
		switch name, heads, goesOn := headed(lines, i); {
		case heads:
			store = store && goesOn || name != "" && c.storeAt(name)
		case store && line != "" && strings.Contains(begin, line[:1]):
			lines[i] = line[:1] + contentWithheld + line[len(strings.TrimRight(line, "\n")):]
		}
	}
	return strings.Join(lines, "")
}

// headed reports whether the line i of a patch says which file the next ones are of; goesOn that it names a second
// file of the same lines. Of "---" and "+++" that is so only where they stand together.
func headed(lines []string, i int) (name string, heads, goesOn bool) {
	line := strings.TrimSpace(lines[i])
	for _, heading := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "} {
		if name, heads = strings.CutPrefix(line, heading); heads {
			return name, true, heading == "*** Move to: "
		}
	}
	if name, heads = strings.CutPrefix(line, "--- "); heads && i+1 < len(lines) &&
		strings.HasPrefix(lines[i+1], "+++ ") {
		return patched(name, "a/"), true, false
	}
	if name, heads = strings.CutPrefix(line, "+++ "); heads && i > 0 && strings.HasPrefix(lines[i-1], "--- ") {
		return patched(name, "b/"), true, true
	}
	return "", strings.HasPrefix(line, "*** End") || strings.HasPrefix(line, "diff --git "), false
}

// patched is a name of a patch without the prefix that git gives it, and without a time behind it.
func patched(name, prefix string) string {
	name, _, _ = strings.Cut(name, "\t")
	return strings.TrimPrefix(name, prefix)
}
