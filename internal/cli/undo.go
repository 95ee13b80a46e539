package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/keep"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

func undo(_ context.Context, p *Process, args []string) error {
	var options keep.RestoreOptions
	var words []string
	a := newArguments(p).state()
	a.BoolVar(&options.DryRun, "dry-run", false, "")
	a.BoolVar(&options.Over, "over", false, "")
	asJSON := a.Bool("json", false, "")
	err := a.withState(args, len(args))
	for ; err == nil && a.NArg() > 0; err = a.withState(a.Args()[1:], len(args)) { // flags may stand behind the ID
		words = append(words, a.Arg(0))
	}
	store := keep.Open(keep.Dir(a.places.State), keep.Options{})
	switch {
	case err != nil:
		return err
	case len(words) > 0:
		return restore(p, store, words[0], words[1:], options, *asJSON)
	case options.Over || options.DryRun:
		return usage(errors.New("name the call too: nod undo lists their ids"))
	}
	return listKept(p, store, *asJSON)
}

// undoOutput is the answer of undo --json. Fields are only ever added.
type undoOutput struct {
	Version  int             `json:"v"`
	Calls    []undoCall      `json:"calls"`
	DryRun   bool            `json:"dry_run"`
	Restored []keep.Restored `json:"restored,omitempty"`
}

type undoCall struct {
	keep.Call
	Files    []undoFile `json:"files"`
	Commands []string   `json:"commands,omitempty"` // bring the objects back, in their order
}

type undoFile struct {
	Path  string    `json:"path"`
	Bytes int64     `json:"bytes"`
	Time  time.Time `json:"time"` // when it was written last
}

func undoOutputOf(calls ...keep.Kept) undoOutput {
	out := undoOutput{Version: 1, Calls: []undoCall{}}
	for _, k := range calls {
		c := undoCall{Call: k.Call, Files: []undoFile{}}
		for _, f := range k.Files {
			c.Files = append(c.Files, undoFile{f.Path, f.Size, f.Time})
		}
		for _, o := range k.Objects {
			c.Commands = append(c.Commands, bringsBack(o))
		}
		out.Calls = append(out.Calls, c)
	}
	return out
}

// listKept shows what can be brought back. What cannot be read is named, and hides nothing else.
func listKept(p *Process, store *keep.Store, asJSON bool) error {
	list, unread := store.List()
	if unread != nil {
		fmt.Fprintln(p.Stderr, "nod undo:", printable.Line(unread.Error(), 2000))
		unread = ended(ExitInternal)
	}
	if asJSON {
		return errors.Join(unread, printJSON(p, undoOutputOf(list...)))
	}
	if len(list) == 0 {
		fmt.Fprintln(p.Stderr, "nod undo: nothing is kept")
		return unread
	}
	table := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TIME\tID\tKEPT\tCALL\tIN")
	for _, k := range list {
		words := strings.TrimSpace(k.Tool + " " + printable.Near(k.Words, []string{k.Dir}, p.Getenv("HOME")))
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", k.Time.Local().Format(time.DateTime),
			k.ID[strings.LastIndexByte(k.ID, '-')+1:], len(k.Files)+len(k.Objects), printable.Line(words, 60),
			homely(p, k.Dir))
	}
	return errors.Join(unread, table.Flush())
}

func restore(p *Process, store *keep.Store, id string, names []string, options keep.RestoreOptions, asJSON bool) error {
	k, err := store.Find(id)
	if err != nil {
		return err
	}
	for i, name := range names { // the store has them with links followed up to their directory
		names[i] = absolute(p, name)
		if dir, err := view.Resolve(view.Disk{}, filepath.Dir(names[i])); err == nil {
			names[i] = filepath.Join(dir, filepath.Base(name))
		}
	}
	restored, err := store.Restore(k.ID, names, options)
	if err != nil {
		return err
	}
	if asJSON {
		out := undoOutputOf(k)
		out.DryRun, out.Restored = options.DryRun, restored
		err = printJSON(p, out)
	} else {
		tellRestored(p, k, restored, options.DryRun)
	}
	if slices.ContainsFunc(restored, func(r keep.Restored) bool { return r.Did == keep.Failed }) {
		return ended(ExitInternal)
	}
	return err
}

func tellRestored(p *Process, k keep.Kept, list []keep.Restored, dry bool) {
	if dry {
		fmt.Fprintln(p.Stdout, "nothing was done; without --dry-run:")
	}
	said := map[keep.Did]string{keep.There: "is there already", keep.Left: "newer, left alone"}
	left := 0
	for _, r := range list {
		text := homely(p, r.Path)
		switch r.Did {
		case keep.Failed:
			text = printable.Text(r.Why)
		case keep.Left:
			left++
		}
		fmt.Fprintf(p.Stdout, "%-17s  %s\n", cmp.Or(said[r.Did], string(r.Did)), text)
	}
	if left > 0 {
		fmt.Fprintf(p.Stderr, "nod undo: %d left alone, since something newer is there; --over replaces it, and keeps "+
			"it for nod undo\n", left)
	}
	for _, o := range k.Objects {
		fmt.Fprintf(p.Stdout, "%s is brought back by: %s\n", printable.Line(o.What, 80),
			printable.Line(bringsBack(o), 1000))
	}
}

// bringsBack is the command of git's that gives an object a name again.
func bringsBack(o keep.Object) string {
	name := strings.TrimPrefix(o.What, "refs/")
	words := "branch " + install.Quote(strings.TrimPrefix(name, "heads/"))
	if tag, ok := strings.CutPrefix(name, "tags/"); ok {
		words = "tag " + install.Quote(tag)
	} else if strings.HasPrefix(name, "stash") {
		words = "stash store -m " + install.Quote(o.What)
	}
	return fmt.Sprintf("git -C %s %s %s", install.Quote(o.Repo), words, install.Quote(o.Name))
}
