package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

// folded returns p with long lines broken between words where standard output, or
// standard error, is a terminal that says how wide it is: a terminal itself breaks
// them inside words. What is for scripts and what shows files is left.
func (p *Process) folded(args []string) *Process {
	if !p.Terminal || p.Width < 40 {
		return p
	}
	other := *p
	raw := []string{"--json", "-json", "--dry-run", "-dry-run"}
	if !slices.ContainsFunc(args, func(a string) bool { return slices.Contains(raw, a) }) {
		other.Stdout = &folder{out: p.Stdout, width: p.Width}
	}
	if isTerminal(p.Stderr) {
		other.Stderr = &folder{out: p.Stderr, width: p.Width}
	}
	return &other
}

// folder breaks lines. What does not end a line yet, such as a question, is
// written at once, and that line is broken no more.
type folder struct {
	out   io.Writer
	width int
	open  bool // a line has begun on the terminal
}

func (f *folder) Write(text []byte) (int, error) {
	for line := range bytes.Lines(text) {
		shown, ended := strings.CutSuffix(string(line), "\n")
		if ended {
			if !f.open {
				shown = fold(shown, f.width)
			}
			shown += "\n"
		}
		f.open = !ended
		if _, err := io.WriteString(f.out, shown); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

// fold breaks one line at blanks. What follows stands below the last column of
// the line, or below its text.
func fold(line string, width int) string {
	hang := strings.Repeat(" ", column(line, width))
	var out []string
	for columnsOf(line) > width {
		at := breakAt(line, width, len(hang))
		if at < 0 {
			break
		}
		out = append(out, strings.TrimRight(line[:at], " "))
		line = hang + strings.TrimLeft(line[at:], " ")
	}
	return strings.Join(append(out, line), "\n")
}

// column is where the text of a line begins: behind its last gap of two blanks in
// the first half, else behind its indent.
func column(line string, width int) int {
	start := len(line) - len(strings.TrimLeft(line, " "))
	if gap := strings.LastIndex(line[:min(len(line), width/2)], "  "); gap >= start {
		start = gap + 2
	}
	if strings.HasPrefix(line[min(start, len(line)):], "-> ") {
		start += len("-> ")
	}
	return start
}

// breakAt is the last blank behind least that fits, the first one where none fits,
// -1 where there is none.
func breakAt(line string, width, least int) int {
	at := -1
	for i := range len(line) {
		if line[i] != ' ' || i <= least {
			continue
		}
		if at >= 0 && columnsOf(line[:i]) > width {
			return at
		}
		at = i
	}
	return at
}

// columnsOf is how wide a text is on a terminal. Colours take no room.
func columnsOf(text string) int {
	n := utf8.RuneCountInString(text)
	for _, colour := range []string{green, yellow, red, plain} {
		n -= strings.Count(text, colour) * len(colour)
	}
	return n
}

// The colours of verdicts.
const (
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	red    = "\x1b[31m"
	plain  = "\x1b[0m"
)

// paint colours a text that says a verdict, on a terminal that has colours, and
// where nobody asked for none (no-color.org).
func (p *Process) paint(v nod.Verdict, text string) string {
	if !p.Terminal || p.Getenv("NO_COLOR") != "" || p.Getenv("TERM") == "dumb" {
		return text
	}
	colour := red
	switch v {
	case nod.Allow:
		colour = green
	case nod.Ask:
		colour = yellow
	}
	return colour + text + plain
}

// printableLines escapes all but the ends of lines.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable.Text(line)
	}
	return strings.Join(lines, "\n")
}

// homely is a path for people: ~ is their home.
func homely(p *Process, name string) string {
	if rest, ok := strings.CutPrefix(name, p.Getenv("HOME")+"/"); ok && p.Getenv("HOME") != "" {
		name = "~/" + rest
	}
	return printable.Text(name)
}
