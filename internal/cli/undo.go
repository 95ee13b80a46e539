package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/keep"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/view"
)

func undoCommand() command {
	return command{
		name:    "undo",
		usage:   "undo [--dry-run] [--over] [--show] [--json] [--state DIR] [ID [FILE...]]",
		summary: "bring back what a call replaced or deleted",
		long: `Before a call replaces or deletes files, nod keeps what it can of them. Without
an ID this lists the calls of which something is kept, the newest first. With
one (the column ID, or how the id ends) all of its files are put back, or the
FILEs and what lies in them. Where something else has come since, that is left
alone.

  --dry-run      only say what would be done
  --over         replace what is there; that is kept as a call of its own
  --show         print what is kept of the files, but for secrets
  --json         one JSON object, "v": 1
  --state DIR    nod's state, instead of ~/.local/state/nod

A commit that git forgot is not put back; the command that does so is shown. nod
keeps 5000 names of a call at most, and 1 GiB of 14 days in all. Owners, access
lists and extended attributes are not kept.

Exit status: 0 done, or left alone; 1 a file could not be put back; 2 arguments,
an ID or a store that cannot be used.`,
		examples: []string{`nod undo`, `nod undo 1f0c9a2e4b7d src/main.go`, `nod undo --show 1f0c9a2e4b7d src/main.go`},
		run:      undo,
	}
}

// undoing is one run of nod undo.
type undoing struct {
	*Process
	options    keep.RestoreOptions
	show, json bool
	places     config.Places
	id         string
	names      []string // absolute
	store      *keep.Store
}

func undo(_ context.Context, p *Process, args []string) int {
	u := &undoing{Process: p, places: config.DefaultPlaces(p.Getenv("HOME"))}
	if err := u.parse(args); err != nil {
		return usageError(p, undoCommand(), err)
	}
	u.places.State = absolute(p, u.places.State)
	u.store = keep.Open(keep.Dir(u.places.State), keep.Options{})
	run := u.restore
	switch {
	case u.id == "":
		run = u.list
	case u.show:
		run = u.showKept
	}
	failed, err := run()
	switch {
	case err != nil:
		fmt.Fprintln(p.Stderr, "nod undo:", printable.Line(err.Error(), 2000))
		return ExitBadInput
	case failed:
		return ExitInternal
	}
	return ExitOK
}

