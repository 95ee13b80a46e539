package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// confirmed asks, and takes only yes for yes. Nothing, the end of the input and Ctrl-C
// are a no; what is neither is asked again.
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

// readAnswer reads one line. ended says that no further line comes. A line that is
// still waited for when ctx is done is left to the goroutine that reads it: the
// process is about to end.
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
