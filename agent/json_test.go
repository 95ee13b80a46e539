package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/hang"
)

func TestPayloadRefused(t *testing.T) {
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"twice", `{"a":1,"a":2}`, "the key stands twice"},
		{"twice, deep", `{"x":[0,{"y":{"b":1,"b":1}}]}`, "the key stands twice"},
		{"control character", "{\"a\":\"\x01\"}", ""},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "invalid UTF-8"},
		{"lone high surrogate", `{"a":"\ud800"}`, "half a surrogate pair"},
		{"leading zero", `{"a":01}`, ""},
		{"deep", deep(64), "more than 64 levels"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readPayload([]byte(c.text))
			var failure *fault.Error
			if !errors.As(err, &failure) || failure.Kind != fault.BadInput {
				t.Fatalf("error %v, want one of kind %s", err, fault.BadInput)
			}
			if got := failure.Cause.Error(); !strings.Contains(got, c.want) {
				t.Errorf("error %q, want one with %q", got, c.want)
			}
		})
	}
}

func TestPayloadAccepted(t *testing.T) {
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":%d`, i, i)
	}
	for _, text := range []string{
		`{}`, " {\t} \r\n", `{"a":null,"b":true,"c":false,"d":-0.5e+10,"e":[],"f":{}}`,
		`{"a":1,"A":2}`, `{"a":{"b":1},"c":{"b":1}}`, `{"a":"\u0000"}`, `{"a":"\ud83e\uddf5"}`,
		`{"":""}`, `{"a":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`,
		`{` + strings.Join(many, ",") + `}`,
	} {
		if _, err := readPayload([]byte(text)); err != nil {
			t.Errorf("%.80s: %v", text, err)
		}
	}
	twice := `{` + strings.Join(append(many, `"k500":0`), ",") + `}`
	if _, err := readPayload([]byte(twice)); err == nil {
		t.Error("a key that stands twice among a thousand was accepted")
	}
}

// A hostile object costs no quadratic time.
func TestManyKeys(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"k":0`)
	for i := range 300_000 {
		fmt.Fprintf(&b, `,"k%d":0`, i)
	}
	b.WriteString("}")
	hang.Cheap(t, 5*time.Second, func() {
		if _, err := readPayload(b.Bytes()); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzPayload holds the reason for the strict reader: what it accepts has one reading, and encoding/json, which
// matches keys without regard to case and takes the last, finds the same values.
func FuzzPayload(f *testing.F) {
	names, err := os.ReadDir("testdata/claude-code")
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range names {
		text, err := os.ReadFile("testdata/claude-code/" + n.Name())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, s := range []string{
		`{"command":"a","Command":"b"}`, `{"kommand":"a","\u212aommand":"b"}`, `{"sſ":"\ud83e\uddf5"}`,
		`{"command":"\u0000\/\b\f\n\r\t\"\\"}`, `{"a":"\ud800\ud800\udc00"}`, `{"cwd":1e5,"a":{"a":[[]]}}`,
		"{\"session_id\":\"\xff\"}", `{"tool_input":{"command":"x"},"tool_input":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := readPayload(text)
		if err != nil {
			return
		}
		var all map[string]json.RawMessage
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatalf("accepted, but encoding/json says %v", err)
		}
		if len(all) != len(o.members) {
			t.Fatalf("%d keys, encoding/json has %d", len(o.members), len(all))
		}
		for _, m := range o.members {
			if !bytes.Equal(all[m.key], m.value) {
				t.Fatalf("%q: %s, encoding/json has %s", m.key, m.value, all[m.key])
			}
		}
	})
}
