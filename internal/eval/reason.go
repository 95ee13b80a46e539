package eval

import (
	"path"
	"strings"
)

// ReasonClass puts reasons of one kind together: paths become PATH, and of the
// words of a command only the program is kept.
func ReasonClass(reason string) string {
	head, words, found := strings.Cut(reason, ": ")
	if found && strings.HasPrefix(head, "this ") {
		return head + ": " + program(words)
	}
	list := strings.Fields(reason)
	for i, w := range list {
		if strings.Contains(w, "/") {
			list[i] = "PATH"
		}
	}
	return strings.Join(list, " ")
}

// program is the first word of a command without its directory, or PATH for
// a word that is one.
func program(words string) string {
	first, _, _ := strings.Cut(words, " ")
	switch {
	case strings.HasPrefix(first, "-"):
		return first
	case strings.Contains(first, "://"):
		return "URL"
	case strings.HasPrefix(first, "./") || strings.HasPrefix(first, "../"):
		return "PATH"
	case strings.Contains(first, "/"):
		if base := path.Base(first); strings.Contains(words, " ") && !strings.Contains(base, ".") {
			return base
		}
		return "PATH"
	}
	return first
}
