package agent

import (
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// mentioned are the files that a prompt names with @. Some hosts read them by themselves,
// without a hook and without asking: opencode what a sub-agent is told (1.18.33,
// resolvePromptParts, and run).
//
// Of more than maxMentions a call says that it is not read to its end.
func mentioned(c *nod.Call, prompt string) {
	before, found := ' ', 0
	for i, sign := range prompt {
		if sign == '@' && before != '_' && before != '`' && !isLetterOrDigit(before) {
			if found++; found > maxMentions {
				c.Unread = "the prompt names more files with @ than nod looks at; give it fewer"
				return
			}
			c.Paths = append(c.Paths, mention(prompt[i+1:])...)
		}
		before = sign
	}
}

const (
	maxMentions = 100
	maxName     = 4096 // bytes of a name that a system opens
)

// mention is the name at the start of a text, as hosts read it: up to a blank, in quotes,
// and without the signs that may end a sentence.
func mention(text string) (names []string) {
	text = text[:min(len(text), maxName)]
	if rest, ok := strings.CutPrefix(text, `"`); ok {
		if quoted, _, closed := strings.Cut(rest, `"`); closed {
			names = append(names, quoted)
		}
	}
	if end := strings.IndexFunc(text, func(r rune) bool { return isBlank(r) || r == '`' || r == ',' }); end >= 0 {
		text = text[:end]
	}
	for _, name := range []string{text, strings.TrimRight(text, ".;:!?)]}\"'")} {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func isLetterOrDigit(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
