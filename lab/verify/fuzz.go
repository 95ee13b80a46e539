package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
)

// fuzzTargets runs each target of each package for a few seconds, from the
// seeds in the repository. A package that cannot be built or listed fails.
func fuzzTargets(ctx context.Context, h *house) (string, error) {
	out, err := h.output(ctx, nil, "go", "test", "-list", "^Fuzz", "./...")
	if err != nil {
		return "", err
	}
	n := 0
	var targets []string
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 1 && strings.HasPrefix(fields[0], "Fuzz"):
			targets = append(targets, fields[0])
		case len(fields) > 1 && fields[0] == "ok":
			for _, target := range targets {
				n++
				err = errors.Join(err, h.fuzzOne(ctx, fields[1], target))
			}
			targets = nil
		}
	}
	if n == 0 {
		err = errors.Join(err, errors.New("no fuzz target ran"))
	}
	return fmt.Sprintf("%d targets, %s each", n, h.fuzz), err
}

// fuzzOne runs one target. That its time came to its end in the middle of an input
// is no find (golang/go issue 75804): a find names the file of its input.
func (h *house) fuzzOne(ctx context.Context, dir, target string) error {
	_, err := h.output(ctx, nil, "go", "test", "-run", "^$", "-fuzz", "^"+target+"$", "-fuzztime", h.fuzz.String(), dir)
	if err != nil && strings.Contains(err.Error(), "    context deadline exceeded\n") &&
		!strings.Contains(err.Error(), "Failing input") {
		return nil
	}
	return err
}
