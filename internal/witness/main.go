// Command witness lays what nod says of a shell text beside what really
// happens. It makes texts from numbers, asks nod, and runs what nod allows in
// the real bash, zsh and dash and in the interpreter of Crush, in a namespace without network where nothing of
// this machine can be written and where programs are stubs that write down how
// they were called. Without a namespace nothing is run. docs/witness.md says
// what this shows and what it cannot.
//
//	go run ./internal/witness -shells -n 50000 -seed 1
//	go run ./internal/witness -confine
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == insideArg {
		if err := inside(); err != nil {
			fmt.Fprintln(os.Stderr, "witness:", err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[0] == interpName {
		os.Exit(interpret(os.Args[2]))
	}
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "witness:", err)
		os.Exit(1)
	}
}

// errFound says that something happened which nod did not say.
var errFound = errors.New("violations were found")

func run(args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("witness", flag.ContinueOnError)
	flags.SetOutput(progress)
	shells := flags.Bool("shells", false, "run generated shell programs")
	second := flags.Bool("second", false, "lay nod's parser beside what the shells read")
	files := flags.Bool("files", false, "run generated lines of file and git commands")
	programs := flags.Bool("programs", false, "run what the data on programs lists")
	arity := flags.Bool("options", false, "ask the programs themselves how they take the options that the data lists")
	reads := flags.Bool("reads", false, "make each name that a program looks for by itself a link, a script and so on")
	confined := flags.Bool("confine", false,
		"try the ways out of confinement: the tests of internal/confine, with what each way met")
	n := flags.Uint64("n", 2000, "how many texts to generate")
	seed := flags.Uint64("seed", 1, "number of the first text; each text follows from its own number")
	workers := flags.Int("workers", 4*runtime.NumCPU(), "how many namespaces run at once; each mostly waits")
	show := flags.Bool("print", false, "print the texts and run nothing")
	from := flags.String("from", "", "run the texts of this file instead of generated ones: each line is a JSON string")
	text := flags.String("text", "", "run this text instead of generated ones, if nod allows it")
	most := flags.Int("most", 200, "how many violations to print; all are counted")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *confined {
		return escapes(out, progress)
	}
	texts, err := textsOf(*from)
	if err != nil {
		return err
	}
	if texts != nil {
		*n, *seed = uint64(len(texts)), 0
	}
	w := &witnessing{n: *n, seed: *seed, workers: *workers, out: out, progress: progress, text: *text, most: *most,
		second: *second, files: *files, given: texts}
	if *show {
		for i := range *n {
			fmt.Fprintf(out, "%d %q\n", *seed+i, w.textOf(*seed+i))
		}
		return nil
	}
	switch {
	case *programs:
		return w.stageAndRunPrograms()
	case *arity:
		return w.stageAndRunProbes()
	case *reads:
		return w.stageAndRunReads()
	case !*shells && !*second && !*files:
		return errors.New("say what to run: -shells, -second, -files, -programs, -options, -reads or -confine")
	}
	return w.stageAndRun()
}

// textsOf reads the texts of another generator. No name is no texts.
func textsOf(name string) (texts []string, err error) {
	if name == "" {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines := json.NewDecoder(bytes.NewReader(data))
	for {
		var text string
		if err := lines.Decode(&text); err == io.EOF {
			return texts, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: text %d: %w", name, len(texts)+1, err)
		}
		texts = append(texts, text)
	}
}
