package recipe

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// Directive is one line //go:generate of a file.
type Directive struct {
	File string
	Line int
	Text string // of a shell, in which it means the same
}

// GeneratePackages are the packages that the arguments behind go generate name.
// known is false where some are not known at all, ok where options or packages are
// not understood.
func GeneratePackages(args []Arg) (named []string, known, ok bool) {
	ok = true
	for i := 0; i < len(args); i++ {
		w := args[i]
		option, _, given := strings.Cut(strings.TrimPrefix(w.Text, "-"), "=")
		switch {
		case !w.Known:
			return nil, false, false
		case w.Text == "" || w.Text[0] != '-':
			named = append(named, w.Text)
		case len(named) > 0:
			ok = false // go takes it for a package
		case slices.Contains([]string{"-v", "-x", "-n", "-trimpath"}, "-"+strings.TrimPrefix(option, "-")) && !given:
		case slices.Contains([]string{"-run", "-skip", "-tags"}, "-"+strings.TrimPrefix(option, "-")):
			if !given {
				i++
			}
		default:
			ok = false
		}
	}
	if len(named) == 0 {
		named = []string{"."}
	}
	return named, true, ok
}

// Directives reads the directives of the text of a file. ok is false
// where one is not understood.
func Directives(text, file string) (list []Directive, ok bool) {
	aliases := map[string][]string{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		rest, found := strings.CutPrefix(line, "//go:generate")
		if !found || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		words, ok := generateWords(strings.TrimSuffix(strings.TrimSuffix(rest[1:], "\n"), "\r"))
		switch {
		case !ok || len(words) == 0:
			return list, false
		case words[0] == "-command":
			if len(words) < 3 || aliases[words[1]] != nil || strings.Contains(strings.Join(words, ""), "$") {
				return list, false
			}
			aliases[words[1]] = words[2:]
			continue
		case aliases[words[0]] != nil:
			words = append(slices.Clip(aliases[words[0]]), words[1:]...)
		}
		d := Directive{File: file, Line: number}
		for _, w := range words {
			word, ok := rendered(w, file, number)
			if !ok {
				return list, false
			}
			d.Text += word + " "
		}
		list = append(list, d)
	}
	return list, true
}

// generateWords splits a directive as go does: at blanks, but for what a
// double quote begins, which is a string of Go.
func generateWords(line string) (words []string, ok bool) {
	for {
		if line = strings.TrimLeft(line, " \t"); line == "" {
			return words, true
		}
		end := strings.IndexAny(line, " \t")
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, false
			}
			word, err := strconv.Unquote(quoted)
			rest := line[len(quoted):]
			if err != nil || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
				return nil, false
			}
			words, line = append(words, word), rest
			continue
		}
		if end < 0 {
			end = len(line)
		}
		words, line = append(words, line[:end]), line[end:]
	}
}

// rendered renders a word for a shell. Variables that go sets are put in,
// others are not known: $GOARCH stands for all of them.
func rendered(w, file string, line int) (text string, ok bool) {
	if strings.ContainsAny(w, "\r\n\x00") {
		return "", false
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(w, "$")
		b.WriteString(grammar.Quoted(before))
		if !found {
			return b.String(), true
		}
		name := rest
		if braced := strings.HasPrefix(rest, "{"); braced {
			if name, rest, found = strings.Cut(rest[1:], "}"); !found {
				return "", false
			}
		} else {
			n := 0
			for n < len(rest) && grammar.Letter(rest[n]) {
				n++
			}
			name, rest = rest[:n], rest[n:]
		}
		if !grammar.Identifier(name) || name[0] >= '0' && name[0] <= '9' {
			return "", false
		}
		switch name {
		case "GOFILE":
			b.WriteString(grammar.Quoted(path.Base(file)))
		case "GOLINE":
			b.WriteString(strconv.Itoa(line))
		case "DOLLAR":
			b.WriteString("'$'")
		case "HOME":
			b.WriteString(`"$HOME"`)
		default:
			b.WriteString(`"$GOARCH"`)
		}
		w = rest
	}
}
