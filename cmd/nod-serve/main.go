// Nod-serve is what of nod stays and listens. It is a program of its own since it links much that `nod` need not.
// `nod help daemon` and docs/server.md say what it does: nod-serve daemon, serve, token, team, machine, join, version.
//
// Exit status: 0, 1 a fault, 2 arguments that cannot be used.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/server"
	"github.com/nodgate/nod/internal/version"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case len(args) > 0 && args[0] == "daemon":
		return daemon.Main(ctx, args[1:], os.Stderr)
	case len(args) > 0 && server.Commands()[args[0]] != nil:
		return server.Main(ctx, server.Process{Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout,
			Stderr: os.Stderr}, args)
	case len(args) > 0 && args[0] == "help":
		fmt.Println(server.Usage + "\nnod-serve daemon [FLAGS]      nod help daemon says more")
		return 0
	case len(args) > 0 && (args[0] == "version" || args[0] == "--version"):
		fmt.Println(version.String())
		return 0
	}
	fmt.Fprintln(os.Stderr, "usage: nod-serve serve | token | team | machine | join | daemon | version; nod-serve help says more")
	return 2
}
