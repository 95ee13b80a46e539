package agent

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/nodgate/nod"
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
func codexTranscript(name, call string, child bool) func(context.Context) iter.Seq2[nod.Turn, error] {
	return lineTranscript(name, "Codex", codexResults(), codexLine(call, child))
}

func codexResults() []string {
	const item = `"response_item","payload":{"type":`
	return []string{item + `"function_call_output",`, item + `"custom_tool_call_output",`}
}

// codexLine reads one line of a rollout.
func codexLine(call string, child bool) turnsOf {
	return func(line object) ([]nod.Turn, bool, error) {
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

func codexTurns(p fields, call string, child bool) []nod.Turn {
	kind := p.word("type")
	switch kind {
	case "message":
		return codexMessage(p, child)
	case "function_call", "custom_tool_call", "local_shell_call":
		if id := p.optional("call_id"); id != "" && id == call {
			return nil
		}
		return []nod.Turn{{Origin: nod.OriginAgent, Tool: p.word("name"), Input: codexInput(p, kind)}}
	case "function_call_output", "custom_tool_call_output":
		if text := returnedText(p, "output"); text != "" {
			return []nod.Turn{{Origin: nod.OriginTool, Text: text}}
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

func codexMessage(p fields, child bool) []nod.Turn {
	origin := nod.OriginOther
	switch p.word("role") {
	case "assistant":
		origin = nod.OriginAgent
	case "developer", "system":
		return nil // instructions, no conversation
	case "user":
		origin = codexSpeaker(p, child)
	}
	if text := codexText(p, "content"); text != "" {
		return []nod.Turn{{Origin: origin, Text: text}}
	}
	return nil
}

// codexSpeaker says who speaks under the role of the user.
func codexSpeaker(p fields, child bool) nod.Origin {
	meta, given := p.maybeChild("internal_chat_message_metadata_passthrough")
	if given == nil {
		return nod.OriginOther
	}
	kinds := meta.maybe("content_item_kinds")
	if kinds == nil || kinds.value[0] != '[' {
		return nod.OriginOther
	}
	items := meta.within(kinds)
	typed := func(m member) bool { return string(m.value) == `"user.text"` }
	switch {
	case len(items) == 0 || !slices.ContainsFunc(items, typed):
		return nod.OriginHarness
	case slices.ContainsFunc(items, func(m member) bool { return !typed(m) }):
		return nod.OriginOther
	case child:
		return nod.OriginOtherAgent
	}
	return nod.OriginPerson
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

// returnedText is codexText for what a tool gave back: the beginnings.
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
