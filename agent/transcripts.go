package agent

import (
	"context"
	"encoding/json"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/transcript"
)

// textOf joins the texts of a content.
func textOf(f fields, key string) (all string) {
	for _, text := range textsOf(f, key) {
		all = joined(all, text)
	}
	return all
}

// textsOf are the texts of a content: a text, or those of a list of parts; "" for a part that is not text.
func textsOf(f fields, key string) (texts []string) {
	switch m := f.maybe(key); {
	case m == nil:
	case m.value[0] == '[':
		for _, part := range f.list(key) {
			texts = append(texts, part.hint("text"))
		}
	case m.value[0] == '"' && string(m.value) != `""`:
		texts = []string{f.asText(m)}
	}
	return texts
}

// joined puts a line end between two texts.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

func saidBy(who transcript.Origin, text string) []transcript.Turn {
	if text == "" {
		return nil
	}
	return []transcript.Turn{{Origin: who, Text: text}}
}

// returnedBy is what became of a call.
func returnedBy(call, text string, ended transcript.Ended) []transcript.Turn {
	if call == "" && text == "" {
		return nil
	}
	return []transcript.Turn{{Origin: transcript.Tool, Text: text, Call: call, Ended: ended}}
}

// codexRecord reads a rollout file of Codex (0.169.0): JSON lines {timestamp, type, payload}. The
// conversation is in the lines of type response_item. Tools keep the model's names (exec_command,
// where the hook says Bash). The call with the id that is being decided is left out.
//
// A text is a person's only where Codex itself says that it was typed: its kind is user.text. What
// else stands under the role of the user (the environment, AGENTS.md, what a hook or another agent
// put there) is not, and in a sub-agent's file nothing is.
func codexRecord(call string, child bool) record {
	return record{host: "Codex", turns: func(line fields, _ tail) ([]transcript.Turn, bool) {
		if line.word("type") != "response_item" {
			return nil, false
		}
		payload, _ := line.child("payload")
		return codexTurns(payload, call, child), true
	}}
}

func codexTurns(p fields, call string, child bool) []transcript.Turn {
	switch kind := p.word("type"); kind {
	case "message":
		return codexMessage(p, child)
	case "function_call", "custom_tool_call", "local_shell_call":
		if id := p.optional("call_id"); id == "" || id != call {
			return []transcript.Turn{{Origin: transcript.Agent, Tool: p.word("name"), Input: codexInput(p, kind),
				Call: id}}
		}
	case "function_call_output", "custom_tool_call_output":
		return returnedBy(p.optional("call_id"), textOf(p, "output"), transcript.EndedUnknown)
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
		return saidBy(transcript.Agent, textOf(p, "content"))
	case "developer", "system":
		return nil // instructions, no conversation
	case "user":
		return codexUser(p, child)
	}
	return saidBy(transcript.Other, textOf(p, "content"))
}

// codexUser reads what stands under the role of the user. Codex names the kind of each part; the person's parts are of
// kind user.text. If parts and kinds of a message do not match, nobody can say what was typed.
func codexUser(p fields, child bool) []transcript.Turn {
	kinds, texts := codexKinds(p), textsOf(p, "content")
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
	switch {
	case len(kinds) != len(texts):
		return saidBy(transcript.Other, strings.Join(texts, "\n"))
	case !known:
		return append(saidBy(transcript.Other, unknownKind), saidBy(who, typed)...)
	case !slices.Contains(kinds, "user.text"):
		return saidBy(transcript.Harness, strings.Join(texts, "\n"))
	}
	return saidBy(who, typed)
}

// codexTyped is what of a text was typed. Editors and the desktop app put headings of their own above it, with files,
// pages and a selection. A file or a selection may hold the text of the last heading too: so only what stands behind
// the last place where that heading occurs was typed. ok is false where the last heading is missing.
func codexTyped(text string) (typed string, ok bool) {
	const request = "\n## My request for Codex:"
	if i := strings.LastIndex(text, request); strings.HasPrefix(text, "# ") && i >= 0 {
		return strings.TrimSpace(text[i+len(request):]), true
	}
	if beginsWith(text, "# Context from my IDE setup:", "# Files mentioned by the user:") {
		return "", false
	}
	return text, true
}

