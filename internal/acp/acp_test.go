//go:build unix

package acp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/hook"
)

// The test program is also the agent, which does what a script says.
func TestMain(m *testing.M) {
	if script := os.Getenv("ACP_SCRIPT"); script != "" {
		os.Exit(playAgent(script))
	}
	if script := os.Getenv("ACP_BETWEEN"); script != "" {
		os.Exit(between(script))
	}
	os.Exit(m.Run())
}

// playAgent does one line of the script after the other: "read" takes a line of the editor's, "say TEXT" writes a
// line, "copy" echoes until the end, "warn TEXT" writes to standard error, "ignore" ignores SIGTERM, "leave" starts a
// process that keeps the output open, "exit N" ends. What was read is kept in the file ACP_HEARD.
func playAgent(script string) int {
	in := bufio.NewReader(os.Stdin)
	heard, err := os.Create(os.Getenv("ACP_HEARD"))
	if err != nil {
		return 99
	}
	text, err := os.ReadFile(script)
	if err != nil {
		return 98
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "read":
			text, _ := in.ReadString('\n')
			heard.WriteString(text)
		case "say":
			os.Stdout.WriteString(rest + "\n")
		case "part":
			os.Stdout.WriteString(rest)
		case "warn":
			os.Stderr.WriteString(rest + "\n")
		case "copy":
			io.Copy(io.MultiWriter(os.Stdout, heard), in)
		case "hear":
			io.Copy(heard, in)
		case "ignore":
			signal.Ignore(syscall.SIGTERM)
		case "sleep":
			time.Sleep(24 * time.Hour) // until it is ended
		case "kill":
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case "exit":
			var code int
			fmt.Sscan(rest, &code)
			return code
		}
	}
	return 0
}

// editor is the other side: it reads lines, and says what it wants.
type editor struct {
	*testing.T
	home, work  string
	options     Options
	in          *io.PipeWriter
	mu          sync.Mutex
	out         bytes.Buffer
	errs        locked
	grown       *sync.Cond
	code        chan int
	cancel      context.CancelFunc
	heardInFile string
}

// locked is a buffer for two writers: the agent's standard error and nod's.
type locked struct {
	mu  sync.Mutex
	all []byte
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, b...)
	return len(b), nil
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.all)
}

func newEditor(t *testing.T) *editor {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{T: t, home: home, work: filepath.Join(home, "work"), code: make(chan int, 1),
		heardInFile: filepath.Join(home, "heard")}
	e.grown = sync.NewCond(&e.mu)
	if err := os.MkdirAll(e.work, 0o755); err != nil {
		t.Fatal(err)
	}
	places := config.DefaultPlaces(home)
	places.Managed = ""
	e.options = Options{Name: "played", Deadline: hang.Limit(), Grace: hang.Limit(),
		Hook: hook.Options{Places: places, Version: "test"}}
	return e
}

func (e *editor) settings(text string) {
	e.Helper()
	if err := os.MkdirAll(filepath.Dir(e.options.Hook.Places.User), 0o700); err != nil {
		e.Fatal(err)
	}
	if err := os.WriteFile(e.options.Hook.Places.User, []byte(text), 0o600); err != nil {
		e.Fatal(err)
	}
}

// Write is what the editor reads.
func (e *editor) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.grown.Broadcast()
	return e.out.Write(b)
}

// start runs the proxy with an agent that plays a script.
func (e *editor) start(script ...string) {
	e.Helper()
	self, err := os.Executable()
	if err != nil {
		e.Fatal(err)
	}
	e.options.Command = []string{self}
	e.options.Hook.Environ = []string{"HOME=" + e.home, "PATH=/usr/bin:/bin", "GORACE=atexit_sleep_ms=0",
		"ACP_SCRIPT=" + filepath.Join(e.home, "script"), "ACP_HEARD=" + e.heardInFile}
	if err := os.WriteFile(filepath.Join(e.home, "script"), []byte(strings.Join(script, "\n")), 0o600); err != nil {
		e.Fatal(err)
	}
	var in *io.PipeReader
	in, e.in = io.Pipe()
	e.options.Stdin, e.options.Stdout, e.options.Stderr = in, e, &e.errs
	ctx, cancel := context.WithCancel(e.Context())
	e.cancel = cancel
	go func() {
		code, err := Run(ctx, e.options)
		if err != nil {
			e.Error(err)
			in.CloseWithError(err)
		}
		e.code <- code
	}()
	e.Cleanup(func() { e.in.Close(); cancel() })
}

