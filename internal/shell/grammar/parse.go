package grammar

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// Line parses a text while no other text is being walked. A short text cannot make the stack deep.
func Line(source string, lang syntax.LangVariant) (*syntax.File, error) {
	return parseFrom(&shallow{rest: source, flat: len(source) <= flatBytes}, source, lang)
}

func As(source string, lang syntax.LangVariant) (*syntax.File, error) {
	return parseFrom(&shallow{rest: source}, source, lang)
}

func parseFrom(from *shallow, source string, lang syntax.LangVariant) (*syntax.File, error) {
	if strings.IndexByte(source, '\r') >= 0 {
		return nil, errReturn
	}
	if strings.ContainsFunc(source, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return nil, errControl
	}
	if rest := strings.TrimRight(source, `\`); (len(source)-len(rest))%2 == 1 {
		return nil, errOpen
	}
	if splices(source) {
		return nil, errSpliced
	}
	file, err := syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(from, "")
	if err == nil && strings.Contains(source, "#") && commentInWord(file, source) {
		return nil, errInWord
	}
	return file, err
}

// What the parser reads otherwise than a shell does (docs/rough-edges.md). A carriage return is a character like any
// other, a comment never goes on behind a backslash, a # begins a comment only where a word may begin, and a $ goes on
// in the next line where a backslash joins the lines.
var (
	errReturn  = errors.New("a carriage return")
	errControl = errors.New("a control character") // bash 5.2 and the parser mark what they read with some of them
	errOpen    = errors.New("a backslash at its end")
	errInWord  = errors.New("a # inside of a word")
	errSpliced = errors.New("a word, an operator or a comment that goes on in the next line")
)

// splices reports whether a line goes on behind a backslash that no blank stands before, or beside a #. What the
// backslash then joins may be an operator, which the parser does not see, or end a comment.
func splices(source string) bool {
	pieces := strings.Split(source, "\\\n")
	for _, before := range pieces[:len(pieces)-1] {
		end := before[max(0, len(before)-1):]
		if end == `\` || strings.Contains(before[strings.LastIndexByte(before, '\n')+1:], "#") ||
			!strings.Contains(" \t\n", end) || strings.HasSuffix(before, `\ `) {
			return true
		}
	}
	return false
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

// shallow hands a text to the parser in small pieces and looks each time how deep the
// parser stands. It also recurses for each of several comment lines in a row.
type shallow struct {
	rest    string
	started bool
	flat    bool // it is too short to nest deeply
}

const (
	pieceBytes = 256  // handed out at once
	maxFrames  = 1500 // 200 levels of the costliest bracket, and what pieceBytes may add
	flatBytes  = 100  // no byte makes the parser's stack deeper by 30 frames
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