// codexKnows reports whether a kind of content is classified: the person's words and
// pictures, or what a part of Codex puts beside them.
func codexKnows(kind string) bool {
	group, name, _ := strings.Cut(kind, ".")
	if group == "user" {
		return slices.Contains(speakers("codexuser"), name)
	}
	return slices.Contains(speakers("codexhost"), group)
}

// codexKinds are the kinds that Codex gives the parts of a message, nil where it gives none.
func codexKinds(p fields) (kinds []string) {
	meta, _ := p.maybeChild("internal_chat_message_metadata_passthrough")
	list := meta.maybe("content_item_kinds")
	if list == nil || list.value[0] != '[' {
		return nil
	}
	for _, m := range parts(list.value) {
		kinds = append(kinds, strings.Trim(string(m.value), `"`))
	}
	return kinds
}

// copilotEvents is the session's file, "" where nobody can say.
func copilotEvents(environ []string, session string) string {
	home := variable(environ, "HOME")
	if !path.IsAbs(home) || session == "" || strings.Trim(session, "0123456789abcdefABCDEF-") != "" {
		return ""
	}
	return path.Join(home, ".copilot", "session-state", session, "events.jsonl")
}

// copilotRecord reads JSON lines {type, data, timestamp} (1.0.102). A sub-agent's
// events stand among its root's and carry the sub-agent's id.
func copilotRecord() record {
	return record{host: "Copilot", turns: func(line fields, _ tail) ([]transcript.Turn, bool) {
		switch kind := line.word("type"); kind {
		case "user.message", "assistant.message", "tool.execution_start", "tool.execution_complete":
			data, _ := line.child("data")
			return copilotTurns(kind, data, line.optional("agentId") != ""), true
		}
		return nil, false
	}}
}

// copilotTurns reads one event. content is what was typed; what the host adds to it stands in transformedContent,
// which is not read. A message with a source (a skill, another session) was not typed.
func copilotTurns(kind string, data fields, child bool) []transcript.Turn {
	switch kind {
	case "user.message":
		switch text := data.text("content"); {
		case data.maybe("source") != nil:
			return saidBy(transcript.Harness, text)
		case child:
			return saidBy(transcript.OtherAgent, text)
		default:
			return saidBy(transcript.Person, text)
		}
	case "assistant.message":
		return saidBy(transcript.Agent, data.optional("content"))
	case "tool.execution_start":
		return []transcript.Turn{{Origin: transcript.Agent, Tool: data.word("toolName"),
			Input: data.returned("arguments"), Call: data.optional("toolCallId")}}
	}
	result, _ := data.maybeChild("result")
	ended := transcript.EndedUnknown
	if m := data.maybe("success"); m != nil && string(m.value) == "false" {
		ended = transcript.EndedFailed
	}
	return returnedBy(data.optional("toolCallId"), textOf(result, "content"), ended)
}

// geminiRecord reads a session file of Gemini CLI (0.61.0). It has JSON lines; a later line replaces an earlier
// line with the same id. {"$set":{"messages"}} replaces all before it and {"$rewindTo"} takes some back: there the
// reading ends. A sub-agent's hook is shown the file of its root. A call is written once it has ended, so the call
// that is being decided is not there.
func geminiRecord() record {
	return record{host: "Gemini CLI", turns: func(line fields, before tail) (turns []transcript.Turn, message bool) {
		set, _ := line.maybeChild("$set")
		if (line.optional("$rewindTo") != "" || set.maybe("messages") != nil) && *line.err == nil {
			*line.err = transcript.ErrEarlier
		}
		if id := line.optional("id"); id != "" && !before.ids[id] {
			before.ids[id] = true
			turns = geminiTurns(line)
		}
		return turns, len(turns) > 0
	}}
}

