package main

import (
	"fmt"
	"os"

	"github.com/nodgate/nod/internal/cli"
)

func main() {
	ctx, stop := cli.UntilSignalled()
	defer stop()
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "nod: the current directory cannot be read:", err)
		os.Exit(cli.ExitInternal)
	}
	os.Exit(cli.Main(ctx, &cli.Process{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: os.Environ(), Dir: dir,
	}, os.Args[1:]))
}
