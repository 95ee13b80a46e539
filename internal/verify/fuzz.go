package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// fuzzTargets runs each target of each package for a few seconds, from the
// seeds in the repository alone: what earlier runs on this machine found has
// no part in it, and no time. A package that cannot be built or listed fails;
// so does a target that ran nothing.
func fuzzTargets(ctx context.Context, h *house) (string, error) {
	scratch, err := os.MkdirTemp("", "nod-fuzz-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	dirs, err := h.fuzzed(ctx)
	if err != nil {
		return "", err
	}
	n, failures := 0, []error(nil)
	for _, dir := range dirs {
		ran, failed := h.fuzzPackage(ctx, scratch, dir)
		n, failures = n+ran, append(failures, failed...)
	}
	if n == 0 {
		failures = append(failures, errors.New("no fuzz target ran"))
	}
	h.totals.add(totals{passed: n - len(failures), failed: len(failures)})
	return fmt.Sprintf("%d targets, %s each", n, h.fuzz), errors.Join(failures...)
}

// fuzzed lists the directories that hold fuzz targets.
func (h *house) fuzzed(ctx context.Context) (dirs []string, err error) {
	out, err := h.output(ctx, nil, "go", "list", "-f",
		`{{$d := .Dir}}{{range .TestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`, "./...")
	if err != nil {
		return nil, err
	}
	for file := range strings.FieldsSeq(out) {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		dir := filepath.Dir(file)
		if bytes.Contains(text, []byte("\nfunc Fuzz")) && (len(dirs) == 0 || dirs[len(dirs)-1] != dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// fuzzPackage builds a package's tests once, with the coverage that fuzzing
// needs, and runs each target of them.
func (h *house) fuzzPackage(ctx context.Context, scratch, dir string) (ran int, failed []error) {
	program := filepath.Join(scratch, "fuzz.test")
	if _, err := h.outputIn(ctx, dir, nil, "go", "test", "-c", "-fuzz", "Fuzz", "-o", program, "."); err != nil {
		return 0, []error{err}
	}
	list, err := h.outputIn(ctx, dir, nil, program, "-test.list", "^Fuzz")
	if err != nil {
		return 0, []error{err}
	}
	for target := range strings.FieldsSeq(list) {
		ran++
		if err := h.fuzzOne(ctx, scratch, dir, program, target); err != nil {
			failed = append(failed, err)
		}
	}
	return ran, failed
}

// fuzzOne runs one target. Where its seeds took all of its time, or the end of
// it came in the middle of an input, it is given more.
func (h *house) fuzzOne(ctx context.Context, scratch, dir, program, target string) error {
	var out string
	var err error
	for _, limit := range []time.Duration{h.fuzz, 2 * h.fuzz, 10 * h.fuzz} {
		out, err = h.outputIn(ctx, dir, nil, program, "-test.paniconexit0", "-test.run", "^$", "-test.fuzz",
			"^"+target+"$",
			"-test.fuzztime", limit.String(), "-test.fuzzcachedir", filepath.Join(scratch, "finds", target))
		switch {
		case err != nil && !outOfTime(err.Error()):
			return fmt.Errorf("in %s: %w", dir, err)
		case err == nil && strings.Contains(out, "execs:"):
			return nil
		}
	}
	return fmt.Errorf("%s of %s did not run to its end:\n%s", target, dir, out)
}

// outOfTime reports whether fuzzing found nothing and failed only since its
// time was up (golang/go issue 75804): a find names the file of its input.
func outOfTime(failure string) bool {
	return strings.Contains(failure, "    context deadline exceeded\n") && !strings.Contains(failure, "Failing input")
}
