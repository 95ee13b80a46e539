// Nod-serve is what of nod stays, and shows or serves: the page of nod ui, the terminal of nod watch and nod ask, nod
// mcp, nod daemon, and the HTTP server. It is a program of its own since it links much that `nod` need not. nod turns
// into it for these commands, and `nod help ui` and the like say what they do; docs/server.md has the others.
//
// Exit status: 0, 1 a fault, 2 arguments that cannot be used.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/nodgate/nod/internal/cli"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/mcp"
	"github.com/nodgate/nod/internal/page"
	"github.com/nodgate/nod/internal/server"
	"github.com/nodgate/nod/internal/shown"
	"github.com/nodgate/nod/internal/version"
	"github.com/nodgate/nod/internal/watch"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	switch name {
	case "ui", "watch", "ask", "mcp":
		return cli.Run(&cli.Views{Page: func(o shown.Page) cli.Page { return page.New(o) }, Watch: watch.Run,
			MCP: mcp.Serve})
	case "daemon":
		return stay(args)
	case "help":
		fmt.Println(server.Usage + "\nnod-serve ui | watch | ask | mcp | daemon [FLAGS]   nod help ui says more")
		return 0
	case "version", "--version":
		fmt.Println("nod", version.String())
		return 0
	}
	if server.Commands()[name] != nil {
		return stay(args)
	}
	fmt.Fprintln(os.Stderr, "usage: nod-serve COMMAND; nod-serve help says which there are")
	return 2
}

func stay(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if args[0] == "daemon" {
		return daemon.Main(ctx, args[1:], os.Stderr)
	}
	return server.Main(ctx, server.Process{Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout,
		Stderr: os.Stderr}, args)
}