// geminiTurns reads one message.
func geminiTurns(m fields) (turns []transcript.Turn) {
	switch kind := m.optional("type"); kind {
	case "user":
		turns = geminiUser(m)
	case "gemini":
		turns = saidBy(transcript.Agent, textOf(m, "content"))
		if m.maybe("toolCalls") != nil {
			for _, call := range m.list("toolCalls") {
				turns = append(turns, calledTurn(call))
				ended := map[string]transcript.Ended{"error": transcript.EndedFailed,
					"cancelled": transcript.EndedRefused}[call.optional("status")]
				if ended != transcript.EndedUnknown {
					turns = append(turns, returnedBy(call.optional("id"), "", ended)...)
				}
			}
		}
	case "info", "warning", "error", "":
	default: // nobody knows who speaks in it
		turns = saidBy(transcript.Other, "a message of type "+kind)
	}
	return turns
}

// calledTurn is a call {id, name, args}.
func calledTurn(call fields) transcript.Turn {
	return transcript.Turn{Origin: transcript.Agent, Tool: call.word("name"), Input: call.returned("args"),
		Call: call.optional("id")}
}

// geminiUser reads what stands under the role of the user. Where the host made something else of what was typed (a
// file named with @, a command of the repository's), displayContent is what was typed and content is not.
func geminiUser(m fields) []transcript.Turn {
	content := m.maybe("content")
	if content == nil {
		return nil
	}
	if content.value[0] == '"' {
		return saidBy(speaker([]string{m.asText(content)}), m.asText(content))
	}
	texts, turns := partTexts(m.list("content"))
	origin := speaker(texts)
	if m.maybe("displayContent") != nil {
		origin = transcript.Harness
		typed := textOf(m, "displayContent")
		turns = append(turns, saidBy(speaker([]string{typed}), typed)...)
	}
	return append(turns, saidBy(origin, strings.Join(texts, "\n"))...)
}

// partTexts divides a message's parts into texts and what tools gave back.
func partTexts(parts []fields) (texts []string, results []transcript.Turn) {
	for _, part := range parts {
		if text := part.optional("text"); text != "" && !part.flag("thought") {
			texts = append(texts, text)
		}
		response, _ := part.maybeChild("functionResponse")
		inner, _ := response.maybeChild("response")
		failure := inner.hint("error")
		ended := transcript.EndedUnknown
		switch {
		case strings.Contains(failure, "canceled by the user"):
			ended = transcript.EndedRefused
		case failure != "":
			ended = transcript.EndedFailed
		}
		results = append(results, returnedBy(response.optional("id"), joined(inner.hint("output"), failure), ended)...)
	}
	return texts, results
}

// speaker says who speaks in the texts of a user's message: a person if it is a single text and nothing marks it as
// the host's. Several texts are a typed text and what the host put beside it, and nothing says which is which.
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

// geminiMark says whose a text is by how it begins. What stands behind an element of the host's, or
// begins with an element of a name that only a host would choose, is nobody's.
func geminiMark(text string) transcript.Origin {
	trimmed := strings.TrimSpace(text)
	name := firstTag(trimmed)
	host := slices.Contains(speakers("elements"), name) || slices.Contains(speakers("gemini"), name)
	end := "</" + name + ">"
	switch {
	case beginsWith(trimmed, "System:", "Here is the user's editor context",
		"Here is a summary of changes in the user's editor context"),
		trimmed == "Please continue.",
		host && (!strings.Contains(trimmed, end) || strings.HasSuffix(trimmed, end)):
		return transcript.Harness
	case host, strings.ContainsAny(name, "-_"):
		return transcript.Other
	}
	return transcript.Person
}

