//go:build unix

package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whoever keeps the place sees each line once: through rotations, torn lines and removed files.
func TestFollow(t *testing.T) {
	dir := stateDir(t)
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.MaxBytes = 2000
	n, problems := 0, 0
	var wrote, got []string
	put := func(count int) {
		for range count {
			e := someDecision(n)
			n++
			if err := l.Write(e); err != nil {
				t.Fatal(err)
			}
			wrote = append(wrote, e.ID)
		}
	}
	put(3)
	place, err := End(dir)
	if err != nil {
		t.Fatal(err)
	}
	wrote = nil
	read := func() {
		t.Helper()
		for {
			b, err := After(dir, place)
			if err != nil {
				t.Fatal(err)
			}
			problems += len(b.Problems)
			for _, line := range b.Lines {
				got = append(got, line.ID)
			}
			if place = b.Place; len(b.Lines)+len(b.Problems) == 0 {
				break
			}
		}
		if diff := cmp.Diff(wrote, got); diff != "" {
			t.Fatalf("-wrote +read:\n%s", diff)
		}
	}
	read()
	for i := range 12 {
		put(i)
		read()
	}
	if names, _ := rotatedFiles(dir); len(names) < 5 || problems > 0 {
		t.Fatalf("%d rotated files, %d problems", len(names), problems)
	}
	appendRaw(t, dir, `{"v":1,"id":"torn`)
	put(1)
	read()
	names, _ := rotatedFiles(dir)
	for _, name := range append(names, filepath.Join(dir, FileName)) {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	put(2)
	read()
	if fmt.Sprint(problems) != "2" { // the torn line, and the files that have gone
		t.Errorf("%d problems", problems)
	}
}
