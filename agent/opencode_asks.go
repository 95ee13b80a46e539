package agent

import (
	"regexp"
	"strings"
)

// opencodeAsks reports whether opencode certainly asks about a line of shell. It asks about
// what tree-sitter takes for a command, but for cd and its kin, and about nothing else:
// neither about redirections, assignments and tests, nor about what runs within those; and
// of a text that tree-sitter cannot read it may see no command at all (1.18.33, read, and
// run). So the text has to be of plain commands from its beginning to its end, which can be
// read in one way only, and one of them has to be another than cd. nod's own reading of a
// line is no help here: what counts is another parser's, whose faults are its own.
func opencodeAsks(line string) bool {
	const (
		variable = `\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}`
		quoted   = `'[^']*'|"(?:[^"\\$` + "`" + `]|\\[!-~]|` + variable + `)*"`
		start    = `(?:[\w./+:,@%^~*?-]|\\[!-~]|` + variable + `|` + quoted + `)`
		word     = start + `(?:` + start + `|=)*`
		assigns  = `(?:[A-Za-z_]\w*=(?:` + word + `)?[ \t]+)*`
		name     = `([A-Za-z_./][\w./+-]*)`
		redirect = `[ \t]+\d*(?:>>|>&|<&|>|<)[ \t]*(?:` + word + `)`
	)
	command := regexp.MustCompile(`^(?:[ \t\n]|#[^\n]*[^\\\n]\n)*` + assigns + name +
		`(?:[ \t]+(?:` + word + `))*((?:` + redirect + `)*)[ \t]*(&&|\|\||[|;&\n]|$)`)
	asks, follows := false, false // follows: another command has to
	for line = withoutDocument(line); strings.Trim(line, " \t\n") != ""; {
		m := command.FindStringSubmatch(line)
		if m == nil || isSyntax(m[1]) || isGoingTo(m[1]) && m[2] != "" {
			return false
		}
		asks = asks || !isGoingTo(m[1])
		follows = m[3] == "&&" || m[3] == "||" || m[3] == "|"
		line = line[len(m[0]):]
	}
	return asks && !follows
}

// withoutDocument is a text without the here-document at its end, as agents write one: a
// file, or a message of several lines. Of one that ends elsewhere too it is left.
func withoutDocument(text string) string {
	message := regexp.MustCompile(`(?s)^(.*)"\$\(cat <<'(EOF)'(\n.*\n)EOF\n[ \t]*\)"\s*$`)
	file := regexp.MustCompile(`(?s)^([^\n]*[ \t])<<'(\w+)'(\n.*\n|\n)(\w+)\n*$`)
	if m := message.FindStringSubmatch(text); m != nil && !strings.Contains(m[3], "\nEOF\n") {
		return m[1] + "'x'"
	}
	if m := file.FindStringSubmatch(text); m != nil && m[2] == m[4] && !strings.Contains(m[3], "\n"+m[2]+"\n") {
		return m[1]
	}
	return text
}

// isGoingTo reports whether opencode never asks about a program: what only says where it is.
func isGoingTo(name string) bool {
	switch name {
	case "cd", "chdir", "popd", "pushd", "push-location", "set-location":
		return true
	}
	return false
}

// isSyntax reports whether a word at the beginning of a line is no program for the grammar,
// or may be none.
func isSyntax(word string) bool {
	switch word {
	case "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
		"function", "time", "coproc", "in", "declare", "typeset", "export", "readonly", "local", "unset", "unsetenv",
		"let", "test", "eval":
		return true
	}
	return strings.Trim(word, "_./+-") == ""
}
