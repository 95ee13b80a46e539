// Command escape tries to get out of confinement, by many ways, and says of
// each whether it did. The tests of package confine start it inside, and, for
// ways that anybody may go, outside too, to see that it would go them.
//
//	escape FACTS WAY...
//
// FACTS is a file of lines "name value" about the world outside. Each way ends
// in a line: its name, a tab, and "out" or what held.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// way is one way out. try returns nil where it led out.
type way struct {
	name string
	try  func(f facts) error
}

// facts are what is known of the world outside.
type facts map[string]string

func main() {
	if len(os.Args) == 2 && os.Args[1] == oldCall {
		callOld()
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	f := facts{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		f[name] = value
	}
	for _, w := range ways() {
		if len(os.Args) == 2 || slices.Contains(os.Args[2:], w.name) {
			fmt.Printf("%s\t%s\n", w.name, outcome(w, f))
		}
	}
}

func outcome(w way, f facts) string {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("failed inside: %v", p)
			}
		}()
		done <- w.try(f)
	}()
	select {
	case err := <-done:
		if err == nil {
			return "out"
		}
		return strings.ReplaceAll(err.Error(), "\n", " ")
	case <-time.After(patience):
		return "no answer"
	}
}

// patience is how long a way may wait for an answer that does not come.
const patience = 2 * time.Second
