package cli

import (
	"context"

	"github.com/nodgate/nod/internal/demo"
)

func runDemo(ctx context.Context, p *Process, args []string) error {
	if err := newArguments(p).parse(args, 0); err != nil {
		return err
	}
	return internal(demo.Run(ctx, demo.Options{Stdout: p.Stdout, Slowly: p.Terminal, Colour: p.paint(0, "") != ""}))
}
