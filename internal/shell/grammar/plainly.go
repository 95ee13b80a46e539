package grammar

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What some shell reads otherwise than its own grammar says, and the parser with it.
var (
	errDollars  = errors.New("a $$ before a quote, a bracket or the like")
	errBackward = errors.New("a backquote or a here-document inside of backquotes")
	errGlued    = errors.New("a redirection right behind the number of another")
	errHeredoc  = errors.New("a here-document that may end elsewhere")
)

// plainly refuses a text that a shell may take apart at another place than the parser:
//
//   - zsh 5.9 reads $$'text' as a $ and a $'text', in which \' is no end; bash 5.2 looks
//     for the end of "$$(" behind a parenthesis;
//   - every shell ends backquotes at the next backquote, be it in quotes or in a
//     here-document, and bash looks into a here-document in them once more;
//   - bash 5.2 ends a here-document in $( ) at a line that begins as its end does and
//     holds a parenthesis, and the parser at an end behind an expansion in its line;
//   - zsh and dash take the 1 of 2>&1>x for the descriptor of the second redirection.
func plainly(file *syntax.File, err error, source string) (*syntax.File, error) {
	if err != nil || !strings.Contains(source, "$$") && !strings.ContainsAny(source, "`<>") {
		return file, err
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if err == nil {
			err = plainNode(n, source)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	return file, nil
}

func plainNode(n syntax.Node, source string) error {
	switch n := n.(type) {
	case *syntax.Word:
		if dollarsBefore(n.Parts, "-./,+@%") {
			return errDollars
		}
	case *syntax.DblQuoted:
		if dollarsBefore(n.Parts, "-./,+@% \n\t;|&<>)*?!=#]}") {
			return errDollars
		}
	case *syntax.CmdSubst:
		inside := between(source, n.Pos().Offset()+1, n.End().Offset()-1)
		if n.Backquotes && (holdsBackquote(inside) || strings.Contains(inside, "<<")) {
			return errBackward
		}
	case *syntax.Redirect:
		if end := n.End().Offset(); n.Word != nil && Decimal(n.Word.Lit()) && (between(source, end, end+1) == ">" ||
			between(source, end, end+1) == "<") {
			return errGlued
		}
		if n.Hdoc != nil && endsElsewhere(between(source, n.Hdoc.Pos().Offset(), n.Hdoc.End().Offset()),
			delimiter(between(source, n.Word.Pos().Offset(), n.Word.End().Offset()))) {
			return errHeredoc
		}
	}
	return nil
}

func between(source string, from, to uint) string {
	if from > to || to > uint(len(source)) {
		return ""
	}
	return source[from:to]
}

// dollarsBefore reports whether $$ stands before anything but letters and plain signs.
func dollarsBefore(parts []syntax.WordPart, plain string) bool {
	for i, part := range parts {
		p, ok := part.(*syntax.ParamExp)
		if !ok || !p.Short || p.Param == nil || p.Param.Value != "$" || i+1 == len(parts) {
			continue
		}
		lit, ok := parts[i+1].(*syntax.Lit)
		if !ok || !Letter(lit.Value[0]) && strings.IndexByte(plain, lit.Value[0]) < 0 {
			return true
		}
	}
	return false
}

// holdsBackquote reports whether a text has a backquote that no backslash stands before.
func holdsBackquote(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '`':
			return true
		}
	}
	return false
}

// delimiter is the end of a here-document without its quotes.
func delimiter(word string) string {
	return strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(word)
}

// endsElsewhere reports whether a here-document, with the line that ends it, holds
// another line that does for a shell: each is compared as a whole, from its beginning.
func endsElsewhere(body, end string) bool {
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		line = strings.TrimLeft(line, "\t")
		if last := i == len(lines)-1; last && line != end || !last && strings.HasPrefix(line, end) {
			return true
		}
	}
	return false
}
