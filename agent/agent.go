// Package agent holds one adapter for each coding agent: what its hook sends becomes a [nod.Call],
// and a [nod.Decision] becomes what it understands.
//
// An adapter states facts about its host and decides nothing. [All] lists them. A new adapter is a
// file here, a line in All, its captured payloads, and passes TestContract unchanged.
package agent

import (
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
)

// Kind says what an event wants of nod.
type Kind uint8

const (
	// Unexpected is the zero value: an event that the adapter does not know. With a tool name
	// it blocks, without one it is logged and passed.
	Unexpected Kind = iota
	Decide          // a call is about to run: answer it
	Prompt          // the host is about to ask a person: answer what Decide did not see
	Outcome         // a call ran or failed
	HostDenied      // the host's own judge denied a call
	Other           // known, and none of nod's business
)

// Event is one decoded payload. Each flag is false where that is not certain.
type Event struct {
	Kind Kind
	Name string // the host's name of the event
	Call nod.Call
	Mode string // the host's permission mode, as the host spells it
	Plan bool   // nothing may change in this mode
	// Project is the workspace root that the host vouches for; "" where it names none.
	Project string
	// Start is where the payload says that the agent is, wherever the arguments of the call
	// lead; "" where it does not say so.
	Start string
	// Failed, Error and Took describe an Outcome.
	Failed bool
	Error  string
	Took   time.Duration
	Reason string // the host's, for HostDenied
	// PromptFollows says that the host asks a person about this call if nod is silent, unless
	// that person told the host before not to.
	PromptFollows bool
	// Contained says that the host runs this call in a sandbox of its own, or asks a person about it, if nod is silent.
	Contained bool
	// Theirs says that the host decides about this call if nod is silent as it would without
	// nod, and asks about it at most what it asks then.
	Theirs bool
	// Complete adds what the host's own files say and the payload does not; nil if they add
	// nothing. Until then the event is at its strictest.
	Complete func(*Event)
	// Rewrites says that nod's plugin in the host puts a command of the answer's in the place of the call's.
	Rewrites bool
	Child    bool // a sub-agent makes the call
	// Unproven says that the payload does not show for certain what the call would do: it may
	// be denied for what it seems to be, never allowed.
	Unproven bool
	// Reserved says that a rule of the person's in the host's own settings may have the host
	// ask about this call: nod does not allow.
	Reserved bool
}

// Answer is what the hook's process does: what it prints and its exit code. The zero value is
// silence; what that means is in [Seat].
type Answer struct {
	Stdout, Stderr []byte
	Exit           int
	// Said is what the host was told: "allow", "ask", "deny" or "abstained".
	Said string
}

// Profile says how far nod may go.
type Profile uint8

const (
	// Default is Replace where a model is configured for nod. Without a model it leaves to a
	// host that judges by itself, confines the call or asks about it what nod left open and
	// knows nothing against ([nod.Decision.Deferrable]).
	Default   Profile = iota
	Replace           // nod answers everything
	Reinforce         // nod never allows: it denies, asks, or is silent
)

// Seat is one place in which a host listens to a hook. The zero value is a seat that the host does not have.
type Seat struct {
	// Allow says that an allow skips the host's own prompt. Where it does not, allow is said as silence.
	Allow bool
	Deny  bool // a denial stops the call
	// Ask says that an ask makes the host ask a person, AskHeadless that this does no harm
	// where nobody is there (some hosts then hang for ever).
	Ask, AskHeadless bool
	Silence          Silence
}

// Silence is what a host does after a hook that exits 0 and prints nothing.
type Silence uint8

const (
	Runs    Silence = iota // the worst case: nothing else stops the call
	Flows                  // the host's own rules decide, and may ask a person
	Prompts                // the host asks a person, or denies where nobody is there
)

// Capabilities are the facts that decide how an answer can be encoded, each measured on the version that Tried names.
type Capabilities struct {
	Tried string // "2.1.329"
	// Before is the seat of a [Decide] event, Asking that of a [Prompt] event.
	Before, Asking Seat
	FailClosed     string // the host's own switch, "" where it has none
	SeesSubagents  bool   // a sub-agent's calls reach the hook
	// PromptsAnswerOthers says that what a person answers to a prompt may let a call run whose
	// own prompt waits behind it.
	PromptsAnswerOthers bool
	// StdinUnseen says that the agent can type into a program that it has started, and that no hook sees what.
	StdinUnseen bool
	// Rewrites says that the host was seen to run a command that a hook hands it ([Host.MayRewrite]).
	Rewrites bool
}

// Adapter is one coding agent. Implementations are values without state and safe for concurrent use.
type Adapter interface {
	// Name is the word on the command line and in the log.
	Name() string
	// Decode reads one payload, strictly. environ is the hook's environment, as os.Environ gives
	// it, with PWD set to the directory in which the host started the hook. An error blocks.
	Decode(payload []byte, environ []string) (Event, error)
	// Encode says a decision in the host's dialect. model says that a model is configured for nod.
	Encode(e Event, d nod.Decision, p Profile, model bool) Answer
	// Block says "this must not run" without an event, for payloads that
	// could not be read and for nod's own faults. It never fails.
	Block(reason string) Answer
	Capabilities() Capabilities
}

// All lists every adapter.
func All() (all []Adapter) {
	for _, name := range []string{"claude-code", "codex", "copilot", "gemini", "qwen", "opencode", "pi", "antigravity",
		"crush", "cursor", "droid", "goose", "grok", "kiro", "openhands", "vscode", "windsurf"} {
		all = append(all, Host(name))
	}
	return all
}

// ByName returns the adapter of that name.
func ByName(name string) (Adapter, bool) {
	for _, a := range All() {
		if a.Name() == name {
			return a, true
		}
	}
	return nil, false
}

// attended reports whether a person started the host at a terminal and sits there: of the processes above
// this one, the nearest that is the host reads from a terminal, and none of its arguments says that nobody
// is there. False where that cannot be seen.
func attended(host string) bool {
	pid := os.Getppid()
	for range 32 {
		args, parent, err := started(pid)
		if err != nil || pid <= 1 {
			return false
		}
		if own, is := argumentsOf(host, args); is {
			return onTerminal(pid) && sitsThere(own, factsOf(host))
		}
		pid = parent
	}
	return false
}

// argumentsOf returns the arguments of a process, if the process is the host: the name of its
// program, or of the script that node or bun runs, contains the host's name.
func argumentsOf(host string, args []string) (own []string, is bool) {
	for i, arg := range args {
		interprets := slices.Contains([]string{"node", "bun"}, path.Base(arg))
		if i > 0 && strings.HasPrefix(arg, "-") || i == 0 && interprets {
			continue
		}
		return args[i+1:], strings.Contains(arg, host)
	}
	return nil, false
}

// sitsThere reports whether the arguments leave room for a person: none of them says that nobody can be asked or that
// a program is at the other end. Qwen Code answers a question among the arguments once.
func sitsThere(args []string, host facts) bool {
	before := ""
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		says := func(word string) bool {
			return name == word || len(word) == 2 && word[0] == '-' && strings.HasPrefix(arg, word)
		}
		question := arg != "" && !strings.HasPrefix(arg, "-") && !strings.HasPrefix(before, "-")
		if question && len(host.list("question")) > 0 || slices.ContainsFunc(host.list("headless"), says) {
			return false
		}
		before = arg
	}
	return true
}
