package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/transcript"
)

// Who speaks in a transcript of Claude Code. docs/judge.md has the same table,
// and a test compares the two. A kind that is in none of these lists counts as
// nobody's, and the model is told that something was left out.

// unknownKind is the text of a turn that nod cannot attribute to anybody. Its
// content is not kept: nothing may be made of it.
const unknownKind = "something of a kind that nod does not know"

// lineSpeaker says what the lines of a kind hold.
type lineSpeaker int8

const (
	nobody   lineSpeaker = iota // a kind that nobody classified
	spoken                      // a message of the conversation
	attached                    // what the host hands to the model beside it
	silent                      // bookkeeping; nobody speaks
)

// claudeLineSpeaker classifies the "type" of a line.
func claudeLineSpeaker(kind string) lineSpeaker {
	switch {
	case kind == "user" || kind == "assistant":
		return spoken
	case kind == "attachment":
		return attached
	case slices.Contains(claudeSilent(), kind):
		return silent
	}
	return nobody
}

// claudeSilent are the lines in which nobody speaks. What waits in the queue
// (queue-operation) is said once the host hands it over, as an attachment.
func claudeSilent() []string {
	return []string{
		"system", "summary", "progress", "file-history-snapshot", "queue-operation", "last-prompt", "custom-title",
		"ai-title", "agent-name", "agent-color", "agent-setting", "tag", "mode", "permission-mode", "pr-link",
		"worktree-state", "content-replacement", "bridge-session", "attribution-snapshot", "task-summary",
		"api-request", "api-request-blob", "api-request-shape", "atis-latch", "tools-used", "cost-state",
	}
}

// claudeAttachments are the attachments that the host writes by itself. One
// more, queued_command, holds what a person typed while the agent worked.
func claudeAttachments() []string {
	return []string{
		"agent_listing_delta", "agent_mention", "already_read_file", "async_hook_response", "auto_mode",
		"auto_mode_exit", "budget_usd", "command_permissions", "compact_file_reference", "compaction_reminder",
		"critical_system_reminder", "date", "date_change", "deferred_tools_delta", "diagnostics", "directory",
		"dynamic_skill", "edited_image_file", "edited_text_file", "environment", "file", "hook_additional_context",
		"hook_blocking_error", "hook_cancelled", "hook_error_during_execution", "hook_non_blocking_error",
		"hook_permission_decision", "hook_stopped_continuation", "hook_success", "hook_system_message", "image",
		"invoked_skills", "max_turns_reached", "mcp_instructions_delta", "mcp_resource", "model", "nested_memory",
		"opened_file_in_ide", "output_style", "output_token_usage", "pdf_reference", "plan_file_reference",
		"plan_mode", "plan_mode_exit", "plan_mode_reentry", "prompt_snapshot", "relevant_memories",
		"remote_session_change", "selected_lines_in_ide", "session_context", "skill_discovery", "skill_listing",
		"structured_output", "task_reminder", "task_status", "team_context", "teammate_mailbox", "todo",
		"todo_reminder", "token_usage", "total_tokens_reminder", "ultrathink_effort", "verify_plan_reminder",
	}
}

// claudeAttached reads an attachment.
func claudeAttached(f fields) claudeLine {
	attachment, given := f.maybeChild("attachment")
	if given == nil {
		return claudeLine{}
	}
	switch kind := attachment.hint("type"); {
	case kind == "queued_command":
	case slices.Contains(claudeAttachments(), kind):
		return claudeLine{}
	default:
		return unclassified(time.Time{})
	}
	line := claudeLine{kind: "user", origin: claudeQueued(f, attachment)}
	if text := codexText(attachment, "prompt"); text != "" {
		line.blocks = []claudeBlock{{kind: "text", text: text}}
	}
	return line
}

// claudeQueued says who queued a prompt.
func claudeQueued(f, attachment fields) transcript.Origin {
	switch mode := attachment.hint("commandMode"); {
	case f.flag("isSidechain"):
		return transcript.OtherAgent
	case mode == "task-notification", attachment.flag("isMeta"):
		return transcript.Harness
	case mode != "" && mode != "prompt":
		return transcript.Other
	}
	if from := claudeFrom(f); from != transcript.Person {
		return from
	}
	return claudeFrom(attachment)
}

