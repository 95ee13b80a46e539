package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/nodgate/nod"
)

// transcriptLimit bounds how much of a transcript is read, from its end.
const transcriptLimit = 8 << 20

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
// [nod.ErrEarlier] where not all was read.
func claudeTranscript(name, call string) func(context.Context) iter.Seq2[nod.Turn, error] {
	return func(ctx context.Context) iter.Seq2[nod.Turn, error] {
		return func(yield func(nod.Turn, error) bool) {
			lines, err := openBackwards(name, transcriptLimit)
			if err != nil {
				yield(nod.Turn{}, err)
				return
			}
			defer lines.close()
			r := claudeReader{lines: lines, call: call}
			newestFirst(ctx, "Claude Code", r.message, yield)
		}
	}
}

// claudeReader turns lines into turns, newest first.
type claudeReader struct {
	lines  *backwards
	walk   walk
	call   string // id of the call that is left out
	ahead  []claudeLine
	broken error // what reading ahead met behind them
}

// message returns the turns of the message before.
func (r *claudeReader) message() ([]nod.Turn, error) {
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
		case line.kind == "user" || line.kind == "assistant":
			return line, nil
		}
	}
}

// claudeLine is one message line.
type claudeLine struct {
	kind   string // "user" or "assistant"
	origin nod.Origin
	time   time.Time
	blocks []claudeBlock
	answer string // what toolUseResult says that a person chose
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
	line := claudeLine{kind: f.word("type")}
	if err != nil || line.kind != "user" && line.kind != "assistant" {
		return line, err
	}
	line.time, _ = time.Parse(time.RFC3339, top.hint("timestamp"))
	message, _ := f.child("message")
	line.blocks = claudeBlocks(message)
	line.origin = claudeOrigin(line.kind, f)
	if m := f.maybe("toolUseResult"); m != nil && m.value[0] == '{' {
		result, _ := f.asObject(m)
		line.answer = claudeAnswer(result.object)
	}
	return line, err
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
	line = claudeLine{kind: "user", origin: nod.OriginTool, blocks: claudeBlocks(message)}
	line.time, _ = time.Parse(time.RFC3339, top.hint("timestamp"))
	for _, b := range line.blocks {
		if b.kind != "tool_result" {
			return line, false
		}
	}
	return line, err == nil && len(line.blocks) > 0
}

// claudeOrigin says who speaks in the texts of a line. A field that is not
// known to mean a person does not mean one. (userType is "external" on every
// line and says nothing.)
func claudeOrigin(kind string, f fields) nod.Origin {
	switch {
	case f.flag("isSidechain"):
		return nod.OriginOtherAgent
	case kind == "assistant":
		if by := f.hint("madeBy"); by != "" && by != "model" || f.flag("isApiErrorMessage") {
			return nod.OriginHarness
		}
		return nod.OriginAgent
	case f.flag("isMeta"), f.flag("isCompactSummary"), f.flag("isVisibleInTranscriptOnly"):
		return nod.OriginHarness
	}
	if from, given := f.maybeChild("origin"); given != nil {
		switch from.hint("kind") {
		case "human":
		case "task-notification":
			return nod.OriginHarness
		default:
			return nod.OriginOtherAgent // peer, coordinator ...
		}
	}
	// OriginOther is the smaller one: both must speak for a person.
	return min(claudeSource(f.hint("promptSource")), claudeSource(f.hint("turnOrigin")))
}

// claudeSource reads promptSource ("typed", "sdk", "system") and turnOrigin
// ("human", "sdk", "task_notification"); older versions write neither. "sdk"
// is whoever started the session: in print mode that is the person.
func claudeSource(source string) nod.Origin {
	switch source {
	case "", "typed", "human", "sdk":
		return nod.OriginPerson
	}
	return nod.OriginOther
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
		b.text = claudeResult(f)
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
func (r *claudeReader) turns(line claudeLine) []nod.Turn {
	var out []nod.Turn
	for _, b := range line.blocks {
		turn := nod.Turn{Origin: line.origin, Text: b.text, Time: line.time}
		switch b.kind {
		case "text":
			if line.origin == nod.OriginPerson {
				turn.Origin = claudeSpeaker(b.text)
			}
		case "tool_use":
			if b.id != "" && b.id == r.call {
				continue
			}
			turn.Text, turn.Tool, turn.Input = "", b.tool, b.input
		case "tool_result":
			turn.Origin = nod.OriginTool
			if answer := r.answer(line, b); answer != "" {
				turn.Origin, turn.Text = nod.OriginPerson, answer
			}
		default: // thinking, images
			continue
		}
		out = append(out, turn)
	}
	return out
}

// claudeSpeaker says who speaks in a text that stands in a person's place.
// The host puts its own words and those of others there, in tags. A text that
// holds one anywhere is no person's as a whole: cutting it up would let what
// stands inside close the tag and go on as the person.
func claudeSpeaker(text string) nod.Origin {
	for _, tag := range []string{"<teammate-message", "<agent-message", "<peer-message", "<cross-session-message", "<channel"} {
		if strings.Contains(text, tag) {
			return nod.OriginOtherAgent
		}
	}
	for _, tag := range []string{
		"<system-reminder", "<command-name", "<command-message", "<command-args",
		"<local-command", "<bash-stdout", "<bash-stderr", "<bash-input",
		"<task-notification", "<task-id", "<user-prompt-submit-hook", "<post-tool-use-hook",
		"[Request interrupted by user", "This session is being continued from a previous conversation",
	} {
		if strings.Contains(text, tag) {
			return nod.OriginHarness
		}
	}
	return nod.OriginPerson
}

// answer returns what a person chose in an AskUserQuestion dialogue, "" for
// every other result. The result's own structure does not prove that: an MCP
// server could return the like. So the call that it belongs to must be found
// close before it, be of that tool, and must not have brought its answers
// along, as the model may.
func (r *claudeReader) answer(line claudeLine, b claudeBlock) string {
	if line.answer == "" || b.fails || line.origin != nod.OriginPerson || len(line.blocks) != 1 || !r.asked(b.id) {
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

// asked reports whether the tool call of that id, a few messages before, is a
// question to the person.
func (r *claudeReader) asked(id string) bool {
	for i := 0; id != "" && i < 16; i++ {
		if i == len(r.ahead) {
			line, err := r.read()
			if err != nil {
				r.broken = err
				return false
			}
			r.ahead = append(r.ahead, line)
		}
		for _, b := range r.ahead[i].blocks {
			if b.kind == "tool_use" && b.id == id {
				return b.tool == "AskUserQuestion" && !answersItself(b.input)
			}
		}
	}
	return false
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
