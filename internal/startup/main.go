// Startup measures what nod-hook costs at every tool call: the time of its
// whole process, beside that of programs that do less.
//
//	go run ./internal/startup [-rounds N]
//
// It builds nod-hook and a Go hello world without cgo, as nod is shipped, and
// takes hooks in Python and Node that only decode the payload; one that is
// not installed is named and left out. All programs take turns, so that a
// busy machine slows all of them. What is printed are medians of one run, and
// their ratio to the hello world; the goal for nod-hook is 1.5.
//
// The payloads take the fast path: a Read in the workspace, which layer 1
// allows, and `git status`, which layer 3 does. Each is checked to be allowed
// before it is timed.
//
// The exit status is 0 unless something could not be built or run: a slow
// machine is no failure.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// goal is how often nod-hook may take the time of the hello world.
const goal = 1.5

func main() {
	rounds := flag.Int("rounds", 200, "how often each program runs")
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 1 {
		fmt.Fprintln(os.Stderr, "startup: usage: go run ./internal/startup [-rounds N], N at least 1")
		os.Exit(2)
	}
	if err := run(os.Stdout, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "startup:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, rounds int) error {
	dir, err := os.MkdirTemp("", "nod-startup-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := bench{dir: dir, out: out}
	subjects, err := b.subjects()
	if err != nil {
		return err
	}
	if err := measure(subjects, rounds); err != nil {
		return err
	}
	report(out, subjects, rounds)
	return nil
}

// subject is one program with one input.
type subject struct {
	name    string
	program string
	args    []string
	env     []string
	dir     string
	stdin   string // a file
	nod     bool
	took    []time.Duration
}

// start runs the program once, by the shortest way that Go has. Standard
// output is thrown away.
func (s *subject) start(null *os.File) (time.Duration, error) {
	in, err := os.Open(s.stdin)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	attr := os.ProcAttr{Dir: s.dir, Env: s.env, Files: []*os.File{in, null, null}}
	began := time.Now()
	p, err := os.StartProcess(s.program, append([]string{s.program}, s.args...), &attr)
	if err != nil {
		return 0, err
	}
	state, err := p.Wait()
	took := time.Since(began)
	if err == nil && !state.Success() {
		err = fmt.Errorf("%s: %s", s.name, state)
	}
	return took, err
}

// measure lets the programs take turns; whose turn is first rotates. The
// first round fills caches and does not count.
func measure(subjects []*subject, rounds int) error {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for round := range rounds + 1 {
		for i := range subjects {
			s := subjects[(i+round)%len(subjects)]
			took, err := s.start(null)
			if err != nil {
				return err
			}
			if round > 0 {
				s.took = append(s.took, took)
			}
		}
	}
	return nil
}

// median is the middle one, or the upper of the two.
func (s *subject) median() time.Duration {
	sorted := slices.Sorted(slices.Values(s.took))
	return sorted[len(sorted)/2]
}

// report prints the table; subjects[0] is what the others are compared with.
func report(out io.Writer, subjects []*subject, rounds int) {
	base := subjects[0].median()
	fmt.Fprintf(out, "whole process, median of %d runs each, taking turns\n\n", rounds)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "program\tms\tratio\t\n")
	worst := 0.0
	for _, s := range subjects {
		ratio := float64(s.median()) / float64(base)
		if s.nod {
			worst = max(worst, ratio)
		}
		fmt.Fprintf(table, "%s\t%.2f\t%.2f\t\n", s.name, float64(s.median())/float64(time.Millisecond), ratio)
	}
	table.Flush()
	fmt.Fprintf(out, "\nnod-hook / Go hello world: %.2f (goal ≤ %.1f)\n", worst, goal)
}

// bench makes the programs and their inputs in a directory of its own.
type bench struct {
	dir string
	out io.Writer
}

const hello = `package main

import "fmt"

func main() { fmt.Println("hello") }
`

// The other languages' hooks decode the payload and answer; they decide
// nothing.
const (
	pythonHook = `import json, sys
json.load(sys.stdin)
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}))
`
	nodeHook = `JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify({hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "allow"}}));
`
)

// payload is what Claude Code 2.1.329 sends, as far as a hook needs it.
func (b bench) payload(name, tool, input string) (string, error) {
	text := fmt.Sprintf(`{"session_id":"startup","transcript_path":%q,"cwd":%q,"permission_mode":"default",`+
		`"hook_event_name":"PreToolUse","tool_name":%q,"tool_input":%s,"tool_use_id":"toolu_1"}`,
		filepath.Join(b.dir, "transcript.jsonl"), b.workspace(), tool, input)
	return b.file(name, text)
}

func (b bench) workspace() string { return filepath.Join(b.dir, "workspace") }

func (b bench) file(name, text string) (string, error) {
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// subjects prepares everything that is timed, the hello world first.
func (b bench) subjects() ([]*subject, error) {
	if _, err := b.file("workspace/README", "a file\n"); err != nil {
		return nil, err
	}
	read, err := b.payload("read.json", "Read", fmt.Sprintf(`{"file_path":%q}`, filepath.Join(b.workspace(), "README")))
	if err != nil {
		return nil, err
	}
	status, err := b.payload("status.json", "Bash", `{"command":"git status"}`)
	if err != nil {
		return nil, err
	}
	list, err := b.goPrograms(read, status)
	if err != nil {
		return nil, err
	}
	for _, script := range []struct{ name, program, self, file, text string }{
		{"Python, decodes JSON only", "python3", "import sys; print(sys.executable)", "hook.py", pythonHook},
		{"Node, decodes JSON only", "node", "", "hook.js", nodeHook},
	} {
		program := interpreter(script.program, script.self)
		if program == "" {
			fmt.Fprintf(b.out, "%s: no %s found, left out\n", script.name, script.program)
			continue
		}
		path, err := b.file(script.file, script.text)
		if err != nil {
			return nil, err
		}
		list = append(list, b.subject(script.name, program, []string{path}, status))
	}
	return list, nil
}

func (b bench) goPrograms(read, status string) ([]*subject, error) {
	source, err := b.file("hello.go", hello)
	if err != nil {
		return nil, err
	}
	helloProgram, err := b.build("hello", source)
	if err != nil {
		return nil, err
	}
	hook, err := b.build("nod-hook", "github.com/nodgate/nod/cmd/nod-hook")
	if err != nil {
		return nil, err
	}
	args := []string{"claude-code", "--settings", filepath.Join(b.dir, "nod.toml"), "--managed",
		filepath.Join(b.dir, "managed.toml"),
		"--state", filepath.Join(b.dir, "state"), "--nod", filepath.Join(b.dir, "nod")}
	list := []*subject{
		b.subject("Go hello world", helloProgram, nil, status),
		b.subject("nod-hook, Read", hook, args, read),
		b.subject("nod-hook, git status", hook, args, status),
		b.subject("the same, 80 rules of Claude Code's", hook, args, status),
	}
	home, err := b.claudeRules()
	if err != nil {
		return nil, err
	}
	list[3].env[0] = "HOME=" + home
	for _, s := range list[1:] {
		s.nod = true
		if err := s.allows(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// claudeRules makes a home with settings of Claude Code's, and returns it.
func (b bench) claudeRules() (home string, err error) {
	var deny, ask []string
	for i := range 40 {
		deny = append(deny, fmt.Sprintf(`"Bash(tool%d push:*)", "Read(~/private%d/**)"`, i, i))
		ask = append(ask, fmt.Sprintf(`"Bash(tool%d pull *)"`, i))
	}
	text := fmt.Sprintf(`{"permissions":{"deny":[%s],"ask":[%s]}}`, strings.Join(deny[:20], ", "),
		strings.Join(ask, ", "))
	file, err := b.file("home/.claude/settings.json", text)
	return filepath.Dir(filepath.Dir(file)), err
}

func (b bench) subject(name, program string, args []string, stdin string) *subject {
	env := []string{"HOME=" + b.dir, "PATH=/usr/local/bin:/usr/bin:/bin", "CLAUDE_PROJECT_DIR=" + b.workspace()}
	return &subject{name: name, program: program, args: args, env: env, dir: b.workspace(), stdin: stdin}
}

// allows makes sure that what is timed is the fast path.
func (s *subject) allows() error {
	in, err := os.Open(s.stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	cmd := exec.Command(s.program, s.args...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.dir, s.env, in
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"allow"`)) {
		return fmt.Errorf("%s: not the fast path, the answer was %q, %v", s.name, out, err)
	}
	return nil
}

func (b bench) build(name, what string) (string, error) {
	path := filepath.Join(b.dir, name)
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, what)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", what, err, out)
	}
	return path, nil
}

// interpreter finds a program, and asks it for its real path where what PATH
// names may be a starter that costs time of its own. "" means that there is
// none that works.
func interpreter(name, self string) string {
	path, err := exec.LookPath(name)
	if err != nil || self == "" {
		return path
	}
	out, err := exec.Command(path, "-c", self).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
