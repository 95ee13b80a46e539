package cli

import (
	"context"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/mcp"
)

func serveMCP(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	if err := a.withRules(args, 0); err != nil {
		return err
	}
	o, deadline, err := seat(p, a.places)
	if err != nil {
		return err
	}
	o.Adapter = agent.ClaudePrompt{Project: p.Dir, Session: p.Getenv("CLAUDE_CODE_SESSION_ID")}
	return internal(mcp.Serve(ctx, mcp.Options{Hook: o, Deadline: deadline}, p.Stdin, p.Stdout))
}
