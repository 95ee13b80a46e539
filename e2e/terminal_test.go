package e2e

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"github.com/hinshun/vt10x"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/llm/llmtest"
)

// A terminal as people have it open.
const (
	columns = 140
	rows    = 50
)

// screen is a program that runs in a terminal of its own, and what a person would see there.
type screen struct {
	t     *testing.T
	m     *machine
	shown vt10x.Terminal
	keys  *os.File
	ended chan struct{}   // closed when the program has ended and all is shown
	exit  error           // of the program; read it after ended
	srv   *llmtest.Server // the model behind the program; nil where a test does not need it
}

// terminal starts a program of this machine in a terminal. It waits for a core, and ends with the test.
func (m *machine) terminal(environ []string, name string, args ...string) *screen {
	m.t.Helper()
	slots <- struct{}{}
	cmd := m.command(hang.Context(m.t), name, args...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	cmd.Env = append(cmd.Env, environ...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: rows})
	if err != nil {
		<-slots
		m.t.Fatalf("%s: %v", name, err)
	}
	s := &screen{t: m.t, m: m, keys: f, ended: make(chan struct{}),
		shown: vt10x.New(vt10x.WithSize(columns, rows), vt10x.WithWriter(f))}
	go s.show(cmd, f)
	m.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-s.ended
		f.Close()
		<-slots
	})
	return s
}

// show draws what the program writes. A terminal that nobody holds any more reads as an error.
func (s *screen) show(cmd *exec.Cmd, from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		s.shown.Write(buffer[:n])
		if err != nil {
			break
		}
	}
	s.exit = cmd.Wait()
	close(s.ended)
}

// text is the screen, without what is blank at the ends.
func (s *screen) text() string {
	var lines []string
	for line := range strings.SplitSeq(s.shown.String(), "\n") {
		lines = append(lines, strings.TrimRight(line, " \x00"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// words is the screen as one line: where a text is broken over lines and what is drawn around it does not matter.
func (s *screen) words() string {
	return strings.Join(strings.FieldsFunc(s.text(),
		func(r rune) bool { return strings.ContainsRune(" \n│─╭╮╰╯|", r) }), " ")
}

// sees waits until the screen holds all texts.
func (s *screen) sees(texts ...string) {
	s.t.Helper()
	holds := func() bool {
		words := s.words()
		for _, text := range texts {
			if !strings.Contains(words, text) {
				return false
			}
		}
		return true
	}
	s.await(holds, texts)
}

func (s *screen) await(holds func() bool, texts []string) {
	s.t.Helper()
	over := false
	hang.Until(s.t, "a screen with "+strings.Join(texts, " | "), func() bool {
		select {
		case <-s.ended:
			over = true
		default:
		}
		return holds() || over
	})
	if !holds() {
		s.t.Fatalf("ended (%v) without %q on the screen:\n%s", s.exit, texts, s.text())
	}
}

// presses types keys.
func (s *screen) presses(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
}

// pressesUntil types a key, and types it again while what it is for does not
// come: a program that has drawn a question may not read keys yet.
func (s *screen) pressesUntil(key, what string, done func() bool) {
	s.t.Helper()
	looks := 0
	hang.Until(s.t, what, func() bool {
		if !done() && looks%200 == 0 {
			s.presses(key)
		}
		looks++
		return done()
	})
}

// ends waits for the program's end and returns its exit code.
func (s *screen) ends() int {
	s.t.Helper()
	hang.Receive(s.t, "the end of the program", s.ended)
	var exit *exec.ExitError
	if errors.As(s.exit, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// capture compares the part of the screen from the last line that holds from up to the next that holds to ("": all that
// follows) with testdata/terminal/NAME.txt. What changes from run to run is taken out; NOD_E2E_WRITE=1 rewrites the
// file. The short run looks for words alone, with sees: what a host draws around them is the deep run's.
func (s *screen) capture(name, from, to string) {
	s.t.Helper()
	if testing.Short() {
		return
	}
	text := s.text()
	if i := strings.LastIndex(text, from); i >= 0 {
		text = text[strings.LastIndexByte(text[:i], '\n')+1:]
	}
	if i := strings.Index(text, to); to != "" && i >= 0 {
		text = text[:strings.IndexByte(text[i:], '\n')+i+1]
	}
	for _, part := range []struct{ is, shown string }{{s.m.work, "WORK"}, {s.m.home, "HOME"}, {s.m.dir, "DIR"}} {
		text = strings.ReplaceAll(text, part.is, part.shown)
	}
	text = regexp.MustCompile(`[0-9a-f]{12}`).ReplaceAllString(text, "ID")
	file := filepath.Join("testdata", "terminal", name+".txt")
	if os.Getenv("NOD_E2E_WRITE") != "" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		s.t.Errorf("the screen is another than %s:\n%s", file, diff)
	}
}
