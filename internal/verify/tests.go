package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test, Output string
}

// result of one run of go test.
type result struct {
	totals
	failures, skips []string
	output          map[string]*strings.Builder
}

func raceTests(ctx context.Context, h *house) (string, error) {
	packages, err := h.output(ctx, nil, "go", "list", "./...")
	if err != nil {
		return "", err
	}
	var args []string
	for p := range strings.FieldsSeq(packages) {
		if !strings.HasSuffix(p, "/e2e") {
			args = append(args, p)
		}
	}
	return h.test(ctx, []string{"NOD_TOOLS=" + h.tools, "CGO_ENABLED=1"}, append([]string{"-race", "-timeout", "20m"}, args...)...)
}

// readme compares the numbers that README.md shows with what prints them, and
// runs what the race detector keeps from running.
func readme(ctx context.Context, h *house) (string, error) {
	return h.test(ctx, nil, "-count=1", "-run", "^(TestNumbersOfTheReadme|TestKindsKeepTheEffect)$", "./internal/cli", "./internal/disguise")
}

func endToEnd(ctx context.Context, h *house) (string, error) {
	return h.test(ctx, []string{"NOD_TOOLS=" + h.tools, "NOD_E2E=require", "CGO_ENABLED=0"}, "-count=1", "-timeout", "25m", "./e2e/...")
}

// test runs go test and sums up what it says.
func (h *house) test(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir, cmd.Env = h.root, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	r := read(bufio.NewScanner(pipe))
	err = cmd.Wait()
	h.totals.add(r.totals)
	return r.summary(), r.verdict(err, stderr.String())
}

func (t *totals) add(o totals) {
	t.passed, t.failed, t.skipped = t.passed+o.passed, t.failed+o.failed, t.skipped+o.skipped
}

func read(lines *bufio.Scanner) result {
	r := result{output: map[string]*strings.Builder{}}
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		r.take(e)
	}
	return r
}

func (r *result) take(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output", "build-output":
		if r.output[key] == nil {
			r.output[key] = &strings.Builder{}
		}
		r.output[key].WriteString(e.Output)
	case "pass":
		if e.Test != "" {
			r.passed++
		}
		delete(r.output, key)
	case "skip":
		if e.Test != "" {
			r.skipped++
			r.skips = append(r.skips, key+": "+lastLine(r.output[key]))
		}
	case "fail", "build-fail":
		r.failed++
		r.failures = append(r.failures, key)
	}
}

func lastLine(b *strings.Builder) string {
	if b == nil {
		return ""
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		if strings.Contains(line, ".go:") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func (r result) summary() string {
	s := fmt.Sprintf("%d tests", r.passed+r.failed)
	for _, skip := range r.skips {
		s += "\n             skipped: " + skip
	}
	return s
}

func (r result) verdict(err error, stderr string) error {
	if err == nil && r.passed == 0 {
		return errors.New("no test ran")
	}
	if err == nil && r.failed == 0 {
		return nil
	}
	var b strings.Builder
	for _, f := range r.failures {
		fmt.Fprintf(&b, "--- %s\n", f)
		if out := r.output[f]; out != nil {
			b.WriteString(out.String())
		}
	}
	return fmt.Errorf("%s%s%v", b.String(), stderr, err)
}
