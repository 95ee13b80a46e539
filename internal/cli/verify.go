package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
)

// verify follows the log's hashes.
func verify(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).state()
	asJSON, head, against := a.Bool("json", false, ""), a.Bool("head", false, ""), a.String("against", "", "")
	piped, heads, key := a.Bool("stdin", false, ""), a.String("heads", "", ""), a.String("key", "", "")
	since, bare := time.Time{}, a.Bool("bare", false, "")
	a.since(&since)
	if err := a.withState(args, 0); err != nil {
		return err
	}
	if of := *heads+*key != "" || !since.IsZero() || *bare; *piped != of || of && (*head || *against != "") {
		return usage(errors.New("--stdin takes --heads and --key, may take --since, --bare and --json, and nothing else does"))
	}
	anchors, err := readAnchors(p, *against)
	if err != nil {
		return err
	}
	var r audit.Report
	if *piped {
		r, err = verifyShipped(ctx, p, *heads, *key, since, *bare)
	} else {
		r, err = audit.Verify(ctx, a.places.State, anchors, progressOf(p, "reading the log"))
	}
	switch {
	case ctx.Err() != nil:
		return internal(err)
	case err != nil:
	case *head && r.Head == nil:
		err = errors.New("the log has no line yet")
	case *head:
		err = printJSON(p, r.Head)
	case *asJSON:
		err = printJSON(p, r)
	default:
		err = printVerified(p, p.Stdout, r)
	}
	if err != nil || r.Whole {
		return err
	}
	if *head {
		err = printVerified(p, p.Stderr, r)
	}
	return cmp.Or(err, ended(ExitDeny))
}

// verifyShipped reads what a team's server keeps, and the heads that it has laid outside.
func verifyShipped(ctx context.Context, p *Process, heads, key string, since time.Time, bare bool) (audit.Report,
	error) {
	file, err := os.Open(absolute(p, heads))
	if err != nil {
		return audit.Report{}, fmt.Errorf("--heads: %w", err)
	}
	defer file.Close()
	sum, err := base64.StdEncoding.DecodeString(key)
	if err != nil || len(sum) != ed25519.PublicKeySize {
		return audit.Report{}, errors.New("--key is what a member's STATE/team/member.json says as \"key\"")
	}
	return audit.VerifyShipped(ctx, p.Stdin, file, sum, since, bare)
}

// progressOf shows on a terminal how far something is that takes over a second.
func progressOf(p *Process, what string) func(done, all int64) {
	next, shown := time.Now().Add(time.Second), false
	return func(done, all int64) {
		switch now := time.Now(); {
		case !isTerminal(p.Stderr):
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
	for in := json.NewDecoder(bytes.NewReader(text)); ; {
		var a audit.Anchor
		switch err := in.Decode(&a); {
		case err == io.EOF && len(list) > 0:
			return list, nil
		case err != nil || a.Hash == "":
			return nil, fmt.Errorf("--against %s: entry %d is no anchor; nod verify --head prints one", name,
				len(list)+1)
		}
		list = append(list, a)
	}
}

func printVerified(p *Process, to io.Writer, r audit.Report) error {
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "%s in %s\n", counted(r.Lines, "line"), counted(r.Files, "file"))
	row := func(what string, n int, note string) {
		if n > 0 {
			fmt.Fprintf(out, "  %-16s %7d  %s\n", what, n, note)
		}
	}
	row("torn", r.Torn, "a process was killed, or the disk was full; nod log names them")
	row("before the chain", r.BeforeChain, "an older nod wrote them, and nothing holds them")
	row("unlocked", r.Unlocked, "written without the lock: what stood just before may be missing")
	for _, name := range r.UnlockedAt {
		fmt.Fprintf(out, "    %s\n", homely(p, name))
	}
	row("heads", r.Heads, "signed, and each stands in its machine's chain")
	row("gone", r.Gone, "holes, and heads of lines, from before --since")
	row("foreign heads", r.Foreign, "no heads, or not signed by the key: they prove nothing")
	row("behind", r.Behind, "came behind the newest head: nothing holds them yet")
	row("by word", r.ByWord, "not sent whole: their hash is taken on their word")
	row("broken", len(r.Breaks)+r.MoreBreaks, "not linked to the line before")
	for _, one := range r.Breaks {
		fmt.Fprintf(out, "    %s\n", printable.Text(printable.Near(one.At+": "+one.What, nil, p.Getenv("HOME"))))
	}
	for _, a := range r.Anchors {
		fmt.Fprintf(out, "  anchor of %s, %s: %s\n", a.Time.Local().Format(time.DateTime), counted(a.Lines, "line"),
			cmp.Or(a.Why, "stands"))
	}
	fmt.Fprintln(out, map[bool]string{true: "The chain is whole.", false: "The log was changed."}[r.Whole])
	return internal(out.Flush())
}
