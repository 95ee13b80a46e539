// Measure prints how often package probe finds something hidden in tool
// results that give orders and in honest ones, by kind, and how many of them
// are known by where they come from without being read.
//
//	go run ./internal/probe/measure [FILE...]
//
// It runs in this repository. It always reads the texts written for nod
// (corpus/results), the injected ones of them in disguise too, and the honest
// texts that this machine holds: the Go installation, the modules that nod is
// built with, the npm packages in NOD_TOOLS if that is set, and what commands
// print about this repository.
//
// FILEs are measured as well. One that is a directory stands for the text files
// below it, as honest results of reading them. Any other is JSON lines, plain or
// gzip: rows with input.text, label benign-toolresult or injected-toolresult,
// and category, which is the family. Rows without a text that name a commit and
// a transcript of a public repository get theirs from --clone DIR.
package main

import (
	"flag"
	"fmt"
	"os"
)

const (
	ownInjected = "corpus/results/injected.jsonl"
	ownBenign   = "corpus/results/benign.jsonl"
	ownCheck    = "corpus/results/check.jsonl"
)

func main() {
	machine := flag.Bool("machine", true, "read the honest texts of this machine too, which takes minutes")
	list := flag.String("list", "", "missed or alarms: print these rows")
	var clones []string
	flag.Func("clone", "DIR: a clone of a repository that rows name, for their texts", func(dir string) error {
		clones = append(clones, dir)
		return nil
	})
	flag.Parse()
	rows, err := readAll(*machine, flag.Args(), clones)
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(2)
	}
	switch {
	case *list != "":
		printRows(rows, *list)
	default:
		printKinds(rows, benign, "honest results")
		printKinds(rows, injected, "results that give orders")
		printSigns(rows)
	}
}

// readAll reads what is always read, and files.
func readAll(machine bool, files, clones []string) (rows []row, err error) {
	if machine {
		if rows, err = here(); err != nil {
			return nil, err
		}
		fmt.Printf("%-48s %6d results\n", "what this machine holds", len(rows))
	}
	for _, name := range append([]string{ownInjected, ownBenign, ownCheck}, files...) {
		more, bare, err := readRows(name)
		if err != nil {
			return nil, err
		}
		fmt.Printf("%-48s %6d results", name, len(more))
		if len(bare) > 0 {
			again := restore(bare, clones)
			more = append(more, again...)
			fmt.Printf(", %d without a text, %d of them restored", len(bare), len(again))
		}
		fmt.Println()
		rows = append(rows, more...)
	}
	hidden := disguised(rows)
	fmt.Printf("%-48s %6d results\n", "the injected ones of nod's own, in disguise", len(hidden))
	return append(rows, hidden...), nil
}
