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
	if grammar.IsShell(name) || grammar.IsWrapper(name) {
		return true
	}
	switch name {
	case "", "source", "eval", "trap", "find", "fd", "watch", "busybox", "python", "pypy", "node", "nodejs", "deno",
		"bun", "tsx", "ts-node", "npx", "npm", "pnpm", "yarn", "uv", "uvx", "perl", "ruby", "php", "lua", "luajit",
		"Rscript", "julia", "awk", "gawk", "mawk", "sed", "tclsh", "osascript", "pwsh", "java", "make", "gmake", "just",
		"task", "go", "cargo":
		return true
	}
	return false
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
