// Faults shows that the short run of internal/verify is not blind. It plants
// faults one at a time, runs the tests of the package concerned, and says
// which test found the fault; it fails if a fault was found by no test.
//
//	go run ./internal/verify/faults [-only TEXT] [-list]
//
// The tree is not touched: go's -overlay shows the compiler another text of
// one file. A text that a fault replaces and that is no longer there is an
// error, and TestFaultsCanBePlanted says so too.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/nodgate/nod/internal/hang"
)

func main() {
	only := flag.String("only", "", "plant only the faults whose name holds this text")
	list := flag.Bool("list", false, "list the faults")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	chosen := slices.DeleteFunc(faults(), func(f fault) bool { return !strings.Contains(f.name, *only) })
	if *list {
		for _, f := range chosen {
			fmt.Printf("%s (%s)\n", f.name, f.file)
		}
		return
	}
	if err := plantAll(ctx, chosen); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		os.Exit(1)
	}
}

// plantAll plants each fault and prints a line about it.
func plantAll(ctx context.Context, chosen []fault) error {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return err
	}
	root := filepath.Dir(strings.TrimSpace(string(out)))
	found := 0
	for _, f := range chosen {
		begun := time.Now()
		tests, err := plant(ctx, root, f)
		took := time.Since(begun).Round(time.Second)
		switch {
		case err != nil:
			fmt.Printf("ERROR    %6s  %s: %v\n", took, f.name, err)
		case len(tests) == 0:
			fmt.Printf("MISSED   %6s  %s (%s)\n", took, f.name, f.file)
		default:
			found++
			fmt.Printf("found    %6s  %s: %s\n", took, f.name, tests[0])
		}
	}
	fmt.Printf("%d faults planted, %d found\n", len(chosen), found)
	if found < len(chosen) || found == 0 {
		return errors.New("not every fault was found")
	}
	return nil
}

// changed returns the text of a fault's file with the fault in it.
func changed(root string, f fault) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(text, []byte(f.was)); n != 1 {
		return nil, fmt.Errorf("%s holds %d times, not once: %s", f.file, n, f.was)
	}
	return bytes.Replace(text, []byte(f.was), []byte(f.now), 1), nil
}

// plant runs the tests with a fault, up to the first that fails, and returns
// the names of those that failed.
func plant(ctx context.Context, root string, f fault) (failed []string, err error) {
	scratch, err := os.MkdirTemp("", "nod-fault-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	overlay, err := overlaid(root, scratch, f)
	if err != nil {
		return nil, err
	}
	args := append([]string{"test", "-json", "-count=1", "-short", "-failfast", "-vet=off", "-timeout",
		(2 * hang.Limit()).String()}, f.tests...)
	cmd := exec.CommandContext(ctx, "go", args...)
	// Tests that build a program of nod's build it with the fault too.
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	said, err := cmd.Output()
	failed, built := failures(said)
	if !built || err != nil && len(failed) == 0 {
		return nil, fmt.Errorf("the tests do not run with it: %v\n%s%s", err, stderr.String(), said)
	}
	return failed, nil
}

// overlaid writes the changed file and the overlay that names it.
func overlaid(root, scratch string, f fault) (name string, err error) {
	text, err := changed(root, f)
	if err != nil {
		return "", err
	}
	file := filepath.Join(scratch, "changed.go")
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, f.file): file}})
	if err != nil {
		return "", err
	}
	name = filepath.Join(scratch, "overlay.json")
	return name, errors.Join(os.WriteFile(file, text, 0o600), os.WriteFile(name, overlay, 0o600))
}

// failures reads what go test -json says: the tests that failed, and whether
// all packages could be built.
func failures(said []byte) (failed []string, built bool) {
	built = true
	lines := bufio.NewScanner(bytes.NewReader(said))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e struct{ Action, Test string }
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		switch {
		case e.Action == "build-fail":
			built = false
		case e.Action == "fail" && e.Test != "":
			failed = append(failed, e.Test)
		}
	}
	return failed, built
}
