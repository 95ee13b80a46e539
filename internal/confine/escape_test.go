//go:build linux && (amd64 || arm64)

package confine_test

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// outside is what a run must not reach.
type outside struct {
	*world
	facts    map[string]string
	received atomic.Int32
}

// serve notes everything that arrives.
func (o *outside) serve(l net.Listener, err error) string {
	o.t.Helper()
	if err != nil {
		return "" // no such network here
	}
	o.t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			o.received.Add(1)
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

// build fills the world outside: files with the marker, servers, pipes, a process.
func build(t *testing.T) *outside {
	o := &outside{world: newWorld(t), facts: map[string]string{}}
	o.git("init", "-q")
	o.facts["workspace"], o.facts["home"], o.facts["marker"], o.facts["cmdline"] = o.root, o.home, marker, "test"
	for name, file := range map[string]string{
		"secret": "~/.ssh/id_ed25519", "private": "~/notes.txt", "neighbour": "~/src/other/main.go", "env": ".env",
		"env-below": "deploy/.env", "key-path": "~/.local/bin/server.key", "nod": "~/.config/nod/nod.toml",
		"tmp": "~/../tmp.txt",
	} {
		o.facts[name] = o.file(file, marker)
	}
	o.facts["gitconfig"] = o.file(".git/config",
		"[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = https://u:"+marker+"@example.com/x\n")
	o.file("e3/pyvenv.cfg", "home = /usr\n")
	o.file("e3/bin/activate", "export A=1\n")
	o.file("facts2", "facts")
	o.facts["shadow"], o.facts["path"] = "/etc/shadow", filepath.Join(o.home, ".local/bin")
	for _, dir := range []string{"~/.cache/go-build", "~/go/pkg/mod", "~/.npm", "~/.cargo/registry"} {
		o.file(dir+"/shared", "shared")
	}
	o.rules.Secrets = append(o.rules.Secrets, "~/.local/bin/server.key")
	o.environ = append(o.environ, "TOKEN="+marker, "LD_PRELOAD=/nowhere.so", "BASH_ENV=/nowhere",
		"SSH_AUTH_SOCK=/nowhere", "NODE_OPTIONS=--require=/nowhere", "PATH="+o.facts["path"]+":"+os.Getenv("PATH"))
	o.names()
	o.network()
	o.daemons()
	o.pipes()
	o.process()
	return o
}

func (o *outside) network() {
	listen := func(fact, kind, address string) { o.facts[fact] = o.serve(net.Listen(kind, address)) }
	listen("tcp4", "tcp4", "127.0.0.1:0")
	listen("tcp6", "tcp6", "[::1]:0")
	listen("tcpaddr", "tcp4", "0.0.0.0:0")
	for name, at := range map[string]string{"socket-workspace": o.at("s"), "socket-home": o.at("~/s"),
		"socket-path": o.facts["path"] + "/s", "socket-tmp": o.at("~/../s"), "socket-cache": o.at("~/.npm/s")} {
		listen(name, "unix", at)
		if o.facts[name] != at {
			o.t.Fatalf("%s: no socket", at)
		}
	}
	o.facts["abstract"] = strings.ReplaceAll(filepath.Base(filepath.Dir(o.home)), "/", "") + o.t.Name()
	listen("abstract-at", "unix", "@"+o.facts["abstract"])
	o.facts["socket-datagram"] = o.at("d")
	for _, at := range []struct{ fact, kind, address string }{{"udp4", "udp4", "127.0.0.1:0"},
		{"", "unixgram", o.at("d")}} {
		c, err := net.ListenPacket(at.kind, at.address)
		must(o.t, err)
		o.t.Cleanup(func() { _ = c.Close() })
		if at.fact != "" {
			o.facts[at.fact] = c.LocalAddr().String()
		}
		go func() {
			for {
				n, from, err := c.ReadFrom(make([]byte, 8))
				if err != nil {
					return
				}
				if n > 0 {
					o.received.Add(1)
					if from != nil {
						_, _ = c.WriteTo([]byte("heard"), from)
					}
				}
			}
		}()
	}
}

// names are other ways to the same secrets.
func (o *outside) names() {
	link := func(make func(old, new string) error, fact, to, at string) {
		o.t.Helper()
		must(o.t, errors.Join(os.MkdirAll(filepath.Dir(o.at(at)), 0o755), make(o.facts[to], o.at(at))))
		o.facts[fact] = o.at(at)
	}
	link(os.Link, "env-hard", "env", "lib/settings.txt")
	link(os.Link, "key-hard", "secret", "lib/key.txt")
	o.facts["deep"] = o.file("~/.ssh/old/laptop/keys/id", marker)
	link(os.Link, "deep-hard", "deep", "lib/deep.txt")
	link(os.Symlink, "key-link", "secret", "lib/key")
	o.facts["conf"] = o.file("conf/prod", marker)
	link(os.Symlink, "conf-link", "conf", "conf/.env")
	link(os.Link, "conf-hard", "conf", "lib/conf.txt")
	o.file("new\nline/.env", marker)
	o.file("deploy/.Env", marker)
	o.facts["store-real"] = o.file("~/.local/bin/kept/real.txt", marker)
	link(os.Symlink, "store", "store-real", "~/stores/link")
	o.rules.Secrets = append(o.rules.Secrets, "~/stores/link")
}

// daemons listen where those of a desktop do.
func (o *outside) daemons() {
	tmp := filepath.Dir(o.home)
	for fact, at := range map[string]string{
		"ssh-agent": tmp + "/ssh-XXXX/agent.1", "gpg-agent": o.at("~/.gnupg/S.gpg-agent"), "x11": tmp + "/.X11-unix/X7",
		"wayland": tmp + "/run/wayland-0", "bus": tmp + "/run/bus", "docker-home": o.at("~/.docker/run/docker.sock"),
		"keyring": o.at("~/.cache/keyring/control"),
		"tmux":    tmp + "/tmux-0/default", "editor": o.at(".vscode-ipc.sock"),
		"nod-daemon": o.at("~/.local/state/nod/nod.sock"),
	} {
		must(o.t, os.MkdirAll(filepath.Dir(at), 0o755))
		l, err := net.Listen("unix", at)
		if o.serve(l, err); err != nil {
			o.t.Fatal(err)
		}
		o.facts[fact] = at
	}
	o.facts["x11-abstract"] = "@" + o.facts["abstract"] + "-x11"
	l, err := net.Listen("unix", o.facts["x11-abstract"])
	o.serve(l, err)
	o.facts["linked-daemon"] = o.at("to-run/bus")
	must(o.t, os.Symlink(tmp+"/run", o.at("to-run")))
}

// pipes are named pipes that somebody reads.
func (o *outside) pipes() {
	for fact, at := range map[string]string{"fifo": o.at("pipe"), "fifo-path": o.facts["path"] + "/pipe"} {
		must(o.t, unix.Mkfifo(at, 0o666))
		f, err := os.OpenFile(at, os.O_RDWR, 0)
		must(o.t, err)
		o.t.Cleanup(func() { _ = f.Close() })
		o.facts[fact] = at
	}
}

// process is one with the marker in its environment, and shared memory.
func (o *outside) process() {
	cmd := exec.Command("sleep", "100000")
	cmd.Env = []string{"TOKEN=" + marker}
	must(o.t, cmd.Start())
	o.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	o.facts["pid"], o.facts["cmdline"] = fmt.Sprint(cmd.Process.Pid), "100000"
	o.facts["shm"] = fmt.Sprintf("nod-escape-%d", os.Getpid())
	if err := os.WriteFile("/dev/shm/"+o.facts["shm"], []byte(marker), 0o600); err == nil {
		o.t.Cleanup(func() { _ = os.Remove("/dev/shm/" + o.facts["shm"]) })
	}
	if id, _, n := syscall.Syscall(unix.SYS_SHMGET, 0x6e6f64, 4096, 0o1000|0o600); n == 0 {
		o.t.Cleanup(func() { syscall.Syscall(unix.SYS_SHMCTL, id, 0, 0) })
	}
}

func (o *outside) write() string {
	var text strings.Builder
	for name, value := range o.facts {
		fmt.Fprintf(&text, "%s %s\n", name, value)
	}
	return o.file("facts", text.String())
}

// answers are the lines of the program that tries, by way.
func answers(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if name, what, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all[name] = what
		}
	}
	return all
}

