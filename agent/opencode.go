package agent

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
)

// Opencode is the adapter for opencode. What it states was measured on version
// 1.18.33 against a scripted model. opencode starts no program before a call,
// so nod installs a plugin, a file of JavaScript that calls nod-hook.
//
// # Where nod sits
//
//	tool.execute.before   every call, sub-agents' too; a denial is thrown, and
//	                      its text is what the model reads
//	permission.asked      opencode is about to ask: the plugin answers "once"
//	                      for a call that nod has allowed, else it is silent
//
//	                           allow   ask         deny
//	opencode asks next         grant   - (prompt)  deny
//	it does not, or may not    grant   deny        deny
//
// opencode asks about little by itself. The plugin has it ask about commands
// and addresses where the person has set nothing and can be asked (not under
// `opencode run`); the payload's "asks" says that it will, but for lines of shell in which
// it may see no command: those nod denies.
//
// # What the host does
//
//	the plugin throws            blocked
//	the plugin waits             so does the call, without limit
//	the plugin cannot be loaded  calls RUN, and nothing says so
//
// The last row is the host's, and nothing closes it: `nod install` names it.
// permission.ask is in the plugin's types and is never called.
//
// A tool that a repository defines itself, or another plugin, runs inside
// opencode and may take the name of a built-in one: such code needs no call to
// do anything.
type Opencode struct{ profiled[opencode] }

type opencode struct{}

func (opencode) name() string { return "opencode" }

func (opencode) profile() profile {
	p := plugged()
	p.can = Capabilities{
		Tried:         "1.18.33",
		Before:        Seat{Allow: true, Deny: true, Silence: Flows},
		ReasonReaches: true,
		TimeUnit:      time.Millisecond,
		SeesSubagents: true,
	}
	p.own, p.quirk = opencodeMCP, opencodeQuirk
	p.mayRewrite, p.confined = Opencode{}.MayRewrite, opencodeConfined
	return p
}

// opencodeQuirk says in which shell a command runs, whether the host asks about it, and
// which files a sub-agent's prompt names.
func opencodeQuirk(e *Event, in, f fields) {
	plugin(e, f)
	if shell := cmp.Or(f.optional("shell"), variable(e.Call.Environ, "SHELL"), "sh"); !readsAsShell(path.Base(shell)) {
		e.Call.Dialect = nod.PowerShell // no shell that nod reads
	}
	switch e.Call.RawTool {
	case "bash":
		e.PromptFollows = e.PromptFollows && e.Call.Dialect != nod.PowerShell && opencodeAsks(e.Call.Command)
	case "task":
		if e.Kind == Decide {
			mentioned(&e.Call, in.optional("prompt"))
			e.Complete = opencodeTop
		}
	}
}

// opencodeMCP recognises a call to an MCP server, which is the one that the lines in the
// agent found in its settings: the name does not say where the server's ends.
func opencodeMCP(e *Event, f fields, input *member) bool {
	server := f.optional("server")
	if server == "" {
		return false
	}
	f.asObject(input) // free-form, but an object
	tool, found := strings.CutPrefix(e.Call.RawTool, server+"_")
	if !found || tool == "" {
		f.wrong(f.get("server"), "the beginning of the tool's name")
	}
	e.Call.Tool, e.Call.MCP = "mcp", &nod.MCP{Server: server, Tool: tool, Named: true}
	return true
}

// mentioned are the files that a prompt names with @. Some hosts read them by themselves,
// without a hook and without asking: opencode what a sub-agent is told (1.18.33, run), Claude
// Code perhaps what it wakes up with (2.1.329, read).
func mentioned(call *nod.Call, prompt string) {
	for i, text := range strings.Split(prompt, "@")[1:] {
		if i == 100 {
			call.Unread = "the prompt names more files with @ than nod looks at; give it fewer"
			return
		}
		text = strings.TrimLeft(text, `"`)
		ends := func(r rune) bool { return isBlank(r) || strings.ContainsRune("`,\"#", r) }
		if end := strings.IndexFunc(text, ends); end >= 0 {
			text = text[:end]
		}
		for _, name := range []string{text, strings.TrimRight(text, ".;:!?)]}'")} { // which may end a sentence
			if name != "" && !slices.Contains(call.Paths, name) {
				call.Paths = append(call.Paths, name)
			}
		}
	}
}

