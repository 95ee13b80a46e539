package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
)

// Rows that name a transcript, a commit and a call, but hold no text: the text
// is taken from a clone of the public repository that they name.

// result is a call of a transcript and what it returned.
type result struct {
	args map[string]string
	text string
	used bool
}

// restore gives rows their text again, where one of the clones has it.
func restore(bare []row, clones []string) (rows []row) {
	type place struct{ commit, path string }
	transcripts := map[place][]*result{}
	for _, r := range bare {
		at := place{r.Commit, r.Path}
		results, seen := transcripts[at]
		if !seen {
			results = transcript(blob(clones, r.Commit, r.Path))
			transcripts[at] = results
		}
		for _, found := range results {
			if !found.used && r.Input.matches(found.args) {
				found.used = true
				rows = append(rows, newRow(r.ID, r.Label, r.Category, found.text))
				break
			}
		}
	}
	return rows
}

func blob(clones []string, commit, path string) []byte {
	for _, clone := range clones {
		if text, err := exec.Command("git", "-C", clone, "cat-file", "blob", commit+":"+path).Output(); err == nil {
			return text
		}
	}
	return nil
}

// matches reports whether a row's call is the one with these arguments. Rows
// write every home as /Users/dev and say where they cut.
func (in input) matches(args map[string]string) bool {
	n := 0
	for _, pair := range [...]struct{ want, key, other string }{
		{in.File, "file_path", "path"}, {in.Command, "command", "cmd"}, {in.Pattern, "pattern", "pattern"},
		{in.Query, "query", "query"}, {in.URL, "url", "url"},
	} {
		if pair.want == "" {
			continue
		}
		got, ok := args[pair.key]
		if !ok {
			got = args[pair.other]
		}
		n++
		want, _, cut := strings.Cut(home(pair.want), "…[cut")
		if got = home(got); got != want && !(cut && strings.HasPrefix(got, want)) {
			return false
		}
	}
	return n > 0
}

func home(s string) string {
	for _, root := range [...]string{"/Users/", "/home/"} {
		parts := strings.Split(s, root)
		for i := 1; i < len(parts); i++ {
			_, rest, _ := strings.Cut(parts[i], "/")
			parts[i] = rest
		}
		s = strings.Join(parts, "~/")
	}
	return s
}

// entry is what Claude Code's and Pi's transcripts have in common.
type entry struct {
	Message struct {
		Role       string          `json:"role"`
		ToolCallID string          `json:"toolCallId"`
		Content    json.RawMessage `json:"content"`
	} `json:"message"`
}

type part struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	ToolUseID string          `json:"tool_use_id"`
	Text      string          `json:"text"`
	Input     map[string]any  `json:"input"`
	Arguments map[string]any  `json:"arguments"`
	Content   json.RawMessage `json:"content"`
}

func transcript(text []byte) (all []*result) {
	calls := map[string]*result{}
	for line := range bytes.Lines(text) {
		var e entry
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		if e.Message.Role == "toolResult" {
			all = append(all, returned(calls[e.Message.ToolCallID], e.Message.Content)...)
			continue
		}
		for _, p := range parts(e.Message.Content) {
			switch p.Type {
			case "tool_use":
				calls[p.ID] = &result{args: plainArgs(p.Input)}
			case "toolCall":
				calls[p.ID] = &result{args: plainArgs(p.Arguments)}
			case "tool_result":
				all = append(all, returned(calls[p.ToolUseID], p.Content)...)
			}
		}
	}
	return all
}

func parts(content json.RawMessage) (all []part) {
	if json.Unmarshal(content, &all) != nil {
		return nil
	}
	return all
}

// returned completes a call with the text of its result.
func returned(call *result, content json.RawMessage) []*result {
	if call == nil {
		return nil
	}
	if json.Unmarshal(content, &call.text) != nil {
		for _, p := range parts(content) {
			call.text += p.Text
		}
	}
	call.text, _, _ = strings.Cut(call.text, "\n<system-reminder>\n") // the host's, shown to no hook
	if strings.TrimSpace(call.text) == "" {
		return nil
	}
	return []*result{call}
}

func plainArgs(args map[string]any) map[string]string {
	plain := map[string]string{}
	for k, v := range args {
		if s, ok := v.(string); ok {
			plain[k] = s
		}
	}
	return plain
}