// Every way out is tried by a real program, outside first where anybody may go it. Nothing of it gets out.
func TestNobodyGetsOut(t *testing.T) {
	// The ways outside lead to servers of their own: what those hear late is not taken for what got out.
	plain := build(t)
	copySelf(t, plain.at("escape"))
	plain.control(plain.write())
	o := build(t)
	copySelf(t, o.at("escape"))
	facts := o.write()
	inherited, err := unix.Open(o.home, unix.O_RDONLY|unix.O_DIRECTORY, 0) // not closed on exec
	must(t, err)
	defer unix.Close(inherited)
	r := o.run("./escape " + escapeWord + " " + facts)
	all := answers(r.out)
	if len(all) < 270 || r.Code != 0 {
		t.Fatalf("%d ways were tried: %d %s", len(all), r.Code, r.err)
	}
	held := 0
	for way, what := range all {
		if what == "out" {
			t.Errorf("%s: got out", way)
			continue
		}
		held++
		t.Logf("%-45s %s", way, what)
	}
	if n := o.received.Load(); n != 0 {
		t.Errorf("servers outside heard %d times", n)
	}
	t.Logf("%d ways tried, %d held", len(all), held)
}

// control goes the ways outside.
func (o *outside) control(facts string) {
	o.t.Helper()
	cmd := exec.Command("./escape", escapeWord, facts, "outside")
	cmd.Dir = o.root
	cmd.Env = append(o.environ, "LD_PRELOAD=")
	plain, err := os.Create(filepath.Join(o.home, "out"))
	must(o.t, err)
	defer plain.Close()
	cmd.Stdout = plain
	dir, err := os.Open(o.home)
	must(o.t, err)
	defer dir.Close()
	cmd.ExtraFiles = []*os.File{dir}
	must(o.t, cmd.Run())
	text, err := os.ReadFile(plain.Name())
	must(o.t, err)
	all := answers(string(text))
	if len(all) < 56 {
		o.t.Errorf("%d ways were gone outside", len(all))
	}
	for way, what := range all {
		if what != "out" {
			o.t.Errorf("outside, %s does not lead out, so that the test shows nothing: %q", way, what)
		}
	}
	for _, name := range []string{"to-socket", "to-secret", "hard"} {
		_ = os.Remove(o.at(name))
	}
}

