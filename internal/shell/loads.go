package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// RunsWords reports whether a program, by its base name, may run a file or a
// text that one of its words names: shells, interpreters, wrappers, and those
// that run what a file of the project says.
func RunsWords(program string) bool {
	name := strings.TrimRight(program, "0123456789.")
	return name == "" || runsWords(name) || TraitsOf(name).Has(MayRunWords)
}

// RunsAny reports whether the bare name of a program says nothing about what will
// run.
func RunsAny(program string) bool {
	name := strings.TrimRight(program, "0123456789.")
	return name == "" || runsWords(name) || TraitsOf(name).Has(Runner)
}

// ScriptLoads reports whether a shell's script may run another file or text: a
// command of it is not constant, is named by a path, or runs what its words
// name. A text that does not read as a script may.
func ScriptLoads(text string) bool {
	tree, err := grammar.As(text, syntax.LangBash)
	if err != nil || len(text) > grammar.LiteralLimit {
		return true
	}
	loads := false
	syntax.Walk(tree, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if ok && len(call.Args) > 0 {
			name := call.Args[0].Lit()
			loads = loads || name == "" || strings.Contains(name, "/") || RunsWords(path.Base(name))
		}
		return !loads
	})
	return loads
}
