package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/transcript"
)

// transcriptLimit bounds how much of a transcript is read, from its end. What
// the person said at the start of a session of 1,000 calls still lies in it.
const transcriptLimit = 32 << 20

// claudeTranscript returns what reads a Claude Code session file: JSON lines,
// appended to while it is read, each a user or assistant message or one of a
// dozen records that are none of a conversation. One message of the model may
// stand on several lines; each text and each tool call is a turn of its own,
// so that makes no difference. Tools keep the host's names. The call with the
// id that is being decided is left out: the file holds it or not, as it
// happens, and the same call must look the same twice.
//
// Turns that were taken back by rewinding are still in the file and are
// yielded.
//
// Any error ends the turns: no such file, not a regular one, a line that is
// not of the format (a torn last one is skipped), no message in it at all,
// [transcript.ErrEarlier] where not all was read.
//
// prompt is the id of what the person typed last, as the payload says it. The
// host writes that late, and it is waited for: see [awaited]. Where it does not
// come, the newest turn is nobody's, so that the model hears of a gap.
func claudeTranscript(name, call, prompt string) func(context.Context) iter.Seq2[transcript.Turn, error] {
	return func(ctx context.Context) iter.Seq2[transcript.Turn, error] {
		return func(yield func(transcript.Turn, error) bool) {
			heard := awaited(ctx, (&promptSearch{name: name, prompt: prompt}).there)
			lines, err := openBackwards(name, transcriptLimit)
			if err != nil {
				yield(transcript.Turn{}, err)
				return
			}
			defer lines.close()
			if !heard && !yield(transcript.Turn{Text: "a prompt that is not written yet"}, nil) {
				return
			}
			r := claudeReader{lines: lines, call: call}
			newestFirst(ctx, "Claude Code", r.message, yield)
		}
	}
}

// errNoMessage is what a file is found to be that holds no message of the host.
var errNoMessage = errors.New("the transcript holds no message of Claude Code")

// claudeReader turns lines into turns, newest first.
type claudeReader struct {
	lines  *backwards
	walk   walk
	call   string // id of the call that is left out
	ahead  []claudeLine
	broken error // what reading ahead met behind them
	heard  bool  // a line of a kind that this host writes was met
}

// message returns the turns of the message before.
func (r *claudeReader) message() ([]transcript.Turn, error) {
	line, err := r.next()
	if err != nil {
		return nil, err
	}
	return r.turns(line), nil
}

// next returns the line before, be it one that was looked at ahead of time.
func (r *claudeReader) next() (claudeLine, error) {
	if len(r.ahead) > 0 {
		line := r.ahead[0]
		r.ahead = r.ahead[1:]
		return line, nil
	}
	if r.broken != nil {
		return claudeLine{}, r.broken
	}
	return r.read()
}

