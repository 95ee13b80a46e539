package nod

import (
	"slices"
	"testing"
)

// A key that speaks of a URI is found in whatever spelling, and the web's addresses are
// no files.
func TestResourcesByURI(t *testing.T) {
	for input, want := range map[string][]string{
		`{"uri": "file:///x"}`:                  {"/x", "/x"},
		`{"resourceURI" : "x:a"}`:               {"a"},
		`{"\u0075ri":"x:/a"}`:                   {"/a"},
		`{"a":{"b_uri_c":["file://h/%2Eenv"]}}`: {"/.env", "h/.env"},
		`{"uri":"https://example.org/a"}`:       nil,
		`{"x":"during", "y":"file:///x"}`:       nil,
		`{"uri":"file:///x"`:                    nil,
	} {
		if got := (Call{Input: []byte(input)}).resources(); !slices.Equal(got, want) {
			t.Errorf("%s: %q", input, got)
		}
	}
}
