package agent

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/transcript"
)

// claudeRecord reads a Claude Code session file: JSON lines, each a user or assistant message
// or one of a dozen records that are none of a conversation. Each text and each tool call is a
// turn of its own. Tools keep the host's names. The call with the id that is being decided is
// left out: the file holds it or not, as it happens. Turns that were taken back by rewinding
// are still in the file and are yielded.
func claudeRecord(call, prompt string) record {
	return record{host: "Claude Code", prompt: prompt, reader: func() turnsOf {
		return func(top object, before tail) ([]transcript.Turn, bool, error) {
			line, err := parseClaudeLine(top)
			if err != nil || line.kind == "" {
				return nil, false, err
			}
			return claudeReader{before, call}.turns(line), true, nil
		}
	}}
}

// claudeReader turns a line into turns.
type claudeReader struct {
	before tail   // empty where the file is read from its begin
	call   string // id of the call that is left out
}

// claudeLine is one message line.
type claudeLine struct {
	kind   string // "user" or "assistant"; "" where nobody speaks
	origin transcript.Origin
	time   time.Time
	blocks []claudeBlock
	answer string // what toolUseResult says that a person chose
	// refused says that the host itself marks the result as a person's no.
	refused bool
}

// claudeBlock is one piece of a message.
type claudeBlock struct {
	kind  string // "text", "tool_use", "tool_result" ...
	text  string
	id    string // of a tool call, or the one that a result belongs to
	tool  string
	input json.RawMessage
	fails bool
}

func parseClaudeLine(top object) (line claudeLine, err error) {
	f := fieldsOf(top, &err)
	kind := f.word("type")
	switch {
	case err != nil:
		return claudeLine{}, err
	case kind == "user" || kind == "assistant":
		line = claudeMessage(kind, f)
	case kind == "attachment":
		line = claudeAttached(f)
	case !slices.Contains(claudeSilent(), kind):
		line = unclassified()
	}
	line.time, _ = time.Parse(time.RFC3339, top.hint("timestamp"))
	return line, err
}

// claudeMessage reads a line of the conversation.
func claudeMessage(kind string, f fields) claudeLine {
	message, _ := f.child("message")
	line := claudeLine{kind: kind, blocks: claudeBlocks(message), origin: claudeOrigin(kind, f)}
	if role := message.hint("role"); role != "" && role != kind {
		line.origin = transcript.Other // a line of one speaker that holds a message of another
	}
	if line.origin == transcript.Person && broughtAlong(f, line.blocks) {
		line.origin = transcript.Harness
	}
	line.refused = f.hint("toolDenialKind") == "user-rejected"
	switch m := f.maybe("toolUseResult"); {
	case m == nil:
	case m.value[0] == '{' && bytes.Contains(m.value, []byte(`"answers"`)):
		result, _ := f.asObject(m)
		line.answer = claudeAnswer(result.object)
	case string(m.value) == `"User rejected tool use"`:
		line.refused = true
	}
	return line
}

// broughtAlong reports whether the texts of a line came with a tool's result, and are not
// that result.
func broughtAlong(f fields, blocks []claudeBlock) bool {
	return (f.hint("sourceToolAssistantUUID") != "" || f.maybe("toolUseResult") != nil) &&
		!slices.ContainsFunc(blocks, func(b claudeBlock) bool { return b.kind == "tool_result" })
}

// claudeBlocks reads the content of a message: a text or a list of blocks.
func claudeBlocks(message fields) (out []claudeBlock) {
	m := message.get("content")
	switch {
	case m == nil:
		return nil
	case m.value[0] == '"':
		return []claudeBlock{{kind: "text", text: message.asText(m)}}
	}
	for _, f := range message.list("content") {
		b := claudeBlock{kind: f.word("type")}
		switch b.kind {
		case "text":
			b.text = f.text("text")
		case "tool_use":
			b.id, b.tool, b.input = f.optional("id"), f.word("name"), f.returned("input")
		case "tool_result":
			b.id, b.fails, b.text = f.optional("tool_use_id"), f.flag("is_error"), textOf(f, "content")
		}
		out = append(out, b)
	}
	return out
}

