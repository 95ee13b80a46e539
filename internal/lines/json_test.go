package lines_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/lines"
)

type inner struct {
	Name string    `json:"name,omitempty"`
	At   time.Time `json:"time"`
}

type spoken int

func (spoken) MarshalText() ([]byte, error) { return []byte("<said>"), nil }

type entry struct {
	V int `json:"v"`
	inner
	Said  spoken          `json:"said"`
	Texts []string        `json:"texts,omitempty"`
	Raw   json.RawMessage `json:"raw,omitempty"`
	Cost  float64         `json:"cost,omitempty"`
	Yes   bool            `json:"yes,omitempty"`
	Deep  *inner          `json:"deep,omitempty"`
	Count int64           `json:"count"`
}

// The line is what package json writes of the same value.
func FuzzJSON(f *testing.F) {
	f.Add("plain", 0, 1.5, true, `{"a": [1,  2]}`)
	f.Add("<&> \" \\ \x00 \xff \u2028 ä", -7, 0.0, false, ``)
	f.Add("", math.MaxInt64, 1e300, false, `{`)
	f.Fuzz(func(t *testing.T, text string, n int, cost float64, yes bool, raw string) {
		e := entry{V: n, inner: inner{text, time.Unix(int64(n%1e9), 7).UTC()}, Texts: []string{text}, Cost: cost,
			Yes: yes, Raw: json.RawMessage(raw), Count: int64(n)}
		if yes {
			e.Deep = &inner{Name: text}
		}
		for _, v := range []any{e, inner{Name: text}, text, &e, struct{ Untagged string }{text}} {
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			wantErr := enc.Encode(v)
			got, err := lines.JSON(v)
			if (err != nil) != (wantErr != nil) || err == nil && string(got)+"\n" != b.String() {
				t.Errorf("%s, %v\nwant %s, %v", got, err, b.String(), wantErr)
			}
		}
	})
}
