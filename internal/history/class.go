package history

import (
	"path"
	"slices"
	"strings"
)

// ReasonClass puts reasons of one kind together: paths become PATH, variables
// NAME, and of the words of a command only the program is kept.
func ReasonClass(reason string) string {
	head, words, found := strings.Cut(reason, ": ")
	if found && strings.HasPrefix(head, "this ") {
		return classOf(head) + ": " + program(words)
	}
	return classOf(reason)
}

// classOf takes out what a reason speaks of. A path may also be a single name: it
// stands before the comma then.
func classOf(text string) string {
	list := strings.Fields(text)
	for i, w := range list {
		name, comma := strings.CutSuffix(w, ",")
		switch before := list[max(i, 1)-1]; {
		case strings.Contains(name, "/"), comma && slices.Contains([]string{"writes", "deletes", "overwrite",
			"changes", "reads", "moves"}, before):
			name = "PATH"
		case comma && before == "sets":
			name = "NAME"
		}
		if list[i] = name; comma {
			list[i] += ","
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
