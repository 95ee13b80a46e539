package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// confirmed asks, and takes only yes for yes.
func confirmed(ctx context.Context, p *Process, question string) bool {
	return answer(ctx, p, question, func(said string) (unclear string) {
		switch said {
		case "y", "yes", "", "n", "no":
			return ""
		}
		return "Please answer y or n: "
	}) != ""
}

// answer asks until unclear returns "", and returns what was typed, in lower case.
// It returns "" for a no, which nothing, the end of the input and Ctrl-C are too.
func answer(ctx context.Context, p *Process, question string, unclear func(said string) string) string {
	in := bufio.NewReader(io.LimitReader(p.Stdin, 1000))
	for {
		fmt.Fprint(p.Stdout, question)
		said, ended := readAnswer(ctx, in)
		if ended {
			fmt.Fprintln(p.Stdout) // no Enter was pressed
		}
		question = unclear(said)
		switch {
		case question == "" && said != "n" && said != "no":
			return said
		case question == "" || ended:
			return ""
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
