package disguise

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fill puts a command into a template:
//
//	%s  the command as it is; a newline must follow
//	%g  the command on one line's place: as it is, or in { }
//	%p  words that a program can run: the command, or bash -c '...'
//	%w  the same, each word in single quotes
//	%q  the command as one word in single quotes
//	%d  the command as one word in double quotes
//	%k  the command as it stands between backticks
//	%b  in base64       %x  in hexadecimal      %r  each line reversed, quoted
//	%t  in rot13, quoted                        %v  lines in reverse order, quoted
//	%o  in octal escapes      %h  in hexadecimal escapes
//	%c  a string of C, in double quotes
//	%l  a string of Perl, in single quotes
//	%n  a fresh name, the same at each place
//	%Q{...}  what stands in the braces, filled, as one word in single quotes
//	%%  a percent sign
//
// ok is false where the command cannot stand there.
func fill(r *rand.Rand, template, command string) (text string, ok bool) {
	return filled(template, command, freshName(r))
}

func filled(template, command, name string) (text string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(template); i++ {
		if template[i] != '%' || i+1 == len(template) {
			b.WriteByte(template[i])
			continue
		}
		i++
		if template[i] == 'n' {
			b.WriteString(name)
			continue
		}
		if template[i] == 'Q' {
			end := closing(template, i+1)
			inner, ok := filled(template[i+2:end], command, name)
			if !ok {
				return "", false
			}
			b.WriteString(inPlace(b.String(), quote(inner)))
			i = end
			continue
		}
		part, ok := letter(template[i], command)
		if strings.IndexByte("qrtv", template[i]) >= 0 {
			part = inPlace(b.String(), part)
		}
		if !ok {
			return "", false
		}
		b.WriteString(part)
	}
	return b.String(), true
}

// inPlace writes a quoted quote in double quotes in assignments and
// here-strings, where the interpreter of the tests misreads a backslash.
func inPlace(before, quoted string) string {
	if strings.HasSuffix(before, "=") || strings.HasSuffix(before, "<<< ") {
		return strings.ReplaceAll(quoted, `'\''`, `'"'"'`)
	}
	return quoted
}

// closing returns where the brace at i closes.
func closing(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	panic("disguise: a template with an open brace")
}

func letter(c byte, command string) (string, bool) {
	switch c {
	case '%':
		return "%", true
	case 's':
		return command, true
	case 'g':
		return grouped(command), true
	case 'p':
		return runnable(command), true
	case 'w':
		return quoteAll(words(command)), true
	case 'q':
		return quote(command), true
	case 'd':
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(command) + `"`, true
	case 'k':
		return strings.NewReplacer(`\`, `\\`, "`", "\\`", "$", `\$`).Replace(command), true
	case 'c':
		return cString(command), true
	case 'l':
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(command) + "'", true
	}
	return encoded(c, command)
}

func encoded(c byte, command string) (string, bool) {
	switch c {
	case 'b':
		return base64.StdEncoding.EncodeToString([]byte(command)), true
	case 'x':
		return hex.EncodeToString([]byte(command)), true
	case 'r':
		lines := strings.Split(command, "\n")
		for i, l := range lines {
			lines[i] = reversed(l)
		}
		return quote(strings.Join(lines, "\n")), ascii(command)
	case 't':
		return quote(strings.Map(rot13, command)), true
	case 'v':
		lines := strings.Split(strings.TrimSuffix(command, "\n"), "\n")
		slices.Reverse(lines)
		return quote(strings.Join(lines, "\n")), true
	case 'o':
		return escapes(`\%03o`, command), true
	case 'h':
		return escapes(`\x%02x`, command), true
	}
	panic("disguise: a template with %" + string(c))
}

func escapes(format, s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func rot13(c rune) rune {
	switch {
	case c >= 'a' && c <= 'z':
		return 'a' + (c-'a'+13)%26
	case c >= 'A' && c <= 'Z':
		return 'A' + (c-'A'+13)%26
	}
	return c
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// cString quotes as C, Python, JavaScript, Lua and awk read it.
func cString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(s) + `"`
}

func freshName(r *rand.Rand) string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	b := []byte("zz")
	for range 4 {
		b = append(b, letters[r.IntN(len(letters))])
	}
	return string(b)
}

// quote makes one word in single quotes.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

func parse(command string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash),
		syntax.KeepComments(true)).Parse(strings.NewReader(command), "")
}

func parses(command string) bool {
	_, err := parse(command)
	return err == nil
}

// only returns the simple command that the text is, without redirections and
// assignments, or nil.
func only(command string) *syntax.CallExpr {
	file, err := parse(command)
	// The parser takes a carriage return for a blank, bash for a letter.
	if err != nil || strings.Contains(command, "\r") || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return nil
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(call.Assigns)+len(s.Redirs)+len(s.Comments) > 0 || s.Background || s.Negated ||
		s.Semicolon.IsValid() {
		return nil
	}
	return call
}

// grouped returns a command that an operator can follow or stand before.
func grouped(command string) string {
	if only(command) != nil && !strings.Contains(command, "\n") {
		return strings.TrimSpace(command)
	}
	return "{ " + command + "\n}"
}

// runnable returns words that a program can run in its own process.
func runnable(command string) string {
	if call := only(command); call != nil && !strings.Contains(command, "\n") {
		if name := call.Args[0].Lit(); plain(name) && !shellOnly(name) {
			return strings.TrimSpace(command)
		}
	}
	return "bash -c " + quote(command)
}

// words returns the constant words of a command that a program can run, or
// those of a shell that is given the command.
func words(command string) []string {
	shell := []string{"bash", "-c", command}
	call := only(command)
	if call == nil || !plain(call.Args[0].Lit()) || shellOnly(call.Args[0].Lit()) {
		return shell
	}
	var list []string
	for _, w := range call.Args {
		text, ok := constant(w)
		if !ok {
			return shell
		}
		list = append(list, text)
	}
	return list
}

// constant returns what a word is if no expansion can change it.
func constant(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "\\*?[]{}~!^=#") {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			lit, ok := "", len(p.Parts) == 0
			if len(p.Parts) == 1 {
				var l *syntax.Lit
				if l, ok = p.Parts[0].(*syntax.Lit); ok {
					lit = l.Value
				}
			}
			if !ok || p.Dollar || strings.Contains(lit, `\`) {
				return "", false
			}
			b.WriteString(lit)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// plain reports whether a word needs no quotes anywhere.
func plain(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == ""
}

// shellOnly reports whether a name means something to the shell that it does
// not mean to a program, or was made up here for a function or an alias.
func shellOnly(name string) bool {
	switch name {
	case "cd", "eval", "exec", "source", ".", "command", "builtin", "trap", "set", "unset", "shopt", "alias",
		"unalias", "read", "mapfile", "readarray", "shift", "exit", "return", "break", "continue", "type", "hash",
		"ulimit", "umask", "wait", "jobs", "fg", "bg", "disown", "enable", "pushd", "popd", "dirs", "getopts",
		"history", "bind", "complete", "compgen", "times", "let", "local", "export", "declare", "readonly",
		"typeset", ":", "help", "fc", "logout", "suspend", "caller", "echo", "printf", "test", "kill", "true",
		"false", "pwd":
		return true
	}
	return strings.HasPrefix(name, "zz")
}
