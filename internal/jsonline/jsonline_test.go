package jsonline_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/jsonline"
)

// encoding/json reads back what is written, and nothing breaks a line.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\r\t\x00\x1f\x7f", "é \u2028 \u2029 \U0001f600", "\xff\xfe",
		"a\xffb", "</script>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := jsonline.AppendString(nil, s)
		var back string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		want, _ := json.Marshal(s)
		var wanted string
		json.Unmarshal(want, &wanted)
		if back != wanted || strings.ContainsAny(string(got), "\n\r\u2028\u2029") {
			t.Fatalf("%q: %q, want %q", s, back, wanted)
		}
	})
}

func TestObject(t *testing.T) {
	o := jsonline.New()
	o.Text("a", "x\"y")
	o.TextIf("none", "")
	o.Int("n", -3)
	o.IntIf("none", 0)
	o.Float("f", 0.1)
	o.Float("nan", math.NaN())
	o.FloatIf("none", 0)
	o.TrueIf("t", true)
	o.TrueIf("none", false)
	o.Time("at", time.Date(2026, 1, 2, 3, 4, 5, 600, time.UTC))
	o.Raw("raw", []byte(`{"z":[1]}`))
	o.In("in", func() { o.Int("x", 1); o.In("deep", func() {}) })
	o.List("list", 2, func(i int) { o.Int("i", int64(i)) })
	o.List("empty", 0, nil)
	o.Texts("texts", []string{"p", "q"})
	var got map[string]any
	if err := json.Unmarshal(o.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"a": "x\"y", "n": -3.0, "f": 0.1, "nan": 0.0, "t": true, "at": "2026-01-02T03:04:05.0000006Z",
		"raw":   map[string]any{"z": []any{1.0}},
		"in":    map[string]any{"x": 1.0, "deep": map[string]any{}},
		"list":  []any{map[string]any{"i": 0.0}, map[string]any{"i": 1.0}},
		"empty": []any{}, "texts": []any{"p", "q"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