// opencodeTop adds the names as they are read from the top of the repository, which
// opencode takes for their directory, or from / where there is none.
func opencodeTop(e *Event) {
	top := e.Call.Dir
	for top != "/" {
		if _, err := os.Lstat(top + "/.git"); err == nil {
			break
		}
		top = path.Dir(top)
	}
	for _, name := range slices.Clone(e.Call.Paths) {
		if !path.IsAbs(name) && !strings.HasPrefix(name, "~/") {
			e.Call.Paths = append(e.Call.Paths, strings.TrimSuffix(top, "/")+"/"+name)
		}
	}
}

func isLetterOrDigit(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// plugged is what the adapters have in common whose agent starts no program by
// itself: nod installs a few lines of JavaScript that run inside the agent,
// hand each call to nod-hook in one shape and do what it answers. Those lines
// are in internal/install/plugin; the payload and the answer are nod's own:
//
//	{"hook", "tool", "session", "call", "directory", "args",
//	 "server"?, "interactive"?, "asks"?, "rewrites"?, "failed"?,
//	 "said"?: [{"by", "text", "tool"?}], "first"?, "cut"?}
//	{"decision": "allow" | "ask" | "deny", "reason", "command"?}
//
// rewrites says that a command of the answer's runs in the place of the call's.
// said is the conversation as the lines in the agent heard it, oldest first
// and bounded there, without what tools returned; first is what the person
// said first, and cut says that turns are left out. See decodeSaid.
//
// The lines block where nod-hook exits with anything but 0, is killed, is too
// slow or prints something else. Nothing printed is no decision.
func plugged() profile {
	return profile{
		answer: flatDecision,
	}
}

// plugin reads what such lines say beside the call. The directory is the workspace: it is
// where the agent was started, and no call moves it.
func plugin(e *Event, f fields) {
	e.Project = e.Start
	e.PromptFollows, e.Call.Interactive, e.Rewrites = f.flag("asks"), f.flag("interactive"), f.flag("rewrites")
	if e.Kind == Outcome {
		e.Failed = f.flag("failed")
	}
	e.Call.Transcript, e.Call.Opening = decodeSaid(f)
}

// readsAsShell reports whether a program reads a line as nod does, or is none in which
// opencode runs commands (fish and nu, for which it takes another; 1.18.33, read).
func readsAsShell(name string) bool {
	switch name {
	case "bash", "zsh", "sh", "dash", "ksh", "fish", "nu":
		return true
	}
	return false
}

// flatDecision answers with a decision and a reason at the top. There is no place for
// notices to the person.
func flatDecision(_ Event, d nod.Decision, word string) Answer {
	if word == abstained {
		return Answer{Said: abstained}
	}
	return flatAnswer(logged(word), reasonOf(d, word))
}

func flatAnswer(word, reason string) Answer {
	return Answer{Stdout: []byte(`{"decision":"` + word + `","reason":` + quoted(reason) + `}`), Said: word}
}

func opencodeConfined(_ Event, d nod.Decision) Answer {
	return Answer{Said: saysConfined, Stdout: []byte(`{"decision":"allow","reason":` +
		quoted(reasonOf(d, saysAllow)) + `,"command":` + quoted(d.Instead) + `}`)}
}

// MayRewrite implements [Rewriter]: measured on 1.18.33. The plugin says where it puts a line in
// the place of the command: not where a rule of the person's or a client's speaks of commands,
// which opencode would hold to that line.
func (Opencode) MayRewrite(e Event) bool { return rewritable(e, "bash") && e.Rewrites }