// qwenRecord reads a session file of Qwen Code (0.24.4): JSON lines {type, provenance, message{role, parts}}. A
// sub-agent's hook is shown the file of its root. The call with the id that is being decided is left out.
//
// A text is a person's only where the host says so (provenance "real_user", and no subtype but that of a message that
// came while the agent worked) and it is one text that nothing marks as the host's own.
func qwenRecord(call string) record {
	return record{host: "Qwen Code", turns: func(line fields, _ tail) ([]transcript.Turn, bool) {
		turns := qwenTurns(line, call)
		return turns, len(turns) > 0
	}}
}

func qwenTurns(f fields, call string) (turns []transcript.Turn) {
	kind := f.word("type")
	switch kind {
	case "user", "assistant", "tool_result":
	case "system":
		return nil
	default: // nobody knows who speaks in it
		return saidBy(transcript.Other, "a line of type "+kind)
	}
	message, _ := f.child("message")
	if message.maybe("parts") == nil {
		return nil
	}
	parts := message.list("parts")
	texts, turns := partTexts(parts)
	origin := transcript.Agent
	if kind != "assistant" {
		origin = qwenSpeaker(f, kind, texts)
	}
	turns = append(turns, saidBy(origin, strings.Join(texts, "\n"))...)
	for _, part := range parts {
		made, given := part.maybeChild("functionCall")
		if id := made.optional("id"); given != nil && (id == "" || id != call) {
			turns = append(turns, calledTurn(made))
		}
	}
	return turns
}

// qwenSpeaker says who speaks in a line that is not the assistant's.
func qwenSpeaker(f fields, kind string, texts []string) transcript.Origin {
	subtype := f.optional("subtype")
	switch {
	case kind == "tool_result":
		return transcript.Tool
	case slices.Contains(speakers("qwen"), f.optional("provenance")), subtype != "" &&
		subtype != "mid_turn_user_message", f.maybe("backgroundTurn") != nil:
		return transcript.Harness
	case f.optional("provenance") != "real_user":
		return transcript.Other
	case f.optional("agentId") != "":
		return transcript.OtherAgent
	}
	return speaker(texts)
}

// decodeSaid reads the conversation that the lines in opencode or Pi heard while they ran, if the payload has one.
//
// A person's words are those that the host hands over as typed, before it puts something else in
// their place. The host's own record (opencode's database, Pi's session file) is not read: the text
// of a command, a template or a skill, which a repository may bring, stands there like what was
// typed. So what was said before the agent was started is not shown.
func decodeSaid(f fields) (said func(context.Context) iter.Seq2[transcript.Turn, error],
	opening func(context.Context) (transcript.Turn, bool)) {
	if f.maybe("said") == nil {
		return nil, nil
	}
	var turns []transcript.Turn
	for _, one := range f.list("said") {
		turns = append(turns, saidTurn(one))
	}
	cut := f.flag("cut")
	if first := f.optional("first"); first != "" {
		opening = func(context.Context) (transcript.Turn, bool) {
			return transcript.Turn{Origin: transcript.Person, Text: first}, true
		}
	}
	return func(context.Context) iter.Seq2[transcript.Turn, error] {
		return func(yield func(transcript.Turn, error) bool) {
			for _, turn := range slices.Backward(turns) {
				if !yield(turn, nil) {
					return
				}
			}
			if cut && len(turns) > 0 {
				yield(transcript.Turn{}, transcript.ErrEarlier)
			}
		}
	}, opening
}

// saidTurn reads one turn. A call's arguments are JSON in a string, shortened where they are long.
func saidTurn(f fields) transcript.Turn {
	text := f.text("text")
	switch by, tool := f.word("by"), f.optional("tool"); {
	case by == "agent" && tool != "":
		input := json.RawMessage(text)
		if !json.Valid(input) {
			input = json.RawMessage(quoted(text))
		}
		return transcript.Turn{Origin: transcript.Agent, Tool: tool, Input: input}
	case by == "agent":
		return transcript.Turn{Origin: transcript.Agent, Text: text}
	case by == "person" && tool == "":
		return transcript.Turn{Origin: transcript.Person, Text: text}
	}
	return transcript.Turn{Origin: transcript.Other, Text: text}
}
