package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// UntilSignalled is done when the process is told to end. A second signal ends
// what does not heed the first: a question that waits for its answer.
func UntilSignalled() (ctx context.Context, stop context.CancelFunc) {
	ctx, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
