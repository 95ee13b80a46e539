package agent

import (
	"bytes"
	"slices"
	"strings"

	"github.com/nodgate/nod/transcript"
)

// claudeRecord reads a Claude Code session file: JSON lines, each a user or assistant message or one of a dozen other
// records. Each text and each tool call is a turn of its own. Tools keep the host's names. The call with the id that
// is being decided is left out: the file holds it or not, as it happens. Turns that were taken back by rewinding are
// still in the file and are yielded.
func claudeRecord(call, prompt string) record {
	return record{host: "Claude Code", prompt: prompt, turns: func(line fields, before tail) ([]transcript.Turn, bool) {
		return claudeTurns(line, before, call)
	}}
}

// claudeTurns reads one line. message is false where nobody speaks.
func claudeTurns(f fields, before tail, call string) (turns []transcript.Turn, message bool) {
	switch kind := f.word("type"); {
	case kind == "user" || kind == "assistant":
		return claudeMessage(kind, f, before, call), true
	case kind == "attachment":
		return claudeAttached(f)
	case slices.Contains(speakers("silent"), kind):
		return nil, false
	}
	return saidBy(transcript.Other, unknownKind), true
}

// claudeMessage reads a line of the conversation.
func claudeMessage(kind string, f fields, before tail, call string) (turns []transcript.Turn) {
	message, _ := f.child("message")
	blocks, text := claudeBlocks(message)
	who := claudeOrigin(kind, f)
	if role := message.hint("role"); role != "" && role != kind {
		who = transcript.Other // a line of one speaker that holds a message of another
	}
	if who == transcript.Person && broughtAlong(f, blocks) {
		who = transcript.Harness
	}
	if blocks == nil {
		return claudeText(who, text)
	}
	for _, b := range blocks {
		switch b.word("type") {
		case "text":
			turns = append(turns, claudeText(who, b.text("text"))...)
		case "tool_use":
			made := transcript.Turn{Origin: who, Tool: b.word("name"), Input: b.returned("input"),
				Call: b.optional("id")}
			if made.Call == "" || made.Call != call {
				turns = append(turns, made)
			}
		case "tool_result":
			turns = append(turns, claudeResult(who, f, b, len(blocks) == 1, before))
		case "thinking", "redacted_thinking", "image", "document":
		default:
			turns = append(turns, transcript.Turn{Origin: transcript.Other, Text: unknownKind})
		}
	}
	return turns
}

// claudeText are the turns of a text. The speaker of words between two elements of the host's is not known.
func claudeText(who transcript.Origin, text string) []transcript.Turn {
	between := who == transcript.Person && standsBetween(text)
	if who == transcript.Person {
		who, text = claudeSpeaker(text)
	}
	turns := []transcript.Turn{{Origin: who, Text: text}}
	if between {
		turns = append(turns, transcript.Turn{Origin: transcript.Other, Text: unknownKind})
	}
	return turns
}

// broughtAlong reports whether the texts of a line came with a tool's result, and are not that result.
func broughtAlong(f fields, blocks []fields) bool {
	return (f.hint("sourceToolAssistantUUID") != "" || f.maybe("toolUseResult") != nil) &&
		!slices.ContainsFunc(blocks, func(b fields) bool { return b.hint("type") == "tool_result" })
}

// claudeBlocks is the content of a message: a list of blocks, or else a text.
func claudeBlocks(message fields) (blocks []fields, text string) {
	m := message.get("content")
	if m == nil || m.value[0] == '"' {
		return nil, message.asText(m)
	}
	return append([]fields{}, message.list("content")...), ""
}