func (u *undoing) parse(args []string) error {
	flags := flag.NewFlagSet("undo", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&u.options.DryRun, "dry-run", false, "")
	flags.BoolVar(&u.options.Over, "over", false, "")
	flags.BoolVar(&u.show, "show", false, "")
	flags.BoolVar(&u.json, "json", false, "")
	flags.StringVar(&u.places.State, "state", u.places.State, "")
	err := flags.Parse(args)
	for ; err == nil && flags.NArg() > 0; err = flags.Parse(flags.Args()[1:]) { // flags may stand behind the ID
		if u.id == "" {
			u.id = flags.Arg(0)
		} else {
			u.names = append(u.names, u.real(flags.Arg(0)))
		}
	}
	switch {
	case err != nil:
		return err
	case u.places.State == "", u.show && u.places.User == "":
		return errors.New("HOME is not set; set it, or name nod's state directory with --state DIR, but for --show")
	case u.id == "" && (u.options.Over || u.options.DryRun || u.show):
		return errors.New("name the call too: nod undo lists their ids")
	case u.show && (u.json || u.options.Over || u.options.DryRun):
		return errors.New("--show goes with no other flag")
	}
	return nil
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
func (u *undoing) list() (failed bool, err error) {
	list, err := u.store.List()
	if err != nil {
		fmt.Fprintln(u.Stderr, "nod undo:", printable.Line(err.Error(), 2000))
	}
	switch {
	case u.json:
		return err != nil, printJSON(u.Process, undoOutputOf(list...))
	case len(list) == 0:
		fmt.Fprintln(u.Stderr, "nod undo: nothing is kept")
		return err != nil, nil
	}
	table := tabwriter.NewWriter(u.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TIME\tID\tKEPT\tCALL\tIN")
	for _, k := range list {
		words := strings.TrimSpace(k.Tool + " " + printable.Near(k.Words, []string{k.Dir}, u.Getenv("HOME")))
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", k.Time.Local().Format(time.DateTime),
			k.ID[strings.LastIndexByte(k.ID, '-')+1:], len(k.Files)+len(k.Objects), printable.Line(words, 60),
			homely(u.Process, k.Dir))
	}
	return err != nil, table.Flush()
}

// restore puts files back and says what became of each.
func (u *undoing) restore() (failed bool, err error) {
	k, err := u.store.Find(u.id)
	if err != nil {
		return false, err
	}
	out := undoOutputOf(k)
	out.DryRun = u.options.DryRun
	if out.Restored, err = u.store.Restore(k.ID, u.names, u.options); err != nil {
		return false, err
	}
	failed = slices.ContainsFunc(out.Restored, func(r keep.Restored) bool { return r.Did == keep.Failed })
	if u.json {
		return failed, printJSON(u.Process, out)
	}
	u.tell(out)
	return failed, nil
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

// maxShown is how much of a file is shown.
const maxShown = 1 << 20

// showKept prints what is kept of files.
func (u *undoing) showKept() (failed bool, err error) {
	k, err := u.store.Find(u.id)
	if err != nil {
		return false, err
	}
	files, err := k.Pick(u.names)
	if err != nil {
		return false, err
	}
	secret, err := u.secrets(k)
	if err != nil {
		return false, err
	}
	for _, f := range files {
		fmt.Fprintf(u.Stdout, "== %s\n%s\n", homely(u.Process, f.Path), u.shown(k, f, secret))
	}
	return false, nil
}

// shown is the kept text of a file, or why it is not shown.
func (u *undoing) shown(k keep.Kept, f keep.KeptFile, secret func(string) bool) string {
	switch {
	case f.Mode.IsDir():
		return "a directory"
	case f.Link != "":
		return "a link to " + printable.Text(f.Link)
	case secret(f.Path):
		return "not shown: it holds secrets"
	}
	text, err := u.store.Read(k, f, maxShown)
	switch {
	case err != nil:
		return "not shown: " + printable.Text(err.Error())
	case !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0:
		return fmt.Sprintf("not shown: %d bytes that are no text", len(text))
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range lines {
		if u.Terminal { // what steers a terminal is for no file to say
			lines[i] = printable.Text(line)
		}
	}
	return strings.Join(lines, "\n")
}

// secrets reports of names of the call whether an agent might not read them: by the
// settings that hold where it ran, and by what is kept of a file that is gone.
func (u *undoing) secrets(k keep.Kept) (func(string) bool, error) {
	places := u.places.WithClaude()
	if r, ok := repo.Around(view.Disk{}, filepath.Join(k.Dir, "x")); ok {
		places.Root = r.Top
	}
	settings, err := config.Load(places)
	if err != nil {
		return nil, err
	}
	files := keptFiles{view.Disk{}, u.store, k}
	gate := hook.NewGate(hook.Options{Environ: u.Environ, Places: places, Files: files}, settings, nil, nil)
	return gate.HoldsSecret, nil
}

// keptFiles are the disk's, with what is kept in the place of what is there.
type keptFiles struct {
	view.Disk
	store *keep.Store
	kept  keep.Kept
}

func (v keptFiles) Read(name string, limit int64) ([]byte, error) {
	i := slices.IndexFunc(v.kept.Files, func(f keep.KeptFile) bool { return f.Path == name && f.Mode.IsRegular() })
	if i < 0 {
		return v.Disk.Read(name, limit)
	}
	return v.store.Read(v.kept, v.kept.Files[i], limit)
}
