package agent

import (
	"regexp"
	"strings"
)

// opencodeAsks reports whether opencode certainly asks about a line of shell. It asks about what tree-sitter takes
// for a command, but for cd and its kin, and about nothing else; of a text that tree-sitter cannot read it may see no
// command at all (1.18.33, read, and run). So the line has to be of plain commands, and one of them has to be another
// than cd. nod's own reading of a line is no help here: what counts is another parser's.
func opencodeAsks(line string) bool {
	const (
		word     = `(?:[\w./+:,@%=~*?-]|\$[A-Za-z_]\w*|'[^']*'|"(?:[^"\\$` + "`" + `]|\$[A-Za-z_]\w*)*")+`
		argument = `(?: +(?:\d*(?:>>|>&|<&|>|<) *)?` + word + `)`
		assigned = `(?:[A-Za-z_]\w*=(?:` + word + `)? +)*`
	)
	command := regexp.MustCompile(`^[ \n]*` + assigned + `([A-Za-z_./][\w./+-]*)` + argument + `* *(&&|\|\||[|;\n]|$)`)
	asks, follows := false, false // follows: another command has to
	for strings.Trim(line, " \n") != "" {
		m := command.FindStringSubmatch(line)
		if m == nil || isSyntax(m[1]) || isGoingTo(m[1]) && strings.ContainsAny(m[0], "<>") {
			return false
		}
		asks = asks || !isGoingTo(m[1])
		follows = m[2] == "&&" || m[2] == "||" || m[2] == "|"
		line = line[len(m[0]):]
	}
	return asks && !follows
}

// isGoingTo reports whether opencode never asks about a program: what only says where it is.
func isGoingTo(name string) bool {
	switch name {
	case "cd", "chdir", "popd", "pushd", "push-location", "set-location":
		return true
	}
	return false
}

// isSyntax reports whether a word at the beginning of a line is no program for the grammar, or may be none.
func isSyntax(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
		"function", "time", "coproc", "in", "declare", "typeset", "export", "readonly", "local", "unset", "unsetenv",
		"let", "test", "eval":
		return true
	}
	return strings.Trim(word, "_./+-") == ""
}
