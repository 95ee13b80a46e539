package nod

import (
	"slices"
	"strings"
	"testing"
)

// What is passed over without a copy names no file.
func FuzzInputsThatAreNotRead(f *testing.F) {
	for _, text := range []string{`{"uri":"file:///a"}`, `{"URI":"file:///a"}`, `{"a":{"myUri":["file:///a"]}}`,
		`{"\u0075ri":"file:///a"}`, `{"u\u0072i":"file:///a"}`, `{"ur\u0069":"file:///a"}`, `{"ur\u0130":"x:/a"}`,
		"{\"ur\u0130\":\"x:/a\"}", `{"text":"\u003curi\u003e"}`, `{"duration":1}`, `"uri"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := Call{Input: []byte(text)}
		if !mayHoldURI(c.Input) && mayNameURI(strings.ToLower(text)) && !slices.Equal(c.namedResources(), nil) {
			t.Errorf("%q is passed over", text)
		}
	})
}
