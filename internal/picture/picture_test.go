package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The picture of README.md shows what nod prints now.
func TestThePictureIsWhatNodPrints(t *testing.T) {
	for _, program := range []string{"/usr/bin/git", "/usr/bin/curl", "/usr/bin/timeout"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s absent: docs/nod-check.svg was not compared", program)
		}
	}
	now, err := draw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile("../../docs/nod-check.svg")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(drawn), string(now)); diff != "" {
		t.Errorf("run: go run ./internal/picture\ndocs/nod-check.svg -, now +\n%s", diff)
	}
	for d := xml.NewDecoder(bytes.NewReader(now)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if len(now) > 8<<10 || bytes.Contains(now, []byte{0x1b}) {
		t.Errorf("%d bytes, or an escape sequence that was not drawn", len(now))
	}
}
