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
			if file, _, lines := strings.Cut(quoted, "#"); lines {
				names = append(names, file)
			}
		}
	}
	if end := strings.IndexFunc(text, func(r rune) bool { return isBlank(r) || r == '`' || r == ',' }); end >= 0 {
		text = text[:end]
	}
	file, _, _ := strings.Cut(text, "#") // lines of it: x#L1-2
	for _, name := range []string{text, strings.TrimRight(text, ".;:!?)]}\"'"), text[:steps(text)], file,
		strings.TrimRightFunc(file, func(r rune) bool { return r != '_' && !isLetterOrDigit(r) })} {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// steps is the length of the name that opencode finds at the start of a text without a
// blank, ` and comma: its first point may be anywhere, and each further one only between
// two other signs, so that it ends before "..".
func steps(text string) (length int) {
	text, dotted := strings.CutPrefix(text, ".")
	if dotted {
		length++
	}
	for i, piece := range strings.Split(text, ".") {
		switch {
		case i == 0:
			length += len(piece)
		case piece == "":
			return length
		default:
			length += 1 + len(piece)
		}
	}
	return length
}

func isLetterOrDigit(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
