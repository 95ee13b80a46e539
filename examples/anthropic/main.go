// The smallest agent on Anthropic's SDK that is safe to leave alone: two
// tools, and nod.Gate.Check before each of their calls.
//
//	ANTHROPIC_API_KEY=... go run ./examples/anthropic "add a README"
//
// It works in a directory that it makes and throws away.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/nodgate/nod"
)

func main() {
	dir, err := os.MkdirTemp("", "agent-")
	if err == nil {
		defer os.RemoveAll(dir)
		a := newAgent(anthropic.NewClient(), dir, os.Getenv("HOME"), os.Environ())
		err = a.run(context.Background(), cmp.Or(os.Args[len(os.Args)-1], "say hello"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type agent struct {
	client  anthropic.Client
	gate    *nod.Gate
	dir     string
	environ []string
}

// newAgent has a gate without a model of its own: what nod does not settle by
// itself is not run. See package llm for one that asks.
func newAgent(client anthropic.Client, dir, home string, environ []string) *agent {
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: nod.OnDisk(), Home: home})
	return &agent{client, gate, dir, environ}
}

// run is the loop of every agent: ask the model, run its tools, tell it what came of them, until it calls none.
func (a *agent) run(ctx context.Context, prompt string) error {
	messages := []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt))}
	for {
		answer, err := a.client.Messages.New(ctx, anthropic.MessageNewParams{
			Model: "claude-sonnet-4-6", MaxTokens: 2048, Messages: messages, Tools: tools(),
		})
		if err != nil {
			return err
		}
		messages = append(messages, answer.ToParam())
		var results []anthropic.ContentBlockParamUnion
		for _, block := range answer.Content {
			if call, ok := block.AsAny().(anthropic.ToolUseBlock); ok {
				text, err := a.tool(ctx, call)
				if err != nil {
					text = err.Error()
				}
				results = append(results, anthropic.NewToolResultBlock(call.ID, text, err != nil))
			}
		}
		if len(results) == 0 {
			return nil
		}
		messages = append(messages, anthropic.NewUserMessage(results...))
	}
}

// tool runs one call, if nod lets it. What is checked is what runs: the same decoded arguments, directory and
// environment. A refusal is a result like any other: the model reads why, and can do something else.
func (a *agent) tool(ctx context.Context, call anthropic.ToolUseBlock) (string, error) {
	var in struct{ Command, Path, Content string }
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return "", err
	}
	c := nod.NewCall(call.Name, call.Input, a.dir, a.environ)
	if d := a.gate.Check(ctx, c); d.Verdict != nod.Allow {
		return "", fmt.Errorf("not run (%s): %s", d.Verdict, d.Reason)
	}
	switch call.Name {
	case "bash":
		cmd := exec.CommandContext(ctx, "bash", "-c", in.Command)
		cmd.Dir, cmd.Env = a.dir, a.environ
		out, err := cmd.CombinedOutput()
		return string(out), err
	case "file_write":
		name := in.Path
		if !filepath.IsAbs(name) {
			name = filepath.Join(a.dir, name)
		}
		return "written", os.WriteFile(name, []byte(in.Content), 0o644)
	}
	return "", fmt.Errorf("there is no tool %q", call.Name)
}

func tools() []anthropic.ToolUnionParam {
	return []anthropic.ToolUnionParam{
		{OfTool: &anthropic.ToolParam{Name: "bash", InputSchema: object("command")}},
		{OfTool: &anthropic.ToolParam{Name: "file_write", InputSchema: object("path", "content")}},
	}
}

func object(names ...string) anthropic.ToolInputSchemaParam {
	properties := map[string]any{}
	for _, name := range names {
		properties[name] = map[string]string{"type": "string"}
	}
	return anthropic.ToolInputSchemaParam{Properties: properties, Required: names}
}
