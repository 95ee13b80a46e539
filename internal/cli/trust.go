package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

func trust(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).state()
	unattended := a.Bool("unattended", false, "")
	remove := a.Bool("remove", false, "")
	list := a.Bool("list", false, "")
	asJSON := a.Bool("json", false, "")
	if err := a.withState(args, len(args)); err != nil {
		return err
	}
	switch {
	case a.NArg() > 1 && strings.HasPrefix(a.Arg(1), "-"):
		return usage(fmt.Errorf("%s stands before the directory", printable.Text(a.Arg(1))))
	case *remove && *list || a.NArg() > 1 || *list && a.NArg() > 0:
		return usage(errors.New("one directory at most, and one of --remove and --list"))
	}
	if !*list {
		a.places.Root = absolute(p, a.Arg(0))
		if err := changeTrust(ctx, p.people(*asJSON), a.places, *remove, *unattended); err != nil {
			return err
		}
	}
	if !*list && !*asJSON {
		return nil
	}
	a.places.Root = ""
	trusted, err := config.Trusts(a.places)
	if err != nil {
		return err
	}
	return printTrusted(p, trusted, *asJSON)
}

func changeTrust(ctx context.Context, p *Process, places config.Places, remove, unattended bool) error {
	if err := person(p, unattended); err != nil {
		return err
	}
	if err := config.EnsureState(places, nil); err != nil {
		return err
	}
	if remove {
		return removeTrust(p, places)
	}
	return addTrust(ctx, p, places, unattended)
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

func printTrusted(p *Process, list []config.Trust, asJSON bool) error {
	out := trustOutput{Version: 1, Trusted: []trustedOutput{}}
	for _, t := range list {
		out.Trusted = append(out.Trusted, trustedOutput(t))
	}
	if asJSON {
		return printJSON(p, out)
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

// addTrust trusts the bytes that were shown: the file is read once.
func addTrust(ctx context.Context, p *Process, places config.Places, unattended bool) error {
	file, err := config.ReadRepository(places)
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
	if !unattended && !confirmed(ctx, p, "\nTrust this file as it is? [y/N] ") {
		return errors.New("not trusted")
	}
	now := time.Now().UTC().Truncate(time.Second)
	if err := config.AddTrust(places, config.Trust{Root: file.Root, SHA256: file.SHA256, At: now}); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s is trusted until it changes\n", printable.Text(file.Path))
	return nil
}

func showFile(p *Process, file config.RepositoryFile) {
	fmt.Fprintf(p.Stdout, "%s\nsha256 %s\n\n", printable.Text(file.Path), file.SHA256)
	for line := range strings.SplitSeq(strings.TrimSuffix(string(file.Text), "\n"), "\n") {
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
