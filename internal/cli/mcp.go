package cli

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/mcp"
	"github.com/nodgate/nod/internal/printable"
)

func mcpCommand() command {
	return command{
		name:    "mcp",
		usage:   "mcp [--settings FILE] [--managed FILE] [--state DIR]",
		summary: "answer Claude Code's permission prompts where nobody is there (MCP)",
		long: `Serves one tool, approve, over the Model Context Protocol. Claude Code in print
mode calls it instead of asking a person. With this in a file nod.json:

  {"mcpServers":{"nod":{"command":"nod","args":["mcp"]}}}

run  claude -p --mcp-config nod.json --permission-prompt-tool mcp__nod__approve

It is asked about what Claude Code's own rules leave open and nothing else; what
nod would ask a person about is denied, with how to approve it. It is not told
where a command starts nor what was said before, so that the hook (nod install
claude-code) settles more.

  --settings F, --managed F, --state DIR   instead of the usual places; with
                 absolute paths here, no environment leads elsewhere

Exit status: 0 when standard input ends, 2 if the arguments cannot be used, 1 if
the connection broke.`,
		examples: []string{`nod mcp --settings ~/.config/nod/nod.toml`},
		run:      serveMCP,
	}
}

func serveMCP(ctx context.Context, p *Process, args []string) int {
	flags := flag.NewFlagSet("mcp", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	places, err := parsePlaces(p, flags, args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err != nil {
		return usageError(p, mcpCommand(), err)
	}
	o, deadline, err := seat(p, places)
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod mcp:", err)
		return ExitBadInput
	}
	o.Adapter = agent.ClaudePrompt{Project: p.Dir, Session: p.Getenv("CLAUDE_CODE_SESSION_ID")}
	if err := mcp.Serve(ctx, mcp.Options{Hook: o, Deadline: deadline}, p.Stdin, p.Stdout); err != nil {
		fmt.Fprintln(p.Stderr, "nod mcp:", printable.Line(err.Error(), 300))
		return ExitInternal
	}
	return ExitOK
}