// claudeFrom reads the member origin; what has none is a person's as far as
// that goes.
func claudeFrom(f fields) transcript.Origin {
	from, given := f.maybeChild("origin")
	if f.flag("fromAnotherSession") || f.flag("fromConnector") {
		return transcript.Other
	}
	if given == nil {
		return transcript.Person
	}
	switch from.hint("kind") {
	case "human":
		return transcript.Person
	case "task-notification":
		return transcript.Harness
	}
	return transcript.OtherAgent // peer, coordinator ...
}

func unclassified(at time.Time) claudeLine {
	return claudeLine{kind: "user", origin: transcript.Other, time: at,
		blocks: []claudeBlock{{kind: "text", text: unknownKind}}}
}

const (
	// claudeRejection begins the result of a call that a person refused at the
	// host's prompt; claudeSaid comes before what they typed there, and
	// claudeHint behind it.
	claudeRejection = "The user doesn't want to proceed with this tool use."
	claudeSaid      = "the user said:"
	claudeHint      = "\n\nNote: The user's next message may contain"
	// claudeClarifies begins what the host says where a person only wants to
	// talk about a question.
	claudeClarifies = "The user wants to clarify these questions."
	// claudeApproval begins the result of a plan that a person approved.
	claudeApproval = "User has approved your plan"
)

// result is the turn of what a tool returned: the tool's, or a person's where
// the host put their words there.
//
// What a tool returns is its own affair, so words in it are a person's only where the
// host marks the line itself; else they count as nobody's: a command can print what the
// host would say.
func (r *claudeReader) result(line claudeLine, b claudeBlock) transcript.Turn {
	turn := transcript.Turn{Origin: transcript.Tool, Text: b.text, Call: b.id, Time: line.time}
	switch {
	case b.fails && strings.HasPrefix(b.text, claudeRejection):
		turn.Ended, turn.Text = transcript.EndedRefused, claudeRefusal(b.text)
		if turn.Text != "" {
			turn.Origin = r.refuser(line)
		}
		return turn
	case b.fails:
		turn.Ended = transcript.EndedFailed
	case strings.HasPrefix(b.text, claudeApproval) && line.origin != transcript.OtherAgent:
		if call, found := r.calling(b.id); found && call.tool == "ExitPlanMode" {
			turn.Origin, turn.Text = transcript.Person, "I approve this plan: "+planOf(call, b.text)
		}
	}
	if answer := r.answer(line, b); answer != "" {
		turn.Origin, turn.Text = transcript.Person, answer
	}
	return turn
}

// refuser says whose words stand in a refusal.
func (r *claudeReader) refuser(line claudeLine) transcript.Origin {
	if line.origin == transcript.OtherAgent {
		return transcript.OtherAgent
	}
	if line.refused {
		return transcript.Person
	}
	return transcript.Other
}

// claudeRefusal is what a person typed when they refused a call, "" if nothing.
func claudeRefusal(text string) string {
	_, said, ok := strings.Cut(text, claudeSaid)
	if !ok {
		return ""
	}
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
	in, err := readObject(call.input, scanner{depth: 512, halve: true})
	if err != nil {
		return "(it cannot be read)"
	}
	return fieldsOf(in, &err).optional("plan")
}

