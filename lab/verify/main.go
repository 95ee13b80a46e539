// Verify runs what must hold before a change lands, from a bare clone: it installs what it needs, prints each stage
// with its time and count, and fails if any stage did.
//
//	go run ./lab/verify [-deep] [-only STAGE,...]
//
// The short run is for every change: it takes ten to fifteen minutes on two cores, with nothing built before. -deep
// runs what the short run leaves out as well: CONTRIBUTING.md says what that is. The test in lab/verify/faults shows
// that the short run is not blind.
//
// It needs Go, a C compiler (for the race detector), git, Node 20 with npm (for the real agents and the vendors'
// specifications), and reaches the Go module proxy and the npm registry. Where the vulnerability database does not
// answer, govulncheck is left out and a line says so.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// stage is one step: commands, or what finds out more and returns a count with its noun, such as "412 tests".
type stage struct {
	name     string
	commands []string // one behind the other; the first that fails ends the stage
	said     string   // of commands that have not failed
	run      func(context.Context, *house) (string, error)
	deep     bool // only with -deep
}

// house is what the stages share.
type house struct {
	root    string
	tools   string // npm's folder: e2e/
	install func() (string, error)
	deep    bool
	totals  totals
}

type totals struct{ passed, failed, skipped int }

// stages are in the order in which they run: first what ends soon. What more is done with -deep asks the house.
func stages() []stage {
	goRun := "go run -p " + atOnce() + " "
	return []stage{
		{name: "modules", commands: []string{"go mod verify", "go mod tidy -diff"}, said: "modules verified and tidy"},
		{name: "gofmt", run: checkFormat},
		{name: "vet", commands: []string{"go vet -p " + atOnce() + " ./..."}, said: "no findings"},
		{name: "staticcheck", commands: []string{goRun + staticcheckAt + " ./..."}, said: "no findings", deep: true},
		{name: "govulncheck", run: govulncheck, deep: true},
		{name: "tools", run: func(_ context.Context, h *house) (string, error) { return h.install() }},
		{name: "tests", run: tests},
		{name: "race", run: race},
		{name: "witness", run: witness},
		{name: "end-to-end", run: endToEnd},
		{name: "fuzz", run: fuzzTargets, deep: true},
		// What others gave: data beside the repository, which no clone brings, and go test does not see change.
		{name: "shared", run: tested("./agent", "./corpus", "./lab/eval", "./internal/shell", "./llm/..."), deep: true},
		// What needs a kernel with namespaces, and programs that a bare machine lacks.
		{name: "boundary", run: tested("./internal/confine/..."), deep: true},
		{name: "browser", run: browser, deep: true},
		{name: "databases", run: databases, deep: true},
	}
}

func main() {
	h := &house{}
	only := flag.String("only", "", "run only these stages, separated by commas")
	flag.BoolVar(&h.deep, "deep", false,
		"run also what takes long: fuzzing, the race detector everywhere, every end-to-end test")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := h.verify(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(1)
	}
}

func (h *house) verify(ctx context.Context, only string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	h.root, h.tools = root, filepath.Join(root, "e2e")
	begun := time.Now()
	h.install = sync.OnceValues(func() (string, error) { return installTools(ctx, h) })
	if chosen(stage{name: "tools"}, h.deep, only) {
		go h.install() // a registry answers while the first stages compile
	}
	ran, failed := 0, 0
	for _, s := range stages() {
		if chosen(s, h.deep, only) {
			ran++
			failed += h.run(ctx, s)
		}
	}
	fmt.Printf("%-12s %8s\n", "whole run", time.Since(begun).Round(100*time.Millisecond))
	fmt.Printf("%d passed, %d failed, %d skipped\n", h.totals.passed, h.totals.failed, h.totals.skipped)
	switch {
	case failed > 0:
		return fmt.Errorf("%d stages failed", failed)
	case only != "" && ran != strings.Count(only, ",")+1:
		return fmt.Errorf("%d of the stages %s were found", ran, only)
	}
	return nil
}

// chosen reports whether a stage runs. Whoever names a stage wants it.
func chosen(s stage, deep bool, only string) bool {
	if only != "" {
		return slices.Contains(strings.Split(only, ","), s.name)
	}
	return deep || !s.deep
}

// run runs a stage and prints its line. A failed stage counts as 1.
func (h *house) run(ctx context.Context, s stage) (failed int) {
	begun := time.Now()
	count, err := s.said, error(nil)
	for _, command := range s.commands {
		if err == nil {
			_, err = h.output(ctx, strings.Fields(command)...)
		}
	}
	if s.run != nil {
		count, err = s.run(ctx, h)
	}
	took := time.Since(begun).Round(100 * time.Millisecond)
	if err != nil {
		fmt.Printf("%-12s %8s  FAILED  %s\n%v\n", s.name, took, count, err)
		return 1
	}
	fmt.Printf("%-12s %8s  %s\n", s.name, took, count)
	return 0
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	file := strings.TrimSpace(string(out))
	if err != nil || file == "" || file == os.DevNull {
		return "", errors.New("run this inside a clone of the repository")
	}
	return filepath.Dir(file), nil
}

// environ is what programs of the stages get. Without cgo, as nod is shipped:
// all stages but the race detector's share what is built.
func environ(more []string) []string {
	return append(append(os.Environ(), "CGO_ENABLED=0"), more...)
}

// atOnce is how many programs go runs at once: two for each core, since tests wait for the programs that they start and
// for the disk. A compiler can need a gigabyte and more: eight will do.
func atOnce() string { return strconv.Itoa(max(runtime.NumCPU(), min(2*runtime.NumCPU(), 8))) }

// output runs a program in the repository and returns what it printed; the error carries it too.
func (h *house) output(ctx context.Context, words ...string) (string, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env = h.root, environ(nil)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, out)
	}
	return string(out), nil
}
