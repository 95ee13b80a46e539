package agent

import "strings"

// Some hosts type a command into an interactive shell, where more than its words counts.

// quoting is a command taken apart by its quotes.
type quoting struct {
	bare     string // what stands outside of quotes; a quoted part is a letter
	expanded string // the same with the text of "..."
	unsure   bool   // there is a form in which quotes may end elsewhere
}

// quotingOf takes a command apart as bash and zsh do where the quotes are plain.
func quotingOf(command string) (q quoting) {
	var bare, expanded strings.Builder
	for rest := command; rest != ""; {
		n := 1
		switch c := rest[0]; {
		case c == '\\' && len(rest) > 1:
			n = 2
			bare.WriteString(rest[:n])
			expanded.WriteString(rest[:n])
		case c == '\'' || c == '"':
			n = quotedLength(rest)
			bare.WriteByte('q')
			if c == '"' {
				expanded.WriteString(rest[:n])
			}
			q.unsure = q.unsure || n < 2 || rest[n-1] != c || c == '"' && strings.ContainsAny(rest[:n], "`$")
		default:
			q.unsure = q.unsure || c == '`' || strings.HasPrefix(rest, "<<") || strings.HasPrefix(rest, "$'") ||
				strings.HasPrefix(rest, `$"`)
			bare.WriteByte(c)
			expanded.WriteByte(c)
		}
		rest = rest[n:]
	}
	q.bare, q.expanded = bare.String(), expanded.String()
	return q
}

// quotedLength is the length of what a text begins with: a quote, and all up to its end.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] == '"':
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return len(text)
}

// typesOtherwise reports whether a line that is typed at the prompt of bash or zsh may be
// another one than in a script: a tab completes a word, several lines are several
// commands or joined to one, a ! stands for an earlier line, and to zsh a # begins no
// comment there.
func typesOtherwise(command string) bool {
	q := quotingOf(command)
	return strings.ContainsAny(command, "\t\n\r") || recalls(q.expanded) || remarks(q.bare) ||
		q.unsure && (recalls(command) || remarks(command))
}

// recalls reports whether a ! may stand for an earlier line.
func recalls(text string) bool {
	for i := range len(text) {
		if text[i] == '!' && i+1 < len(text) && strings.IndexByte(" =", text[i+1]) < 0 {
			return true
		}
	}
	return false
}

// remarks reports whether a # may begin a comment.
func remarks(text string) bool {
	for i := range len(text) {
		if text[i] == '#' && (i == 0 || strings.IndexByte(" ;&|()", text[i-1]) >= 0) {
			return true
		}
	}
	return false
}

// openhandsDoubles reports whether OpenHands may make an operator of a sign that has a
// backslash before it: outside of quotes it puts another backslash there (SDK 1.43.1,
// escape_bash_special_chars), and a tab is typed into a shell that completes words.
func openhandsDoubles(command string) bool {
	q := quotingOf(command)
	return strings.Contains(command, "\t") || escapesOperator(q.bare) ||
		(q.unsure || remarks(q.bare)) && escapesOperator(command)
}

func openhandsRewrites(command string) string {
	if openhandsDoubles(command) {
		return openhandsDoubled
	}
	return ""
}

func windsurfRewrites(command string) string {
	if typesOtherwise(command) {
		return typedOtherwise
	}
	return ""
}

func vscodeRewrites(command string) string {
	switch {
	case typesOtherwise(command):
		return typedOtherwise
	case strings.HasPrefix(strings.TrimLeft(command, " "), "timeout"):
		return timeoutTaken
	}
	return ""
}

// escapesOperator reports whether a backslash stands before an operator.
func escapesOperator(text string) bool {
	for i := range len(text) - 1 {
		if text[i] == '\\' && strings.IndexByte(";&|<>", text[i+1]) >= 0 {
			return true
		}
	}
	return false
}

const (
	typedOtherwise = "the editor types this into an interactive shell, which may read several lines, tabs, # and ! " +
		"otherwise than a script does; give one line without a comment, and put ! in single quotes"
	timeoutTaken = "VS Code takes timeout away, and what stood behind it is then looked for in the shell itself; leave " +
		"it out"
	openhandsDoubled = `OpenHands puts another backslash before \; \| and the like and then types this into a shell, to ` +
		"which the sign ends the command and a tab completes a word; put the sign in quotes, as in ';', and no tabs"
)
