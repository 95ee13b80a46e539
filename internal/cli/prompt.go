package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

func promptCommand() command {
	return command{
		name:    "prompt",
		usage:   "prompt [--json|--cost] [--agent NAME --payload FILE | -- COMMAND]",
		summary: "show what a model would be asked about a call",
		long: `Shows the side query about one call, byte for byte as it would be sent, part by
part with the tokens that each has. Nothing is sent, decided, run or logged. A
COMMAND is a call without a session: where an agent sends it, the agent's name
of the tool and what was said before stand there too.

  --payload FILE   a call as an agent's hook is told of it ("-" is standard
                   input), with the transcript that it names
  --agent NAME     whose call it is; claude-code without it
  --root DIR       the workspace, instead of this directory or the session's
  --json           one JSON object, "v": 1
  --cost           what such a decision costs, by model, instead of the text
  --settings F, --managed F, --state DIR   instead of the usual places

Tokens are counted with o200k_base, the encoding of OpenAI's models since
GPT-4o. Anthropic and Google publish none; their counts differ, and the log's
"usage" has them. What every request holds besides (the tool and its schema)
is counted too.

Exit status: 0 shown, 2 arguments, payload or settings that cannot be used.`,
		examples: []string{`nod prompt -- git push --force`, `nod prompt --payload call.json`},
		run:      showPrompt,
	}
}

type promptFlags struct {
	json, cost           bool
	payload, agent, root string
	places               config.Places
}

func showPrompt(ctx context.Context, p *Process, args []string) int {
	var f promptFlags
	flags := flag.NewFlagSet("prompt", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&f.json, "json", false, "")
	flags.BoolVar(&f.cost, "cost", false, "")
	flags.StringVar(&f.payload, "payload", "", "")
	flags.StringVar(&f.agent, "agent", "claude-code", "")
	flags.StringVar(&f.root, "root", "", "")
	var err error
	if f.places, err = parsePlaces(p, flags, args); err != nil {
		return usageError(p, promptCommand(), err)
	}
	prompt, err := promptOf(ctx, p, f, strings.Join(flags.Args(), " "))
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod prompt:", err)
		return ExitBadInput
	}
	if f.cost {
		return printCosts(p, prompt)
	}
	return printPrompt(p, prompt, f.json)
}

func promptOf(ctx context.Context, p *Process, f promptFlags, command string) (nod.Prompt, error) {
	f.places.Known, f.places.Files = nil, view.Disk{}
	root, err := view.Resolve(f.places.Files, absolute(p, cmp.Or(f.root, p.Dir)))
	if err != nil {
		return nod.Prompt{}, fmt.Errorf("--root %s: %w", f.root, err)
	}
	e, err := promptEvent(p, f, command)
	if err != nil {
		return nod.Prompt{}, err
	}
	if f.payload != "" && f.root == "" {
		root = "" // as the hook has it
	}
	self, beside := hook.Programs()
	o := hook.Options{Environ: p.Environ, Places: f.places, Files: f.places.Files, Nod: beside, Self: []string{self},
		Now: time.Now}
	return hook.PromptOf(ctx, o, e, root)
}

// promptEvent is the command of the arguments, or the call of the payload.
func promptEvent(p *Process, f promptFlags, command string) (agent.Event, error) {
	if (f.payload == "") == (strings.TrimSpace(command) == "") {
		return agent.Event{}, errors.New("write either a command after -- or --payload FILE")
	}
	adapter, ok := agent.ByName(f.agent)
	if !ok {
		return agent.Event{}, fmt.Errorf("--agent %q: want one of %s", f.agent, strings.Join(agentNames(), ", "))
	}
	if f.payload == "" {
		input, err := json.Marshal(map[string]string{"command": command})
		return agent.Event{Call: nod.Call{Agent: f.agent, Session: "nod prompt", Tool: "bash", RawTool: "bash",
			Input: input, Command: command, Dir: p.Dir, Environ: p.Environ}}, err
	}
	text, err := readPayload(p, f.payload)
	if err != nil {
		return agent.Event{}, err
	}
	event, err := adapter.Decode(text, p.Environ)
	if err != nil {
		return agent.Event{}, fmt.Errorf("--payload %s: %w", f.payload, err)
	}
	return event, nil
}

func readPayload(p *Process, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(p.Stdin)
	}
	return os.ReadFile(absolute(p, name))
}

// promptOutput is the answer of prompt --json. Fields are only ever added.
type promptOutput struct {
	Version int          `json:"v"`
	Parts   []promptPart `json:"parts"`
}

// promptPart is a part of a prompt with its tokens.
type promptPart struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
	Cached bool   `json:"cached"` // the same bytes in the session's next call
	Text   string `json:"text"`
}

// promptParts are what is sent, in order.
func promptParts(q nod.Prompt) ([]promptPart, error) {
	encoding, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, err
	}
	parts := []promptPart{
		{Name: "tool", Cached: true,
			Text: nod.AnswerTool().Name + "\n" + nod.AnswerTool().Description + "\n" + string(nod.AnswerTool().Schema)},
		{Name: "system", Cached: true, Text: q.System},
		{Name: "session", Cached: true, Text: strings.Join(q.Ledger, "\n\n")},
		{Name: "call", Text: q.User},
		{Name: "quick", Text: q.Quick},
		{Name: "careful", Text: q.Careful},
	}
	var said []promptPart
	for _, part := range parts {
		if part.Text == "" {
			continue
		}
		if part.Tokens, err = encoding.Count(part.Text); err != nil {
			return nil, err
		}
		said = append(said, part)
	}
	return said, nil
}

func printPrompt(p *Process, q nod.Prompt, asJSON bool) int {
	parts, err := promptParts(q)
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod prompt:", err)
		return ExitInternal
	}
	if asJSON {
		out := promptOutput{Version: 1, Parts: parts}
		enc := json.NewEncoder(p.Stdout)
		enc.SetEscapeHTML(false)
		if enc.Encode(out) != nil {
			return ExitInternal
		}
		return ExitOK
	}
	cached, fresh := 0, 0
	for _, part := range parts {
		if part.Cached {
			cached += part.Tokens
		} else {
			fresh += part.Tokens
		}
		fmt.Fprintf(p.Stdout, "%s (%d tokens)\n\n%s\n\n", strings.ToUpper(part.Name), part.Tokens,
			printableLines(part.Text))
	}
	fmt.Fprintf(p.Stdout, "%d tokens: %d that a session's calls share, %d of this call\n", cached+fresh, cached, fresh)
	return ExitOK
}

// printableLines escapes all but the ends of lines.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable.Text(line)
	}
	return strings.Join(lines, "\n")
}
