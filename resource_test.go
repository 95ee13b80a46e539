package nod

import (
	"encoding/json"
	"strings"
	"testing"
)

// A key that speaks of a URI is found in whatever spelling, and a word that
// merely holds the letters is none.
func TestKeysThatNameURIs(t *testing.T) {
	for input, want := range map[string]bool{
		`{"uri": "file:///x"}`: true, `{"resourceURI" : 1}`: true, `{"\u0075ri":"x"}`: true,
		`{"a":{"b_uri_c"` + "\n" + `:[]}}`: true, `{"uri\"x":1}`: true, `{"uri\\":1}`: true,
		`{"x":"during"}`: false, `{"x":"\"uri\": 1"}`: false, `{"x":"uri","y":"security"}`: false, `{"x":"uri`: false,
		``: false,
	} {
		if got := mayNameURI(strings.ToLower(input)); got != want {
			t.Errorf("%s: %v", input, got)
		}
	}
}

func FuzzKeysThatNameURIs(f *testing.F) {
	f.Add(`{"a":{"x\\uri\"":[{"b":"uri\": "}]}}`)
	f.Fuzz(func(t *testing.T, input string) {
		var value any
		if json.Unmarshal([]byte(input), &value) == nil && keyOfURI(value) && !mayNameURI(strings.ToLower(input)) {
			t.Errorf("%s has such a key", input)
		}
	})
}

func keyOfURI(value any) bool {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			if keyOfURI(v) {
				return true
			}
		}
	case map[string]any:
		for k, v := range value {
			if strings.Contains(strings.ToLower(k), "uri") || keyOfURI(v) {
				return true
			}
		}
	}
	return false
}
