package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
)

// verify follows the log's hashes.
func verify(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).state()
	asJSON, head, against := a.Bool("json", false, ""), a.Bool("head", false, ""), a.String("against", "", "")
	if err := a.withState(args, 0); err != nil {
		return err
	}
	if *head && *asJSON {
		return usage(errors.New("--head and --json do not go together"))
	}
	anchors, err := readAnchors(p, *against)
	if err != nil {
		return err
	}
	r, err := audit.Verify(ctx, a.places.State, anchors, progressOf(p, "reading the log"))
	switch {
	case ctx.Err() != nil:
		return internal(err)
	case err != nil:
		return err
	case *head:
		err = printHead(p, r)
	case *asJSON:
		err = printJSON(p, r)
	default:
		err = printVerified(p, p.Stdout, r)
	}
	if err == nil && !r.Whole {
		err = ended(ExitDeny)
	}
	return err
}

// progressOf shows on a terminal how far something is that takes over a second.
func progressOf(p *Process, what string) func(done, all int64) {
	if !isTerminal(p.Stderr) {
		return nil
	}
	next, shown := time.Now().Add(time.Second), false
	return func(done, all int64) {
		switch now := time.Now(); {
		case done >= all && shown:
			fmt.Fprint(p.Stderr, "\x1b[K")
		case now.After(next):
			next, shown = now.Add(100*time.Millisecond), true
			fmt.Fprintf(p.Stderr, "%s: %d %%\r", what, 100*done/max(all, 1))
		}
	}
}

// readAnchors reads what nod verify --head has printed; a name of "" holds none.
func readAnchors(p *Process, name string) (list []audit.Anchor, err error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(absolute(p, name))
	if err != nil {
		return nil, fmt.Errorf("--against: %w", err)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	for {
		var a audit.Anchor
		switch err := in.Decode(&a); {
		case err == io.EOF && len(list) > 0:
			return list, nil
		case err != nil || a.Hash == "":
			return nil, fmt.Errorf("--against %s: entry %d is no anchor; nod verify --head prints one", name, len(list)+1)
		}
		list = append(list, a)
	}
}

// printHead prints the anchor. What is broken stands beside it.
func printHead(p *Process, r audit.Report) error {
	if r.Head == nil {
		return errors.New("the log has no line yet")
	}
	if !r.Whole {
		if err := printVerified(p, p.Stderr, r); err != nil {
			return err
		}
	}
	return printJSON(p, struct {
		Version int `json:"v"`
		audit.Anchor
	}{r.Version, *r.Head})
}

func printVerified(p *Process, out io.Writer, r audit.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s\n", counted(r.Lines, "line"), counted(r.Files, "file"))
	row := func(what string, n int, note string, at []string) {
		if n == 0 {
			return
		}
		fmt.Fprintf(&b, "  %-16s %7d  %s\n", what, n, note)
		for _, name := range at {
			fmt.Fprintf(&b, "    %s\n", homely(p, name))
		}
		if n > len(at) && len(at) > 0 {
			fmt.Fprintf(&b, "    and %d more\n", n-len(at))
		}
	}
	row("torn", r.Torn, "a process was killed, or the disk was full", r.TornAt)
	row("before the chain", r.BeforeChain, "an older nod wrote them, and nothing holds them", nil)
	row("unlocked", r.Unlocked, "written without the lock: what stood just before may be missing", r.UnlockedAt)
	var broken []string
	for _, one := range r.Breaks {
		broken = append(broken, fmt.Sprintf("%s:%d: %s", one.File, one.Line,
			printable.Near(one.What, nil, p.Getenv("HOME"))))
	}
	row("broken", len(r.Breaks)+r.MoreBreaks, "not linked to the line before", broken)
	for _, a := range r.Anchors {
		fmt.Fprintf(&b, "  anchor of %s, %s: %s\n", a.Time.Local().Format(time.DateTime), counted(a.Lines, "line"),
			printable.Text(became(a)))
	}
	end := "The chain is whole."
	if !r.Whole {
		end = "The log was changed."
	}
	_, err := fmt.Fprintln(out, b.String()+end)
	return internal(err)
}

func became(a audit.Checked) string {
	if a.Stands {
		return "stands"
	}
	return a.Why
}
