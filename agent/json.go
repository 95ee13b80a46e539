package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/strict"
)

// JSON is read in two ways: payloads strictly, lines of a host's own files loosely.
//
// encoding/json alone matches keys without regard to case and takes the last of two, so that {"command":"rm -rf
// /","Command":"ls"} reads "ls" in Go and "rm -rf /" in the agent's JavaScript. So a payload has one reading or none:
//
//   - a key is matched byte by byte, and two equal keys in one object are refused;
//   - where nod reads a key, a second key that differs in case only (Unicode simple folding,
//     so ſ is s and K is k) is refused;
//   - invalid UTF-8, half a surrogate pair, text after the end, more than 64 levels and
//     more than maxPayload bytes are refused.
//
// Unknown keys are fine. In a line of a host's file only the keys that are read are looked at in this way.
const maxPayload = 16 << 20

// member is one key of an object, decoded, with its value as written; in a list there is no key.
type member struct {
	key   string
	value json.RawMessage
}

// readPayload checks the whole text and returns its top level. Half a surrogate pair is an error beside it: what a
// program printed may have been cut in the middle of a character, and a call that is to be decided never is.
func readPayload(text []byte) (fields, error) {
	if len(text) > maxPayload {
		return fields{}, badInput(fmt.Errorf("%d bytes; at most %d MiB are read", len(text), maxPayload>>20))
	}
	f, err := readLoosely(text)
	if err == nil {
		err = strict.Check(text, func(key string) string { return key })
	}
	if err != nil {
		return f, badInput(err)
	}
	return f, nil
}

// readLoosely returns the top level of a text that is one JSON object, with any content.
func readLoosely(text []byte) (fields, error) {
	if !json.Valid(text) {
		var whole json.RawMessage
		return fields{}, fmt.Errorf("it is no JSON: %w", json.Unmarshal(text, &whole))
	}
	if text = bytes.TrimLeft(text, " \t\r\n"); text[0] != '{' {
		return fields{}, errors.New("an object is expected")
	}
	return fields{members: parts(text), err: new(error)}, nil
}

// badInput wraps what is wrong with a payload.
func badInput(err error) error {
	return &fault.Error{Kind: fault.BadInput, Message: "the payload cannot be read", Cause: err}
}

// join appends a key to a key path, shortened, and quoted unless it is plain.
func join(path, key string) string {
	name := key[:min(len(key), 60)]
	if shown := strconv.QuoteToASCII(name); len(shown) != len(name)+2 || strings.ContainsAny(name, ".[] ") {
		name = shown
	}
	return strings.TrimPrefix(path+"."+name, ".")
}

// parts splits an object or array that is valid JSON, nil for anything else. The values are pieces of the text.
func parts(text []byte) (all []member) {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil
	}
	var m member
	depth, start := 0, 1
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			i += len(strict.Quoted(text[i:])) - 1
		case c == '{', c == '[':
			depth++
		case depth > 0:
			if c == '}' || c == ']' {
				depth--
			}
		case c == ':':
			_ = json.Unmarshal(text[start:i], &m.key) // a string
			start = i + 1
		case c == ',', c == '}', c == ']':
			if m.value = bytes.TrimSpace(text[start:i]); len(m.value) > 0 {
				all = append(all, m)
			}
			m, start = member{}, i+1
		}
	}
	return all
}
