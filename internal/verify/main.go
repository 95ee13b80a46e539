// Verify runs everything that must hold before a change lands, from a bare
// clone: it installs what it needs, prints each stage with its time and
// count, and fails if any stage did.
//
//	go run ./internal/verify [-fuzz 5s] [-only STAGE,...] [-list]
//
// It needs Go, a C compiler (for the race detector), git, Node 20 with npm
// (for the real Claude Code and the vendors' specifications), and reaches the
// Go module proxy and the npm registry. Where the vulnerability database does
// not answer, govulncheck is left out and a line says so.
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
	"slices"
	"strings"
	"time"
)

// stage is one step. run returns a count with its noun, such as "412 tests".
type stage struct {
	name string
	run  func(context.Context, *house) (string, error)
}

// house is what the stages share.
type house struct {
	root    string
	tools   string // npm's folder: e2e/
	fuzz    time.Duration
	totals  totals
	verbose bool
}

type totals struct{ passed, failed, skipped int }

func stages() []stage {
	return []stage{
		{"tools", installTools},
		{"modules", verifyModules},
		{"gofmt", checkFormat},
		{"vet", vet},
		{"staticcheck", staticcheck},
		{"govulncheck", govulncheck},
		{"tests", raceTests},
		{"readme", readme},
		{"fuzz", fuzzTargets},
		{"end-to-end", endToEnd},
		{"demo", demo},
	}
}

func main() {
	h := &house{}
	only := flag.String("only", "", "run only these stages, separated by commas")
	list := flag.Bool("list", false, "list the stages")
	flag.DurationVar(&h.fuzz, "fuzz", 4*time.Second, "how long each fuzz target runs")
	flag.BoolVar(&h.verbose, "v", false, "print the output of every stage")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *list {
		for _, s := range stages() {
			fmt.Println(s.name)
		}
		return
	}
	if err := verify(ctx, h, *only); err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(1)
	}
}

func verify(ctx context.Context, h *house, only string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	h.root, h.tools = root, filepath.Join(root, "e2e")
	failed, begun := 0, time.Now()
	for _, s := range stages() {
		if only != "" && !slices.Contains(strings.Split(only, ","), s.name) {
			continue
		}
		if !step(ctx, h, s) {
			failed++
		}
	}
	fmt.Printf("%-12s %8s\n", "whole run", time.Since(begun).Round(100*time.Millisecond))
	fmt.Printf("%d passed, %d failed, %d skipped\n", h.totals.passed, h.totals.failed, h.totals.skipped)
	if failed > 0 {
		return fmt.Errorf("%d stages failed", failed)
	}
	return nil
}

// step runs one stage and prints its line.
func step(ctx context.Context, h *house, s stage) bool {
	begun := time.Now()
	count, err := s.run(ctx, h)
	took := time.Since(begun).Round(100 * time.Millisecond)
	if err != nil {
		fmt.Printf("%-12s %8s  FAILED  %s\n%v\n", s.name, took, count, err)
		return false
	}
	fmt.Printf("%-12s %8s  %s\n", s.name, took, count)
	return true
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	file := strings.TrimSpace(string(out))
	if err != nil || file == "" || file == os.DevNull {
		return "", errors.New("run this inside a clone of the repository")
	}
	return filepath.Dir(file), nil
}

// output runs a program in the repository and returns what it printed; the
// error carries it too.
func (h *house) output(ctx context.Context, env []string, name string, args ...string) (string, error) {
	return h.outputIn(ctx, h.root, env, name, args...)
}

// outputIn is output in another directory.
func (h *house) outputIn(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if h.verbose {
		os.Stdout.Write(out)
	}
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
