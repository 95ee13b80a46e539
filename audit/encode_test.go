//go:build unix

package audit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// The entry's JSON tags are the format; what marshal writes must read as what
// encoding/json would have written.
func TestMarshalWritesWhatTheTagsSay(t *testing.T) {
	full := Entry{
		Version: 1, Kind: Decision, ID: "id", Time: time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC), Nod: "0.1",
		Agent: "a", Session: "s", CallID: "c", Mode: "m", Setting: "enforce",
		Tool: "bash", RawTool: "Bash", Dir: "/d", Root: "/r", Input: json.RawMessage(`{"command":"<ls> & \u2028"}`),
		InputBytes: 7, InputSHA256: "x", Verdict: nod.Ask, Answered: "ask", Layer: nod.LayerShell,
		Reason: "why \"so\"\x01", Rule: &Rule{Text: "t", Origin: "o"},
		Error: &Error{Kind: fault.TimedOut, Message: "m"}, Evidence: []nod.Evidence{{Path: "/p", SHA256: "h"}, {}},
		Latency: 12, Spent: map[string]int64{"shell": 3, "guard": 1}, Model: "mm", Remembered: true, Quick: "block",
		Usage: &nod.Usage{In: 1, Out: 2, Cached: 3}, Cost: 0.00123, SessionCost: 1e-7,
	}
	for name, e := range map[string]Entry{"zero": {}, "full": full,
		"spread": {Input: json.RawMessage("{\n \"a\": [1,\r\n2]\n}")}} {
		want, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var got, wanted map[string]any
		if bytes.ContainsAny(marshal(e), "\n\r") {
			t.Errorf("%s: more than one line", name)
		}
		if err := json.Unmarshal(marshal(e), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(want, &wanted); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A text of an entry is written and masked, unless it is nod's own: a field that is added
// is, or this fails.
func TestEveryTextIsMasked(t *testing.T) {
	const token = "ghp_Ab3dEf6hIj9lMn2pQr5tUv8xYz1Ab3dEf6hIj9"
	var e Entry
	plant(reflect.ValueOf(&e).Elem(), token)
	e.Input = json.RawMessage(`{"x":"` + token + `"}`)
	for name, line := range map[string][]byte{"whole": encode(e), "cut": marshal(tightened(e))} {
		var got map[string]json.RawMessage
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		var bare []string
		for field := range reflect.TypeFor[Entry]().Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if bytes.Contains(got[key], []byte(token)) {
				bare = append(bare, key)
			}
			if len(got[key]) == 0 {
				t.Errorf("%s: %s is not written", name, key)
			}
			delete(got, key)
		}
		if diff := cmp.Diff([]string{"kind", "id", "input_sha256", "approvable", "spent_us"}, bare); diff != "" {
			t.Errorf("%s: the fields that hold the token: %s", name, diff)
		}
		if len(got) > 0 {
			t.Errorf("%s: no field of an entry: %v", name, got)
		}
	}
}

// plant puts a text into every string below v, and something into every other value.
func plant(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		plant(v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		plant(v.Index(0), text)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		plant(key, text)
		plant(value, text)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				plant(v.Field(i), text)
			}
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	}
}
