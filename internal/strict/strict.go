// Package strict tells JSON that every reader reads alike from JSON that has more than one reading.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds the nesting; real texts have about six levels.
const maxDepth = 64

// ErrHalf is in the chain of a refusal for half a surrogate pair, which is decoded to U+FFFD.
var ErrHalf = errors.New("a character is cut in two: half a surrogate pair")

// Check says what encoding/json lets pass and another reader reads otherwise: invalid UTF-8, two keys of an object that
// alike maps to the same word, more than 64 levels; [ErrHalf] only where nothing else is wrong.
func Check(text []byte, alike func(key string) string) (half error) {
	if !json.Valid(text) {
		var any json.RawMessage
		return fmt.Errorf("it is no JSON: %w", json.Unmarshal(text, &any))
	}
	if !utf8.Valid(text) {
		return errors.New("invalid UTF-8")
	}
	var open []map[string]bool // the keys of the objects that are open, innermost last
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if open = append(open, nil); len(open) > maxDepth {
				return fmt.Errorf("more than %d levels", maxDepth)
			}
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			raw := Quoted(text[i:])
			i += len(raw) - 1
			if holdsHalf(raw) {
				half = ErrHalf
			}
			if isKey(text[i+1:]) && !add(&open[len(open)-1], alike(Unquoted(raw))) {
				key := Unquoted(raw)
				return fmt.Errorf("%s: the key stands twice", strconv.QuoteToASCII(key[:min(len(key), 60)]))
			}
		}
	}
	return half
}

// add adds a key to a set, and reports whether it was not there.
func add(keys *map[string]bool, key string) bool {
	if *keys == nil {
		*keys = map[string]bool{}
	}
	known := (*keys)[key]
	(*keys)[key] = true
	return !known
}

// isKey reports whether a colon follows a string.
func isKey(rest []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":")) }

// Quoted is the string that valid JSON begins with, as it is written.
func Quoted(text []byte) []byte {
	end := 1
	for ; text[end] != '"'; end++ {
		if text[end] == '\\' {
			end++
		}
	}
	return text[:end+1]
}

// holdsHalf reports whether a string with its quotes holds half a surrogate pair;
// one that has both a surrogate and an escaped U+FFFD counts too.
func holdsHalf(raw []byte) bool {
	return bytes.Contains(raw, []byte(`\u`)) && bytes.Contains(bytes.ToLower(raw), []byte(`\ud`)) &&
		strings.Count(Unquoted(raw), "\ufffd") > bytes.Count(raw, []byte("\ufffd"))
}

// Unquoted decodes a string with its quotes, out of valid JSON. Half a surrogate
// pair and what is no UTF-8 become U+FFFD.
func Unquoted(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return strings.ToValidUTF8(string(raw[1:len(raw)-1]), "\ufffd")
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it is a valid string
	return s
}
