package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReportComparesWithTheFirst(t *testing.T) {
	ms := time.Millisecond
	var out strings.Builder
	report(&out, []*subject{
		{name: "base", took: []time.Duration{3 * ms, 2 * ms, 2 * ms}},
		{name: "hook", took: []time.Duration{9 * ms, 2 * ms, 3 * ms}, nod: true},
		{name: "other", took: []time.Duration{20 * ms}},
	}, 3)
	for _, want := range []string{"hook   3.00   1.50", "other  20.00  10.00",
		"nod-hook / Go hello world: 1.50 (goal ≤ 1.5)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

func TestMeasure(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "stdin")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := &subject{name: "good", program: "/bin/sh", args: []string{"-c", "exit 0"}, stdin: empty}
	if err := measure([]*subject{good}, 3); err != nil || len(good.took) != 3 || good.median() <= 0 {
		t.Errorf("took %v, %v; want three times", good.took, err)
	}
	bad := &subject{name: "bad", program: "/bin/sh", args: []string{"-c", "exit 2"}, stdin: empty}
	if err := measure([]*subject{bad}, 1); err == nil {
		t.Error("a program that fails was timed")
	}
	if err := good.allows(); err == nil {
		t.Error("a program that allows nothing was taken for the fast path")
	}
}

func TestInterpreterThatIsMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if got := interpreter("python3", "import sys; print(sys.executable)") + interpreter("node", ""); got != "" {
		t.Errorf("found %q in an empty PATH", got)
	}
}
