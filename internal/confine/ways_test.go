//go:build linux && (amd64 || arm64)

package confine_test

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// escapeWord makes this test's program try to get out of confinement, by many ways, and say of each whether it did:
//
//	confine.test escape FACTS [outside]
//
// FACTS is a file of lines "name value" about the world outside. Each way ends in a line: its name, a tab, and "out"
// or what held. With outside it goes only those that anybody may go where nothing confines.
const escapeWord = "escape"

// way is one way out. try returns nil where it led out. Outside it leads out where it is free.
type way struct {
	name string
	try  func(f facts) error
	free bool
}

// free are ways that anybody may go where nothing confines.
func free(list ...way) []way {
	for i := range list {
		list[i].free = true
	}
	return list
}

// facts are what is known of the world outside.
type facts map[string]string

// in is a text with the facts that it names, as ${fact}.
func (f facts) in(text string) string {
	return os.Expand(text, func(name string) string { return f[name] })
}

// tryWays is what the program does then; it returns the exit code.
func tryWays(args []string) int {
	text, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Println(err)
		return 2
	}
	f := facts{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		f[name] = value
	}
	for _, w := range ways() {
		if len(args) == 1 || w.free {
			fmt.Printf("%s\t%s\n", w.name, outcome(w, f))
		}
	}
	return 0
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
