package faults

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
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hang"
)

const root = "../../.."

var (
	planting = flag.Bool("plant", false, "plant the faults; without it only that they can be planted is looked at")
	only     = flag.String("only", "", "plant only the faults whose name holds this text")
)

// A fault whose text is no longer in its file shows nothing.
func TestFaultsCanBePlanted(t *testing.T) {
	names := map[string]bool{}
	for _, f := range faults() {
		if text, err := changed(root, f); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", f.name, err)
		}
		if names[f.name] || len(f.tests) == 0 || f.was == f.now {
			t.Errorf("%s: named twice, or it changes or tests nothing", f.name)
		}
		names[f.name] = true
	}
	if len(names) < 15 {
		t.Errorf("%d faults", len(names))
	}
}

func TestFailures(t *testing.T) {
	failed, built := failures([]byte(`
{"Action":"fail","Package":"p","Test":"TestA/b"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"fail","Package":"p"}
`))
	if !built || !slices.Equal(failed, []string{"TestA/b"}) {
		t.Errorf("%q, built: %v", failed, built)
	}
	if _, built := failures([]byte(`{"Action":"build-fail","ImportPath":"p"}`)); built {
		t.Error("a package that cannot be built is not seen")
	}
}

// Each fault is found by a test of the package named with it.
func TestFaultsAreFound(t *testing.T) {
	if !*planting {
		t.Skip("takes an hour: go test -v -timeout 2h ./lab/verify/faults -plant")
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults() {
		if !strings.Contains(f.name, *only) {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			found, err := plant(t.Context(), absolute, f)
			if err != nil || len(found) == 0 {
				t.Fatalf("%s: no test finds it: %v", f.file, err)
			}
			t.Logf("found by %s", found[0])
		})
	}
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

// plant runs the tests with a fault, up to the first that fails, and returns the names of those that failed.
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

// failures reads what go test -json says: the tests that failed, and whether all packages could be built.
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
