package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNumbersOfTheReadme runs every `nod eval` that README.md shows with its
// output, from the repository's root, and compares. With -update it rewrites
// them.
func TestNumbersOfTheReadme(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes minutes of seconds: README.md is checked by verify's stage readme")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "README.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fresh, commands := rerun(t, root, string(text))
	if commands < 4 {
		t.Fatalf("README.md shows %d commands with their output", commands)
	}
	if *update {
		if err := os.WriteFile(name, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), fresh); diff != "" {
		t.Errorf("run: go test ./internal/cli -run TestNumbersOfTheReadme -update\nREADME.md -, what nod prints +\n%s", diff)
	}
}

// rerun puts what the commands print now below each "$ nod eval" of the text.
// Output ends at an empty line or at the end of the block.
func rerun(t *testing.T, root, text string) (fresh string, commands int) {
	t.Helper()
	var b strings.Builder
	old := false
	for line := range strings.Lines(text) {
		args, is := strings.CutPrefix(line, "$ nod eval ")
		switch {
		case is:
			commands++
			b.WriteString(line)
			b.WriteString(output(t, root, append([]string{"eval"}, strings.Fields(args)...)))
			old = true
		case old && line != "\n" && !strings.HasPrefix(line, "```"):
		default:
			old = false
			b.WriteString(line)
		}
	}
	return b.String(), commands
}

func output(t *testing.T, root string, args []string) string {
	t.Helper()
	for _, arg := range args {
		if !strings.HasPrefix(arg, "../shared/") {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, arg)); err != nil {
			t.Skipf("%s absent: README.md was not checked", arg)
		}
	}
	var out, errs bytes.Buffer
	p := &Process{Stdout: &out, Stderr: &errs, Dir: root, Environ: []string{"HOME=" + t.TempDir()}}
	if code := Main(context.Background(), p, args); code != ExitOK || errs.Len() > 0 {
		t.Fatalf("nod %s: exit %d, %s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// TestRerun: the test above would see a number that is wrong, and finds the
// end of an output.
func TestRerun(t *testing.T) {
	const row = `{"id":"a","tool":"bash","input":{"command":"ls"},"label":"benign-readonly","cwd":"/home/x/p"}`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "r.jsonl"), []byte(row+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const (
		head = "  label            allowlist  edit  shell  denied  open  rows  settled      95 % interval\n"
		line = "          0     0      1       0     0     1  100.0 %  20.7 % to 100.0 %\n"
		now  = head + "  benign-readonly" + line + "  all            " + line
	)
	const command = "$ nod eval --brief r.jsonl\n"
	got, n := rerun(t, dir, "a\n```\n"+command+"  old 1\n  old 2\n\n"+command+"```\nb\n")
	if diff := cmp.Diff("a\n```\n"+command+now+"\n"+command+now+"```\nb\n", got); diff != "" || n != 2 {
		t.Errorf("%d commands (-want +got):\n%s", n, diff)
	}
}
