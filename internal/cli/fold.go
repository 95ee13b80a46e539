package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// folded returns p with long lines broken between words where standard output is
// a terminal that says how wide it is: a terminal itself breaks them inside words.
// So are those of standard error where it is a terminal too.
// What is for scripts, what shows files and what has columns of its own is left.
func (p *Process) folded(args []string) *Process {
	prose := []string{"install", "uninstall", "doctor", "history", "check", "rules", "approvals", "mode",
		"init", "daemon", "help"}
	raw := []string{"--json", "-json", "--dry-run", "-dry-run"}
	costs := args[0] == "prompt" && slices.Contains(args, "--cost")
	if !p.Terminal || p.Width < 40 || !costs && !slices.Contains(prose, args[0]) {
		return p
	}
	other := *p
	if !slices.ContainsFunc(args, func(a string) bool { return slices.Contains(raw, a) }) {
		other.Stdout = &folder{out: p.Stdout, width: p.Width}
	}
	if isTerminal(p.Stderr) {
		other.Stderr = &folder{out: p.Stderr, width: p.Width}
	}
	return &other
}

// folder breaks lines. What does not end a line yet, such as a question, is
// written at once, and the line is broken no more.
type folder struct {
	out   io.Writer
	width int
	open  bool // the line has begun on the terminal
}

func (f *folder) Write(text []byte) (int, error) {
	for rest := text; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		rest = after
		shown := string(line)
		if ended && !f.open {
			shown = fold(shown, f.width)
		}
		if ended {
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
func fold(line string, width int) string { return foldAt(line, width, column(line, width)) }

// foldAt is fold, and says where what follows stands.
func foldAt(line string, width, at int) string {
	hang := strings.Repeat(" ", at)
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
	for i := start; i+2 < len(line) && i < width/2; i++ {
		if line[i] == ' ' && line[i+1] == ' ' && line[i+2] != ' ' {
			start = i + 2
		}
	}
	if strings.HasPrefix(line[start:], "-> ") {
		return start + 3
	}
	return start
}

// breakAt is the last blank that fits, behind min; the first one where none fits;
// -1 where there is none.
func breakAt(line string, width, min int) int {
	at, seen := -1, 0
	for i := range len(line) {
		if line[i] == ' ' && i > min {
			if seen = columnsOf(line[:i]); seen > width && at >= 0 {
				return at
			}
			at = i
		}
	}
	return at
}

// columnsOf is how wide a text is on a terminal. Colours take no room.
func columnsOf(text string) int {
	n := utf8.RuneCountInString(text)
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "\x1b[")
		if !found {
			return n
		}
		end := strings.IndexByte(after, 'm')
		if end < 0 {
			return n
		}
		n -= end + 3
		rest = after[end+1:]
	}
}
