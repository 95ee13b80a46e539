package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hang"
)

// event is a line of `go test -json`.
type event struct {
	Action, Package, Test, Output string
}

// result of one run of go test.
type result struct {
	totals
	failures []string
	skips    map[string]int // how many, by reason
	output   map[string]string
}

// test runs go test and sums up what it says. The limit is for what hangs. The stage before has vetted the code, and no
// debugger will look at the binaries: both took a sixth of the time.
func (h *house) test(ctx context.Context, env []string, args ...string) (string, error) {
	limit := (4 * hang.Limit()).String()
	args = append([]string{"test", "-json", "-vet=off", "-ldflags=-w", "-p", atOnce(), "-timeout", limit}, args...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = h.root, environ(env)
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
	h.totals.passed += r.passed
	h.totals.failed += r.failed
	h.totals.skipped += r.skipped
	return r.summary(), r.verdict(err, stderr.String())
}

func read(lines *bufio.Scanner) result {
	r := result{output: map[string]string{}, skips: map[string]int{}}
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
		r.output[key] += e.Output
	case "pass":
		if e.Test != "" {
			r.passed++
		}
		delete(r.output, key)
	case "skip":
		if e.Test != "" {
			r.skipped++
			r.skips[reason(r.output[key])]++
		}
	case "fail", "build-fail":
		r.failed++
		r.failures = append(r.failures, key)
	}
}

var (
	place  = regexp.MustCompile(`^\s*[\w./-]+\.go:\d+: `)
	shared = regexp.MustCompile(`\S*\bshared/\S*`)
)

// reason is why a test was skipped, without what differs between tests that were skipped for the same reason.
func reason(output string) string {
	for line := range strings.SplitSeq(output, "\n") {
		if said := place.ReplaceAllString(line, ""); said != line {
			said, _, _ = strings.Cut(strings.TrimPrefix(said, "SKIPPED: "), ": ")
			return shared.ReplaceAllString(strings.TrimSpace(said), "../shared")
		}
	}
	return "no reason given"
}

// summary counts the tests, and in one line those that were skipped.
func (r result) summary() string {
	s := fmt.Sprintf("%d tests", r.passed+r.failed)
	if r.skipped == 0 {
		return s
	}
	if r.passed+r.failed == 0 {
		s = "nothing was looked at"
	}
	var reasons []string
	for _, why := range slices.Sorted(maps.Keys(r.skips)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", r.skips[why], why))
	}
	return fmt.Sprintf("%s; %d skipped: %s", s, r.skipped, strings.Join(reasons, ", "))
}

// verdict is nil where nothing failed. Where every test was skipped, the summary
// says why; without any test, the stage looked at nothing.
func (r result) verdict(err error, stderr string) error {
	if err == nil && r.passed+r.skipped == 0 {
		return errors.New("no test ran")
	}
	if err == nil && r.failed == 0 {
		return nil
	}
	var b strings.Builder
	for _, f := range r.failures {
		fmt.Fprintf(&b, "--- %s\n%s", f, r.output[f])
	}
	return fmt.Errorf("%s%s%v", b.String(), stderr, err)
}
