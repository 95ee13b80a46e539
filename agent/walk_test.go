package agent

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// looked is what can be read of a value: strings decoded, all else as written.
func looked(f fields, m *member) any {
	switch m.value[0] {
	case '"':
		return f.asText(m)
	case '{', '[':
		all := [][2]any{}
		inner := fields{object: object{walk: f.walk}, err: f.err}
		for _, one := range f.within(m) {
			all = append(all, [2]any{string(one.key), looked(inner, &one)})
		}
		return all
	}
	return string(m.value)
}

func lookedAt(o object, err error) (all [][2]any, _ error) {
	f := fieldsOf(o, &err)
	for i := range o.members {
		all = append(all, [2]any{string(o.members[i].key), looked(f, &o.members[i])})
	}
	return all, err
}

// A text that is checked wholly reads the same in a walk, and whatever a walk
// makes of another text, nothing but an error comes of it.
func FuzzWalk(f *testing.F) {
	for _, text := range []string{`{}`, ` {"a":1} `, `{"a":"b\"c\\","\u0061b":[1,{"x":null}],"d":{"e":true}}`,
		`{"a":1,"a":2}`, `{"a":"\u12"}`, `{"a":"\ud83e"}`,
		`{"a":[1}`, `{"a":1,}`, `{"a"1}`, `{"a":tru}`, `{"a":"`, `[1]`, `{"\u006`, `{"a":{"b":1]}`, "{\"a\":\"\x01\"}",
		userLine(`"go"`, typed), agentLine(toolUse("t", "Bash", `{"command":"ls"}`), "")} {
		f.Add([]byte(text))
	}
	var w walk
	f.Fuzz(func(t *testing.T, text []byte) {
		strict, err := lookedAt(readObject(text, scanner{depth: 64, halve: true}))
		found, walkErr := lookedAt(w.object(text))
		if err != nil {
			return
		}
		if diff := cmp.Diff(strict, found); walkErr != nil || diff != "" {
			t.Errorf("%v\n%s", walkErr, diff)
		}
		if cut := text[:len(bytes.TrimRight(text, " \n\t\r"))-1]; err == nil {
			if o, err := w.object(cut); err == nil {
				t.Errorf("half of it is whole: %v", o.members)
			}
		}
	})
}

// Where a string ends does not depend on how its quotes lie.
func TestClosing(t *testing.T) {
	for _, inner := range []string{``, `x`, `\\`, `\"`, `\\\"`, `\"\"\"`, `a\\\\`, strings.Repeat("x", 63) + `\"`,
		strings.Repeat(`\"`, 600), strings.Repeat(`\"x`, 400) + strings.Repeat("y", 300) + `\\`} {
		for pad := range 20 {
			text := `"` + strings.Repeat("z", pad) + inner + `"` + `,"b"`
			want := len(text) - len(`","b"`)
			if got := closing([]byte(text), 0); got != want {
				t.Errorf("%q: %d, want %d", text, got, want)
			}
			if got := closing([]byte(text[:want]), 0); got != -1 {
				t.Errorf("%q without its end: %d", text[:want], got)
			}
		}
	}
}

// What a tool returned is cut between characters.
func TestBeginning(t *testing.T) {
	for _, filler := range []string{"x", `\n`, `\\`, `\"`, "ü", "😀", `\u00fc`, `\ud83e\udd14`} {
		for pad := range 16 {
			line := `{"a":"` + strings.Repeat("x", pad) + strings.Repeat(filler, 2000) + `"}`
			var w walk
			o, err := w.object([]byte(line))
			f := fieldsOf(o, &err)
			got, whole := f.beginning(f.maybe("a")), f.text("a")
			if err != nil || len(got) < 35 && filler != `\\` || len(got) > returnedLimit || !strings.HasPrefix(whole,
				strings.TrimSuffix(got, "\ufffd")) {
				t.Errorf("%s: %v, %d bytes that begin %.20q", filler, err, len(got), got)
			}
		}
	}
}
