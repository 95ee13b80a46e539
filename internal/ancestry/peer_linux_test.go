package ancestry

import (
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
)

// TestMain is also the process at the other end, under an agent's name.
func TestMain(m *testing.M) {
	if at := os.Getenv("DIAL"); at != "" {
		c, err := net.Dial("tcp", at)
		if err != nil {
			os.Exit(1)
		}
		_, _ = io.ReadAll(c)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The agent at the other end of a connection is found by its name, and by its mark.
func TestPeer(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, mark, listen, agent, marked string }{
		{"codex", "X=1", "127.0.0.1:0", "codex", ""},
		{"browser", "CLAUDECODE=1", "[::1]:0", "", "claude-code, by CLAUDECODE"},
		{"browser", "X=1", "127.0.0.1:0", "", ""},
	} {
		l, err := net.Listen("tcp", row.listen)
		if err != nil {
			t.Skip("no such loopback here: ", err)
		}
		cmd := exec.Command(self)
		cmd.Args, cmd.Env = []string{row.name}, []string{"DIAL=" + l.Addr().String(), row.mark}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		above, marked, err := Peer(c.RemoteAddr(), c.LocalAddr())
		if len(above) == 0 || above[0].PID != cmd.Process.Pid || marked != row.marked || err != nil {
			t.Errorf("%+v: %+v, %q, %v", row, above, marked, err)
		}
		if name, _ := Agent(above[:1]); name != row.agent {
			t.Errorf("%+v: %q", row, name)
		}
		c.Close()
		l.Close()
		_ = cmd.Wait()
	}
	if _, _, err := Peer(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, &net.TCPAddr{Port: 2}); err != ErrUnseen {
		t.Error(err)
	}
}