// claudeResult is the turn of what a tool returned: the tool's, or a person's where the host put their words there.
//
// What a tool returns is its own affair, so words in it are a person's only where the host marks the line itself; else
// they count as nobody's: a command can print what the host would say.
func claudeResult(who transcript.Origin, f, b fields, alone bool, before tail) transcript.Turn {
	turn := transcript.Turn{Origin: transcript.Tool, Text: textOf(b, "content"), Call: b.optional("tool_use_id")}
	fails := b.flag("is_error")
	refused, answer := claudeMarks(f)
	switch {
	case fails && strings.HasPrefix(turn.Text, claudeRejection):
		turn.Ended, turn.Text = transcript.EndedRefused, claudeRefusal(turn.Text)
		switch {
		case turn.Text == "":
		case who == transcript.OtherAgent:
			turn.Origin = transcript.OtherAgent
		case refused:
			turn.Origin = transcript.Person
		default:
			turn.Origin = transcript.Other
		}
	case fails:
		turn.Ended = transcript.EndedFailed
	case strings.HasPrefix(turn.Text, claudeApproval) && who != transcript.OtherAgent:
		if input, is := calledAs("ExitPlanMode", turn.Call, before); is {
			turn.Origin, turn.Text = transcript.Person, "I approve this plan: "+planOf(input, turn.Text)
		}
	case answer != "" && who == transcript.Person && alone:
		// The result's own structure proves nothing: an MCP server could return the like. A question may
		// come with answers that the model gives.
		input, is := calledAs("AskUserQuestion", turn.Call, before)
		if is && input.maybe("answers") == nil && *input.err == nil {
			turn.Origin, turn.Text = transcript.Person, answer
		}
	}
	return turn
}

// claudeMarks is what the host itself says beside a result: that a person refused the call, or what they chose.
func claudeMarks(f fields) (refused bool, answer string) {
	refused = f.hint("toolDenialKind") == "user-rejected"
	switch m := f.maybe("toolUseResult"); {
	case m == nil:
	case m.value[0] == '{' && bytes.Contains(m.value, []byte(`"answers"`)):
		result, _ := f.asObject(m)
		answer = claudeAnswer(result.apart())
	case string(m.value) == `"User rejected tool use"`:
		refused = true
	}
	return refused, answer
}

// calledAs returns the input of the tool call of that id, which stands a few lines before; is says that it is of that
// tool.
func calledAs(tool, id string, before tail) (input fields, is bool) {
	for range 64 {
		top, err := before.object()
		if err != nil || id == "" {
			break
		}
		message, _ := top.maybeChild("message")
		blocks, _ := claudeBlocks(message)
		for _, b := range blocks {
			if b.hint("type") == "tool_use" && b.hint("id") == id {
				input, _ = b.child("input")
				return input, b.hint("name") == tool
			}
		}
	}
	return input, false
}

// claudeAnswer is what a person chose in an AskUserQuestion dialogue, as the result of
// the question says it; "" for every other result.
func claudeAnswer(result fields) string {
	answers, _ := result.maybeChild("answers")
	var chosen []string
	for _, m := range answers.members {
		chosen = append(chosen, answers.asText(&m))
	}
	if *result.err != nil {
		return ""
	}
	return strings.Join(chosen, "\n")
}

const (
	// claudeRejection begins the result of a call that a person refused at the host's prompt;
	// claudeSaid comes before what they typed there, and claudeHint behind it.
	claudeRejection = "The user doesn't want to proceed with this tool use."
	claudeSaid      = "the user said:"
	claudeHint      = "\n\nNote: The user's next message may contain"
	// claudeClarifies begins what the host says where a person only wants to talk about a question.
	claudeClarifies = "The user wants to clarify these questions."
	// claudeApproval begins the result of a plan that a person approved.
	claudeApproval = "User has approved your plan"
)

// claudeRefusal is what a person typed when they refused a call, "" if nothing.
func claudeRefusal(text string) string {
	_, said, _ := strings.Cut(text, claudeSaid)
	if i := strings.LastIndex(said, claudeHint); i >= 0 {
		said = said[:i]
	}
	if said = strings.TrimSpace(said); strings.HasPrefix(said, claudeClarifies) {
		return ""
	}
	return said
}

// planOf is the plan that was approved: as the host repeats it, which has what
// the person changed, else as the agent proposed it.
func planOf(input fields, result string) string {
	if _, plan, ok := strings.Cut(result, "## Approved Plan"); ok {
		_, plan, _ = strings.Cut(plan, "\n")
		return strings.TrimSpace(plan)
	}
	return input.hint("plan")
}
