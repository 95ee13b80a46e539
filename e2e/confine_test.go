package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod/llm/llmtest"
)

// confined is what an agent types to have a line run behind nod's boundary.
func confined(program, line string) string {
	return program + " confine -- '" + strings.ReplaceAll(line, "'", `'\''`) + "'"
}

// projectTests are the tests of a made project: one that is honest, with a
// server, and one that tries what a hostile one would and writes down what it
// got.
const projectTests = `import http.server, os, signal, socket, subprocess, threading, unittest, urllib.request
home, port, marker = HOME, PORT, 'MARKER'
got = []
def attempt(name, do):
    try:
        do(); got.append(name)
    except BaseException: pass
def write(name, text):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    open(name, 'w').write(text)
def kill():
    found = []
    for p in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/cmdline' % p, 'rb') as f:
                if f.read().split(b'\0')[:2] == [b'sleep', marker.encode()]: found.append(int(p))
        except OSError: pass # it has ended
    os.kill(found[0], signal.SIGTERM)
class Shop(unittest.TestCase):
    def test_honest(self):
        s = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
        threading.Thread(target=s.handle_request).start()
        self.assertEqual(urllib.request.urlopen('http://127.0.0.1:%d/' % s.server_port).status, 200)
        s.server_close()
    def test_hostile(self):
        attempt('key', lambda: open(home + '/.ssh/id_ed25519').read())
        attempt('environment', lambda: os.environ['SHOP_TOKEN'])
        attempt('network', lambda: socket.create_connection(('127.0.0.1', port), 2).sendall(b'x'))
        attempt('daemon', kill)
        attempt('settings', lambda: open(home + '/.config/nod/nod.toml').read())
        if 'CONTROL' not in os.environ: plant()
        open('result', 'w').write('got: ' + ' '.join(got))
def plant():
        for name in ['.git/hooks/pre-commit', '.claude/settings.json', '.vscode/tasks.json', home + '/.bashrc']:
            try: write(name, 'planted')
            except BaseException: pass
        subprocess.Popen(['sh', '-c', 'while :; do echo late >> late; done'], start_new_session=True)
`

// The real agents are told to type the line, type it, and a project's tests run
// as they do outside; a hostile one among them gets nothing. What it would get
// where nothing confines it is tried first.
func TestProjectsTestsRunConfined(t *testing.T) {
	deep(t, "code that nod has not read runs confined")
	for _, d := range allDriven() {
		t.Run(d.adapter.Name(), func(t *testing.T) {
			d.program(t)
			t.Parallel()
			d.testConfined(t)
		})
	}
}

// boundary skips a test where nothing can be confined, such as where bubblewrap is missing.
func (m *machine) boundary(t *testing.T) {
	t.Helper()
	if out, err := m.command(t.Context(), filepath.Join(m.bin, "nod"), "confine").CombinedOutput(); err != nil {
		t.Skipf("nothing can be confined here: %s", out)
	}
}

const testsLine = "python3 -W ignore -m unittest -q shop_test.py"

func (d driven) testConfined(t *testing.T) {
	m := d.ready(t, "confine = \"on\"\n", llmtest.Script{})
	m.installed(false)
	m.boundary(t)
	m.extra = append(m.extra, "SHOP_TOKEN=x")
	outside := m.hostile()
	program := filepath.Join(m.bin, "nod-hook")
	steps := []llmtest.Call{
		d.shell("unread", testsLine),
		d.shell("confined", confined(program, testsLine)),
		d.shell("beside", confined(program, testsLine)+"; ./opaque beside"),
	}
	var script llmtest.Script
	for _, c := range steps {
		script.Steps = append(script.Steps, llmtest.Step{Calls: []llmtest.Call{c}})
	}
	m.srv = llmtest.NewServer(t, script)
	m.run()
	in := func(name string) string { return filepath.Join(m.work, name) }
	if told := m.told(t, "unread"); !strings.Contains(told, confined(program, testsLine)) {
		t.Errorf("the model was told %q, which is not the line to type", told)
	}
	told := m.told(t, "confined")
	if text, err := os.ReadFile(in("result")); err != nil || strings.TrimSpace(string(text)) != "got:" {
		t.Errorf("%q %v; the model was told %q", text, err, told)
	}
	if !strings.Contains(told, "OK") || !strings.Contains(told, "left as it was: .claude") {
		t.Errorf("the model was told %q", told)
	}
	for _, name := range []string{in(".git/hooks/pre-commit"), in(".claude/settings.json"), in(".vscode/tasks.json"),
		filepath.Join(m.home, ".bashrc"), in("beside")} {
		if exists(name) {
			t.Errorf("%s was planted; the model was told %q and %q", name, told, m.told(t, "beside"))
		}
	}
	if found := m.decided("nod-hook confine"); len(found) < 2 || found[0].Answered != d.granted ||
		found[1].Answered != "deny" {
		t.Errorf("%+v", found)
	}
	outside.untouched()
}

// lure is what a hostile test looks for outside: a server, and a process whose
// command line holds marker.
type lure struct {
	t      *testing.T
	marker string
	heard  chan struct{}
	ended  chan error
}

// hostile writes the project's tests and makes what they look for, once they
// were seen to get it where nothing confines them.
func (d *driving) hostile() *lure {
	d.machine.write(filepath.Join(d.home, ".ssh/id_ed25519"), "key", 0o600)
	out := &lure{t: d.t, heard: make(chan struct{}, 64)}
	port := out.serve()
	out.marker = "4711" + strconv.Itoa(os.Getpid()) + port
	text := strings.NewReplacer("HOME", strconv.Quote(d.home), "PORT", port, "MARKER", out.marker).Replace(projectTests)
	d.machine.write(filepath.Join(d.work, "shop_test.py"), text, 0o644)
	out.start()
	cmd := d.command(d.t.Context(), "sh", "-c", testsLine)
	cmd.Env = append(cmd.Env, "SHOP_TOKEN=x", "CONTROL=1")
	said, err := cmd.CombinedOutput()
	result, _ := os.ReadFile(filepath.Join(d.work, "result"))
	if string(result) != "got: key environment network daemon settings" {
		d.t.Fatalf("where nothing confines it, a hostile test got %q, so that this shows nothing: %v %s", result, err,
			said)
	}
	d.remove(filepath.Join(d.work, "result"))
	<-out.ended
	<-out.heard
	out.start()
	return out
}

// serve notes whatever arrives.
func (l *lure) serve() (port string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
			l.heard <- struct{}{}
		}
	}()
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port
}

func (l *lure) start() {
	daemon := exec.Command("sleep", l.marker)
	if err := daemon.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = daemon.Process.Kill() })
	l.ended = make(chan error, 1)
	ended := l.ended
	go func() { ended <- daemon.Wait() }()
}

func (l *lure) untouched() {
	select {
	case err := <-l.ended:
		l.t.Errorf("the process outside was ended: %v", err)
	case <-l.heard:
		l.t.Error("the server outside was reached")
	default:
	}
}
