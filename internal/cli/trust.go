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
	if err := a.withState(args, 1); err != nil {
		return err
	}
	a.places.Root = absolute(p, a.Arg(0))
	if err := person(p, *unattended); err != nil {
		return err
	}
	if err := config.EnsureState(a.places, nil); err != nil {
		return err
	}
	if *remove {
		return removeTrust(p, a.places)
	}
	return addTrust(ctx, p, a.places, *unattended)
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
		return fmt.Errorf("%s is not trusted", printable.Text(root))
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
