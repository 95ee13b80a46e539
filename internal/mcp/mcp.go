// Package mcp serves Claude Code's --permission-prompt-tool: an MCP server on standard input and
// output with one tool. The tool answers in place of a person, since print mode has no person. What
// a call means is decided in agent.ClaudePrompt.
//
// Every call gets an answer, and every failure is a denial: arguments that cannot be read, a
// fault, a deadline, a mode in which nod says nothing.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nodgate/nod/internal/hook"
)

// Tool is the tool's name; Claude Code knows it as mcp__SERVER__approve.
const Tool = "approve"

const description = "Decides whether a tool call may run: the permission prompt of Claude Code. It runs nothing."

// lineLimit is the longest message that is read; a longer one ends the server.
const lineLimit = 64 << 20

// tool is what answers.
type tool struct {
	hook.Options
	deadline time.Duration
}

// Serve answers until stdin ends or ctx does. A decision takes no longer than deadline, which must lie behind the
// model's. The caller sets o.Adapter.
func Serve(ctx context.Context, o hook.Options, deadline time.Duration, stdin io.Reader, stdout io.Writer) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "nod", Version: o.Version},
		&mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{}})
	server.AddTool(&mcp.Tool{Name: Tool, Description: description, InputSchema: json.RawMessage(schema)},
		tool{o, deadline}.approve)
	err := server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(stdin), Writer: openEnd{stdout},
		MaxLineLength: lineLimit})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// schema is what Claude Code sends. It is for show: the adapter reads the arguments by itself, strictly.
const schema = `{"type":"object","properties":{` +
	`"tool_name":{"type":"string","description":"the tool that would run"},` +
	`"input":{"type":"object","description":"its arguments"},` +
	`"tool_use_id":{"type":"string"}},"required":["tool_name","input"]}`

// approve answers one call. It never returns an error: the host might read one as anything.
func (o tool) approve(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithTimeout(ctx, o.deadline)
	defer cancel()
	done := make(chan []byte, 1)
	go func() { done <- hook.Answer(ctx, o.Options, bytes.NewReader(request.Params.Arguments)).Stdout }()
	var text []byte
	without := "nod is set to answer nothing (nod mode), and nobody else can be asked"
	select {
	case text = <-done:
	case <-ctx.Done():
		without = fmt.Sprintf("nod did not decide within %s", o.deadline)
	}
	if len(text) == 0 {
		text = o.Adapter.Block(without).Stdout
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil
}

// openEnd is a writer that the server does not close.
type openEnd struct{ io.Writer }

// Close does nothing.
func (openEnd) Close() error { return nil }