func (e *editor) say(format string, args ...any) {
	e.Helper()
	if _, err := fmt.Fprintf(e.in, format+"\n", args...); err != nil {
		e.Fatal(err)
	}
}

// open begins session s1 in the workspace.
func (e *editor) open() {
	e.Helper()
	e.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
	e.say(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, e.work)
}

// known is an agent that says which one it is.
const known = `read
say {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"qwen-code","version":"0"}}}`

// opened is what the agent plays for open.
const opened = known + `
read
say {"jsonrpc":"2.0","id":"new","result":{"sessionId":"s1"}}`

// await waits until the editor has read a text.
func (e *editor) await(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for !strings.Contains(e.out.String(), text) {
		e.grown.Wait()
	}
}

// end waits for the agent's end, and returns what each side has read.
func (e *editor) end() (code int, read, heard string) {
	e.Helper()
	code = <-e.code
	raw, err := os.ReadFile(e.heardInFile)
	if err != nil {
		e.Fatal(err)
	}
	return code, e.out.String(), string(raw)
}

func (e *editor) log() (entries []audit.Entry) {
	e.Helper()
	raw, err := os.ReadFile(filepath.Join(e.options.Hook.Places.State, "decisions.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		e.Fatal(err)
	}
	for line := range bytes.Lines(raw) {
		var entry audit.Entry
		if err := json.Unmarshal(line, &entry); err != nil {
			e.Fatalf("%v: %s", err, line)
		}
		entries = append(entries, entry)
	}
	return entries
}

// request is a permission request for a command.
func request(id, session, command string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"session/request_permission","params":{"sessionId":%q,`+
		`"toolCall":{"toolCallId":"c%s","kind":"execute","title":"t","rawInput":{"command":%q}},`+
		`"options":[{"optionId":"2","name":"O","kind":"allow_once"},{"optionId":"3","name":"R","kind":"reject_once"}]}}`,
		id, session, strings.Trim(id, `"`), command)
}

// shown is what nod leaves alone of a request when it adds its reason.
func shown(request string) string {
	return request[strings.Index(request, `"rawInput"`):strings.Index(request, `},"options"`)]
}

// What nod allows or denies the agent is told at once, and the editor does not
// see; what a person must decide the editor sees, and nod's reason with it.
func TestRequestsAreAnswered(t *testing.T) {
	e := newEditor(t)
	e.settings("hard_deny = [\"touch forbidden\"]\n")
	asked := request(`7`, "s1", "npm publish")
	e.start(opened,
		"say "+request(`"a-1"`, "s1", "ls"), "read",
		"say "+request(`-0012`, "s1", "ls"), // no JSON: it passes
		"say "+request(`12`, "s1", "touch forbidden"), "read",
		"say "+asked, "read",
		"exit 0")
	e.open()
	e.await(shown(asked))
	e.say(`{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}}`)
	_, read, heard := e.end()
	lines := strings.Split(read, "\n")
	if len(lines) != 5 || lines[2] != request(`-0012`, "s1", "ls") || !strings.Contains(lines[3], shown(asked)) ||
		!strings.Contains(lines[3], "nod asks: ") || !strings.Contains(lines[3],
		"nod approve ") || !json.Valid([]byte(lines[3])) {
		t.Errorf("the editor read %q", lines)
	}
	want := []string{
		`{"jsonrpc":"2.0","id":"a-1","result":{"outcome":{"outcome":"selected","optionId":"2"}}}`,
		`{"jsonrpc":"2.0","id":12,"result":{"outcome":{"outcome":"selected","optionId":"3"}}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}}`, "",
	}
	if diff := cmp.Diff(want, strings.Split(heard, "\n")[2:]); diff != "" {
		t.Error(diff)
	}
	var said []string
	for _, entry := range e.log() {
		said = append(said, entry.Answered+" "+entry.Agent+" "+entry.Session+" "+entry.CallID+" "+entry.Root)
	}
	root := " " + e.work
	if diff := cmp.Diff([]string{"allow acp:played s1 ca-1" + root, "deny acp:played s1 c12" + root,
		"abstained acp:played s1 c7" + root}, said); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(e.errs.String(), "touch forbidden") {
		t.Errorf("the person is not told why: %q", e.errs.String())
	}
}

