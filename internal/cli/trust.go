package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

func trustCommand() command {
	return command{
		name:    "trust",
		usage:   "trust [--unattended] [--json] [DIR] | trust --remove [DIR] | trust --list",
		summary: "accept a repository's .nod.toml",
		long: `Shows DIR/.nod.toml and what it would add to your rules, and asks. Without
trust such a file can only deny. Trust holds for this directory and for these
bytes: a changed file, or a copy elsewhere, is not trusted.

  DIR            the workspace root; this directory without it
  --remove       stop trusting what lies there
  --list         what is trusted
  --unattended   for provisioning: no terminal and no question; refused when
                 an agent runs this
  --json         what is trusted then, as one JSON object, "v": 1; what is for
                 people goes to standard error
  --state DIR    nod's state, instead of ~/.local/state/nod

Exit status: 0 trusted, removed, listed; 2 refused, declined, or a file that
cannot be used.`,
		examples: []string{`nod trust`, `nod trust --remove ~/src/shop`},
		run:      trust,
	}
}

type trustFlags struct {
	unattended, remove, list, json bool
	places                         config.Places
}

func trust(ctx context.Context, p *Process, args []string) int {
	f := trustFlags{places: config.DefaultPlaces(p.Getenv("HOME"))}
	flags := flag.NewFlagSet("trust", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&f.unattended, "unattended", false, "")
	flags.BoolVar(&f.remove, "remove", false, "")
	flags.BoolVar(&f.list, "list", false, "")
	flags.BoolVar(&f.json, "json", false, "")
	flags.StringVar(&f.places.State, "state", f.places.State, "")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 1 && strings.HasPrefix(flags.Arg(1), "-") {
		err = fmt.Errorf("%s stands before the directory", printable.Text(flags.Arg(1)))
	}
	if err == nil && (f.remove && f.list || flags.NArg() > 1 || f.list && flags.NArg() > 0) {
		err = errors.New("one directory at most, and one of --remove and --list")
	}
	if err != nil {
		return usageError(p, trustCommand(), err)
	}
	if f.places.State == "" {
		err = errors.New("HOME is not set; name nod's state directory with --state")
	} else {
		f.places.State = absolute(p, f.places.State)
		f.places.Root = absolute(p, flags.Arg(0))
		err = f.run(ctx, p.people(f.json))
	}
	if err == nil && f.json {
		err = printTrustJSON(p, f.places)
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod trust:", err)
		return ExitBadInput
	}
	return ExitOK
}

func (f trustFlags) run(ctx context.Context, p *Process) error {
	switch {
	case f.list && f.json:
		return nil
	case f.list:
		return listTrust(p, f.places)
	}
	if err := person(p, f.unattended); err != nil {
		return err
	}
	if err := config.EnsureState(f.places, nil); err != nil {
		return err
	}
	if f.remove {
		return removeTrust(p, f.places)
	}
	return f.add(ctx, p)
}

// trustOutput is the answer of trust --json. Fields are only ever added.
type trustOutput struct {
	Version int             `json:"v"`
	Trusted []trustedOutput `json:"trusted"`
}

type trustedOutput struct {
	Root   string    `json:"root"`
	SHA256 string    `json:"sha256"` // of its .nod.toml
	At     time.Time `json:"at"`
}

func printTrustJSON(p *Process, places config.Places) error {
	places.Root = ""
	list, err := config.Trusts(places)
	out := trustOutput{Version: 1, Trusted: []trustedOutput{}}
	for _, t := range list {
		out.Trusted = append(out.Trusted, trustedOutput(t))
	}
	return errors.Join(err, printJSON(p, out))
}

func listTrust(p *Process, places config.Places) error {
	places.Root = ""
	list, err := config.Trusts(places)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(p.Stderr, "nod trust: no repository is trusted")
	}
	for _, t := range list {
		fmt.Fprintf(p.Stdout, "%s  %s  %s\n", t.At.Format(time.DateOnly), t.SHA256, printable.Text(t.Root))
	}
	return nil
}

func removeTrust(p *Process, places config.Places) error {
	root, err := view.Resolve(places.Files, places.Root)
	if err != nil {
		return fmt.Errorf("%s: %w", printable.Text(places.Root), err)
	}
	removed, err := config.RemoveTrust(places, root)
	if err != nil {
		return err
	}
	if !removed {
		return fmt.Errorf("%s is not trusted; see nod trust --list", printable.Text(root))
	}
	fmt.Fprintf(p.Stdout, "%s is no longer trusted\n", printable.Text(root))
	return nil
}

// add trusts the bytes that were shown: the file is read once.
func (f trustFlags) add(ctx context.Context, p *Process) error {
	file, err := config.ReadRepository(f.places)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist; there is nothing to trust", printable.Text(file.Path))
	}
	if err != nil {
		return err
	}
	showFile(p, file)
	if file.Trusted {
		fmt.Fprintln(p.Stdout, "\nThis is already trusted.")
		return nil
	}
	if !f.unattended && !confirmed(ctx, p, "\nTrust this file as it is? [y/N] ") {
		return errors.New("not trusted")
	}
	if err := config.AddTrust(f.places,
		config.Trust{Root: file.Root, SHA256: file.SHA256, At: time.Now().UTC().Truncate(time.Second)}); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s is trusted until it changes\n", printable.Text(file.Path))
	return nil
}

func showFile(p *Process, file config.RepositoryFile) {
	fmt.Fprintf(p.Stdout, "%s\nsha256 %s\n\n", printable.Text(file.Path), file.SHA256)
	text := strings.TrimSuffix(string(file.Text), "\n")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		fmt.Fprintf(p.Stdout, "    %s\n", printable.Text(strings.ReplaceAll(line, "\t", "    ")))
	}
	fmt.Fprintln(p.Stdout, "\nIf you trust it, it adds here:")
	if len(file.Items) == 0 {
		fmt.Fprintln(p.Stdout, "  nothing")
	}
	for _, item := range file.Items {
		fmt.Fprintf(p.Stdout, "  %-11s  %s\n", item.List, printable.Text(item.Text))
	}
}
