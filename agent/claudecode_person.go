package agent

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/transcript"
)

// unknownKind is the text of a turn that nod cannot attribute to anybody. Its content is not kept: nothing may be made
// of it. So reads the model what is in none of the lists of who speaks.
const unknownKind = "something of a kind that nod does not know"

// claudeAttached reads an attachment: queued_command holds what a person typed while the agent worked. The host writes
// all others by itself; the words of an attachment of an unknown kind with a prompt are nobody's.
func claudeAttached(f fields) (turns []transcript.Turn, message bool) {
	attachment, _ := f.maybeChild("attachment")
	text := textOf(attachment, "prompt")
	switch {
	case attachment.hint("type") == "queued_command" && text != "":
		return claudeText(claudeQueued(f, attachment), text), true
	case attachment.hint("type") == "queued_command":
		return nil, true
	case text == "":
		return nil, false
	}
	return saidBy(transcript.Other, unknownKind), true
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

// claudeFrom reads the member origin. A line without that member counts as the person's here.
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

// claudeOrigin says who speaks in the texts of a line. A field that is not known to mean a person
// does not mean one. (userType is "external" on every line and says nothing.)
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

// claudeSource reads promptSource ("typed", "sdk", "system") and turnOrigin ("human", "sdk", "task_notification");
// older versions write neither. "sdk" is whoever started the session: in print mode that is the person.
func claudeSource(source string) transcript.Origin {
	switch source {
	case "", "typed", "human", "sdk":
		return transcript.Person
	}
	return transcript.Other
}

// claudeSpeaker says who speaks in a text that stands in a person's place, and what of it is theirs. The host puts
// its own words and those of others there, in elements whose names it chooses.
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
	case slices.Contains(speakers("others"), name):
		return transcript.OtherAgent, text
	case name == "command-name", name == "command-message":
		return claudeTyped(trimmed)
	case slices.ContainsFunc(claudeNotices(), func(notice string) bool { return strings.HasPrefix(trimmed, notice) }):
		return transcript.Harness, text
	}
	left := withoutElements(trimmed)
	switch name := firstTag(left); {
	case left == "" && trimmed != "", slices.Contains(append(speakers("elements"), speakers("others")...), name):
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
	for _, name := range speakers("elements") {
		end := "</" + name + ">"
		for _, opens := range []string{"<" + name + ">", "<" + name + " "} {
			if from, to := strings.Index(text, opens), strings.LastIndex(text, end); from >= 0 && to > from {
				text = text[:from] + text[to+len(end):]
			}
		}
	}
	return strings.TrimSpace(text)
}

// standsBetween reports whether words stand between two elements of one name of the host's. They are left out as if
// they stood inside, since an element may hold an end tag of its own name; so nobody can say whose they are.
func standsBetween(text string) bool {
	return slices.ContainsFunc(speakers("elements"), func(name string) bool {
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
