package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/strict"
)

// value is what stands somewhere in an answer. Keys and types are taken to the letter.
type value struct{ any }

// at is what stands under keys, each within the value of the key before.
func (v value) at(keys ...string) value {
	for _, key := range keys {
		object, _ := v.any.(map[string]any)
		v = value{object[key]}
	}
	return v
}

// noText stands for a value of another type, so that it is no word that counts.
const noText = "(not a text)"

// text is a string, "" for a missing one.
func (v value) text() string {
	if v.any == nil {
		return ""
	}
	if text, ok := v.any.(string); ok {
		return text
	}
	return noText
}

// list is what a list holds, nil for anything else.
func (v value) list() (all []value) {
	list, _ := v.any.([]any)
	for _, element := range list {
		all = append(all, value{element})
	}
	return all
}

// folded is the value of a key in any case: what speaks against an answer counts in any spelling.
func (v value) folded(key string) value {
	object, _ := v.any.(map[string]any)
	for name, held := range object {
		if fold(name) == key {
			return value{held}
		}
	}
	return value{}
}

func (v value) isObject() bool {
	_, ok := v.any.(map[string]any)
	return ok
}

func (v value) isList() bool {
	_, ok := v.any.([]any)
	return ok
}

// isNo reports whether a value is missing, or says no.
func (v value) isNo() bool { return v.any == nil || v.any == false || v.any == "" }

// count is a number of tokens that adds up, 0 for anything else.
func (v value) count() int {
	number, _ := v.any.(json.Number)
	n, _ := number.Int64()
	return int(min(max(n, 0), 1<<31-1))
}

func (v value) json() []byte {
	text, _ := lines.JSON(v.any) // it was read from JSON
	return text
}

// parse reads text as one JSON object that every reader reads alike. Invalid text, keys that occur twice or differ by
// case only, and something after the end are errors.
func parse(text []byte) (value, error) {
	if err := strict.Check(text, fold); err != nil {
		return value{}, err
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var object map[string]any
	if err := in.Decode(&object); err != nil || object == nil {
		return value{}, errors.New("it is not an object")
	}
	return value{object}, nil
}

// fold makes keys equal that a reader without regard to case would confuse (the long s, the Kelvin sign).
func fold(key string) string { return strings.ToLower(strings.ToUpper(key)) }

// input is what the model passed to the forced tool.
type input struct {
	shouldBlock      bool
	reason, thinking string
}

// decodeInput takes exactly the three fields of the tool's schema, each once and of its type.
func decodeInput(text []byte) (input, error) {
	v, err := parse(text)
	if err != nil {
		return input{}, err
	}
	fields := v.any.(map[string]any)
	in := input{reason: v.at("reason").text(), thinking: v.at("thinking").text()}
	var typed [3]bool
	in.shouldBlock, typed[0] = fields["should_block"].(bool)
	_, typed[1] = fields["reason"].(string)
	_, typed[2] = fields["thinking"].(string)
	for i, key := range []string{"should_block", "reason", "thinking"} {
		if !typed[i] {
			return input{}, fmt.Errorf("%s is missing, or not of its type", key)
		}
		delete(fields, key)
	}
	for key := range fields {
		return input{}, fmt.Errorf("the key %s is not expected", quote(key))
	}
	return in, nil
}
