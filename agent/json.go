package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/fault"
)

// JSON is read in two ways: payloads strictly, lines of a host's own files loosely.
//
// encoding/json alone matches keys without regard to case and takes the last of two, so that {"command":"rm -rf
// /","Command":"ls"} reads "ls" in Go and "rm -rf /" in the agent's JavaScript. So a payload has one reading or none:
//
//   - a key is matched byte by byte, and two equal keys in one object are refused;
//   - where nod reads a key, a second key that differs in case only (Unicode simple folding,
//     so ſ is s and K is k) is refused;
//   - invalid UTF-8, half a surrogate pair, text after the end, nesting over maxDepth and
//     more than maxPayload bytes are refused.
//
// Unknown keys are fine. In a line of a host's file only the keys that are read are looked at in this way.
const (
	maxPayload = 16 << 20
	maxDepth   = 64
)

// member is one key of an object, decoded, with its value as written; in a list there is no key.
type member struct {
	key   string
	value json.RawMessage
}

// object is a JSON object.
type object struct {
	members []member
	path    string // key path of the object, "" at the top
}

// readPayload checks the whole text and returns its top level.
func readPayload(text []byte) (object, error) { return readStrictly(text, false) }

// readReport is readPayload for events that only report: what a program printed may have been cut in the middle of a
// character, and half a surrogate pair reads as U+FFFD. Never for a call that is to be decided.
func readReport(text []byte) (object, error) { return readStrictly(text, true) }

func readStrictly(text []byte, halves bool) (object, error) {
	if len(text) > maxPayload {
		return object{}, badInput(fmt.Errorf("%d bytes; at most %d MiB are read", len(text), maxPayload>>20))
	}
	o, err := readLoosely(text)
	if err == nil {
		err = checkKeysAndTexts(text, halves)
	}
	if err != nil {
		return object{}, badInput(err)
	}
	return o, nil
}

// readLoosely returns the top level of a text that is one JSON object, with any content.
func readLoosely(text []byte) (object, error) {
	if !json.Valid(text) {
		return object{}, invalid(text)
	}
	if text = bytes.TrimLeft(text, " \t\r\n"); text[0] != '{' {
		return object{}, errors.New("an object is expected")
	}
	return object{members: parts(text)}, nil
}

// invalid says why a text is not JSON.
func invalid(text []byte) error {
	var any json.RawMessage
	return fmt.Errorf("it is no JSON: %w", json.Unmarshal(text, &any))
}

// errHalf is in the chain of a refusal for half a surrogate pair.
var errHalf = errors.New("a character is cut in two: half a surrogate pair")

// badInput wraps what is wrong with a payload.
func badInput(err error) error {
	return &fault.Error{Kind: fault.BadInput, Message: "the payload cannot be read", Cause: err}
}

// checkKeysAndTexts looks through valid JSON for what encoding/json lets pass.
func checkKeysAndTexts(text []byte, halves bool) error {
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
			end := closing(text, i)
			raw := text[i : end+1]
			if !halves && holdsHalf(raw) {
				return errHalf
			}
			if isKey(text[end+1:]) {
				keys := &open[len(open)-1]
				if !addKey(keys, unquoted(raw)) {
					return at(join("", unquoted(raw)), "the key stands twice")
				}
			}
			i = end
		}
	}
	return nil
}

// addKey adds a key to a set, and reports whether it was not there.
func addKey(keys *map[string]bool, key string) bool {
	if *keys == nil {
		*keys = map[string]bool{}
	}
	known := (*keys)[key]
	(*keys)[key] = true
	return !known
}

// isKey reports whether a colon follows a string.
func isKey(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// holdsHalf reports whether a string with its quotes holds half a surrogate pair, which
// is decoded to U+FFFD; a string with both a surrogate and an escaped U+FFFD counts too.
func holdsHalf(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`\u`)) || !bytes.Contains(bytes.ToLower(raw), []byte(`\ud`)) {
		return false
	}
	return strings.Count(unquoted(raw), "\ufffd") > bytes.Count(raw, []byte("\ufffd"))
}

// at says what is wrong and where.
func at(path, what string) error { return errors.New(strings.TrimPrefix(path+": "+what, ": ")) }

// join appends a key to a key path, shortened, and quoted unless it is plain.
func join(path, key string) string {
	name := key[:min(len(key), 60)]
	if shown := strconv.QuoteToASCII(name); len(shown) != len(name)+2 || strings.ContainsAny(name, ".[] ") {
		name = shown
	}
	return strings.TrimPrefix(path+"."+name, ".")
}

// unquoted decodes a string with its quotes, out of valid JSON. Half a surrogate
// pair and bytes that are not UTF-8 become U+FFFD.
func unquoted(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return strings.ToValidUTF8(string(raw[1:len(raw)-1]), "\ufffd")
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it is a valid string
	return s
}

// parts splits an object or array that is valid JSON.
func parts(text []byte) (all []member) {
	dec := json.NewDecoder(bytes.NewReader(text))
	opened, _ := dec.Token()
	for dec.More() {
		var m member
		if opened == json.Delim('{') {
			key, _ := dec.Token()
			m.key, _ = key.(string)
		}
		if dec.Decode(&m.value) != nil {
			break // cannot be
		}
		all = append(all, m)
	}
	return all
}

// closing returns the offset of the quote that closes the quote at i.
func closing(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
