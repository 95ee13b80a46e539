package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// Three agents can be driven as an editor or another program drives them, and ask it what they would ask a person. Each
// of these functions has an agent do a prompt, refuses everything that it asks about, and returns what that was.

// appServer starts Codex for another program, sends it requests, and hands each answer
// to take, which says when it is enough.
func (m *machine) appServer(requests []string, take func(line []byte, in io.Writer) (enough bool)) {
	m.t.Helper()
	cmd := m.command(hang.Context(m.t), drivenBy("codex").program(m.t), "app-server")
	cmd.Env = append(cmd.Env, "SCRIPTED_KEY=none")
	in, out := m.piped(cmd)
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for _, request := range append([]string{
		`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"e2e","version":"1"}}}`,
		`{"method":"initialized"}`}, requests...) {
		fmt.Fprintln(in, request)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		if take(lines.Bytes(), in) {
			return
		}
	}
	m.t.Fatal("codex app-server ended too early")
}

// piped starts a program that is spoken with.
func (m *machine) piped(cmd *exec.Cmd) (in io.WriteCloser, out io.Reader) {
	m.t.Helper()
	in, err := cmd.StdinPipe()
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return in, out
}

// codexConsent is the person's: it asks Codex itself for the hooks that wait to
// be trusted, as /hooks shows them, and returns the settings by which they are.
func codexConsent(m *machine) (settings string) {
	m.t.Helper()
	request := fmt.Sprintf(`{"id":2,"method":"hooks/list","params":{"cwds":[%q]}}`, m.work)
	m.appServer([]string{request}, func(line []byte, _ io.Writer) bool {
		var answer struct {
			ID     int
			Result struct {
				Data []struct {
					Hooks []struct{ Key, CurrentHash, TrustStatus string }
				}
			}
		}
		if json.Unmarshal(line, &answer) != nil || answer.ID != 2 {
			return false
		}
		if len(answer.Result.Data) != 1 || len(answer.Result.Data[0].Hooks) == 0 {
			m.t.Fatalf("hooks/list: %s", line)
		}
		for _, h := range answer.Result.Data[0].Hooks {
			if h.TrustStatus != "untrusted" {
				m.t.Fatalf("a hook of nod's is %q before anyone has seen it", h.TrustStatus)
			}
			both := strings.Replace(h.CurrentHash, "/", "\"\ntrusted_content_hash = \"", 1) // the second is a plugin's
			settings += fmt.Sprintf("[hooks.state.%q]\ntrusted_hash = \"%s\"\n", h.Key, both)
		}
		return true
	})
	return settings
}

// serve is Codex's app-server.
func (d *driving) serve() (asked []string) {
	d.t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	d.prepare(d.machine, d.srv)
	request := fmt.Sprintf(`{"id":2,"method":"thread/start","params":{"cwd":%q,"approvalPolicy":"on-request",`+
		`"sandbox":"workspace-write"}}`, d.work)
	d.appServer([]string{request}, func(line []byte, in io.Writer) bool {
		var m struct {
			ID     json.RawMessage
			Method string
			Error  json.RawMessage
			Params struct{ Command string }
			Result struct{ Thread struct{ ID string } }
		}
		if err := json.Unmarshal(line, &m); err != nil || m.Error != nil {
			d.t.Fatalf("codex app-server: %v\n%s", err, line)
		}
		switch {
		case string(m.ID) == "2" && m.Method == "":
			fmt.Fprintf(in, `{"id":3,"method":"turn/start","params":{"threadId":%q,"input":[{"type":"text","text":%q}]}}`+
				"\n", m.Result.Thread.ID, task)
		case m.ID != nil && m.Method != "":
			asked = append(asked, m.Method+" "+m.Params.Command)
			fmt.Fprintf(in, `{"id":%s,"result":{"decision":"decline"}}`+"\n", m.ID)
		}
		return m.Method == "turn/completed"
	})
	return asked
}

