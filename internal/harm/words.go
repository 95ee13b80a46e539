package harm

import (
	"slices"
	"strings"
)

// starts says that a file which shells start with would change.
func (l wording) starts(name string) Objection {
	home := l.At.Machine.Home
	below, ok := strings.CutPrefix(name, home+"/")
	if !ok || home == "" || !listed("starts", below) {
		return ""
	}
	return Objection("this writes ~/" + below + ", which says what runs later or who may come in")
}

// dropsData reports whether a text holds a statement that takes data away: what is left
// of it is nowhere but in a backup.
func dropsData(text string) bool {
	text = strings.ToLower(text)
	dense := strings.Join(strings.Fields(text), "")
	if anyOf("drops", func(call string) bool { return strings.Contains(dense, call) }) {
		return true
	}
	words := strings.Fields(strings.NewReplacer(`"`, " ", "'", " ", "`", " ", ";", " ; ", "\n", " ; ").Replace(text))
	for i := range words {
		if takes(words[i:]) {
			return true
		}
	}
	return false
}

// takes reports whether words begin with a statement that takes data away.
func takes(words []string) bool {
	if len(words) < 2 {
		return false
	}
	rest := words[2:]
	if end := slices.IndexFunc(rest, func(w string) bool { return w == ";" || w == "|" || w == "&&" }); end >= 0 {
		rest = rest[:end]
	}
	switch first := words[0]; {
	case first == "drop":
		return listed("dropped", words[1])
	case first == "truncate":
		return words[1] != ";" && words[1][0] != '-'
	case first == "delete" && words[1] == "from":
		return len(rest) > 0 && !slices.Contains(rest, "where")
	}
	return words[0] == "alter" && words[1] == "table" && slices.Contains(rest, "drop")
}
