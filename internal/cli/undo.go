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
	for err == nil && flags.NArg() > 0 { // flags may stand behind the ID
		u.names = append(u.names, flags.Arg(0))
		err = flags.Parse(flags.Args()[1:])
	}
	switch {
	case err != nil:
		return err
	case u.places.State == "":
		return errors.New("HOME is not set; name nod's state directory with --state DIR")
	case len(u.names) == 0 && (u.options.Over || u.options.DryRun || u.show):
		return errors.New("name the call too: nod undo lists their ids")
	case u.show && u.places.User == "":
		return errors.New("HOME is not set, so that your list of secrets cannot be found; set it")
	case u.show && (u.json || u.options.Over || u.options.DryRun):
		return errors.New("--show goes with no other flag")
	}
	u.places.State = absolute(u.Process, u.places.State)
	if len(u.names) > 0 {
		u.id, u.names = u.names[0], u.names[1:]
	}
	for i, name := range u.names {
		u.names[i] = u.real(name)
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
	Version  int            `json:"v"`
	Calls    []undoCall     `json:"calls"`
	DryRun   bool           `json:"dry_run"`
	Restored []undoRestored `json:"restored,omitempty"`
}

type undoCall struct {
	ID      string       `json:"id"`
	Time    time.Time    `json:"time"`
	Agent   string       `json:"agent,omitempty"`
	Session string       `json:"session,omitempty"`
	Tool    string       `json:"tool"`
	Words   string       `json:"words"`
	Dir     string       `json:"dir"`
	Files   []undoFile   `json:"files"`
	Objects []undoObject `json:"objects,omitempty"`
}

type undoFile struct {
	Path  string    `json:"path"`
	Bytes int64     `json:"bytes"`
	Mode  string    `json:"mode"` // as ls writes it
	Time  time.Time `json:"time"` // when it was written last
	Link  string    `json:"link,omitempty"`
}

type undoObject struct {
	keep.Object
	Command string `json:"command"` // brings it back
}

type undoRestored struct {
	Path string `json:"path"`
	Did  string `json:"did"`
	Why  string `json:"why,omitempty"`
}

func undoCallOf(k keep.Kept) undoCall {
	c := undoCall{ID: k.ID, Time: k.Time, Agent: k.Agent, Session: k.Session, Tool: k.Tool, Words: k.Words, Dir: k.Dir,
		Files: []undoFile{}}
	for _, f := range k.Files {
		c.Files = append(c.Files, undoFile{f.Path, f.Size, f.Mode.String(), f.Time, f.Link})
	}
	for _, o := range k.Objects {
		c.Objects = append(c.Objects, undoObject{o, bringsBack(o)})
	}
	return c
}

// list shows what can be brought back. What cannot be read is named, and hides
// nothing else.
func (u *undoing) list() (failed bool, err error) {
	list, problem := u.store.List()
	if problem != nil {
		fmt.Fprintln(u.Stderr, "nod undo:", printable.Line(problem.Error(), 2000))
	}
	if u.json {
		out := undoOutput{Version: 1, Calls: []undoCall{}}
		for _, k := range list {
			out.Calls = append(out.Calls, undoCallOf(k))
		}
		return problem != nil, printJSON(u.Process, out)
	}
	if len(list) == 0 {
		fmt.Fprintln(u.Stderr, "nod undo: nothing is kept")
	} else {
		u.table(list)
	}
	return problem != nil, nil
}

func (u *undoing) table(list []keep.Kept) {
	rows := [][5]string{{"TIME", "ID", "KEPT", "CALL", "IN"}}
	for _, k := range list {
		words := strings.TrimSpace(k.Tool + " " + printable.Near(k.Words, []string{k.Dir}, u.Getenv("HOME")))
		rows = append(rows, [5]string{k.Time.Local().Format(time.DateTime), shortID(k.ID),
			fmt.Sprint(len(k.Files) + len(k.Objects)), printable.Line(words, 60), homely(u.Process, k.Dir)})
	}
	var widths [5]int
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], columnsOf(cell))
		}
	}
	for _, r := range rows {
		line := ""
		for i, cell := range r {
			line += cell + strings.Repeat(" ", widths[i]-columnsOf(cell)+2)
		}
		fmt.Fprintln(u.Stdout, strings.TrimRight(line, " "))
	}
}

func shortID(id string) string { return id[strings.LastIndexByte(id, '-')+1:] }

// restore puts files back and says what became of each.
func (u *undoing) restore() (failed bool, err error) {
	k, err := u.store.Find(u.id)
	if err != nil {
		return false, err
	}
	list, err := u.store.Restore(k.ID, u.names, u.options)
	if err != nil {
		return false, err
	}
	out := undoOutput{Version: 1, Calls: []undoCall{undoCallOf(k)}, DryRun: u.options.DryRun}
	left := 0
	for _, r := range list {
		out.Restored = append(out.Restored, undoRestored{r.Path, string(r.Did), r.Why})
		failed = failed || r.Did == keep.Failed
		if r.Did == keep.Left {
			left++
		}
	}
	if u.json {
		return failed, printJSON(u.Process, out)
	}
	u.tell(out)
	if left > 0 {
		fmt.Fprintf(u.Stderr, "nod undo: %d left alone, since something newer is there; --over replaces it, and keeps "+
			"it for nod undo\n", left)
	}
	return failed, nil
}

// tell says it for people.
func (u *undoing) tell(out undoOutput) {
	if out.DryRun {
		fmt.Fprintln(u.Stdout, "nothing was done; without --dry-run:")
	}
	said := map[string]string{string(keep.There): "is there already", string(keep.Left): "newer, left alone"}
	for _, r := range out.Restored {
		text := homely(u.Process, r.Path)
		if r.Why != "" {
			text = printable.Text(r.Why)
		}
		fmt.Fprintf(u.Stdout, "%-17s  %s\n", cmp.Or(said[r.Did], r.Did), text)
	}
	for _, o := range out.Calls[0].Objects {
		fmt.Fprintf(u.Stdout, "%s is brought back by: %s\n", printable.Line(o.What, 80), printable.Line(o.Command, 1000))
	}
}

// bringsBack is the command of git's that gives an object a name again.
func bringsBack(o keep.Object) string {
	words := []string{"git", "-C", o.Repo}
	name := strings.TrimPrefix(o.What, "refs/")
	if tag, ok := strings.CutPrefix(name, "tags/"); ok {
		words = append(words, "tag", tag, o.Name)
	} else if strings.HasPrefix(name, "stash") {
		words = append(words, "stash", "store", "-m", o.What, o.Name)
	} else {
		words = append(words, "branch", strings.TrimPrefix(name, "heads/"), o.Name)
	}
	for i, w := range words {
		if strings.Trim(w, shellPlain) != "" {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// shellPlain are characters that a shell takes as they stand.
const shellPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./"

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
