package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// interpName is the shell that Crush runs a command with: a library, of which this
// program is the shell where it is started under this name.
const interpName = "interp"

// pipesByName reports whether the interpreter would make a pipe with a name by chance for
// <( ): what a program is handed then, and leaves, no report can say.
func pipesByName(name, text string) bool { return name == interpName && strings.Contains(text, "<(") }

// interpret runs a text as Crush does (0.90, internal/shell/run.go), and returns its
// status.
func interpret(text string) int {
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		os.Stderr.WriteString(interpName + ": " + err.Error() + "\n")
		return 2
	}
	dir, err := os.Getwd()
	if err != nil {
		return 2
	}
	runner, err := interp.New(interp.StdIO(os.Stdin, os.Stdout, os.Stderr), interp.Interactive(false),
		interp.Env(expand.ListEnviron(os.Environ()...)), interp.Dir(dir))
	if err != nil {
		return 2
	}
	if status := interp.ExitStatus(0); errors.As(runner.Run(context.Background(), file), &status) {
		return int(status)
	}
	return 0
}