// claudeSpeaker says who speaks in a text that stands in a person's place, and
// what of it is theirs. The host puts its own words and those of others there,
// in elements whose names it chooses.
//
//   - A text that begins with an element of another agent's is that agent's as a
//     whole.
//   - A command is what was typed: its name and its arguments.
//   - Of any other text the host's elements are left out, each up to the last
//     end tag of its name, so that what stands inside cannot close it and go on
//     as the person. A tag that is only mentioned, without an end, stays.
//   - A whole element of a name that looks like a host's and is not known is
//     nobody's.
func claudeSpeaker(text string) (transcript.Origin, string) {
	trimmed := strings.TrimSpace(text)
	switch name := firstTag(trimmed); {
	case slices.Contains(claudeOthers(), name):
		return transcript.OtherAgent, text
	case name == "command-name", name == "command-message":
		return claudeTyped(trimmed)
	case slices.ContainsFunc(claudeNotices(), func(notice string) bool { return strings.HasPrefix(trimmed, notice) }):
		return transcript.Harness, text
	}
	left := withoutElements(trimmed)
	switch name := firstTag(left); {
	case left == "" && trimmed != "", slices.Contains(claudeElements(), name), slices.Contains(claudeOthers(), name):
		return transcript.Harness, text
	case strings.ContainsAny(name, "-_") && strings.HasSuffix(left, "</"+name+">"):
		return transcript.Other, unknownKind
	case left == trimmed:
		return transcript.Person, text
	}
	return transcript.Person, left
}

// claudeNotices begin what the host says without an element.
func claudeNotices() []string {
	return []string{
		"[Request interrupted by user",
		"This session is being continued from a previous conversation",
		"Caveat: The messages below were generated by the user while running local commands",
		"Stop hook feedback:",
	}
}

// claudeOthers are the elements in which other agents speak.
func claudeOthers() []string {
	return []string{"teammate-message", "agent-message", "peer-message", "cross-session-message", "channel"}
}

// claudeElements are those that the host or an extension of it writes.
func claudeElements() []string {
	return []string{
		"system-reminder", "ide_selection", "ide_opened_file", "ide_opened_files", "ide_closed_file",
		"ide_diagnostics", "ide_context", "local-command-stdout", "local-command-stderr", "local-command-caveat",
		"bash-input", "bash-stdout", "bash-stderr", "task-notification", "task-id", "user-prompt-submit-hook",
		"post-tool-use-hook", "session-start-hook", "user-memory-input", "new-diagnostics", "command-contents",
		"mcp-resource", "mcp-polling-update",
	}
}

// firstTag is the name of the element that a text begins with, "" for none.
func firstTag(text string) string {
	rest, ok := strings.CutPrefix(text, "<")
	if !ok {
		return ""
	}
	end := strings.IndexFunc(rest,
		func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_') })
	if end <= 0 || !strings.ContainsRune("> \t\n/", rune(rest[end])) {
		return ""
	}
	return rest[:end]
}

// withoutElements takes the host's elements out of a text.
func withoutElements(text string) string {
	for _, name := range claudeElements() {
		end := "</" + name + ">"
		for _, opens := range []string{"<" + name + ">", "<" + name + " "} {
			if from, to := strings.Index(text, opens), strings.LastIndex(text, end); from >= 0 && to > from {
				text = text[:from] + text[to+len(end):]
			}
		}
	}
	return strings.TrimSpace(text)
}

// standsBetween reports whether words stand between two elements of one name of
// the host's. They are left out as if they stood inside, since an element may
// hold an end tag of its own name; so nobody can say whose they are.
func standsBetween(text string) bool {
	return slices.ContainsFunc(claudeElements(), func(name string) bool {
		end := "</" + name + ">"
		for _, rest, _ := strings.Cut(text, end); ; _, rest, _ = strings.Cut(rest, end) {
			words, more, again := strings.Cut(rest, "<"+name)
			if !again || strings.Contains(words, end) {
				return false
			}
			if withoutElements(words) != "" {
				return true
			}
			rest = more
		}
	})
}

// claudeTyped is a command as it was typed. What a file of the repository
// makes of it stands in another line, which the host marks as its own.
func claudeTyped(text string) (transcript.Origin, string) {
	typed := strings.TrimSpace(element(text, "command-name"))
	if typed == "" {
		return transcript.Harness, text
	}
	if args := strings.TrimSpace(element(text, "command-args")); args != "" {
		typed += " " + args
	}
	return transcript.Person, typed
}

// element is what stands between the first tag of a name and its last end.
func element(text, name string) string {
	_, rest, _ := strings.Cut(text, "<"+name+">")
	if i := strings.LastIndex(rest, "</"+name+">"); i >= 0 {
		return rest[:i]
	}
	return ""
}
