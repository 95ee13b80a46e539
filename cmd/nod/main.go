package main

import (
	"os"

	"github.com/nodgate/nod/internal/cli"
)

func main() { os.Exit(cli.Run(nil)) }
