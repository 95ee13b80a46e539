package agent

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/transcript"
)

// geminiTranscript returns what reads a session file of Gemini CLI (0.61.0):
// JSON lines, of which a later one with the same id replaces an earlier,
// {"$set":{"messages"}} replaces all before it, and {"$rewindTo"} takes back
// the message of that id and what followed. A sub-agent's hook is shown the
// file of its root.
//
// A call stands in it only once it has ended, so the one that is being decided
// is not there.
func geminiTranscript(name string) func(context.Context) iter.Seq2[transcript.Turn, error] {
	return func(ctx context.Context) iter.Seq2[transcript.Turn, error] {
		return func(yield func(transcript.Turn, error) bool) {
			r := geminiReader{seen: map[string]bool{}}
			lineTranscript(name, "Gemini CLI", nil, r.turns)(ctx)(yield)
		}
	}
}

// geminiReader reads lines from the last to the first.
type geminiReader struct {
	seen    map[string]bool // messages whose later line was read
	rewound string          // what lies behind this message is taken back
	over    bool            // all before is replaced
}

func (r *geminiReader) turns(line object) (turns []transcript.Turn, message bool, err error) {
	f := fieldsOf(line, &err)
	if to := f.optional("$rewindTo"); to != "" && r.rewound == "" {
		r.rewound = to
	}
	if set, given := f.maybeChild("$set"); given != nil {
		messages := set.maybe("messages")
		if messages == nil || r.over || r.rewound != "" || err != nil {
			return nil, false, err
		}
		r.over = true
		for _, m := range set.list("messages") {
			if id := m.optional("id"); !r.seen[id] {
				turns = append(turns, geminiTurns(m)...)
			}
		}
		return turns, len(turns) > 0, err
	}
	id := f.optional("id")
	if err != nil || id == "" || r.over || r.seen[id] {
		return nil, false, err
	}
	if r.rewound != "" {
		if r.rewound == id {
			r.rewound = ""
			r.seen[id] = true
		}
		return nil, false, nil
	}
	r.seen[id] = true
	turns = geminiTurns(f)
	return turns, len(turns) > 0, err
}

// geminiLine reads a line for its opening, where what replaces it is not known
// yet.
func geminiLine(line object) (turns []transcript.Turn, message bool, err error) {
	f := fieldsOf(line, &err)
	if f.optional("id") != "" {
		turns = geminiTurns(f)
	}
	return turns, len(turns) > 0, err
}

// geminiTurns reads one message.
func geminiTurns(m fields) (turns []transcript.Turn) {
	switch m.optional("type") {
	case "user":
		turns = geminiUser(m)
	case "gemini":
		if text := codexText(m, "content"); text != "" {
			turns = append(turns, transcript.Turn{Origin: transcript.Agent, Text: text})
		}
		if m.maybe("toolCalls") != nil {
			for _, call := range m.list("toolCalls") {
				turns = append(turns, calledTurn(call))
			}
		}
	case "info", "warning", "error", "":
	default: // nobody knows who speaks in it
		of := "a message of type " + m.optional("type")
		turns = append(turns, transcript.Turn{Origin: transcript.Other, Text: of})
	}
	at, _ := time.Parse(time.RFC3339, m.hint("timestamp"))
	for i := range turns {
		turns[i].Time = at
	}
	return turns
}

// calledTurn is a call {name, args}.
func calledTurn(call fields) transcript.Turn {
	turn := transcript.Turn{Origin: transcript.Agent, Tool: call.word("name")}
	if args := call.maybe("args"); args != nil {
		turn.Input = bytes.Clone(args.value)
	}
	return turn
}

// geminiUser reads what stands under the role of the user. Where the host made
// something else of what was typed (a file named with @, a command of the
// repository's), displayContent is what was typed and content is not.
func geminiUser(m fields) []transcript.Turn {
	content := m.maybe("content")
	if content == nil {
		return nil
	}
	if content.value[0] == '"' {
		return []transcript.Turn{{Origin: speaker([]string{m.asText(content)}), Text: m.asText(content)}}
	}
	texts, results := partTexts(m.list("content"))
	turns := results
	origin := speaker(texts)
	if m.maybe("displayContent") != nil {
		origin = transcript.Harness
		if typed := codexText(m, "displayContent"); typed != "" {
			turns = append(turns, transcript.Turn{Origin: speaker([]string{typed}), Text: typed})
		}
	}
	if text := strings.Join(texts, "\n"); text != "" {
		turns = append(turns, transcript.Turn{Origin: origin, Text: text})
	}
	return turns
}

// partTexts divides a message's parts into texts and what tools gave back.
func partTexts(parts []fields) (texts []string, results []transcript.Turn) {
	for _, part := range parts {
		if text := part.optional("text"); text != "" && !part.flag("thought") {
			texts = append(texts, text)
		}
		if response, given := part.maybeChild("functionResponse"); given != nil {
			if text := responseText(response); text != "" {
				results = append(results, transcript.Turn{Origin: transcript.Tool, Text: text})
			}
		}
	}
	return texts, results
}

// responseText is what a tool gave back: its output, or why it failed.
func responseText(response fields) string {
	inner, given := response.maybeChild("response")
	if given == nil {
		return ""
	}
	if m := inner.maybe("output"); m != nil && m.value[0] == '"' {
		return inner.beginning(m)
	}
	return inner.hint("error")
}

// speaker says who speaks in the texts of a user's message: a person where it
// is one text and nothing marks it as the host's. Several texts are a typed one
// and what the host put beside it, and nobody says which is which.
func speaker(texts []string) transcript.Origin {
	typed := func(text string) bool { return geminiMark(text) != transcript.Harness }
	switch {
	case len(texts) > 0 && !slices.ContainsFunc(texts, typed):
		return transcript.Harness
	case len(texts) != 1:
		return transcript.Other
	}
	return geminiMark(texts[0])
}

// geminiMark says whose a text is by how it begins. What stands behind an element
// of the host's, or begins with an element of a name that only a host would
// choose, is nobody's.
func geminiMark(text string) transcript.Origin {
	trimmed := strings.TrimSpace(text)
	name := firstTag(trimmed)
	host := slices.Contains(claudeElements(), name) || slices.Contains(geminiElements(), name)
	end := "</" + name + ">"
	switch {
	case slices.ContainsFunc(geminiNotices(), func(notice string) bool { return strings.HasPrefix(trimmed, notice) }),
		trimmed == "Please continue.",
		host && (!strings.Contains(trimmed, end) || strings.HasSuffix(trimmed, end)):
		return transcript.Harness
	case host, strings.ContainsAny(name, "-_"):
		return transcript.Other
	}
	return transcript.Person
}

// geminiElements are those that Gemini CLI and Qwen Code write, besides Claude
// Code's.
func geminiElements() []string {
	return []string{"session_context", "hook_context", "state_snapshot", "environment_context", "user_memory"}
}

// geminiNotices begin what the hosts and their extensions say without an element.
func geminiNotices() []string {
	return []string{
		"System:",
		"Here is the user's editor context",
		"Here is a summary of changes in the user's editor context",
	}
}
