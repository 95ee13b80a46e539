package history

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// geminiReader reads the lines of a chat of Gemini CLI (0.61.0): a message is
// written again when its calls have ended, and {"$set":{"messages"}} repeats all
// of them. No line names the directory: the host writes it beside the chats.
type geminiReader struct{ began string }

func newGeminiReader(file string) *geminiReader {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(file)), ".project_root"))
	if dir := strings.TrimSpace(string(text)); err == nil && filepath.IsAbs(dir) {
		return &geminiReader{dir}
	}
	return &geminiReader{}
}

func (r *geminiReader) root() string { return r.began }

type geminiMessage struct {
	Time  time.Time `json:"timestamp"`
	Calls []struct {
		ID, Name, Status string
		Args             json.RawMessage
	} `json:"toolCalls"`
}

func (r *geminiReader) line(text []byte) (list []past, at time.Time) {
	if !bytes.Contains(text, []byte(`"toolCalls"`)) {
		return nil, at
	}
	var line struct {
		geminiMessage
		Set struct{ Messages []geminiMessage } `json:"$set"`
	}
	if json.Unmarshal(text, &line) != nil {
		return nil, at
	}
	for _, m := range append(line.Set.Messages, line.geminiMessage) {
		for _, c := range m.Calls {
			list = append(list, past{id: c.ID, tool: c.Name, input: c.Args, dir: r.began},
				past{id: c.ID, outcome: outcomeOf(c.Status == "error", c.Status == "cancelled")})
		}
	}
	return list, line.Time
}

// copilotReader reads the events of a session of Copilot CLI (1.0.102). Its
// shell remembers a cd, of which no event tells: a call is judged where the
// session began, as by the hook.
type copilotReader struct{ began string }

func (r *copilotReader) root() string { return r.began }

func (r *copilotReader) line(text []byte) (list []past, at time.Time) {
	var line struct {
		Type string
		Time time.Time `json:"timestamp"`
		Data struct {
			ID      string          `json:"toolCallId"`
			Name    string          `json:"toolName"`
			Input   json.RawMessage `json:"arguments"`
			Success bool
			Context struct {
				Dir string `json:"cwd"`
			}
		}
	}
	switch {
	case bytes.Contains(text, []byte(`"session.start"`)), bytes.Contains(text, []byte(`"tool.execution_`)):
	default:
		return nil, at
	}
	if json.Unmarshal(text, &line) != nil {
		return nil, at
	}
	switch d := line.Data; line.Type {
	case "session.start":
		r.began = d.Context.Dir
	case "tool.execution_start":
		return []past{{id: d.ID, tool: d.Name, input: d.Input, dir: r.began}}, line.Time
	case "tool.execution_complete":
		return []past{{id: d.ID, outcome: outcomeOf(!d.Success, false)}}, line.Time
	}
	return nil, at
}

// piReader reads the lines of a session of Pi: a header that names the directory,
// then messages. (Read in Pi's document of the format, version 3; not driven.)
type piReader struct{ began string }

func (r *piReader) root() string { return r.began }

func (r *piReader) line(text []byte) (list []past, at time.Time) {
	var line struct {
		Type    string
		Dir     string    `json:"cwd"`
		Time    time.Time `json:"timestamp"`
		Message struct {
			Role    string
			Call    string `json:"toolCallId"`
			Failed  bool   `json:"isError"`
			Content json.RawMessage
		}
	}
	if json.Unmarshal(text, &line) != nil {
		return nil, at
	}
	if line.Type == "session" {
		r.began = line.Dir
	}
	switch m := line.Message; {
	case line.Type != "message":
	case m.Role == "toolResult":
		return []past{{id: m.Call, outcome: outcomeOf(m.Failed, false)}}, line.Time
	case m.Role == "assistant":
		var blocks []struct {
			Type, ID, Name string
			Arguments      json.RawMessage
		}
		if json.Unmarshal(m.Content, &blocks) != nil {
			return nil, at // a text
		}
		for _, b := range blocks {
			if b.Type == "toolCall" {
				list = append(list, past{id: b.ID, tool: b.Name, input: b.Arguments, dir: r.began})
			}
		}
		return list, line.Time
	}
	return nil, at
}
