package cli

import (
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

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
