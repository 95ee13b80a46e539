package judge

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/printable"
)

// citeWords is how many of the person's words in a row an answer must repeat to
// cite them. A message of fewer is repeated whole.
const citeWords = 3

// Cites reports whether a careful answer repeats words in which the person named
// a call: a run of them that stands in a line of the session, and that shares
// a word with the call. consent are the lines that a consent may stand in, call
// is the call's command, arguments and tool as a text.
//
// The model says which words it believed; that they were said is checked here.
func Cites(answer, consent, call string) bool {
	said, named := printable.Words(answer), namesOf(call)
	return slices.ContainsFunc(textsOf(consent), func(words []string) bool { return citesOne(said, words, named) })
}

// SpeaksOf reports whether the person used a word of the call at all.
func SpeaksOf(consent, call string) bool {
	named := namesOf(call)
	return slices.ContainsFunc(textsOf(consent), func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return named[w] })
	})
}

// textsOf are the words of each line.
func textsOf(consent string) (texts [][]string) {
	for line := range strings.Lines(consent) {
		var fields map[string]string
		if json.Unmarshal([]byte(line), &fields) == nil {
			for _, text := range fields {
				texts = append(texts, printable.Words(text))
			}
		}
	}
	return texts
}

func citesOne(said, words []string, named map[string]bool) bool {
	run := min(citeWords, len(words))
	if run < 2 {
		return false
	}
	for i := 0; i+run <= len(words); i++ {
		cited := words[i : i+run]
		if !containsRun(said, cited) {
			continue
		}
		end := i + run // as far as the answer goes on
		for end < len(words) && containsRun(said, words[i:end+1]) {
			end++
		}
		if slices.ContainsFunc(words[i:end], func(w string) bool { return named[w] }) {
			return true
		}
	}
	return false
}

func containsRun(words, run []string) bool {
	for i := 0; i+len(run) <= len(words); i++ {
		if slices.Equal(words[i:i+len(run)], run) {
			return true
		}
	}
	return false
}

// namesOf are the words of a call by which a person would name it.
func namesOf(call string) map[string]bool {
	named := map[string]bool{}
	for _, w := range printable.Words(call) {
		if !isPlain(w) {
			named[w] = true
		}
	}
	return named
}

// isPlain reports whether a word stands in most calls, so that it names no call.
func isPlain(word string) bool {
	switch word {
	case "command", "description", "file", "path", "the", "and", "for", "with", "this", "that", "bash", "tool", "input":
		return true
	}
	return len(word) <= 2
}
