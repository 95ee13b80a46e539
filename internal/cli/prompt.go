package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nodgate/nod"
)

func showPrompt(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	if err := a.withRules(args, len(args)); err != nil {
		return err
	}
	command := strings.Join(a.Args(), " ")
	if strings.TrimSpace(command) == "" {
		return usage(errors.New("no command; write it after --"))
	}
	gate, _, call, err := a.gateFor(p, p.Dir, command)
	if err != nil {
		return err
	}
	call.Agent, call.Session = nod.ClaudeCode, "nod prompt"
	prompt, err := gate.Prompt(ctx, call)
	if err != nil {
		return err
	}
	for _, part := range promptParts(prompt) {
		if part.text != "" {
			fmt.Fprintf(p.Stdout, "%s\n\n%s\n\n", strings.ToUpper(part.name), printableLines(part.text))
		}
	}
	return nil
}

// promptPart is a part of what is sent to a model.
type promptPart struct{ name, text string }

// promptParts are what is sent, in order.
func promptParts(q nod.Prompt) []promptPart {
	tool := nod.AnswerTool()
	return []promptPart{
		{"tool", tool.Name + "\n" + tool.Description + "\n" + string(tool.Schema)},
		{"system", q.System},
		{"session", strings.Join(q.Ledger, "\n\n")},
		{"call", q.User},
		{"quick", q.Quick},
		{"careful", q.Careful},
	}
}
