package agent

import (
	"errors"
	"path"
	"time"

	"github.com/nodgate/nod"
)

// Antigravity is the adapter for Google's Antigravity CLI, agy, which is not
// open and was not run here. What it states is what others measured and
// published, on the versions that are named; where they differ, nod is
// written for both.
//
// # One seat
//
//	             allow    ask     deny
//	PreToolUse   -        deny    deny
//
// "-" is silence: the host's own rules decide. An allow would be for that one call (1.1.8,
// 1.2.3), or nothing (1.1.2), and go past a rule of the person's, which nod does not read. An ask
// reached a person on 1.1.2 and lost to --dangerously-skip-permissions on
// 1.2.3, and no payload says whether anybody is there: so it is a denial that
// says how to approve.
//
// # What the host does with an answer
//
//	{"decision":"deny","reason"}   blocked; the model reads the reason (1.1.2,
//	                               1.1.8, 1.2.3)
//	nothing, exit 0                the host's own rules (1.1.2, 1.2.3)
//	exit 1                         the call RUNS (1.1.8), blocked (1.2.3)
//	no JSON                        the call RUNS (1.1.8), blocked (1.2.3)
//	time-out                       the call RUNS (1.1.8)
//	{}, another field              blocked (1.2.3)
//
// Nobody says what exit code 2 does. So a denial is always the object, with
// exit code 0, and what stands before nod-hook makes one of each failure.
//
// # What the payload leaves out
//
// The event's name, a directory and the permission mode. In all payloads that
// were published the paths are absolute; how the host reads another one is not
// known, and such a call is never allowed.
type Antigravity struct{}

// Name returns "antigravity".
func (Antigravity) Name() string { return "antigravity" }

// Capabilities returns what was read.
func (Antigravity) Capabilities() Capabilities {
	return Capabilities{
		Tried:         "read: what others measured on agy 1.1.2, 1.1.8 and 1.2.3",
		Before:        Seat{Deny: true, Silence: Flows},
		ReasonReaches: true,
		StrictJSON:    true,
		TimeUnit:      time.Second,
	}
}

// antigravityTools lists the tools whose arguments others captured on agy
// 1.1.8 and that stand in Google's list of its agent's tools of September
// 2026. The program has many more, one to type into a running command among
// them; all of those are unknown.
var antigravityTools = [...]builtin{
	{"grep_search", "grep", search},
	{"list_dir", "glob", search},
	{"replace_file_content", "file_edit", edit},
	{"run_command", "bash", command},
	{"view_file", "read_file", read},
	{"write_to_file", "file_write", write},
}

// antigravitySpelling is by tool: each calls its file or directory otherwise.
func antigravitySpelling(raw string) spelling {
	s := spelling{command: "CommandLine", workdir: "Cwd", file: "TargetFile", content: "CodeContent",
		old: "TargetContent", new: "ReplacementContent", dir: "SearchPath",
		beside: map[string][]string{
			"grep_search": {"CaseInsensitive", "Includes", "IsRegex", "MatchPerLine", "Query"},
			"replace_file_content": {"AllowMultiple", "Description", "EndLine", "Instruction", "StartLine",
				"TargetLintErrorIds"},
			"run_command":   {"SafeToAutoRun", "WaitMsBeforeAsync"},
			"view_file":     {"EndLine", "StartLine"},
			"write_to_file": {"ArtifactMetadata", "Description", "Overwrite"}}}
	s.beside[raw] = append(s.beside[raw], "toolAction", "toolSummary")
	switch raw {
	case "view_file":
		s.file = "AbsolutePath"
	case "list_dir":
		s.dir = "DirectoryPath"
	}
	return s
}

// Decode reads one payload. Call.Input shares the payload's memory, which must
// not change afterwards.
func (a Antigravity) Decode(payload []byte, environ []string) (Event, error) {
	top, err := readPayload(payload)
	if err != nil {
		return Event{}, err
	}
	f := fieldsOf(top, &err)
	made, _ := f.child("toolCall")
	e := Event{Kind: Decide, Name: "PreToolUse", Call: nod.Call{
		Agent:   a.Name(),
		Session: f.word("conversationId"),
		RawTool: made.word("name"),
		Environ: environ,
	}}
	in, raw := made.child("args")
	e.Call.Input = raw
	roots := f.texts("workspacePaths")
	if len(roots) > 0 {
		e.Call.Dir, e.Start = roots[0], roots[0]
	}
	if len(roots) == 1 && path.IsAbs(roots[0]) { // of several none is the one
		e.Project = roots[0]
	}
	antigravityArguments(&e, in)
	if err == nil && !path.IsAbs(e.Call.Dir) {
		err = badInput(errors.New("there is no absolute directory: agy was started without a workspace"))
	}
	if err != nil {
		return Event{}, err
	}
	return e, nil
}

// antigravityArguments reads what the call would do, and whether each place in
// it is where it seems to be. Patterns of a search were not captured.
func antigravityArguments(e *Event, in fields) {
	tool := lookUp(antigravityTools[:], e.Call.RawTool)
	as := antigravitySpelling(tool.raw)
	place := ""
	switch tool.shape {
	case command:
		place = in.optional(as.workdir)
	case search:
		place = in.optional(as.dir)
	case read, edit, write:
		place = in.optional(as.file)
	}
	e.Unproven = tool.shape != opaque && !path.IsAbs(place) || tool.shape == search && in.maybe("Includes") != nil
	arguments(&e.Call, tool, as, in)
}

// Encode says a decision as the comment on [Antigravity] lays it down. The
// host has no place for notices to the person.
func (a Antigravity) Encode(e Event, d nod.Decision, p Profile, model bool) Answer {
	switch e.Kind {
	case Decide:
		word := says(a.Capabilities(), e, d, p, model)
		if logged(word) == abstained {
			return Answer{Said: abstained}
		}
		return antigravityAnswer(logged(word), reasonOf(d, word))
	}
	return notDecided(e, a.Block)
}

func antigravityAnswer(word, reason string) Answer {
	return Answer{Stdout: []byte(`{"decision":"` + word + `","reason":` + quoted(reason) + `}`), Said: word}
}

// Block denies by the object, since what exit code 2 does is not known.
func (Antigravity) Block(reason string) Answer {
	return antigravityAnswer(saysDeny, blocking(said(reason)))
}
