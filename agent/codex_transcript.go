package agent

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/transcript"
)

// codexTranscript returns what reads a rollout file of Codex (0.169.0): JSON
// lines {timestamp, type, payload}. The conversation is in the lines of type
// response_item. Tools keep the model's names (exec_command, where the hook
// says Bash). The call with the id that is being decided is left out.
//
// A text is a person's only where Codex itself says that it was typed: its
// kind is user.text. What else stands under the role of the user (the
// environment, AGENTS.md, what a hook or another agent put there) is not, and
// in a sub-agent's file nothing is.
func codexTranscript(name, call string, child bool) func(context.Context) iter.Seq2[transcript.Turn, error] {
	return lineTranscript(name, "Codex", codexResults(), codexLine(call, child))
}

func codexResults() []string {
	const item = `"response_item","payload":{"type":`
	return []string{item + `"function_call_output",`, item + `"custom_tool_call_output",`}
}

// codexLine reads one line of a rollout.
func codexLine(call string, child bool) turnsOf {
	return func(line object) ([]transcript.Turn, bool, error) {
		var err error
		f := fieldsOf(line, &err)
		if f.word("type") != "response_item" || err != nil {
			return nil, false, err
		}
		payload, _ := f.child("payload")
		turns := codexTurns(payload, call, child)
		at, _ := time.Parse(time.RFC3339, line.hint("timestamp"))
		for i := range turns {
			turns[i].Time = at
		}
		return turns, true, err
	}
}

func codexTurns(p fields, call string, child bool) []transcript.Turn {
	kind := p.word("type")
	switch kind {
	case "message":
		return codexMessage(p, child)
	case "function_call", "custom_tool_call", "local_shell_call":
		if id := p.optional("call_id"); id != "" && id == call {
			return nil
		}
		return []transcript.Turn{{Origin: transcript.Agent, Tool: p.word("name"), Input: codexInput(p, kind),
			Call: p.optional("call_id")}}
	case "function_call_output", "custom_tool_call_output":
		if text := returnedText(p, "output"); text != "" {
			return []transcript.Turn{{Origin: transcript.Tool, Text: text}}
		}
	}
	return nil
}

// codexInput is the arguments of a call: a JSON text within the JSON.
func codexInput(p fields, kind string) json.RawMessage {
	if kind == "function_call" {
		if raw := json.RawMessage(p.optional("arguments")); json.Valid(raw) {
			return raw
		}
		return nil
	}
	return json.RawMessage(quoted(p.optional("input")))
}

func codexMessage(p fields, child bool) []transcript.Turn {
	switch p.word("role") {
	case "assistant":
		return saidBy(transcript.Agent, codexText(p, "content"))
	case "developer", "system":
		return nil // instructions, no conversation
	case "user":
		return codexUser(p, child)
	}
	return saidBy(transcript.Other, codexText(p, "content"))
}

func saidBy(who transcript.Origin, text string) []transcript.Turn {
	if text == "" {
		return nil
	}
	return []transcript.Turn{{Origin: who, Text: text}}
}

// codexUser reads what stands under the role of the user. Codex names the kind
// of each part; the person's are those of kind user.text. Of a message in which
// parts and kinds do not match nobody can say what was typed.
func codexUser(p fields, child bool) []transcript.Turn {
	kinds, texts := codexKinds(p), codexParts(p, "content")
	typed, known := "", true
	for i, kind := range kinds {
		if kind == "user.text" && i < len(texts) {
			text, ok := codexTyped(texts[i])
			typed, known = joined(typed, text), known && ok
		}
		known = known && codexKnows(kind)
	}
	who := transcript.Person
	if child {
		who = transcript.OtherAgent
	}
	switch all := strings.Join(texts, "\n"); {
	case len(kinds) == 0:
		return saidBy(transcript.Other, all)
	case !slices.Contains(kinds, "user.text") && known:
		return saidBy(transcript.Harness, all)
	case len(kinds) != len(texts) &&
		!slices.ContainsFunc(kinds, func(kind string) bool { return !slices.Contains(codexWordless(), kind) }):
		text, _ := codexTyped(all)
		return saidBy(who, text)
	case len(kinds) != len(texts):
		return saidBy(transcript.Other, all)
	case !known:
		return append(saidBy(transcript.Other, unknownKind), saidBy(who, typed)...)
	}
	return saidBy(who, typed)
}