// Everything that passes, passes byte for byte, in both directions and in order.
func TestAllElseIsUntouched(t *testing.T) {
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	texts := []string{
		"{\"jsonrpc\": \"2.0\",  \"method\":\"x/unknown\",\"params\":{\"b\":1,\"a\":2.50}}\r\n",
		"\n", "\r\n", "not json\n", "\x00\xff\xfe\x80\n", "[1,2]\n", deep + "\n", "null\n",
		"{\"id\":1,\"id\":2,\"method\":\"session/request_permission\"}\n",
		`{"jsonrpc":"2.0","id":null,"method":"session/request_permission","params":{}}` + "\n",
		`{"jsonrpc":"2.0","method":"session/request_permission","params":{}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{},"options":[]}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":[1]}` + "\n",
		`{"jsonrpc":"2.0","id":1,"Method":"x","method":"session/request_permission","params":{}}` + "\n",
		`[` + request("5", "s1", "ls") + "]\n", // a batch is not of this protocol
		`{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s1","pad":"` +
			strings.Repeat("x", 70<<10) + "\"}}\n",
		strings.Repeat("long ", 100<<10) + "\n",
		"the end without one",
	}
	for _, limit := range []int{0, 64 << 10} { // the second lets long lines stream
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			e := newEditor(t)
			e.options.lineLimit = limit
			e.start("warn to the person", "copy", "exit 7")
			all := strings.Join(texts, "")
			for _, piece := range []string{all[:3], all[3:200], all[200:]} {
				if _, err := io.WriteString(e.in, piece); err != nil {
					t.Fatal(err)
				}
			}
			e.in.Close()
			code, read, heard := e.end()
			if code != 7 || heard != all || read != all {
				t.Errorf("exit %d; heard alike: %v; read alike: %v", code, heard == all, read == all)
			}
			if e.errs.String() != "to the person\n" {
				t.Errorf("standard error: %q", e.errs.String())
			}
		})
	}
}

// A permission request that is longer than what is looked at goes on to the editor, harmless or not.
func TestALongRequestIsThePersons(t *testing.T) {
	e := newEditor(t)
	e.options.lineLimit = 64 << 10
	long := request("1", "s1", "ls "+strings.Repeat(" ", 200<<10))
	e.start(opened, "say "+long, "exit 0")
	e.open()
	if _, read, _ := e.end(); !strings.HasSuffix(read, long+"\n") {
		t.Error("the request is missing")
	}
	if len(e.log()) != 0 {
		t.Errorf("%+v", e.log())
	}
}

// slow is a model that answers when it is let.
type slow struct {
	asked chan struct{}
	let   chan struct{}
	block bool
}

func (s slow) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	s.asked <- struct{}{}
	select {
	case <-s.let:
		return nod.Classification{Digest: p.Digest, Reason: "as the test says", ShouldBlock: s.block, Thinking: "-"},
			nil
	case <-ctx.Done():
		return nod.Classification{}, ctx.Err()
	}
}

// While a request is being decided, what the agent says next waits behind it: the editor sees the agent's order.
func TestTheOrderIsTheAgents(t *testing.T) {
	for _, block := range []bool{false, true} {
		e := newEditor(t)
		m := slow{make(chan struct{}, 1), make(chan struct{}), block}
		e.options.Hook.Model = m
		asked := request("1", "s1", "npm publish")
		e.start(opened, "say "+asked, `say {"after":1}`, "read", `say {"after":2}`, "exit 0")
		e.open()
		<-m.asked
		e.mu.Lock()
		if strings.Contains(e.out.String(), "after") {
			t.Error("what follows has overtaken the request")
		}
		e.mu.Unlock()
		close(m.let)
		_, read, heard := e.end()
		if strings.Contains(read, "request_permission") || !strings.HasSuffix(read, "{\"after\":1}\n{\"after\":2}\n") {
			t.Errorf("the editor read %s", read)
		}
		want := map[bool]string{false: `"optionId":"2"`, true: `"optionId":"3"`}[block]
		if !strings.Contains(heard, want) {
			t.Errorf("the agent heard %s, want %s", heard, want)
		}
	}
}

