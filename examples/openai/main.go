// The smallest agent on OpenAI's SDK that is safe to leave alone: two
// tools, and nod.Gate.Check before each of their calls.
//
//	OPENAI_API_KEY=... go run ./examples/openai "add a README"
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

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/nodgate/nod"
)

func main() {
	dir, err := os.MkdirTemp("", "agent-")
	if err == nil {
		defer os.RemoveAll(dir)
		a := newAgent(openai.NewClient(), dir, os.Getenv("HOME"), os.Environ())
		err = a.run(context.Background(), cmp.Or(os.Args[len(os.Args)-1], "say hello"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type agent struct {
	client  openai.Client
	gate    *nod.Gate
	dir     string
	environ []string
}

// newAgent has a gate without a model of its own: what nod does not settle by
// itself is not run. See package llm for one that asks.
func newAgent(client openai.Client, dir, home string, environ []string) *agent {
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: nod.OnDisk(), Home: home})
	return &agent{client, gate, dir, environ}
}

// run is the loop of every agent: ask the model, run its tools, tell it what
// came of them, until it calls none.
func (a *agent) run(ctx context.Context, prompt string) error {
	said := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(prompt,
		responses.EasyInputMessageRoleUser)}
	for {
		answer, err := a.client.Responses.New(ctx, responses.ResponseNewParams{
			Model: "gpt-4.1-mini", Tools: tools(), Store: openai.Bool(false),
			Input: responses.ResponseNewParamsInputUnion{OfInputItemList: said},
		})
		if err != nil {
			return err
		}
		calls := 0
		for _, item := range answer.Output {
			switch item := item.AsAny().(type) {
			case responses.ResponseOutputMessage:
				m := item.ToParam()
				said = append(said, responses.ResponseInputItemUnionParam{OfOutputMessage: &m})
			case responses.ResponseFunctionToolCall:
				calls++
				text, err := a.tool(ctx, item)
				if err != nil {
					text = err.Error()
				}
				said = append(said,
					responses.ResponseInputItemParamOfFunctionCall(item.Arguments, item.CallID, item.Name),
					result(item.CallID, text))
			}
		}
		if calls == 0 {
			return nil
		}
	}
}

func result(call, text string) responses.ResponseInputItemUnionParam {
	item := responses.ResponseInputItemParamOfFunctionCallOutput(text)
	item.OfFunctionCallOutput.CallID = openai.String(call)
	return item
}

// tool runs one call, if nod lets it. What is checked is what runs: the same
// decoded arguments, directory and environment. A refusal is a result like
// any other: the model reads why, and can do something else.
func (a *agent) tool(ctx context.Context, call responses.ResponseFunctionToolCall) (string, error) {
	var in struct{ Command, Path, Content string }
	if err := json.Unmarshal([]byte(call.Arguments), &in); err != nil {
		return "", err
	}
	c := nod.Call{
		ID: call.CallID, Agent: "example", RawTool: call.Name, Input: json.RawMessage(call.Arguments),
		Dir: a.dir, Roots: []string{a.dir}, Environ: a.environ,
	}
	switch call.Name {
	case "bash":
		c.Tool, c.Command, c.Dialect = "bash", in.Command, nod.Bash
	case "write_file":
		c.Tool, c.Paths = "file_write", []string{in.Path}
		c.Edits = []nod.Edit{{Path: in.Path, New: in.Content, Whole: true}}
	}
	if d := a.gate.Check(ctx, c); d.Verdict != nod.Allow {
		return "", fmt.Errorf("not run (%s): %s", d.Verdict, d.Reason)
	}
	switch call.Name {
	case "bash":
		cmd := exec.CommandContext(ctx, "bash", "-c", in.Command)
		cmd.Dir, cmd.Env = a.dir, a.environ
		out, err := cmd.CombinedOutput()
		return string(out), err
	case "write_file":
		name := in.Path
		if !filepath.IsAbs(name) {
			name = filepath.Join(a.dir, name)
		}
		return "written", os.WriteFile(name, []byte(in.Content), 0o644)
	}
	return "", fmt.Errorf("there is no tool %q", call.Name)
}

func tools() []responses.ToolUnionParam {
	return []responses.ToolUnionParam{
		{OfFunction: &responses.FunctionToolParam{Name: "bash", Parameters: object("command"),
			Strict: openai.Bool(true)}},
		{OfFunction: &responses.FunctionToolParam{Name: "write_file", Parameters: object("path", "content"),
			Strict: openai.Bool(true)}},
	}
}

func object(names ...string) map[string]any {
	properties := map[string]any{}
	for _, name := range names {
		properties[name] = map[string]string{"type": "string"}
	}
	return map[string]any{"type": "object", "properties": properties, "required": names, "additionalProperties": false}
}
