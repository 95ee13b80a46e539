package agent

import (
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// mentioned are the files that a prompt names with @. Some hosts read them by themselves,
// without a hook and without asking: opencode what a sub-agent is told (1.18.33,
// resolvePromptParts, and run), Claude Code perhaps what it wakes up with (2.1.329, read).
//
// Of more than maxMentions a call says that it is not read to its end.
func mentioned(c *nod.Call, prompt string) {
	pieces := strings.Split(prompt, "@")
	for i, text := range pieces[1:] {
		if i == maxMentions {
			c.Unread = "the prompt names more files with @ than nod looks at; give it fewer"
			return
		}
		if before := pieces[i]; before != "" && (isLetterOrDigit(rune(before[len(before)-1])) ||
			strings.HasSuffix(before, "_") || strings.HasSuffix(before, "`")) {
			continue // an address, or code
		}
		for _, name := range mention(text[:min(len(text), maxName)]) {
			if name != "" && !slices.Contains(c.Paths, name) {
				c.Paths = append(c.Paths, name)
			}
		}
	}
}

const (
	maxMentions = 100
	maxName     = 4096 // bytes of a name that a system opens
)

// mention are the names at the start of a text, as hosts read them: up to a blank, in
// quotes, without the lines of it (x#L1-2), without the signs that may end a sentence, and
// up to "..", where opencode ends one.
func mention(text string) []string {
	var quoted string
	if rest, ok := strings.CutPrefix(text, `"`); ok {
		quoted, _, _ = strings.Cut(rest, `"`)
	}
	if end := strings.IndexFunc(text, func(r rune) bool { return isBlank(r) || r == '`' || r == ',' }); end >= 0 {
		text = text[:end]
	}
	file, _, _ := strings.Cut(text, "#")
	steps, _, _ := strings.Cut(text, "..")
	return []string{quoted, text, strings.TrimRight(text, ".;:!?)]}\"'"), steps, file,
		strings.TrimRightFunc(file, func(r rune) bool { return r != '_' && !isLetterOrDigit(r) })}
}

func isLetterOrDigit(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
