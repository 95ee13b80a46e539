package agent

import (
	"cmp"

	"github.com/nodgate/nod"
)

// ClaudePrompt is the adapter for Claude Code's --permission-prompt-tool: the tool of an MCP server
// that print mode asks in the place of a person. The payload is the arguments of the tool,
// {tool_name, input, tool_use_id}; it is served by `nod mcp` and so not in [All].
//
// The host asks about what its own rules leave open, and needs an answer:
//
//	allow                   {"behavior":"allow","updatedInput":the input as sent}
//	deny, ask, and silence  {"behavior":"deny","message":why, and how to approve}
//	a person's tool, a message {"behavior":"deny"}: the host would not ask about them otherwise
//
// The arguments do not say where a command would start. The agent's shell stands in the project or, after a cd,
// anywhere below it (measured on 2.1.329), where another package.json may lie; so [nod.Call].Dir is empty for
// commands: what they name by relative names is not known, and a rule for npm test means the project's. Where
// CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR is set, for the host and for the server, each command starts in the
// project, and rules hold. There is no transcript. A hook is told both.
type ClaudePrompt struct {
	Project string // where the server was started, which is where the session was
	Session string // the host's id of the session, "" if unknown: then all in Project are one
}

// Name returns "claude-code".
func (ClaudePrompt) Name() string { return Host("claude-code").Name() }

// Capabilities returns what was measured on 2.1.329.
func (ClaudePrompt) Capabilities() Capabilities {
	return Capabilities{Tried: Host("claude-code").Capabilities().Tried, Before: Seat{Allow: true, Deny: true},
		SeesSubagents: true}
}

// Decode reads the arguments of one call.
func (p ClaudePrompt) Decode(payload []byte, environ []string) (Event, error) {
	f, err := readPayload(payload)
	if err != nil {
		return Event{}, err
	}
	e := Event{Kind: Decide, Name: "permission prompt", Mode: "default", Project: p.Project, Start: p.Project}
	e.Call = nod.Call{
		ID: f.optional("tool_use_id"), Agent: p.Name(), Session: cmp.Or(p.Session, "permission prompts in "+p.Project),
		RawTool: f.word("tool_name"), Dir: p.Project, Environ: environ,
	}
	input := f.get("input")
	in, raw := f.asObject(input)
	e.Call.Input = raw
	if *f.err == nil {
		if in = Host("claude-code").profile().decodeTool(&e, f, input, in); e.Call.MCP == nil {
			claudeOddities(&e.Call, in)
		}
	}
	if *f.err != nil {
		return Event{}, *f.err
	}
	if stays := variable(environ, staysInProject); e.Call.Command != "" && stays != "1" && stays != "true" {
		e.Call.Dir = ""
	}
	return e, nil
}

// Encode answers; what is not allowed is denied.
func (p ClaudePrompt) Encode(e Event, d nod.Decision, profile Profile, _ bool) Answer {
	if e.Kind == Decide && d.Verdict == nod.Allow && profile != Reinforce && claudeMayAllow(e, d) &&
		!isPersons(e.Call.Tool) {
		return Answer{Stdout: []byte(`{"behavior":"allow","updatedInput":` + string(e.Call.Input) + `}`),
			Said: saysAllow}
	}
	says := saysDeny
	switch {
	case e.Kind == Decide && d.Verdict == nod.Allow && isPersons(e.Call.Tool):
		return promptDenied("this tool is for a person, and nobody can be asked in this session; go on without it")
	case d.Verdict != nod.Deny:
		says = saysNobody
	}
	reason := reasonOf(d, says)
	if says == saysNobody && e.Call.Command != "" && e.Call.Dir == "" {
		reason += " Where the agent's shell stands is not known here, so that an allow rule holds for such a command " +
			"only with " + staysInProject + "=1 in the environment of Claude Code."
	}
	return promptDenied(reason)
}

// isPersons reports whether a question about a tool of the host's own is for a person alone. The host asks about a
// message where it goes to a session on another machine, which needs "explicit approval" (2.1.329, read).
func isPersons(tool string) bool { return classOf(tool) == Persons || tool == "send_message" }

// staysInProject is set where Claude Code starts each command in the project.
const staysInProject = "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR"

// Block denies.
func (ClaudePrompt) Block(reason string) Answer { return promptDenied(said(reason)) }

func promptDenied(reason string) Answer {
	return Answer{Stdout: []byte(`{"behavior":"deny","message":` + quoted(reason) + `}`), Said: saysDeny}
}