// turns returns the turns of a line, oldest first.
func (r claudeReader) turns(line claudeLine) []transcript.Turn {
	var out []transcript.Turn
	for _, b := range line.blocks {
		turn := transcript.Turn{Origin: line.origin, Text: b.text, Time: line.time}
		switch b.kind {
		case "text":
			if line.origin == transcript.Person {
				turn.Origin, turn.Text = claudeSpeaker(b.text)
			}
		case "tool_use":
			if b.id != "" && b.id == r.call {
				continue
			}
			turn.Text, turn.Tool, turn.Input, turn.Call = "", b.tool, b.input, b.id
		case "tool_result":
			turn = r.result(line, b)
		case "thinking", "redacted_thinking", "image", "document":
			continue
		default:
			turn.Origin, turn.Text = transcript.Other, unknownKind
		}
		out = append(out, turn)
		if b.kind == "text" && line.origin == transcript.Person && standsBetween(b.text) {
			out = append(out, transcript.Turn{Origin: transcript.Other, Text: unknownKind, Time: line.time})
		}
	}
	return out
}

// result is the turn of what a tool returned: the tool's, or a person's where the host put their
// words there.
//
// What a tool returns is its own affair, so words in it are a person's only where the host marks
// the line itself; else they count as nobody's: a command can print what the host would say.
func (r claudeReader) result(line claudeLine, b claudeBlock) transcript.Turn {
	turn := transcript.Turn{Origin: transcript.Tool, Text: b.text, Call: b.id, Time: line.time}
	switch {
	case b.fails && strings.HasPrefix(b.text, claudeRejection):
		turn.Ended, turn.Text = transcript.EndedRefused, claudeRefusal(b.text)
		switch {
		case turn.Text == "":
		case line.origin == transcript.OtherAgent:
			turn.Origin = transcript.OtherAgent
		case line.refused:
			turn.Origin = transcript.Person
		default:
			turn.Origin = transcript.Other
		}
	case b.fails:
		turn.Ended = transcript.EndedFailed
	case strings.HasPrefix(b.text, claudeApproval) && line.origin != transcript.OtherAgent:
		if call := r.calling(b.id); call.tool == "ExitPlanMode" {
			turn.Origin, turn.Text = transcript.Person, "I approve this plan: "+planOf(call, b.text)
		}
	case line.answer != "" && line.origin == transcript.Person && len(line.blocks) == 1:
		// The result's own structure proves nothing: an MCP server could return the like.
		if call := r.calling(b.id); call.tool == "AskUserQuestion" && !answersItself(call.input) {
			turn.Origin, turn.Text = transcript.Person, line.answer
		}
	}
	return turn
}

// calling returns the tool call of that id, which stands a few lines before; the zero
// value where none does.
func (r claudeReader) calling(id string) claudeBlock {
	for range 64 {
		top, err := r.before.object()
		if err != nil || id == "" {
			break
		}
		line, err := parseClaudeLine(top)
		if err != nil { // it is met again
			break
		}
		for _, b := range line.blocks {
			if b.kind == "tool_use" && b.id == id {
				return b
			}
		}
	}
	return claudeBlock{}
}

// claudeAnswer is what a person chose in an AskUserQuestion dialogue, as the result of
// the question says it; "" for every other result.
func claudeAnswer(result object) string {
	var err error
	answers, _ := fieldsOf(result, &err).maybeChild("answers")
	var chosen []string
	for _, m := range answers.members {
		chosen = append(chosen, answers.asText(&m))
	}
	if err != nil {
		return ""
	}
	return strings.Join(chosen, "\n")
}

// answersItself reports whether a question came with answers, as the model may give
// them, or cannot be read.
func answersItself(input json.RawMessage) bool {
	in, err := readLoosely(input)
	if err != nil {
		return true
	}
	answers, err := in.find("answers")
	return answers != nil || err != nil
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
func planOf(call claudeBlock, result string) string {
	if _, plan, ok := strings.Cut(result, "## Approved Plan"); ok {
		_, plan, _ = strings.Cut(plan, "\n")
		return strings.TrimSpace(plan)
	}
	in, err := readLoosely(call.input)
	if err != nil {
		return "(it cannot be read)"
	}
	return in.hint("plan")
}