//go:embed testdata/plants.txt
var planted string

// plants are lines that leave something behind that runs later, or lends
// rights, and the names that must be as they were.
func plants(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{
		"d=; for i in $(seq 200); do d=$d/ddddddddddddddddddddddddd; mkdir .$d; done; cd .$d && mkdir .claude && " +
			"echo '{}' > .claude/s": strings.Repeat("ddddddddddddddddddddddddd/", 200) + ".claude",
	}
	for line := range strings.Lines(planted) {
		if name, does, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			all[does] = name
		}
	}
	if len(all) < 80 {
		t.Fatalf("%d lines", len(all))
	}
	return all
}

func TestWhatIsPlantedDoesNotStand(t *testing.T) {
	o := build(t)
	before, lines := map[string]string{}, plants(t)
	var all strings.Builder
	for line, name := range lines {
		before[name] = state(o.place(name))
		fmt.Fprintf(&all, "( %s ) </dev/null\n", line)
	}
	r := o.run(all.String() + "exit 0")
	for line, name := range lines {
		if now := state(o.place(name)); now != before[name] {
			t.Errorf("%s: %q is %q now, of %q", line, name, now, before[name])
		}
	}
	t.Logf("%d lines; %d names were left as they were", len(before), len(r.Refused))
}

func (o *outside) place(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return o.at(name)
}

// state is what is at a name.
func state(name string) string {
	info, err := os.Lstat(name)
	if err != nil {
		return "nothing"
	}
	text := ""
	if info.Mode().IsRegular() {
		f, err := os.Open(name)
		if err == nil {
			data, _ := io.ReadAll(f)
			text = string(data)
			_ = f.Close()
		}
	}
	return info.Mode().String() + " " + text
}

// What takes the repository away, or puts another in its place, changes nothing of it.
func TestTheRepositoryStays(t *testing.T) {
	for _, line := range []string{
		"mv .git old; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit", "rm -rf .git",
		"rm -rf .git; git init -q; echo x > .git/hooks/pre-commit",
		"rm -rf .git; ln -s evil .git; mkdir -p evil/hooks; echo x > evil/hooks/pre-commit",
		"cp -r .git .git2; rm -rf .git; mv .git2 .git; echo x > .git/hooks/pre-commit",
		"git checkout -q -b other; git commit -qm x --allow-empty", "echo x > .git/HEAD",
		"cd .git && echo x > hooks/pre-commit", "rm -rf * .[a-z]*",
	} {
		w := newWorld(t)
		w.git("init", "-q")
		w.file("tracked", "x")
		w.git("add", ".")
		w.git("commit", "-qm", "x")
		head, _ := os.ReadFile(w.at(".git/HEAD"))
		r := w.run(line)
		now, err := os.ReadFile(w.at(".git/HEAD"))
		_, hook := os.Stat(w.at(".git/hooks/pre-commit"))
		if info, statErr := os.Lstat(w.at(".git")); err != nil || string(now) != string(head) || hook == nil ||
			statErr != nil || !info.IsDir() {
			t.Errorf("%s: %q %v, %v", line, now, err, r.Refused)
		}
	}
}

// A linked working tree reads its repository, and changes nothing of it.
func TestALinkedWorkingTree(t *testing.T) {
	w := newWorld(t)
	main := filepath.Join(w.home, "src/main")
	for _, args := range [][]string{{"init", "-q", main},
		{"-C", main, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first", "--allow-empty"},
		{"-C", main, "worktree", "add", "-q", "-f", filepath.Join(w.root, "tree")}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	w.root = filepath.Join(w.root, "tree")
	o := w.options("git log --format=%s; echo x > ../../main/.git/hooks/pre-commit; echo x > $(git rev-parse --git-common-dir)/hooks/pre-push; echo 'gitdir: x' > .git")
	o.Repository = filepath.Join(main, ".git")
	r := w.runWith(o)
	if r.out != "first\n" {
		t.Errorf("%q %q", r.out, r.err)
	}
	for _, name := range []string{"pre-commit", "pre-push"} {
		if _, err := os.Stat(filepath.Join(main, ".git/hooks", name)); err == nil {
			t.Errorf("%s stands", name)
		}
	}
	if text, _ := os.ReadFile(w.at(".git")); !strings.Contains(string(text), "worktrees/tree") {
		t.Errorf("%q", text)
	}
}
