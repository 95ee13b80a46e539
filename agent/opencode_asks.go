package agent

import "strings"

// opencodeAsks reports whether opencode certainly asks about a line of shell. It asks about
// what tree-sitter takes for a command, but for cd and its kin, and about nothing else:
// neither about redirections, assignments and tests, nor about what runs within those; and
// of a text that tree-sitter cannot read it may see no command at all (1.18.33, read, and
// run). So the text has to be of plain commands from its beginning to its end, which can be
// read in one way only, and one of them has to be another than cd. nod's own reading of a
// line is no help here: what counts is another parser's, whose faults are its own.
func opencodeAsks(line string) bool {
	asks, follows := false, false // follows: another command has to
	for {
		line = strings.TrimLeft(line, " \t\n")
		switch {
		case line == "":
			return asks && !follows
		case line[0] == '#' && !follows:
			comment, rest, _ := strings.Cut(line, "\n")
			if strings.HasSuffix(comment, `\`) {
				return false
			}
			line = rest
			continue
		}
		name, rest := leadingCommand(line)
		if isSyntax(name) || isGoingTo(name) && redirects(rest) {
			return false
		}
		rest, plain := withoutRedirections(rest)
		if !plain {
			return false
		}
		asks = asks || !isGoingTo(name)
		n := separator(rest)
		if n == 0 && rest != "" {
			return false
		}
		follows = n > 0 && rest[n-1] != ';' && rest[n-1] != '\n' && rest[:n] != "&"
		line = rest[n:]
	}
}

// separator is how long what stands between two commands is at the start of a text.
func separator(text string) int {
	for _, sign := range []string{"&&", "||", "|&", "&>", ";;", "|", ";", "&", "\n"} {
		if strings.HasPrefix(text, sign) {
			if sign == "|&" || sign == "&>" || sign == ";;" {
				return 0
			}
			return len(sign)
		}
	}
	return 0
}

// withoutRedirections is what stands behind the redirections with which a text begins;
// plain is false where something else than plain words is in one.
func withoutRedirections(text string) (rest string, plain bool) {
	body := "" // of here-documents, the end of its line
	for redirects(text) {
		number := len(text) - len(strings.TrimLeft(text, "0123456789"))
		text = text[number:]
		sign := text[:1]
		for _, longer := range []string{">>", ">&", "<&", "<<"} {
			if strings.HasPrefix(text, longer) {
				sign = longer
			}
		}
		text = strings.TrimLeft(text[len(sign):], " \t")
		n := plainWord(text)
		if n == 0 || sign == "<<" && (body != "" || number > 0) {
			return "", false
		}
		if sign == "<<" {
			body = text[:n]
		}
		text = strings.TrimLeft(text[n:], " \t")
	}
	if body == "" {
		return text, true
	}
	return "", endsDocument(text, body)
}

// endsDocument reports whether a here-document that begins with the next line ends with a
// word, and the text with it: tree-sitter may find another end.
func endsDocument(text, word string) bool {
	end := word
	if quote := word[:1]; (quote == "'" || quote == `"`) && strings.HasSuffix(word, quote) && len(word) > 2 {
		end = word[1 : len(word)-1]
	}
	i := strings.Index(text+"\n", "\n"+end+"\n")
	return i >= 0 && text[0] == '\n' && isName(end) && (end != word || !strings.ContainsAny(text[:i], "$`\\")) &&
		strings.TrimSpace(text[i+1+len(end):]) == ""
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
	case "", "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
		"function", "time", "coproc", "in", "declare", "typeset", "export", "readonly", "local", "unset", "unsetenv",
		"let", "test", "eval":
		return true
	}
	return false
}

// leadingCommand is the name of the command with which a line begins, and what stands
// behind its plain words: what ends a command, or a redirection. "" is the name where
// something else stands there.
func leadingCommand(line string) (name, rest string) {
	line = strings.TrimLeft(line, " \t\n")
	for {
		n := plainWord(line)
		word := line[:n]
		variable, _, assigns := strings.Cut(word, "=")
		switch {
		case n == 0, word[0] == '=': // == is read as a test's
			return "", ""
		case name != "", assigns && isName(variable):
		case isLetterOrDigit(rune(word[0])) && word[0] > '9', strings.IndexByte("_./", word[0]) >= 0:
			if name = word; strings.Trim(word, "_./+-") == "" || strings.ContainsAny(word, `"'$\=:,@%^~*?`) {
				return "", ""
			}
		default:
			return "", ""
		}
		rest = strings.TrimLeft(line[n:], " \t")
		switch {
		case rest == "", strings.IndexByte(";&|\n", rest[0]) >= 0:
			return name, rest
		case len(rest) == len(line[n:]): // no blank before it
			return "", ""
		case redirects(rest):
			return name, rest
		}
		line = rest
	}
}

// redirects reports whether a text begins with a redirection: no process substitution and
// no <<<.
func redirects(text string) bool {
	text = strings.TrimLeft(text, "0123456789")
	return text != "" && (text[0] == '<' || text[0] == '>') && !strings.HasPrefix(text[1:], "(") &&
		!strings.HasPrefix(text[1:], "<<")
}

// plainWord is how long the plain word is with which a text begins: letters, digits, the
// signs of names and options, quotes, variables.
func plainWord(text string) (n int) {
	for n < len(text) {
		step := 0
		switch c := text[n]; {
		case c == '\\':
			step = escapedLength(text[n:])
		case c == '$':
			step = expansionLength(text[n:])
		case c == '\'':
			step = 2 + strings.IndexByte(text[n+1:], '\'')
			if step == 1 {
				return 0
			}
		case c == '"':
			step = max(doubleQuoted(text[n:]), messageLength(text[n:]))
		case isLetterOrDigit(rune(c)), strings.IndexByte("_./+:,=@%^~*?-", c) >= 0:
			step = 1
		default:
			return n
		}
		if step == 0 {
			return 0
		}
		n += step
	}
	return n
}

// escapedLength is 2 where a text begins with a backslash and a sign. Escaped blanks
// tree-sitter does not always read.
func escapedLength(text string) int {
	if len(text) > 1 && '!' <= text[1] && text[1] <= '~' {
		return 2
	}
	return 0
}

// expansionLength is how long $NAME or ${NAME} is at the start of a text.
func expansionLength(text string) int {
	name := strings.TrimPrefix(text, "$")
	inner, braces := strings.CutPrefix(name, "{")
	end := strings.IndexFunc(inner, func(r rune) bool { return r != '_' && !isLetterOrDigit(r) })
	if end < 0 {
		end = len(inner)
	}
	switch {
	case !isName(inner[:end]):
		return 0
	case !braces:
		return 1 + end
	case strings.HasPrefix(inner[end:], "}"):
		return 3 + end
	}
	return 0
}

// doubleQuoted is how long a text in double quotes is in which nothing runs.
func doubleQuoted(text string) int {
	for i := 1; i < len(text); {
		step := 1
		switch text[i] {
		case '"':
			return i + 1
		case '`':
			return 0
		case '\\':
			step = escapedLength(text[i:])
		case '$':
			step = expansionLength(text[i:])
		}
		if step == 0 {
			return 0
		}
		i += step
	}
	return 0
}

// messageLength is how long "$(cat <<'EOF' ... EOF)" is at the end of a text: as agents
// write one of several lines.
func messageLength(text string) int {
	const begin, end = "\"$(cat <<'EOF'", "\nEOF\n"
	body, found := strings.CutPrefix(text, begin)
	i := strings.Index(body, end)
	if !found || i < 0 || body[0] != '\n' {
		return 0
	}
	rest := strings.TrimLeft(body[i+len(end):], " \t")
	if strings.TrimRight(rest, " \t\n") != `)"` {
		return 0
	}
	return len(text) - len(rest) + 2
}

// isName reports whether a word is the name of a variable.
func isName(word string) bool {
	return word != "" && (word[0] < '0' || word[0] > '9') &&
		!strings.ContainsFunc(word, func(r rune) bool { return r != '_' && !isLetterOrDigit(r) })
}