// The editor cancels a turn: nod's open requests of that session, which it does
// not know, are answered as the protocol wants, and never allowed any more.
func TestACancelledTurn(t *testing.T) {
	e := newEditor(t)
	m := slow{make(chan struct{}, 1), make(chan struct{}), false}
	e.options.Hook.Model = m
	e.start(opened, "say "+request("1", "s1", "npm publish"), "read", "read", "read", "exit 0")
	e.open()
	<-m.asked
	e.say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"other"}}`)
	e.say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
	_, read, heard := e.end()
	if strings.Contains(read, "request_permission") {
		t.Errorf("the editor read %s", read)
	}
	if !strings.Contains(heard, `{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}`) {
		t.Errorf("the agent heard %s", heard)
	}
}

// A decision that does not come in time is the person's.
func TestTheDeadline(t *testing.T) {
	e := newEditor(t)
	e.options.Deadline = 50 * time.Millisecond
	e.options.Hook.Model = slow{make(chan struct{}, 1), nil, false}
	asked := request("1", "s1", "npm publish")
	e.start(opened, "say "+asked, "read", "exit 0")
	e.open()
	e.await(asked)
	e.say("{}")
	if _, _, heard := e.end(); strings.Contains(heard, "outcome") {
		t.Errorf("the agent heard %s", heard)
	}
}

// In a session that nod does not know, nothing is allowed; what must not run is denied.
func TestAnUnknownSession(t *testing.T) {
	e := newEditor(t)
	asked := request("1", "s2", "ls")
	e.start(opened, "say "+asked, "read", "say "+request("2", "s2", "rm -rf ~"), "read", "exit 0")
	e.open()
	e.await(asked)
	e.say("{}")
	if _, _, heard := e.end(); !strings.HasSuffix(heard,
		"\n{}\n"+`{"jsonrpc":"2.0","id":2,"result":{"outcome":{"outcome":"selected","optionId":"3"}}}`+"\n") {
		t.Errorf("the agent heard %s", heard)
	}
}

// A loaded session is known by its id from the start. Where the settings let
// nod say nothing, or cannot be used, the editor is asked.
func TestLoadedSessionsAndSettings(t *testing.T) {
	for name, row := range map[string]struct {
		settings string
		answered bool
	}{
		"enforce": {"", true}, "observe": {"mode = \"observe\"\n", false}, "off": {"mode = \"off\"\n", false},
		"broken": {"mode = \n", false}, "reinforce": {"profile = \"reinforce\"\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditor(t)
			e.settings(row.settings)
			asked := request("1", "old", "ls "+e.work)
			e.start(known, "read", "say "+asked, "read", "exit 0")
			e.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
			e.say(`{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"old","cwd":%q,"mcpServers":[]}}`, e.work)
			if !row.answered {
				e.await(shown(asked))
				e.say("{}")
			}
			_, read, heard := e.end()
			if strings.Contains(heard, `"optionId":"2"`) != row.answered || strings.Contains(read,
				shown(asked)) == row.answered {
				t.Errorf("the agent heard %s, the editor read %s", heard, read)
			}
		})
	}
}

// The agent's end is nod's: its exit code, the signal that ended it.
func TestTheEndOfTheAgent(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 41": 41, "kill": 128 + int(syscall.SIGKILL)} {
		e := newEditor(t)
		e.start(script)
		if code, _, _ := e.end(); code != want {
			t.Errorf("%s: exit %d, want %d", script, code, want)
		}
	}
}

// A signal to nod ends the agent, also an agent that will not listen.
func TestASignalEndsTheAgent(t *testing.T) {
	for script, want := range map[string]int{"say up\nsleep": 128 + int(syscall.SIGTERM),
		"ignore\nsay up\nsleep": 128 + int(syscall.SIGKILL)} {
		e := newEditor(t)
		if strings.HasPrefix(script, "ignore") {
			e.options.Grace = 300 * time.Millisecond
		}
		e.start(script)
		e.await("up")
		e.cancel()
		if code, _, _ := e.end(); code != want {
			t.Errorf("%q: exit %d, want %d", script, code, want)
		}
	}
}

// Where the editor reads no more, the agent is ended too, also an agent that does
// not notice by itself. In the program the editor is standard output.
func TestTheEditorIsGone(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	script := filepath.Join(home, "script")
	if err := os.WriteFile(script, []byte("read\nsay x\nsay y\nsleep"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = []string{"HOME=" + home, "GORACE=atexit_sleep_ms=0", "ACP_BETWEEN=" + script,
		"ACP_HEARD=" + filepath.Join(home, "heard")}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	fmt.Fprintln(in, "go")
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
		t.Errorf("nod ended with %v, not as the agent that it told to end", err)
	}
}

// between is nod between this test and an agent that plays a script.
func between(script string) int {
	self, err := os.Executable()
	if err != nil {
		return 97
	}
	environ := append(os.Environ(), "ACP_SCRIPT="+script)
	code, err := Run(context.Background(), Options{Name: "played", Command: []string{self}, Deadline: time.Minute,
		Hook:  hook.Options{Environ: environ},
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	if err != nil {
		return 96
	}
	return code
}

// An agent that cannot be started is an error, and nothing runs.
func TestNoAgent(t *testing.T) {
	if _, err := Run(t.Context(), Options{Command: []string{"/nowhere/agent"}, Stdout: io.Discard,
		Stderr: io.Discard}); err == nil {
		t.Error("no error")
	}
}

// told is a model that keeps what it is shown.
type told struct{ prompts chan nod.Prompt }

func (m told) Classify(_ context.Context, p nod.Prompt) (nod.Classification, error) {
	m.prompts <- p
	return nod.Classification{Digest: p.Digest, ShouldBlock: true, Reason: "no", Thinking: "-"}, nil
}

// A model is shown what the person typed and the agent's earlier calls; not files that came along,
// not what the agent says that the person said, and not the call itself twice.
func TestTheConversation(t *testing.T) {
	e := newEditor(t)
	e.settings("[model]\nprofile = \"seed\"\n")
	m := told{make(chan nod.Prompt, 1)}
	e.options.Hook.Model = m
	update := func(text string) string {
		return `say {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":` + text + `}}`
	}
	e.start(opened, "read",
		update(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"FORGED consent"}}`),
		update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"THOUGHT"}}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"c0","title":"list","kind":"execute"}`),
		update(`{"sessionUpdate":"tool_call_update","toolCallId":"c0","rawInput":{"command":"ls EARLIER"},"content":[{"type":"content","content":{"type":"text","text":"OUTPUT"}}]}`),
		update(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"THIS one","kind":"execute"}`),
		"say "+request("1", "s1", "npm publish"), "read", "exit 0")
	e.open()
	e.await(`"sessionId":"s1"`)
	e.say(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"please publish"},{"type":"resource","resource":{"uri":"file:///x","text":"INJECTED"}}]}}`)
	p := hang.Receive(t, "the question", m.prompts)
	e.end()
	for text, want := range map[string]bool{
		"please publish": true, "ls EARLIER": true,
		"INJECTED": false, "FORGED": false, "THOUGHT": false, "OUTPUT": false, "THIS one": false,
	} {
		if strings.Contains(p.User, text) != want {
			t.Errorf("%q is shown: %v\n%s", text, !want, p.User)
		}
	}
}

// An agent that is told "always" asks no more, so the editor is not offered it, also by a request that nod cannot read.
func TestAlwaysIsNotOffered(t *testing.T) {
	for _, call := range []string{`"toolCall":{"toolCallId":7}`, `"toolCall":{}`, `"subject":{}`} {
		e := newEditor(t)
		e.start(opened, `say {"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s1",`+
			call+`,"options":[{"optionId":"1","name":"A","kind":"allow_always"},`+
			`{"optionId":"2","name":"O","kind":"allow_once"}]}}`, "exit 0")
		e.open()
		if _, read, _ := e.end(); strings.Contains(read, "allow_always") || !strings.Contains(read, "allow_once") {
			t.Errorf("%s: the editor is offered %s", call, read)
		}
	}
}
