package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	"github.com/nodgate/nod/internal/view"
)

type promptFlags struct {
	json                 bool
	payload, agent, root string
	places               config.Places
}

func showPrompt(ctx context.Context, p *Process, args []string) error {
	var f promptFlags
	a := newArguments(p).settings()
	a.BoolVar(&f.json, "json", false, "")
	a.StringVar(&f.payload, "payload", "", "")
	a.StringVar(&f.agent, "agent", nod.ClaudeCode, "")
	a.StringVar(&f.root, "root", "", "")
	if err := a.withRules(args, len(args)); err != nil {
		return err
	}
	f.places = a.places
	prompt, err := f.prompt(ctx, p, strings.Join(a.Args(), " "))
	if err != nil {
		return err
	}
	return printPrompt(p, prompt, f.json)
}

func (f promptFlags) prompt(ctx context.Context, p *Process, command string) (nod.Prompt, error) {
	f.places.Known, f.places.Files = nil, view.Disk{}
	root, err := view.Resolve(f.places.Files, absolute(p, cmp.Or(f.root, p.Dir)))
	if err != nil {
		return nod.Prompt{}, fmt.Errorf("--root %s: %w", f.root, err)
	}
	e, err := f.event(p, command)
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

// event is the command of the arguments, or the call of the payload.
func (f promptFlags) event(p *Process, command string) (agent.Event, error) {
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

// agentNames are the agents whose calls nod reads.
func agentNames() (names []string) {
	for _, a := range agent.All() {
		names = append(names, a.Name())
	}
	return names
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
func promptParts(q nod.Prompt) (parts []promptPart, err error) {
	encoding, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil, err
	}
	tool := nod.AnswerTool()
	for _, part := range []promptPart{
		{Name: "tool", Cached: true, Text: tool.Name + "\n" + tool.Description + "\n" + string(tool.Schema)},
		{Name: "system", Cached: true, Text: q.System},
		{Name: "session", Cached: true, Text: strings.Join(q.Ledger, "\n\n")},
		{Name: "call", Text: q.User},
		{Name: "quick", Text: q.Quick},
		{Name: "careful", Text: q.Careful},
	} {
		if part.Text == "" {
			continue
		}
		if part.Tokens, err = encoding.Count(part.Text); err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

func printPrompt(p *Process, q nod.Prompt, asJSON bool) error {
	parts, err := promptParts(q)
	if err != nil {
		return internal(err)
	}
	if asJSON {
		return printJSON(p, promptOutput{Version: 1, Parts: parts})
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
	return nil
}
