// Package grammar says of a text what holds before anybody asks what its words mean: whether it is within the bounds of
// what is read, how a shell parses it, what in it is more shell than nod follows (outside.go), which runs of words in
// it could be commands, and how to show it. It looks at no file and knows no program but shells.
package grammar

import "strings"

// Bounds of a text.
const (
	MaxBytes     = 64 << 10
	MaxWords     = 1024 // of one command
	maxDocuments = 200
)

// Malformed names what no agent sends in good faith, or "".
func Malformed(source string) string {
	if strings.IndexByte(source, 0) >= 0 {
		return "a NUL byte"
	}
	for i := 0; ; {
		cr := strings.IndexByte(source[i:], '\r')
		if cr < 0 {
			return ""
		}
		if i += cr + 1; i >= len(source) || source[i] != '\n' {
			return "a carriage return that ends no line"
		}
	}
}

// Exceeded names the bound that the text is over, or "". How deep it nests is seen while it is parsed ([ErrDeep]).
func Exceeded(source string) string {
	switch {
	case len(source) > MaxBytes:
		return "64 KiB"
	case strings.Count(source, "<<") > maxDocuments:
		return "200 here-documents"
	}
	return ""
}
