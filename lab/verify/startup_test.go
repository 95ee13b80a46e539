package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// timed is one program with one input, and what its runs took.
type timed struct {
	name, program, stdin string
	args                 []string
	took                 []time.Duration
}

// BenchmarkStartUp prints what nod-hook costs at every tool call: the median of its whole process, beside that of a Go
// hello world. They take turns, so that a busy machine slows all of them; the ratio counts.
//
//	go test ./lab/verify -run - -bench StartUp -benchtime 200x
func BenchmarkStartUp(b *testing.B) {
	dir := b.TempDir()
	list, err := startupPrograms(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	for round := 0; b.Loop(); round++ {
		for i := range list {
			t := list[(i+round)%len(list)]
			took, said, err := t.run(b.Context(), dir)
			if err != nil || t.stdin != "" && !bytes.Contains(said, []byte(`"allow"`)) {
				b.Fatalf("%s is not the fast path: %v\n%s", t.name, err, said)
			}
			t.took = append(t.took, took)
		}
	}
	for _, t := range list {
		b.ReportMetric(t.median().Seconds()*1000, t.name+"-ms")
		b.ReportMetric(float64(t.median())/float64(list[0].median()), t.name+"-ratio")
	}
}

// startupPrograms builds them, the hello world first.
func startupPrograms(ctx context.Context, dir string) ([]*timed, error) {
	const hello = "package main\n\nfunc main() { println(\"hello\") }\n"
	source, hook := filepath.Join(dir, "hello.go"), filepath.Join(dir, "nod-hook")
	if err := os.WriteFile(source, []byte(hello), 0o600); err != nil {
		return nil, err
	}
	for name, what := range map[string]string{"hello": source, "nod-hook": "github.com/nodgate/nod/cmd/nod-hook"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", filepath.Join(dir, name), what)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go build %s: %w\n%s", what, err, out)
		}
	}
	args := []string{"claude-code", "--settings", dir + "/nod.toml", "--managed", dir + "/managed.toml",
		"--state", dir + "/state", "--nod", dir + "/nod"}
	payload := func(tool, input string) string {
		return fmt.Sprintf(`{"session_id":"s","transcript_path":%q,"cwd":%q,"permission_mode":"default",`+
			`"hook_event_name":"PreToolUse","tool_name":%q,"tool_input":%s,"tool_use_id":"t"}`,
			dir+"/transcript.jsonl", dir, tool, input)
	}
	return []*timed{
		{name: "hello", program: filepath.Join(dir, "hello")},
		{name: "read", program: hook, args: args,
			stdin: payload("Read", fmt.Sprintf(`{"file_path":%q}`, source))},
		{name: "status", program: hook, args: args, stdin: payload("Bash", `{"command":"git status"}`)},
	}, nil
}

// run runs the program once.
func (t *timed) run(ctx context.Context, dir string) (took time.Duration, said []byte, err error) {
	cmd := exec.CommandContext(ctx, t.program, t.args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewBufferString(t.stdin)
	cmd.Env = []string{"HOME=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + dir}
	begun := time.Now()
	said, err = cmd.Output()
	return time.Since(begun), said, err
}

// median is the middle one, or the upper of the two.
func (t *timed) median() time.Duration { return slices.Sorted(slices.Values(t.took))[len(t.took)/2] }
