package grammar

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Line parses a text in which nothing else is being walked. One that is
// short cannot make the stack deep.
func Line(source string, lang syntax.LangVariant) (*syntax.File, error) {
	return parseFrom(&shallow{rest: source, flat: len(source) <= flatBytes}, source, lang)
}

func As(source string, lang syntax.LangVariant, more ...syntax.ParserOption) (*syntax.File, error) {
	return parseFrom(&shallow{rest: source}, source, lang, more...)
}

func parseFrom(from *shallow, source string, lang syntax.LangVariant, more ...syntax.ParserOption) (*syntax.File,
	error) {
	if strings.IndexByte(source, '\r') >= 0 {
		return nil, errReturn
	}
	if strings.ContainsFunc(source, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return nil, errControl
	}
	if rest := strings.TrimRight(source, `\`); (len(source)-len(rest))%2 == 1 {
		return nil, errOpen
	}
	if splicedToken(source) {
		return nil, errSpliced
	}
	if strings.IndexByte(source, '#') < 0 {
		return syntax.NewParser(append(more, syntax.Variant(lang))...).Parse(from, "")
	}
	if continuedComment(source) {
		return nil, errComment
	}
	file, err := syntax.NewParser(append(more, syntax.Variant(lang), syntax.KeepComments(true))...).Parse(from, "")
	if err == nil && commentInWord(file, source) {
		return nil, errInWord
	}
	return file, err
}

// What the parser reads otherwise than a shell does (docs/rough-edges.md). A
// carriage return is a character like any other, a comment never goes on behind
// a backslash, a # begins a comment only where a word may begin, and a $ goes on
// in the next line where a backslash joins the lines.
var (
	errReturn  = errors.New("a carriage return")
	errControl = errors.New("a control character") // bash 5.2 and the parser mark what they read with some of them
	errComment = errors.New("a comment may end in a backslash")
	errOpen    = errors.New("a backslash at its end")
	errInWord  = errors.New("a # inside of a word")
	errSpliced = errors.New("a word or an operator that goes on in the next line")
)

// splicedToken reports whether a line goes on behind a backslash that no blank
// stands before. What the backslash then joins may be an operator, which the
// parser does not see.
func splicedToken(source string) bool {
	for rest := source; ; {
		before, after, found := strings.Cut(rest, "\\\n")
		if !found {
			return false
		}
		plain := strings.TrimRight(before, `\`)
		if odd := (len(before)-len(plain))%2 == 0; odd && !separated(source[:len(source)-len(rest)+len(before)]) {
			return true
		}
		rest = after
	}
}

// separated reports whether a text ends where a word may begin.
func separated(before string) bool {
	n := len(before)
	if n == 0 || before[n-1] == '\n' {
		return true
	}
	return (before[n-1] == ' ' || before[n-1] == '\t') && (n < 2 || before[n-2] != '\\')
}

// commentInWord reports whether the parser took a # for the beginning of a
// comment where a shell goes on with the word before it.
func commentInWord(file *syntax.File, source string) (found bool) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			at := int(c.Pos().Offset())
			found = found || at > len(source) || at > 0 && strings.IndexByte(" \t\n;&|(", source[at-1]) < 0
		}
		return !found
	})
	return found
}

// continuedComment reports whether a line that ends in a backslash may end in a
// comment. A shell ends the comment there; the parser takes the next line for
// more arguments. It errs towards yes, since quotes and here-documents are not
// told apart.
func continuedComment(source string) bool {
	if !strings.Contains(source, "#") {
		return false
	}
	for line := range strings.SplitSeq(source, "\n") {
		if !strings.HasSuffix(strings.TrimSuffix(line, "\r"), `\`) {
			continue
		}
		for i := range len(line) {
			if line[i] == '#' && (i == 0 || beginsToken(line[:i])) {
				return true
			}
		}
	}
	return false
}

// beginsToken reports whether a # behind this text may begin a comment: in
// the middle of a word it does not.
func beginsToken(before string) bool {
	c := before[len(before)-1]
	return !Letter(c) && strings.IndexByte(`$/."'#:-%@+,=~^*?[]\`, c) < 0 && !strings.HasSuffix(before, "${")
}

// shallow hands a text to the parser in small pieces and looks each time how
// deep the parser stands. What looks like nesting before parsing (exceeded) can
// be deceived, by brackets in here-documents and in $'...'; the stack cannot.
// The parser also recurses for each of several comment lines in a row, so that
// some thousands of them are too many.
type shallow struct {
	rest    string
	started bool
	flat    bool // it is too short to nest deeply
}

const (
	pieceBytes = 1 << 10 // handed out at once
	maxFrames  = 4000    // 200 levels of the costliest bracket, and what pieceBytes may add
	flatBytes  = 100     // no byte makes the parser's stack deeper by 30 frames
)

var ErrDeep = errors.New("200 levels of nesting")

// Read implements io.Reader.
func (r *shallow) Read(p []byte) (int, error) {
	var one [1]uintptr
	if r.started && !r.flat && runtime.Callers(maxFrames, one[:]) > 0 {
		return 0, ErrDeep
	}
	if r.started = true; r.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, r.rest[:min(len(r.rest), pieceBytes)])
	r.rest = r.rest[n:]
	return n, nil
}

func Fault(err error) string {
	var pe syntax.ParseError
	if errors.As(err, &pe) {
		return Escaped(pe.Pos.String() + ": " + pe.Text)
	}
	return Escaped(err.Error())
}
