package agent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/nodgate/nod"
)

// Lengths of what reaches the host, in characters. It writes strings over
// 10,000 to a file and shows a preview.
const (
	reasonLength = 300
	noticeCount  = 5
)

// Encode says a decision as the comment on [ClaudeCode] lays it down.
func (c ClaudeCode) Encode(e Event, d nod.Decision, p Profile, model bool) Answer {
	switch e.Kind {
	case Decide:
		return claudeBefore(d, claudeSays(e, d, p, model))
	case Prompt:
		return claudeInstead(d, claudeSays(e, d, p, model))
	case Outcome, HostDenied, Other:
		return Answer{Said: abstained}
	}
	if e.Name != "" && e.Call.RawTool == "" {
		return Answer{Said: abstained}
	}
	return c.Block("nod does not know the event " + e.Name + ", so what it carries must not run")
}

// What the host is told, as it stands in the log.
const (
	abstained  = "abstained"
	saysAllow  = "allow"
	saysAsk    = "ask"
	saysDeny   = "deny"
	saysNobody = "nobody" // an ask that nobody can answer; logged as deny
)

// claudeSays picks one of the words above: the table in ClaudeCode's comment.
func claudeSays(e Event, d nod.Decision, p Profile, model bool) string {
	if p == Default && e.Call.HostJudges && !model {
		p = Reinforce
	}
	switch d.Verdict {
	case nod.Allow:
		if p != Reinforce && claudeMayAllow(e, d) {
			return saysAllow
		}
		return abstained
	case nod.Ask:
		switch {
		case e.Kind == Prompt:
			return abstained
		case p != Replace && claudeHostDecides(e, d, model):
			return abstained
		case e.Call.Interactive && e.Mode != "dontAsk":
			return saysAsk
		}
		return saysNobody
	}
	return saysDeny
}

// claudeMayAllow reports whether an allow may be said in this mode for this
// tool. A mode that is not known may be one in which nothing is to change.
func claudeMayAllow(e Event, d nod.Decision) bool {
	switch e.Call.Tool {
	case "ask_user_question", "enter_plan_mode", "exit_plan_mode":
		return false
	}
	switch e.Mode {
	case "default", "acceptEdits", "auto", "dontAsk", "bypassPermissions":
		return !e.Plan
	case "plan":
		return d.Layer == nod.LayerAllowlist && claudeReads(e.Call.Tool)
	}
	return false
}

// claudeReads reports whether a tool of the allow-list only reads.
func claudeReads(tool string) bool {
	switch tool {
	case "read_file", "grep", "glob", "lsp", "tool_search",
		"list_mcp_resources", "read_mcp_resource", "task_get", "task_list":
		return true
	}
	return false
}

// claudeHostDecides reports whether the host's own judge takes over: nothing
// settled the call, no rule speaks about it, and nod has no model.
func claudeHostDecides(e Event, d nod.Decision, model bool) bool {
	return e.Call.HostJudges && !model && d.Layer == nod.LayerNone && d.Rule.Text == "" &&
		(d.Err == nil || d.Err.Kind == nod.NoModel)
}

// claudeBefore answers PreToolUse.
func claudeBefore(d nod.Decision, says string) Answer {
	reason := claudeReason(d, says)
	if says == saysNobody {
		says = saysDeny
	}
	var out string
	if says != abstained {
		out = `"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"` + says +
			`","permissionDecisionReason":` + quoted(reason) + `}`
	}
	return Answer{Stdout: claudeOutput(out, d.Notices), Said: says}
}

// claudeInstead answers PermissionRequest. There is no reason for an allow.
func claudeInstead(d nod.Decision, says string) Answer {
	var out string
	switch says {
	case saysAllow:
		out = `{"behavior":"allow"}`
	case saysDeny:
		out = `{"behavior":"deny","message":` + quoted(claudeReason(d, says)) + `}`
	}
	if out != "" {
		out = `"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":` + out + `}`
	}
	return Answer{Stdout: claudeOutput(out, d.Notices), Said: says}
}

// claudeOutput joins an answer and what the person is to know; nothing at all
// where there is neither.
func claudeOutput(answer string, notices []string) []byte {
	var lines []string
	for _, n := range notices[:min(len(notices), noticeCount)] {
		if n = said(n); n != "" {
			lines = append(lines, n)
		}
	}
	var parts []string
	if answer != "" {
		parts = append(parts, answer)
	}
	if len(lines) > 0 {
		parts = append(parts, `"systemMessage":`+quoted(strings.Join(lines, "\n")))
	}
	if len(parts) == 0 {
		return nil
	}
	return []byte("{" + strings.Join(parts, ",") + "}")
}

// claudeReason is what the person reads under allow and ask, and the model
// under deny.
func claudeReason(d nod.Decision, says string) string {
	reason := said(d.Reason)
	if reason == "" {
		reason = "nod gives no reason"
	}
	if says == saysNobody {
		reason += " | A person has to approve this and nobody can be asked in this session: they can add an allow rule (`nod help settings`), or run the session interactively."
	}
	return reason
}

// Block exits with 2 and a reason on standard error, which blocks a tool on
// every version. PermissionRequest ignores it and asks the person.
func (ClaudeCode) Block(reason string) Answer {
	reason = said(reason)
	if !strings.HasPrefix(reason, "nod ") {
		reason = strings.TrimSuffix("nod blocks this: "+reason, ": ")
	}
	return Answer{Stderr: []byte(reason + "\n"), Exit: 2, Said: saysDeny}
}

// said makes text fit to be shown: one line, everything invisible escaped, no
// tags, so that nothing in it poses as the host's own words.
func said(text string) string {
	return nod.OneLine(withoutTags(nod.OneLine(text, 4*reasonLength)), reasonLength)
}

// withoutTags takes out what looks like a tag, as <system-reminder>, and what
// becomes one when another is taken out of it.
func withoutTags(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		out = append(out, text[i])
		if text[i] != '>' {
			continue
		}
		if open := bytes.LastIndexByte(out, '<'); open >= 0 && isTag(out[open+1:len(out)-1]) {
			out = out[:open]
		}
	}
	return string(out)
}

// isTag reports whether what stands between < and > is a tag: a name, and
// attributes after a blank.
func isTag(inside []byte) bool {
	name := strings.Trim(string(inside), "/ ")
	name, _, _ = strings.Cut(name, " ")
	for i, c := range []byte(name) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789-_:", rune(c))) {
			return false
		}
	}
	return name != ""
}

// quoted is a JSON string.
func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil { // cannot happen for a string
		return `""`
	}
	return string(text)
}
