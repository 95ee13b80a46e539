package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// Where opencode has somebody to ask, nod's plugin has it ask about commands,
// grants what nod allows, and leaves to the prompt what nod would ask about. It asks about
// no line in which it sees no command: such a line does not run.
func TestOpencodeGrantsAndAsks(t *testing.T) {
	d := opencodeDriven()
	d.program(t)
	t.Parallel()
	m := d.ready(t, ruleSettings, llmtest.Script{})
	m.srv = llmtest.NewServer(t, llmtest.Script{Steps: []llmtest.Step{
		{Calls: []llmtest.Call{d.shell("allowed", "touch allowed")}},
		{Calls: []llmtest.Call{d.shell("denied", "touch forbidden")}},
		{Calls: []llmtest.Call{d.shell("unseen", "cd . > /dev/null; [[ 'a[$(touch unseen)]' -eq 0 ]]")}},
		{Calls: []llmtest.Call{d.shell("yes", "./opaque yes")}},
		{Calls: []llmtest.Call{d.shell("no", "./opaque no")}},
	}})
	m.installed(false)
	slots <- struct{}{}
	defer func() { <-slots }()
	o := serveOpencode(m)
	var session struct{ ID string }
	o.call("POST", "/session", `{}`, &session)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		o.call("POST", "/session/"+session.ID+"/message", `{"parts":[{"type":"text","text":"do what the test wants"}]}`,
			nil)
	}()
	for _, row := range []struct{ command, reply string }{{"./opaque yes", "once"}, {"./opaque no", "reject"}} {
		id := o.asked(row.command, finished)
		o.call("POST", "/permission/"+id+"/reply", `{"reply":"`+row.reply+`","message":"the person says so"}`, nil)
	}
	select {
	case <-finished:
	case <-o.ctx.Done():
		t.Fatal("the session did not end")
	}
	for name, ran := range map[string]bool{"allowed": true, "forbidden": false, "unseen": false, "yes": true,
		"no": false} {
		if exists(filepath.Join(m.work, name)) != ran {
			t.Errorf("%s exists: %v, want %v", name, !ran, ran)
		}
	}
	if told := m.told(t, "denied"); !strings.Contains(told, "hard_deny") {
		t.Errorf("the model was told %q", told)
	}
}

// Where opencode asks, nod's plugin answers about the line that it has handed over: code
// runs confined, and nobody is asked.
func TestOpencodeIsHandedALineWithoutAQuestion(t *testing.T) {
	d := opencodeDriven()
	d.program(t)
	t.Parallel()
	m := d.ready(t, "confine = \"on\"\n", llmtest.Script{Steps: []llmtest.Step{
		{Calls: []llmtest.Call{d.shell("code", "python3 probe.py")}}}})
	m.boundary(t)
	m.installed(false)
	m.machine.write(filepath.Join(m.work, "probe.py"), probe, 0o644)
	m.record("opencode", m.state(), d.program(t))
	slots <- struct{}{}
	defer func() { <-slots }()
	o := serveOpencode(m)
	var session struct{ ID string }
	o.call("POST", "/session", `{}`, &session)
	o.call("POST", "/session/"+session.ID+"/message", `{"parts":[{"type":"text","text":"do what the test wants"}]}`,
		nil) // returns at the end: a question that nobody answers would hold it
	if told := m.told(t, "code"); !strings.Contains(told, "probed") {
		t.Errorf("the model was told %q", told)
	}
	if found := m.decided("probe.py"); len(found) == 0 || found[0].Answered != "confined" {
		t.Errorf("%+v", found)
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
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.t.Fatal(err)
	}
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
	req, err := http.NewRequestWithContext(o.ctx, method, o.url+path, bytes.NewReader([]byte(body)))
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

// asked waits until opencode asks about a command and returns the request. A
// call that nod allows must not be among what it asks for long.
func (o served) asked(command string, finished <-chan struct{}) (id string) {
	o.m.t.Helper()
	hang.Until(o.m.t, fmt.Sprintf("opencode's question about %q", command), func() bool {
		select {
		case <-finished:
			o.m.t.Fatalf("opencode never asked about %q", command)
		default:
		}
		var pending []struct {
			ID       string
			Metadata struct{ Command string }
		}
		o.call("GET", "/permission", "", &pending)
		for _, p := range pending {
			if p.Metadata.Command == command {
				id = p.ID
			}
		}
		return id != ""
	})
	return id
}

// What becomes of a call where the file that nod wrote cannot be loaded:
// opencode goes on without a word, and nothing of nod's can close that; Pi
// does not start.
func TestPluginThatCannotBeLoaded(t *testing.T) {
	deep(t, "hostile repositories")
	for _, row := range []struct {
		driven
		ran bool
	}{{opencodeDriven(), true}, {piDriven(), false}} {
		t.Run(row.title, func(t *testing.T) {
			row.program(t)
			t.Parallel()
			m := row.ready(t, ruleSettings,
				llmtest.Script{Steps: []llmtest.Step{{Calls: []llmtest.Call{row.shell("call", "touch forbidden")}}}})
			m.installed(false)
			m.machine.write(filepath.Join(m.home, row.hooks), "export default function (\n", 0o600)
			words, environ := m.prepare(m.machine, m.srv)
			slots <- struct{}{}
			defer func() { <-slots }()
			cmd := m.command(t.Context(), words[0], words[1:]...)
			cmd.Env = append(cmd.Env, environ...)
			out, _ := cmd.CombinedOutput()
			if exists(filepath.Join(m.work, "forbidden")) != row.ran {
				t.Errorf("the call ran: %v, want %v:\n%s", !row.ran, row.ran, out)
			}
			if asked := len(m.srv.Requests(llmtest.Turn)) > 0; asked != row.ran {
				t.Errorf("the model was asked: %v, want %v:\n%s", asked, row.ran, out)
			}
		})
	}
}
