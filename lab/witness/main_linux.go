// Witness lays what nod says of a shell text beside what really happens. It makes texts from numbers and a grammar,
// asks nod, and runs what nod allows in the real bash, zsh and dash, in a namespace without network where nothing of
// this machine can be written. Without a namespace nothing is run.
//
//	go run ./lab/witness -n 50000 -seed 1          shell programs: programs are stubs that write down how they were called
//	go run ./lab/witness -files -n 20000           lines of real file and git commands over repositories
//	go run ./lab/witness -text 'wc a && rm b'      a text of one's own
//
// docs/witness.md says what this shows and what it cannot.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"slices"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

func main() {
	var err error
	if len(os.Args) == 2 && os.Args[1] == insideArg {
		err = inside()
	} else {
		err = run(context.Background(), os.Args[1:], os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "witness:", err)
		os.Exit(1)
	}
}

var errFound = errors.New("violations were found") // says that something happened which nod did not say

func run(ctx context.Context, args []string, out io.Writer) error {
	w := &witnessing{out: out}
	flags := flag.NewFlagSet("witness", flag.ContinueOnError)
	flags.BoolVar(&w.files, "files", false, "run lines of file and git commands in place of shell programs")
	flags.Uint64Var(&w.n, "n", 2000, "how many texts to generate")
	flags.Uint64Var(&w.seed, "seed", 1, "number of the first text; each text follows from its own number")
	flags.IntVar(&w.workers, "workers", 4*runtime.NumCPU(), "how many namespaces run at once; each mostly waits")
	flags.StringVar(&w.text, "text", "", "run this text instead of generated ones, if nod allows it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "nod-witness-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := newStage(dir)
	if errors.Is(err, errNoNamespace) {
		fmt.Fprintf(out, "skipped, nothing was run: %v\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	return w.run(ctx, s)
}

// against lists what happened and the report does not speak of.
func against(report shell.Report, files view.Files, r ran) (list []string) {
	for _, s := range r.Started {
		null := len(s.Words) == 1 && s.Words[0] == "cat" // zsh runs it for a redirection that stands alone
		base := path.Base(s.Words[0])
		wraps := slices.Contains([]string{"xargs", "env", "nice", "timeout", "nohup", "stdbuf", "find"}, base)
		claims := func(c shell.Command) bool { // a program that only runs others is reported with those
			return wraps && slices.Contains(c.Wrappers, base) || matches(c, s.Words)
		}
		if !null && !slices.ContainsFunc(report.Commands, claims) {
			list = append(list, fmt.Sprintf("%q ran in %s", s.Words, s.Dir))
		}
	}
	for _, c := range r.Changed {
		if !expected(report.Effects, files, c) {
			done := map[bool]string{true: "removed", false: "written"}[c.Gone]
			list = append(list, fmt.Sprintf("%q was %s", c.Name, done))
		}
	}
	return list
}

// matches reports whether the words may be what ran. A word that is not known stands for any number of words; a glob
// for itself or any number of names; the program must be known.
func matches(c shell.Command, words []string) bool {
	said := c.Words
	if len(said) == 0 || !said[0].Known || said[0].Pattern || said[0].Value != words[0] {
		return false
	}
	// at holds how many words may have been used up.
	at := make([]bool, len(words)+1)
	at[1] = true
	for _, w := range said[1:] {
		at = after(w, words, at)
	}
	return at[len(words)]
}

// after is at, one word of the report later.
func after(w shell.Word, words []string, at []bool) []bool {
	next := make([]bool, len(at))
	for n := range at {
		switch constant := w.Known && !w.Pattern; {
		case !at[n]:
		case constant && n < len(words) && w.Value == words[n]:
			next[n+1] = true
		case !constant:
			next[n] = true
			for m := n; m < len(words) && (!w.Known || glob(w.Value, words[m])); m++ {
				next[m+1] = true
			}
		}
	}
	return next
}

// glob reports whether a name may come from a pattern, or is the pattern itself.
func glob(pattern, name string) bool { return pattern == name || paths.GlobMatch(pattern, name) }

// expected reports whether an effect speaks of the change.
func expected(effects []shell.Effect, files view.Files, c change) bool {
	return slices.ContainsFunc(effects, func(e shell.Effect) bool {
		if e.Kind != shell.Delete && (e.Kind != shell.Write || c.Gone && !e.Kept) {
			return false
		}
		moves := func(o shell.Effect) bool { return o.Kind == shell.Delete && o.Command == e.Command }
		if e.Kind == shell.Write && slices.ContainsFunc(effects, moves) && view.Below(e.Target, c.Name) {
			return true // a directory comes with all that lies in it
		}
		return e.Pattern != "" && glob(e.Pattern, c.Name) || reaches(e.Target, e, files, c) ||
			reaches(e.Name, e, files, c)
	})
}

// reaches reports whether an effect on the target is an effect on what changed. A
// directory may be made on the way to what lies in it.
func reaches(target string, e shell.Effect, files view.Files, c change) bool {
	if target == "" {
		return false
	}
	real, err := view.Resolve(files, target)
	if err != nil {
		real = target
	}
	return slices.ContainsFunc([]string{target, real}, func(t string) bool {
		return t == c.Name || (e.Recursive || e.Kept) && view.Below(t, c.Name) ||
			c.Dir && !c.Gone && view.Below(c.Name, t)
	})
}
