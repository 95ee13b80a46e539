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
	output   map[string]*strings.Builder
}

// raced are the packages whose code shares memory between goroutines: the
// race detector is for them. TestRacedPackages holds the list.
var raced = []string{
	".", "audit", "internal/acp", "internal/cli", "internal/confine",
	"internal/hang", "internal/history", "internal/hook", "internal/hosts", "internal/lines", "internal/mcp",
	"internal/paths", "internal/place", "internal/rewriting/trial", "internal/session",
	"internal/view", "internal/wiring", "lab/eval", "lab/verify", "lab/witness", "llm/llmtest",
}

// alone are the tests of those packages that take long with the race detector and
// have nothing for it: one goroutine does their work, or a process that is built
// without it, or a goroutine that shorter tests start too. They run in the stage
// tests, and here with -deep. TestRacedPackages holds the list.
var alone = []string{
	"TestTheLedgerGrowsAtItsEnd", "TestGitKeepsWhatWasThere",
	"TestWaysAroundTheStaticLayers", "TestWhatIsObeyedIsGuarded",
	"TestHandwrittenInBuildOutput", "TestWhatGitDoesNotHaveIsLost",
	"TestWriteShortensAndMasks", "TestManyProcessesRotate",
	"TestReadersAgree",
	"TestHolesPutBack", "TestFound", "TestRacedPackages",
}

// vendors are those of the packages that link the vendors' SDKs. To compile the SDKs for
// the race detector takes longer than to race all the others: that is left to -deep.
var vendors = []string{"internal/cli", "internal/hook", "llm/llmtest"}

// figuresTest has a stage of its own.
const figuresTest = "^TestNumbersOfTheDocs$"

// tests runs every test but those of the other stages. Fuzz targets run with
// their seeds.
func tests(ctx context.Context, h *house) (string, error) {
	packages, err := h.packages(ctx)
	if err != nil {
		return "", err
	}
	env := []string{"NOD_TOOLS=" + h.tools}
	if h.deep {
		env = append(env, "NOD_DEEP=1")
	}
	return h.test(ctx, env, append([]string{"-skip", figuresTest}, packages...)...)
}

// packages lists all but those that have a stage of their own.
func (h *house) packages(ctx context.Context) (list []string, err error) {
	out, err := h.output(ctx, nil, "go", "list", "./...")
	for p := range strings.FieldsSeq(out) {
		if !strings.HasSuffix(p, "/e2e") && !strings.HasSuffix(p, "/lab/witness") {
			list = append(list, p)
		}
	}
	return list, err
}

// race runs the tests of what shares memory once more, with the race detector, but for
// what links the vendors' SDKs; with -deep all tests.
func race(ctx context.Context, h *house) (string, error) {
	args := []string{"-race", "-short", "-skip", "^(" + strings.Join(alone, "|") + ")$"}
	for _, dir := range raced {
		if !slices.Contains(vendors, dir) {
			args = append(args, "./"+dir)
		}
	}
	if h.deep {
		packages, err := h.packages(ctx)
		if err != nil {
			return "", err
		}
		args = append([]string{"-race"}, packages...)
	}
	return h.test(ctx, []string{"NOD_TOOLS=" + h.tools, "CGO_ENABLED=1"}, args...)
}

// besides are the packages with tests of what stands beside the repository.
var besides = []string{"./agent", "./corpus", "./lab/eval", "./internal/shell", "./llm/..."}

// sharedData runs the packages that measure what others gave: data and
// specifications beside the repository, which no clone brings.
func sharedData(ctx context.Context, h *house) (string, error) {
	return h.test(ctx, []string{"NOD_TOOLS=" + h.tools}, append([]string{"-count=1"}, besides...)...)
}

// boundary runs what needs a kernel with namespaces, and programs that a bare
// machine lacks.
func boundary(ctx context.Context, h *house) (string, error) {
	return h.test(ctx, nil, "-count=1", "./internal/confine/...")
}

// figures compares the numbers that docs/figures.md shows with what prints them. They
// are of files outside the repository, which go test does not see change.
func figures(ctx context.Context, h *house) (string, error) {
	return h.test(ctx, nil, "-count=1", "-run", figuresTest, "./lab/eval")
}

// witness lays what nod says beside what real shells and programs do: a sample,
// and with -deep many more texts.
func witness(ctx context.Context, h *house) (string, error) {
	said, err := h.test(ctx, nil, "-count=1", "./lab/witness/...")
	if err != nil || !h.deep {
		return said, err
	}
	for _, part := range [][]string{{"-n", "100000"}, {"-files", "-n", "50000"}} {
		if _, err := h.output(ctx, nil, "go", append([]string{"run", "./lab/witness"}, part...)...); err != nil {
			return said, err
		}
	}
	return said, nil
}

// endToEnd runs the core cases of each real agent, and with -deep every case.
func endToEnd(ctx context.Context, h *house) (string, error) {
	args := []string{"-count=1", "-parallel", atOnce(), "./e2e/..."}
	if !h.deep {
		args = append([]string{"-short"}, args...)
	}
	return h.test(ctx, []string{"NOD_TOOLS=" + h.tools, "NOD_E2E=require"}, args...)
}

// test runs go test and sums up what it says. The limit is for what hangs. The
// stage before has vetted the code, and no debugger will look at the binaries:
// both took a sixth of the time.
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
	h.totals.add(r.totals)
	return r.summary(), r.verdict(err, stderr.String())
}

func (t *totals) add(o totals) {
	t.passed, t.failed, t.skipped = t.passed+o.passed, t.failed+o.failed, t.skipped+o.skipped
}

func read(lines *bufio.Scanner) result {
	r := result{output: map[string]*strings.Builder{}, skips: map[string]int{}}
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

// reason is why a test was skipped, without what differs between tests that
// were skipped for the same reason.
func reason(output *strings.Builder) string {
	if output == nil {
		return "no reason given"
	}
	for line := range strings.SplitSeq(output.String(), "\n") {
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
// says why; where there was none at all, the stage looked at nothing.
func (r result) verdict(err error, stderr string) error {
	if err == nil && r.passed+r.skipped == 0 {
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
