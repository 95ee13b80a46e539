package agent

import (
	"regexp"
	"strings"
)

// opencodeAsks reports whether opencode certainly asks about a line of shell. It asks about
// what tree-sitter takes for a command, but for cd and its kin, and about nothing else:
// neither about redirections, assignments and tests, nor about what runs within those
// (1.18.33, read, and run). So the line has to begin with commands of plain words, which
// can be read in one way only, and one of those has to be another than cd. What comes
// behind that command may be anything.
func opencodeAsks(line string) bool {
	commands := regexp.MustCompile(leadingCommand)
	for {
		found := commands.FindStringSubmatchIndex(line)
		if found == nil {
			return false
		}
		name, rest := line[found[2]:found[3]], strings.TrimLeft(line[found[4]:], " \t")
		switch {
		case !isGoingTo(name):
			return !isSyntax(name)
		case strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "||"):
			line = rest[2:]
		case strings.HasPrefix(rest, ";"), strings.HasPrefix(rest, "\n"):
			line = rest[1:]
		default:
			return false
		}
	}
}

// leadingCommand is a command at the beginning of a text: assignments, its name, and words
// of letters, digits, the signs of names and options, quotes, and variables. Behind it
// comes what ends a command, or a redirection, and no process substitution.
const (
	expansion      = `\$[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}`
	message        = `"\$\(cat <<'EOF'\n(?:[^\n]*\n)*?EOF\n[ \t]*\)"` // as agents write texts of several lines
	quotedWord     = `'[^']*'|"(?:[^"$` + "`" + `\\]|\\[ -~]|` + expansion + `)*"|` + message
	plainWord      = `(?:[A-Za-z0-9_./+:,=@%^~*?-]|\\[ -~]|` + expansion + `|` + quotedWord + `)+`
	leadingCommand = `^[ \t\n]*(?:[A-Za-z_]\w*=(?:` + plainWord + `)?[ \t]+)*` +
		`([A-Za-z_./][A-Za-z0-9_./+-]*)(?:[ \t]+` + plainWord +
		`)*([ \t]*(?:$|;|\n|&|\|)|[ \t]+[0-9]*[<>](?:$|[^<>(]|>|<[^<]))`
)

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
	return false
}