// read returns the next line that is a message.
func (r *claudeReader) read() (claudeLine, error) {
	for {
		text, last, err := r.lines.next()
		if err == io.EOF && !r.heard {
			err = errNoMessage
		}
		if err != nil {
			return claudeLine{}, err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		line, err := parseClaudeLine(text, &r.walk)
		switch {
		case err != nil && last:
			continue // half written
		case err != nil:
			return claudeLine{}, fmt.Errorf("the transcript is not one of Claude Code: %w", err)
		case line.kind != "":
			r.heard = r.heard || line.known
			return line, nil
		}
	}
}

// claudeLine is one message line.
type claudeLine struct {
	kind   string // "user" or "assistant"; "" where nobody speaks
	origin transcript.Origin
	time   time.Time
	blocks []claudeBlock
	answer string // what toolUseResult says that a person chose
	known  bool   // the kind of line is one of the host's
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

// parseClaudeLine reads one line. The host writes it with JSON.stringify, in
// which a text that was cut may end in half a character.
func parseClaudeLine(text []byte, w *walk) (claudeLine, error) {
	top, err := w.objectUntil(text, claudeRepeats)
	if err == nil && w.stopped {
		if line, ok := claudeResultLine(top); ok {
			return line, nil
		}
		top, err = w.object(text)
	}
	if err != nil {
		return claudeLine{}, err
	}
	f := fieldsOf(top, &err)
	kind := f.word("type")
	if err != nil {
		return claudeLine{}, err
	}
	line := claudeLine{}
	switch claudeLineSpeaker(kind) {
	case spoken:
		line = claudeMessage(kind, f)
	case attached:
		line = claudeAttached(f)
	case nobody:
		line = unclassified(time.Time{})
	}
	line.known = claudeLineSpeaker(kind) != nobody
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
	case m.value[0] == '{':
		result, _ := f.asObject(m)
		line.answer = claudeAnswer(result.object)
	case string(m.value) == `"User rejected tool use"`:
		line.refused = true
	}
	return line
}

// claudeRepeats reports whether a member says again what a tool returned: the
// output of a command, a file, a patch, a list. That of a question, in which a
// person's answer stands, begins otherwise.
func claudeRepeats(key, value []byte) bool {
	if string(key) != "toolUseResult" {
		return false
	}
	for _, begin := range []string{`"`, `[`, `{"stdout":`, `{"type":`, `{"filePath":`, `{"mode":`, `{"filenames":`} {
		if bytes.HasPrefix(value, []byte(begin)) {
			return true
		}
	}
	return false
}

// claudeResultLine reads what stands before such a member; ok is false where
// that is anything else than results of tools.
func claudeResultLine(top object) (line claudeLine, ok bool) {
	var err error
	f := fieldsOf(top, &err)
	message, given := f.maybeChild("message")
	if given == nil || f.optional("type") != "user" {
		return line, false
	}
	line = claudeLine{kind: "user", known: true, origin: transcript.Tool, blocks: claudeBlocks(message)}
	line.time, _ = time.Parse(time.RFC3339, top.hint("timestamp"))
	for _, b := range line.blocks {
		if b.kind != "tool_result" || b.fails && strings.HasPrefix(b.text, claudeRejection) {
			return line, false
		}
	}
	return line, err == nil && len(line.blocks) > 0
}

// broughtAlong reports whether the texts of a line came with a tool's result, and are not
// that result.
func broughtAlong(f fields, blocks []claudeBlock) bool {
	return (f.hint("sourceToolAssistantUUID") != "" || f.maybe("toolUseResult") != nil) &&
		!slices.ContainsFunc(blocks, func(b claudeBlock) bool { return b.kind == "tool_result" })
}

// claudeOrigin says who speaks in the texts of a line. A field that is not
// known to mean a person does not mean one. (userType is "external" on every
// line and says nothing.)
func claudeOrigin(kind string, f fields) transcript.Origin {
	switch {
	case f.flag("isSidechain"):
		return transcript.OtherAgent
	case kind == "assistant":
		if by := f.hint("madeBy"); by != "" && by != "model" || f.flag("isApiErrorMessage") {
			return transcript.Harness
		}
		return transcript.Agent
	case f.flag("isMeta"), f.flag("isCompactSummary"), f.flag("isVisibleInTranscriptOnly"),
		f.flag("turnCompanion"), f.hint("sourceToolUseID") != "":
		return transcript.Harness
	}
	if from := claudeFrom(f); from != transcript.Person {
		return from
	}
	// transcript.Other is the smaller one: both must speak for a person.
	return min(claudeSource(f.hint("promptSource")), claudeSource(f.hint("turnOrigin")))
}

// claudeSource reads promptSource ("typed", "sdk", "system") and turnOrigin
// ("human", "sdk", "task_notification"); older versions write neither. "sdk"
// is whoever started the session: in print mode that is the person.
func claudeSource(source string) transcript.Origin {
	switch source {
	case "", "typed", "human", "sdk":
		return transcript.Person
	}
	return transcript.Other
}

// claudeBlocks reads the content of a message: a text or a list of blocks.
func claudeBlocks(message fields) []claudeBlock {
	m := message.get("content")
	switch {
	case m == nil:
		return nil
	case m.value[0] == '"':
		return []claudeBlock{{kind: "text", text: message.asText(m)}}
	case m.value[0] != '[':
		message.wrong(m, "a text or a list")
		return nil
	}
	var out []claudeBlock
	for _, f := range message.list("content") {
		out = append(out, claudeBlockOf(f))
	}
	return out
}

func claudeBlockOf(f fields) claudeBlock {
	b := claudeBlock{kind: f.word("type")}
	switch b.kind {
	case "text":
		b.text = f.text("text")
	case "tool_use":
		b.id, b.tool = f.optional("id"), f.word("name")
		if m := f.maybe("input"); m != nil {
			b.input = bytes.Clone(m.value)
		}
	case "tool_result":
		b.id, b.fails = f.optional("tool_use_id"), f.flag("is_error")
		if b.text = claudeResult(f); strings.HasPrefix(b.text, claudeRejection) ||
			strings.HasPrefix(b.text, claudeApproval) {
			b.text = codexText(f, "content") // whole: a person's words stand at its end
		}
	}
	return b
}

// claudeResult joins the beginnings of the texts that a tool returned.
func claudeResult(f fields) string {
	m := f.maybe("content")
	switch {
	case m == nil:
		return ""
	case m.value[0] == '"':
		return f.beginning(m)
	case m.value[0] != '[':
		return ""
	}
	var texts []string
	for _, part := range f.list("content") {
		if text := part.beginning(part.maybe("text")); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// turns returns the turns of a line, oldest first.
func (r *claudeReader) turns(line claudeLine) []transcript.Turn {
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

// answer returns what a person chose in an AskUserQuestion dialogue, "" for
// every other result. The result's own structure does not prove that: an MCP
// server could return the like. So the call that it belongs to must be found
// close before it, be of that tool, and must not have brought its answers
// along, as the model may.
func (r *claudeReader) answer(line claudeLine, b claudeBlock) string {
	if line.answer == "" || b.fails || line.origin != transcript.Person || len(line.blocks) != 1 || !r.asked(b.id) {
		return ""
	}
	return line.answer
}

// claudeAnswer is what a person chose, as the result of a question says it.
func claudeAnswer(result object) string {
	var err error
	answers, given := fieldsOf(result, &err).maybeChild("answers")
	if given == nil || err != nil {
		return ""
	}
	var chosen []string
	for _, m := range answers.members {
		chosen = append(chosen, answers.asText(&m))
	}
	if err != nil {
		return ""
	}
	return strings.Join(chosen, "\n")
}

// asked reports whether the tool call of that id is a question to the person.
func (r *claudeReader) asked(id string) bool {
	call, found := r.calling(id)
	return found && call.tool == "AskUserQuestion" && !answersItself(call.input)
}

// calling returns the tool call of that id, which stands a few messages before.
func (r *claudeReader) calling(id string) (call claudeBlock, found bool) {
	for i := 0; id != "" && i < 16; i++ {
		if i == len(r.ahead) {
			line, err := r.read()
			if err != nil {
				r.broken = err
				return call, false
			}
			r.ahead = append(r.ahead, line)
		}
		for _, b := range r.ahead[i].blocks {
			if b.kind == "tool_use" && b.id == id {
				return b, true
			}
		}
	}
	return call, false
}

// answersItself reports whether a question came with answers, or cannot be
// read.
func answersItself(input json.RawMessage) bool {
	in, err := readObject(input, scanner{depth: 512, halve: true})
	if err != nil {
		return true
	}
	answers, err := in.find("answers")
	return answers != nil || err != nil
}
