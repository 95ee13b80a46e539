package agent

import (
	"slices"
	"strings"
)

// mentioned are the files that a prompt names with @. Some hosts read them by themselves,
// without a hook and without asking: opencode what a sub-agent is told (1.18.33,
// resolvePromptParts, and run).
func mentioned(prompt string) (names []string) {
	before := ' '
	for i, c := range prompt {
		if c == '@' && before != '_' && before != '`' && (before >= 0x80 || !isLetterOrDigit(before)) {
			names = append(names, mention(prompt[i+1:])...)
		}
		before = c
	}
	return names
}

// mention is the name at the start of a text, as hosts read it: up to a blank, in quotes,
// and without the signs that may end a sentence.
func mention(text string) (names []string) {
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
