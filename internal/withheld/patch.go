package withheld

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

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
