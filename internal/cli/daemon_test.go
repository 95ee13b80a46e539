//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is typed behind nod daemon is nod-serve's, and so are the exit status and the end.
func TestDaemonIsNodServe(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "nod-serve")
	var out bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	p := &Process{Stdout: writerFunc(func(text []byte) (int, error) {
		if strings.Contains(string(text), "--otlp x") {
			defer cancel()
		}
		return out.Write(text)
	}), Stderr: t.Output(), Dir: dir}
	if err := serveBeside(ctx, p, program, nil); err == nil || !strings.Contains(err.Error(), "go install") {
		t.Errorf("without nod-serve: %v", err)
	}
	const script = "#!/bin/sh\n[ \"$2\" = refused ] && exit 2\ntrap 'echo ended; exit 0' TERM\necho \"$@\"\n" +
		"while :; do :; done\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := serveBeside(ctx, p, program, []string{"refused"}); err == nil || err.Error() != "exit status 2" {
		t.Errorf("a refusal: %v", err)
	}
	err := serveBeside(ctx, p, program, []string{"--otlp", "x"})
	if err != nil || out.String() != "daemon --otlp x\nended\n" {
		t.Errorf("%v, %s", err, &out)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
