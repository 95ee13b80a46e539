// Command escape tries to get out of confinement, by many ways, and says of
// each whether it did. The tests of package confine start it inside, and, for
// ways that anybody may go, outside too, to see that it would go them.
//
//	escape FACTS [outside]
//
// FACTS is a file of lines "name value" about the world outside. Each way ends
// in a line: its name, a tab, and "out" or what held. With outside it goes only
// those that anybody may go where nothing confines.
package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// way is one way out. try returns nil where it led out. Outside it leads out where it
// is free.
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
		if len(os.Args) == 2 || w.free {
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
