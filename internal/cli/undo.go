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

	"github.com/nodgate/nod/internal/keep"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// undoing is one run of nod undo.
type undoing struct {
	*Process
	options keep.RestoreOptions
	json    bool
	id      string
	names   []string // absolute
	store   *keep.Store
}

func undo(_ context.Context, p *Process, args []string) error {
	u := &undoing{Process: p}
	if err := u.parse(args); err != nil {
		return err
	}
	if u.id == "" {
		return u.list()
	}
	return u.restore()
}

func (u *undoing) parse(args []string) error {
	a := newArguments(u.Process).state()
	a.BoolVar(&u.options.DryRun, "dry-run", false, "")
	a.BoolVar(&u.options.Over, "over", false, "")
	a.BoolVar(&u.json, "json", false, "")
	err := a.withState(args, len(args))
	for ; err == nil && a.NArg() > 0; err = a.withState(a.Args()[1:], len(args)) { // flags may stand behind the ID
		if u.id == "" {
			u.id = a.Arg(0)
		} else {
			u.names = append(u.names, u.real(a.Arg(0)))
		}
	}
	if err == nil && u.id == "" && (u.options.Over || u.options.DryRun) {
		err = usage(errors.New("name the call too: nod undo lists their ids"))
	}
	u.store = keep.Open(keep.Dir(a.places.State), keep.Options{})
	return err
}

// real is a name as the store has it: links are followed up to its directory.
func (u *undoing) real(name string) string {
	name = absolute(u.Process, name)
	if dir, err := view.Resolve(view.Disk{}, filepath.Dir(name)); err == nil {
		return filepath.Join(dir, filepath.Base(name))
	}
	return name
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
	Mode  string    `json:"mode"` // as ls writes it
	Time  time.Time `json:"time"` // when it was written last
	Link  string    `json:"link,omitempty"`
}

func undoOutputOf(calls ...keep.Kept) undoOutput {
	out := undoOutput{Version: 1, Calls: []undoCall{}}
	for _, k := range calls {
		c := undoCall{Call: k.Call, Files: []undoFile{}}
		for _, f := range k.Files {
			c.Files = append(c.Files, undoFile{f.Path, f.Size, f.Mode.String(), f.Time, f.Link})
		}
		for _, o := range k.Objects {
			c.Commands = append(c.Commands, bringsBack(o))
		}
		out.Calls = append(out.Calls, c)
	}
	return out
}

// list shows what can be brought back. What cannot be read is named, and hides
// nothing else.
func (u *undoing) list() error {
	list, unread := u.store.List()
	if unread != nil {
		fmt.Fprintln(u.Stderr, "nod undo:", printable.Line(unread.Error(), 2000))
		unread = ended(ExitInternal)
	}
	switch {
	case u.json:
		return errors.Join(unread, printJSON(u.Process, undoOutputOf(list...)))
	case len(list) == 0:
		fmt.Fprintln(u.Stderr, "nod undo: nothing is kept")
		return unread
	}
	table := tabwriter.NewWriter(u.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TIME\tID\tKEPT\tCALL\tIN")
	for _, k := range list {
		words := strings.TrimSpace(k.Tool + " " + printable.Near(k.Words, []string{k.Dir}, u.Getenv("HOME")))
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", k.Time.Local().Format(time.DateTime),
			k.ID[strings.LastIndexByte(k.ID, '-')+1:], len(k.Files)+len(k.Objects), printable.Line(words, 60),
			homely(u.Process, k.Dir))
	}
	return errors.Join(unread, table.Flush())
}

// restore puts files back and says what became of each.
func (u *undoing) restore() error {
	k, err := u.store.Find(u.id)
	if err != nil {
		return err
	}
	out := undoOutputOf(k)
	out.DryRun = u.options.DryRun
	if out.Restored, err = u.store.Restore(k.ID, u.names, u.options); err != nil {
		return err
	}
	if u.json {
		err = printJSON(u.Process, out)
	} else {
		u.tell(out)
	}
	if slices.ContainsFunc(out.Restored, func(r keep.Restored) bool { return r.Did == keep.Failed }) {
		return ended(ExitInternal)
	}
	return err
}

// tell says it for people.
func (u *undoing) tell(out undoOutput) {
	if out.DryRun {
		fmt.Fprintln(u.Stdout, "nothing was done; without --dry-run:")
	}
	said := map[keep.Did]string{keep.There: "is there already", keep.Left: "newer, left alone"}
	left := 0
	for _, r := range out.Restored {
		text := homely(u.Process, r.Path)
		switch r.Did {
		case keep.Failed:
			text = printable.Text(r.Why)
		case keep.Left:
			left++
		}
		fmt.Fprintf(u.Stdout, "%-17s  %s\n", cmp.Or(said[r.Did], string(r.Did)), text)
	}
	for i, command := range out.Calls[0].Commands {
		fmt.Fprintf(u.Stdout, "%s is brought back by: %s\n", printable.Line(out.Calls[0].Objects[i].What, 80),
			printable.Line(command, 1000))
	}
	if left > 0 {
		fmt.Fprintf(u.Stderr, "nod undo: %d left alone, since something newer is there; --over replaces it, and keeps "+
			"it for nod undo\n", left)
	}
}

// bringsBack is the command of git's that gives an object a name again.
func bringsBack(o keep.Object) string {
	name := strings.TrimPrefix(o.What, "refs/")
	words := []string{"branch", quotedWord(strings.TrimPrefix(name, "heads/"))}
	if tag, ok := strings.CutPrefix(name, "tags/"); ok {
		words = []string{"tag", quotedWord(tag)}
	} else if strings.HasPrefix(name, "stash") {
		words = []string{"stash store -m", quotedWord(o.What)}
	}
	return fmt.Sprintf("git -C %s %s %s", quotedWord(o.Repo), strings.Join(words, " "), quotedWord(o.Name))
}

// quotedWord is a word as a shell takes it.
func quotedWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
