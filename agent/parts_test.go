package agent

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Package json splits a text in the same way.
func FuzzParts(f *testing.F) {
	for _, text := range []string{`{"a": [1, {"b": "}"}], "\u00e9\"": "x\\", "a":null } `, `[1, "a,b]", {}, [[ ]]]`, `"a,b"`, `{}`,
		`[ ]`, `{"\ud800":1}`, "{\"\xff\":2}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.TrimSpace(text)
		if !json.Valid(text) {
			return
		}
		var want []member
		dec := json.NewDecoder(bytes.NewReader(text))
		opened, _ := dec.Token()
		for dec.More() {
			var m member
			if opened == json.Delim('{') {
				key, _ := dec.Token()
				m.key, _ = key.(string)
			}
			if err := dec.Decode(&m.value); err != nil {
				t.Fatal(err)
			}
			want = append(want, m)
		}
		if diff := cmp.Diff(want, parts(text), cmp.AllowUnexported(member{})); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	})
}
