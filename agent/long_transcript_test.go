package agent

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/transcript"
)

// longKind is a transcript of one host: how it begins, and one step of the
// agent's with what the tool returned.
type longKind struct {
	name string
	head []string
	call string // one line, or several
	// result is a line with what a tool returned in the place of %s.
	result string
	read   func(*backwards) func() ([]transcript.Turn, error)
	whole  func(name string) (func(context.Context) iter.Seq2[transcript.Turn, error],
		func(context.Context) (transcript.Turn, bool))
}

const firstRequest = "never touch billing"

func longKinds() []longKind {
	const at = `"timestamp":"2026-11-20T10:00:00Z"`
	byLine := func(host string, results []string, read turnsOf) func(*backwards) func() ([]transcript.Turn, error) {
		return func(b *backwards) func() ([]transcript.Turn, error) {
			r := &lineReader{lines: b, host: host, results: results, read: read}
			return r.next
		}
	}
	return []longKind{{
		name: "claude-code",
		head: []string{queued, other, userLine(`"`+firstRequest+`"`, typed),
			`{"type":"attachment","attachment":{"type":"prompt_snapshot","systemPrompt":["` + strings.Repeat("be good ",
				4000) + `"]}}`},
		call: agentLine(`{"type":"text","text":"I test it."}`,
			"") + "\n" + agentLine(toolUse("t1", "Bash", `{"command":"go test ./...","description":"test"}`), ""),
		result: userLine(toolResult("t1", `"%s"`),
			`,"toolUseResult":{"stdout":"%[1]s","stderr":"","interrupted":false}`),
		read: func(b *backwards) func() ([]transcript.Turn, error) { return (&claudeReader{lines: b}).message },
		whole: func(name string) (func(context.Context) iter.Seq2[transcript.Turn, error],
			func(context.Context) (transcript.Turn, bool)) {
			return claudeTranscript(name, "", ""), opening(name, claudeOpening)
		},
	}, {
		name: "codex",
		head: []string{`{` + at + `,"type":"session_meta","payload":{"base_instructions":"` + strings.Repeat("be good ",
			4000) + `"}}`,
			`{` + at + `,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + firstRequest + `"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["user.text"]}}}`},
		call: `{` + at + `,"type":"response_item","payload":{"type":"reasoning","encrypted_content":"` +
			strings.Repeat("QUJD", 300) + `"}}` + "\n" +
			`{` + at + `,"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"go test ./...\",\"yield_time_ms\":300}","call_id":"c1"}}` + "\n" +
			`{` + at + `,"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":1,"output_tokens":1}}}}`,
		result: `{` + at + `,"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"%s"}}`,
		read:   byLine("Codex", codexResults(), codexLine("", false)),
		whole: func(name string) (func(context.Context) iter.Seq2[transcript.Turn, error],
			func(context.Context) (transcript.Turn, bool)) {
			return codexTranscript(name, "", false), lineOpening(name, codexLine("", false))
		},
	}, {
		name: "copilot",
		head: []string{`{"type":"session.start","data":{},` + at + `}`,
			`{"type":"user.message","data":{"content":"` + firstRequest + `","transformedContent":"x"},` + at + `}`},
		call: `{"type":"assistant.message","data":{"content":"I test it."},` + at + `}` + "\n" +
			`{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"bash","arguments":{"command":"go test ./..."}},` + at + `}`,
		result: `{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"%s","detailedContent":"%[1]s"}},` + at + `}`,
		read:   byLine("Copilot", copilotResults(), copilotTurns),
		whole: func(name string) (func(context.Context) iter.Seq2[transcript.Turn, error],
			func(context.Context) (transcript.Turn, bool)) {
			return lineTranscript(name, "Copilot", copilotResults(), copilotTurns), lineOpening(name, copilotTurns)
		},
	}, {
		name: "gemini",
		head: []string{`{"sessionId":"s","projectHash":"h","kind":"main"}`,
			`{"id":"1",` + at + `,"type":"user","content":[{"text":"` + firstRequest + `"}]}`},
		call: `{"$set":{"lastUpdated":"x"}}`,
		result: `{"id":"%[2]d",` + at +
			`,"type":"gemini","content":"I test it.","toolCalls":[{"id":"c","name":"run_shell_command","args":{"command":"go test ./..."},"result":[{"functionResponse":{"id":"c","name":"run_shell_command","response":{"output":"%[1]s"}}}],"resultDisplay":"%[1]s"}]}`,
		read: byLine("Gemini CLI", nil, (&geminiReader{seen: map[string]bool{}}).turns),
		whole: func(name string) (func(context.Context) iter.Seq2[transcript.Turn, error],
			func(context.Context) (transcript.Turn, bool)) {
			return geminiTranscript(name), lineOpening(name, geminiLine)
		},
	}, {
		name: "qwen",
		head: []string{`{"uuid":"u",` + at +
			`,"type":"user","provenance":"real_user","message":{"role":"user","parts":[{"text":"` + firstRequest +
			`"}]}}`},
		call: `{"uuid":"u",` + at +
			`,"type":"assistant","provenance":"assistant_output","message":{"role":"model","parts":[{"text":"I test it."},{"functionCall":{"id":"c","name":"run_shell_command","args":{"command":"go test ./..."}}}]}}` + "\n" +
			`{"uuid":"u",` + at + `,"type":"system","provenance":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"x"}}}`,
		result: `{"uuid":"u",` + at +
			`,"type":"tool_result","provenance":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"c","name":"run_shell_command","response":{"output":"%s"}}}]},"toolCallResult":{"callId":"c","resultDisplay":"%[1]s"}}`,
		read: byLine("Qwen Code", qwenResults(), qwenLine("")),
		whole: func(name string) (func(context.Context) iter.Seq2[transcript.Turn, error],
			func(context.Context) (transcript.Turn, bool)) {
			return qwenTranscript(name, ""), lineOpening(name, qwenLine(""))
		},
	}}
}

// outputs are what tools return: a log, code, and data full of quotes.
var outputs = [...]string{
	`ok  \tgithub.com/nodgate/nod\t0.412s\n`,
	`\tif err := f(\"a\", b); err != nil {\n\t\treturn fmt.Errorf(\"übel: %w\", err)\n\t}\n`,
	`{\"id\":1042,\"name\":\"shuttle\",\"ready\":true},`,
}

// inputs are what is asked of tools, in the place of "go test ./...".
var inputs = [...]string{
	"go test ./...",
	"go test ./... -run TestWeave -count 1 2>&1 | grep -v no.test.files | tail -n 40",
	"git log --oneline --since yesterday -- agent internal/shell docs | head -n 20 && git diff --stat HEAD~3 -- agent && sed -n 120,180p agent/weave.go",
	"cat > agent/weave_test.go <<EOF\\npackage agent\\n\\nfunc TestWeave(t *testing.T) {\\n\\tif got := weave(3, 4); got != 12 {\\n\\t\\tt.Error(got)\\n\\t}\\n}\\nEOF\\ngo vet ./agent && go test ./agent -run TestWeave",
}

// step is one step with about size bytes of output, as lines.
func (k longKind) step(i, size int) string {
	output := outputs[i%len(outputs)]
	output = strings.Repeat(output, max(size/len(output), 1))
	result := strings.NewReplacer("%[2]d", fmt.Sprint(i+100), "%[1]s", output, "%s", output).Replace(k.result)
	return strings.ReplaceAll(k.call+"\n"+result+"\n", inputs[0], k.input(i))
}

// input is what step i asks for. Codex writes arguments as a text in a text.
func (k longKind) input(i int) string {
	input := inputs[i%len(inputs)]
	if k.name == "codex" {
		return strings.ReplaceAll(input, `\\`, `\\\\`)
	}
	return input
}

// longFile makes a transcript of 50 MB and more.
func (k longKind) longFile(t testing.TB, output, last int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), k.name+".jsonl")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	size, _ := io.WriteString(file, strings.Join(k.head, "\n")+"\n")
	for i := 0; size < 50<<20; i++ {
		n, err := io.WriteString(file, k.step(i, output))
		if size += n; err != nil {
			t.Fatal(err)
		}
	}
	if _, err = io.WriteString(file, k.step(1<<20, last)+k.step(1<<21,
		output)+k.call[:20]); err != nil { // and a torn line
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// longShapes are how long transcripts differ: with output of the usual size,
// with so much that a limit ends the reading, with one huge result of 20 MB.
var longShapes = [...]struct {
	name         string
	output, last int
}{{"usual", 4 << 10, 4 << 10}, {"verbose", 60 << 10, 60 << 10}, {"huge", 4 << 10, 10 << 20}}

// judged is a call that a model is asked about, with a conversation.
func (k longKind) judged(name string) nod.Call {
	c := nod.Call{Agent: k.name, Session: "s", RawTool: "Weave", Input: []byte(`{"x":1}`), Dir: "/w"}
	c.Transcript, c.Opening = k.whole(name)
	return c
}

// What the person asked for first is shown however long the rest is, and what
// was said last.
func TestLongTranscriptShown(t *testing.T) {
	gate := nod.New(nod.Options{Profile: nod.Profile{Ledger: true, Stages: 1}})
	for _, k := range longKinds() {
		for _, shape := range longShapes {
			p, err := gate.Prompt(t.Context(), k.judged(k.longFile(t, shape.output, shape.last)))
			shown := strings.Join(p.Ledger, "\n") + p.User
			if err != nil || !strings.Contains(shown, `{"user":"`+firstRequest+`"}`) || strings.Count(shown,
				`{"call":`) < 30 {
				t.Errorf("%s, %s: %v, %d calls, %.300s", k.name, shape.name, err, strings.Count(shown, `{"call":`),
					shown)
			}
			if strings.Contains(shown, "0.412s") || strings.Contains(shown, "übel") {
				t.Errorf("%s, %s: it shows what a tool returned", k.name, shape.name)
			}
		}
	}
}

// BenchmarkLongTranscript makes the prompt for a call in a session of 50 MB. It
// reports the median and the best time, which a machine that is busy with
// something else changes least.
func BenchmarkLongTranscript(b *testing.B) {
	gate := nod.New(nod.Options{Profile: nod.Profile{Ledger: true, Stages: 1}})
	for _, k := range longKinds() {
		for _, shape := range longShapes {
			b.Run(k.name+"/"+shape.name, func(b *testing.B) {
				call := k.judged(k.longFile(b, shape.output, shape.last))
				var each []time.Duration
				b.ReportAllocs()
				for b.Loop() {
					start := time.Now()
					if _, err := gate.Prompt(b.Context(), call); err != nil {
						b.Fatal(err)
					}
					each = append(each, time.Since(start))
				}
				slices.Sort(each)
				b.ReportMetric(float64(each[len(each)/2].Microseconds()), "median-µs")
				b.ReportMetric(float64(each[0].Microseconds()), "best-µs")
			})
		}
	}
}

// endless repeats a text up to a size, and counts what is read of it.
type endless struct {
	text string
	size int64
	read int64
}

func (e *endless) ReadAt(into []byte, at int64) (int, error) {
	n := 0
	for n < len(into) && at+int64(n) < e.size {
		from := (at + int64(n)) % int64(len(e.text))
		n += copy(into[n:min(int64(len(into)), e.size-at)], e.text[from:])
	}
	if e.read += int64(n); n < len(into) {
		return n, io.EOF
	}
	return n, nil
}

// Of 50 MB so much is read as holds what is asked for, and one chunk at most
// beside it; and where nobody stops asking, so much as the limits say.
func TestLongTranscriptBytes(t *testing.T) {
	for _, k := range longKinds() {
		var unit strings.Builder
		for i := range 300 {
			unit.WriteString(k.step(i, 3<<10))
		}
		steps, count := unit.String(), int64(50<<20)/int64(unit.Len())
		for _, messages := range []int{1, 20, 200} {
			from := &endless{text: steps, size: count * int64(len(steps))}
			lines := readBackwards(from, from.size, transcriptLimit)
			next := k.read(lines)
			for i := range messages {
				if _, err := next(); err != nil {
					t.Fatalf("%s: message %d: %v", k.name, i, err)
				}
			}
			if needed := from.size - lines.at - int64(len(lines.data)); from.read-needed > backwardsChunk ||
				needed > from.size/10 {
				t.Errorf("%s: %d bytes were read for %d messages, which take up %d", k.name, from.read, messages,
					needed)
			}
		}
		from := &endless{text: steps, size: count * int64(len(steps))}
		lines := readBackwards(from, from.size, transcriptLimit)
		var err error
		for err == nil {
			_, _, err = lines.next()
		}
		if err != transcript.ErrEarlier || from.read != transcriptLimit {
			t.Errorf("%s: %v after %d bytes", k.name, err, from.read)
		}
	}
	line := &endless{text: "x", size: 50 << 20}
	if _, _, err := readBackwards(line, line.size,
		transcriptLimit).next(); err != transcript.ErrEarlier || line.read > backwardsSpare+2*backwardsChunk {
		t.Errorf("one line of 50 MB: %v after %d bytes", err, line.read)
	}
}
