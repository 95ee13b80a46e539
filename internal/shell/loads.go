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

// ScriptLoads reports whether what a shell's script runs, and on what, may stand in another
// file: a command of it is not constant, is named by a path, or runs what its words name, or
// words come out of other commands, of what is read, or of what a glob matches. Of a text
// that does not read as a script they may.
func ScriptLoads(text string) bool {
	tree, err := grammar.As(text, syntax.LangBash)
	if err != nil || len(text) > grammar.LiteralLimit {
		return true
	}
	loads := false
	syntax.Walk(tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArrayExpr:
			loads = true
		case *syntax.Word:
			loads = loads || mayMatch(n)
		case *syntax.CallExpr:
			loads = loads || len(n.Args) > 0 && takesIn(n.Args[0].Lit())
		}
		return !loads
	})
	return loads
}

// takesIn reports whether a command of that name runs another text, or gives variables what
// it reads.
func takesIn(name string) bool {
	switch name {
	case "", "read", "mapfile", "readarray":
		return true
	}
	return strings.Contains(name, "/") || RunsWords(path.Base(name))
}

// mayMatch reports whether a word may stand for names of files.
func mayMatch(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.ContainsAny(lit.Value, "*?") {
			return true
		}
	}
	return false
}
