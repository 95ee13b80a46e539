package main

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// interpName is the shell that Crush runs a command with: a library, of which this
// program is the shell where it is started under this name.
const interpName = "interp"

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

// interpPipe is the name that it gives what <( ) stands for, a pipe that it makes and
// takes away; a shell says /dev/fd/63.
var interpPipe = regexp.MustCompile(`/tmp/sh-interp-[0-9a-f]{16}`)

// asOfShells is what happened with such names as a shell says them.
func asOfShells(r ran) ran {
	for _, s := range r.Started {
		for i, word := range s.Words {
			s.Words[i] = interpPipe.ReplaceAllString(word, "/dev/fd/63")
		}
	}
	var changed []change
	for _, c := range r.Changed {
		if !interpPipe.MatchString(c.Name) {
			changed = append(changed, c)
		}
	}
	r.Changed = changed
	return r
}
