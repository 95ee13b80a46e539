package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/printable"
)

// say prints a text behind a prefix, in lines of 79 columns at most where its words allow it. A command of nod's stays
// on one line.
func say(w io.Writer, prefix, text string) { fold(w, 79, prefix, text) }

// fold is say in so many columns.
func fold(w io.Writer, most int, prefix, text string) {
	const joint = "\x00"
	text = strings.NewReplacer("sudo ", "sudo"+joint, "nod ", "nod"+joint, "install ", "install"+joint).Replace(text)
	var out strings.Builder
	line, columns := prefix, utf8.RuneCountInString(prefix)
	margin := strings.Repeat(" ", columns)
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case columns+1+n > most:
			out.WriteString(line + "\n")
			line, columns = margin, len(margin)
		default:
			line, columns = line+" ", columns+1
		}
		line, columns = line+word, columns+n
	}
	fmt.Fprintln(w, strings.ReplaceAll(out.String()+line, joint, " "))
}

// homely is a path for people: ~ is their home.
func homely(p *Process, name string) string {
	if rest, ok := strings.CutPrefix(name, p.Getenv("HOME")+"/"); ok && p.Getenv("HOME") != "" {
		name = "~/" + rest
	}
	return printable.Text(name)
}

// printJSON writes one object on one line. docs/json.md names its keys, which are only ever added.
func printJSON(p *Process, v any) error {
	_, err := fmt.Fprintln(p.Stdout, printable.JSON(v))
	return internal(err)
}

// confirmed asks, and takes only yes for yes. What is neither yes nor no is asked again.
func confirmed(ctx context.Context, p *Process, question string) bool {
	in := bufio.NewReader(io.LimitReader(p.Stdin, 1000))
	for {
		fmt.Fprint(p.Stdout, question)
		said, ended := readAnswer(ctx, in)
		if ended {
			fmt.Fprintln(p.Stdout) // no Enter was pressed
		}
		switch said {
		case "y", "yes":
			return true
		case "", "n", "no":
			return false
		}
		if question = "Please answer y or n: "; ended {
			return false
		}
	}
}

// readAnswer reads one line. ended says that no further line comes. A line that is still waited for when ctx is done
// is left to the goroutine that reads it: the process is about to end.
func readAnswer(ctx context.Context, in *bufio.Reader) (said string, ended bool) {
	type line struct {
		text string
		err  error
	}
	lines := make(chan line, 1)
	go func() {
		text, err := in.ReadString('\n')
		lines <- line{text, err}
	}()
	select {
	case l := <-lines:
		return strings.ToLower(strings.TrimSpace(l.text)), l.err != nil
	case <-ctx.Done():
		return "", true
	}
}
