package main

import (
	"context"
	"fmt"
	"os"

	"github.com/nodgate/nod/internal/confine/behind"
	"github.com/nodgate/nod/internal/demo"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/version"
)

// main catches no signals: a hook that is stopped must not answer, and setting that up would cost every start.
func main() {
	growStack()
	os.Exit(run(context.Background(), os.Args[1:]))
}

// growStack makes the stack large while there is little on it. It would be
// grown and copied several times on the way down otherwise.
//
//go:noinline
func growStack() byte {
	var frame [20 << 10]byte
	return frame[len(os.Args)]
}

func run(ctx context.Context, args []string) int {
	name := "help"
	if len(args) > 0 {
		name = args[0]
	}
	switch name {
	case behind.Word:
		return confined(ctx, args[1:])
	case "demo":
		return demo.Main(ctx, args[1:], os.Stdout, os.Stderr)
	case "version":
		fmt.Println("nod", version.String())
		return 0
	case "help", "-h", "--help":
		fmt.Println(hook.Usage)
		return 0
	}
	return hook.Main(ctx, args, os.Environ(), os.Stdin, os.Stdout, os.Stderr, os.Exit)
}

func confined(ctx context.Context, args []string) int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "nod-hook: the current directory cannot be read:", err)
		return behind.NothingRan
	}
	return behind.Main(ctx, behind.Process{Environ: os.Environ(), Dir: dir, Stdin: os.Stdin, Stdout: os.Stdout,
		Stderr: os.Stderr}, args)
}
