// Command mutate puts disguises (package disguise) on harmful commands and
// counts how many of them layers 0 to 3 allow. None is ever run. Seeds are the
// harmful rows of corpus/, every denying pattern of their rules, and the
// harmful rows of the shared corpus where that is present; rows that are
// allowed as they stand are left out and counted.
//
//	go run ./internal/disguise/mutate -rows 1000000
//
// It ends with status 1 if a row is allowed.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/nodgate/nod/internal/disguise"
	"github.com/nodgate/nod/internal/eval"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "how many disguised rows")
	seed := flag.Uint64("seed", 1, "of the source of chance; the same seed gives the same rows")
	shared := flag.String("shared", "../shared/corpus", "the directory of the shared corpus")
	flag.Parse()
	ok, err := start(*rows, *seed, *shared)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func start(rows int, seed uint64, shared string) (ok bool, err error) {
	list, absent, err := gather(shared)
	if err != nil {
		return false, err
	}
	for _, name := range absent {
		fmt.Println(name, "is absent: skipped")
	}
	for _, s := range list {
		fmt.Printf("%s: %d seeds, left out: %d of other tools, %d allowed as they stand %v\n", s.file.Name,
			len(s.file.Rows), s.other, len(s.allowed), s.allowed)
	}
	t, err := run(list, options{rows: rows, seed: seed, kinds: disguise.Shown(), out: os.Stderr})
	t.print(os.Stdout)
	return len(t.allowed)+t.failed == 0, err
}

// gather reads all seeds that are there, and names the files that are not.
func gather(shared string) (list []seeds, absent []string, err error) {
	files, err := ownSeeds()
	if err != nil {
		return nil, nil, err
	}
	more, absent, err := sharedSeeds(shared)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range append(files, more...) {
		s, err := pick(f, eval.Options{})
		if err != nil {
			return nil, nil, err
		}
		if len(s.file.Rows) > 0 {
			list = append(list, s)
		}
	}
	return list, absent, nil
}
