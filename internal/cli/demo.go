package cli

import (
	"context"

	"github.com/nodgate/nod/internal/demo"
)

func runDemo(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p)
	asJSON := a.Bool("json", false, "")
	if err := a.parse(args, 0); err != nil {
		return err
	}
	colour := p.paint(0, "") != ""
	return internal(demo.Run(ctx, demo.Options{Stdout: p.Stdout, Slowly: p.Terminal, Colour: colour, Width: p.Width,
		JSON: *asJSON}))
}