// stream is Qwen Code's stream of JSON.
func (d *driving) stream() (asked []string) {
	d.t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	ctx := hang.Context(d.t)
	words, environ := d.prepare(d.machine, d.srv)
	cmd := d.command(ctx, words[0], words[1], "--input-format", "stream-json", "--output-format", "stream-json",
		"--approval-mode", "default")
	cmd.Env = append(cmd.Env, environ...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, out := d.piped(cmd)
	// Without the first it waits for a person of its own and asks nobody here.
	fmt.Fprintln(in, `{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}`)
	fmt.Fprintf(in, `{"type":"user","session_id":"s","parent_tool_use_id":null,"message":{"role":"user","content":%q}}`+
		"\n", task)
	for dec := json.NewDecoder(out); ; {
		var line struct {
			Type      string
			RequestID string `json:"request_id"`
			Request   json.RawMessage
		}
		if err := dec.Decode(&line); err != nil {
			break
		}
		switch line.Type {
		case "control_request":
			if bytes.Contains(line.Request, []byte("can_use_tool")) {
				asked = append(asked, string(line.Request))
			}
			fmt.Fprintf(in, `{"type":"control_response","response":{"subtype":"success","request_id":%q,`+
				`"response":{"behavior":"deny","message":"nobody wants this"}}}`+"\n", line.RequestID)
		case "result":
			in.Close()
		}
	}
	if err := cmd.Wait(); ctx.Err() != nil {
		d.t.Fatalf("qwen: %v\n%s", err, stderr.String())
	}
	return asked
}

// refused is opencode's server.
func (d *driving) refused() (asked []string) {
	d.t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	o := serveOpencode(d)
	var session struct{ ID string }
	o.call("POST", "/session", `{}`, &session)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		o.call("POST", "/session/"+session.ID+"/message", `{"parts":[{"type":"text","text":"`+task+`"}]}`, nil)
	}()
	for looks := map[string]int{}; ; {
		var pending []struct {
			ID       string
			Metadata struct{ Command string }
		}
		select {
		case <-finished:
			return asked
		case <-o.ctx.Done():
			d.t.Fatal("the session did not end")
		case <-time.After(300 * time.Millisecond):
		}
		o.call("GET", "/permission", "", &pending)
		for _, p := range pending {
			if looks[p.ID]++; looks[p.ID] != 10 {
				continue // what nod answers is pending for a moment
			}
			asked = append(asked, p.Metadata.Command)
			o.call("POST", "/permission/"+p.ID+"/reply", `{"reply":"reject","message":"the person says no"}`, nil)
		}
	}
}

// served is an opencode that waits for a client.
type served struct {
	m   *driving
	url string
	ctx context.Context
}

func serveOpencode(m *driving) served {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang.Limit())
	words, environ := m.prepare(m.machine, m.srv)
	cmd := m.command(ctx, words[0], "serve", "--port", "0", "--hostname", "127.0.0.1")
	cmd.Env = append(cmd.Env, environ...)
	_, out := m.piped(cmd)
	m.t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if i := strings.Index(lines.Text(), "http://127.0.0.1:"); i >= 0 {
			go io.Copy(io.Discard, out)
			return served{m, strings.Fields(lines.Text()[i:])[0], ctx}
		}
	}
	m.t.Fatal("opencode serve names no address")
	return served{}
}

// call does one request and reads the answer into into, if that is not nil.
func (o served) call(method, path, body string, into any) {
	req, err := http.NewRequestWithContext(o.ctx, method, o.url+path, strings.NewReader(body))
	if err != nil {
		o.m.t.Error(err)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		o.m.t.Error(err)
		return
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil || res.StatusCode != http.StatusOK {
		o.m.t.Errorf("%s %s: %s %v %s", method, path, res.Status, err, text)
	}
}

// escalated is a command of Codex's that asks to leave the sandbox.
func escalated(name string, values ...string) llmtest.Call {
	return spelled("exec_command",
		`{"cmd":$1,"sandbox_permissions":"require_escalated","justification":"the test wants it"}`)(name, values...)
}
