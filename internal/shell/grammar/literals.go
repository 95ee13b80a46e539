package grammar

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Literal is a part of a text that a shell takes as it stands, from the byte
// Start to before the byte End: a word without expansions, quotes and all, what
// is constant in another word, a line of a here-document, a comment.
type Literal struct {
	Start, End int
	// Program says that the part is, or may be, the name of what runs: the
	// first word of a command, and of one behind env, sudo, xargs and the like.
	Program bool
}

// literalLimit bounds the texts that are read: what is longer is no command
// that a person types or reads.
const LiteralLimit = 256 << 10

// Literals lists the constant parts of a text that reads as a shell's program,
// in their order. Names of variables and delimiters are none of them, and an
// argument that a shell runs in turn (sh -c, eval) gives its own. ok is false
// where the text does not read so.
func Literals(text string) (list []Literal, ok bool) {
	return literals(text, 0)
}

// nestedCode bounds sh -c 'sh -c ...'.
const nestedCode = 4

func literals(text string, depth int) ([]Literal, bool) {
	if len(text) > LiteralLimit || depth > nestedCode {
		return nil, false
	}
	source := strings.TrimSuffix(text, `\`) // one that nothing follows stands for itself
	tree, err := As(source, syntax.LangBash, syntax.KeepComments(true))
	if errors.Is(err, errSpliced) { // where words begin and end is known all the same
		tree, err = syntax.NewParser(syntax.Variant(syntax.LangBash),
			syntax.KeepComments(true)).Parse(&shallow{rest: source}, "")
	}
	if err != nil {
		return nil, false
	}
	l := literalWalk{text: text, depth: depth, is: map[*syntax.Word]wordUse{}}
	syntax.Walk(tree, l.visit)
	slices.SortFunc(l.list, func(a, b Literal) int { return cmp.Compare(a.Start, b.Start) })
	return l.list, true
}

// wordUse is what a word is for, where that is not to be a plain argument.
type wordUse uint8

const (
	asArgument wordUse = iota
	asProgram
	asCode      // a shell runs it
	asDelimiter // ends a here-document
)

type literalWalk struct {
	text  string
	depth int
	is    map[*syntax.Word]wordUse
	list  []Literal
}

func (l *literalWalk) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Comment:
		l.comment(n)
	case *syntax.Stmt:
		l.documents(n)
	case *syntax.CallExpr:
		l.call(n.Args)
	case *syntax.Word:
		l.word(n)
	}
	return true
}

// comment adds a comment that no shell reads otherwise: # begins a word.
func (l *literalWalk) comment(c *syntax.Comment) {
	start, end := offsetOf(c.Pos()), offsetOf(c.End())
	if start == 0 || strings.IndexByte(" \t\n", l.text[start-1]) >= 0 {
		l.add(start+1, end, false)
	}
}

func (l *literalWalk) documents(s *syntax.Stmt) {
	call, _ := s.Cmd.(*syntax.CallExpr)
	code := call != nil && len(call.Args) > 0 && IsShell(call.Args[0].Lit())
	for _, r := range s.Redirs {
		if r.Hdoc == nil {
			continue
		}
		l.is[r.Word] = asDelimiter
		if code {
			l.is[r.Hdoc] = asCode
		}
	}
}

// call notes which words of a command name what runs, or are run.
func (l *literalWalk) call(args []*syntax.Word) {
	if len(args) == 0 {
		return
	}
	l.is[args[0]] = asProgram
	program := path.Base(args[0].Lit())
	named := !IsShell(program) && program != "source" && args[0].Lit() != "."
	for i, w := range args[1:] {
		before := args[i].Lit()
		if !named && !strings.HasPrefix(w.Lit(), "-") && !takesCode(before) {
			l.is[w], named = asProgram, true // the script
		}
		if IsWrapper(path.Base(before)) {
			l.wrapped(args[i:])
		}
		if program == "eval" || program == "ssh" || program == "watch" || takesCode(before) {
			l.is[w] = asCode
		}
	}
}

// wrapped notes what may be the program behind a wrapper: the first word that
// is no option, and each word before it that may be an option's value.
func (l *literalWalk) wrapped(args []*syntax.Word) {
	for i, w := range args[1:] {
		text, before := w.Lit(), args[i].Lit()
		if strings.HasPrefix(text, "-") || strings.Contains(text, "=") {
			continue
		}
		if l.is[w] == asArgument {
			l.is[w] = asProgram
		}
		if !strings.HasPrefix(before, "-") && !isNumeral(text) {
			return
		}
	}
}

func isNumeral(s string) bool { return s != "" && strings.Trim(s, "0123456789.smhd") == "" }

// takesCode reports whether the argument behind an option is a program's text:
// -c, -lc, --command.
func takesCode(option string) bool {
	short, ok := strings.CutPrefix(option, "-")
	return option == "--command" || ok && len(short) <= 6 && strings.HasSuffix(short, "c") &&
		!strings.HasPrefix(short, "-")
}

func IsShell(program string) bool {
	switch path.Base(program) {
	case "sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "ssh", "su":
		return true
	}
	return false
}

func IsWrapper(program string) bool {
	switch program {
	case "sudo", "doas", "env", "xargs", "parallel", "nice", "ionice", "nohup", "timeout", "time", "exec",
		"command", "builtin", "setsid", "stdbuf", "chroot", "unshare", "flock", "script", "strace", "ltrace",
		"noglob", "nocorrect":
		return true
	}
	return false
}

// word adds what is constant in a word.
func (l *literalWalk) word(w *syntax.Word) {
	switch use := l.is[w]; {
	case use == asDelimiter:
	case use == asCode:
		l.code(w)
	case isConstant(w.Parts):
		l.add(offsetOf(w.Pos()), offsetOf(w.End()), use == asProgram)
	default:
		l.parts(w.Parts, use == asProgram)
	}
}

func (l *literalWalk) parts(parts []syntax.WordPart, program bool) {
	for _, p := range parts {
		if q, ok := p.(*syntax.DblQuoted); ok && !isConstant(q.Parts) {
			l.parts(q.Parts, program)
			continue
		}
		if isConstant([]syntax.WordPart{p}) {
			l.add(offsetOf(p.Pos()), offsetOf(p.End()), program)
		}
	}
}

func isConstant(parts []syntax.WordPart) bool {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if !isConstant(p.Parts) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// code adds the literals of a text that a shell runs, where the word is that
// text byte for byte, quotes around it apart.
func (l *literalWalk) code(w *syntax.Word) {
	if !isConstant(w.Parts) || len(w.Parts) != 1 {
		return
	}
	start, end := offsetOf(w.Pos()), offsetOf(w.End())
	switch p := w.Parts[0].(type) {
	case *syntax.SglQuoted:
		if start, end = start+1, end-1; p.Dollar {
			return
		}
	case *syntax.DblQuoted:
		if start, end = start+1, end-1; p.Dollar {
			return
		}
	}
	if start < 0 || end > len(l.text) || start >= end || strings.IndexByte(l.text[start:end], '\\') >= 0 {
		return
	}
	inner, _ := literals(l.text[start:end], l.depth+1)
	for _, i := range inner {
		l.add(start+i.Start, start+i.End, i.Program)
	}
}

func (l *literalWalk) add(start, end int, program bool) {
	if start < end && end <= len(l.text) {
		l.list = append(l.list, Literal{start, end, program})
	}
}

func offsetOf(p syntax.Pos) int { return int(p.Offset()) }