// codexTyped is what of a text was typed. Editors and the desktop app put headings
// of their own above it, with files, pages and a selection. A file or a selection may
// hold the text of the last heading too: so only what stands behind the last place where
// that heading occurs was typed. ok is false where the last heading is missing.
func codexTyped(text string) (typed string, ok bool) {
	const request = "\n## My request for Codex:"
	if i := strings.LastIndex(text, request); strings.HasPrefix(text, "# ") && i >= 0 {
		return strings.TrimSpace(text[i+len(request):]), true
	}
	for _, heading := range []string{"# Context from my IDE setup:", "# Files mentioned by the user:"} {
		if strings.HasPrefix(text, heading) {
			return "", false
		}
	}
	return text, true
}

// codexWordless are the kind of typed text, and the kinds without any text: a message
// of these kinds alone holds no text but what was typed.
func codexWordless() []string {
	return []string{"user.text", "user.image", "user.local_image", "user.audio"}
}

// codexKnows reports whether a kind of content is one that was classified: the
// person's words and pictures, or what Codex puts beside them.
func codexKnows(kind string) bool {
	group, _, _ := strings.Cut(kind, ".")
	return slices.Contains(codexWordless(), kind) || kind == "user.skill" || kind == "user.mention" ||
		slices.Contains(codexHosts(), group)
}

// codexHosts are the parts of Codex that put texts of their own there.
func codexHosts() []string {
	return []string{"environments", "environment", "host_skills", "permissions", "user_instructions", "hooks",
		"agents", "skills", "plugins", "apps"}
}

// codexKinds are the kinds that Codex gives the parts of a message, nil where it
// gives none.
func codexKinds(p fields) (kinds []string) {
	meta, given := p.maybeChild("internal_chat_message_metadata_passthrough")
	if given == nil {
		return nil
	}
	list := meta.maybe("content_item_kinds")
	if list == nil || list.value[0] != '[' {
		return nil
	}
	for _, m := range meta.within(list) {
		kinds = append(kinds, strings.Trim(string(m.value), `"`))
	}
	return kinds
}

// codexParts are the texts of a content's parts; "" for one that is no text.
func codexParts(p fields, key string) (texts []string) {
	m := p.maybe(key)
	if m == nil || m.value[0] != '[' {
		if text := codexText(p, key); text != "" {
			texts = []string{text}
		}
		return texts
	}
	for _, part := range p.list(key) {
		texts = append(texts, part.hint("text"))
	}
	return texts
}

// codexText joins the texts of a content: a text, or a list of parts.
func codexText(p fields, key string) string {
	m := p.maybe(key)
	switch {
	case m == nil:
		return ""
	case m.value[0] == '"':
		return p.asText(m)
	case m.value[0] != '[':
		return ""
	}
	var text string
	for _, part := range p.list(key) {
		text = joined(text, part.hint("text"))
	}
	return text
}

// returnedText is codexText for what a tool gave back, of which each text is cut short.
func returnedText(p fields, key string) string {
	m := p.maybe(key)
	if m == nil || m.value[0] == '"' {
		return p.beginning(m)
	}
	if m.value[0] != '[' {
		return ""
	}
	var text string
	for _, part := range p.list(key) {
		if m := part.maybe("text"); m != nil && m.value[0] == '"' {
			text = joined(text, part.beginning(m))
		}
	}
	return text
}

// joined puts a line end between two texts.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
