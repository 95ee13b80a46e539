//go:build unix

package audit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/internal/lines"
)

// A text of an entry is written and masked, unless it is nod's own: a field that is added is, or this fails.
func TestEveryTextIsMasked(t *testing.T) {
	const token = "ghp_Ab3dEf6hIj9lMn2pQr5tUv8xYz1Ab3dEf6hIj9"
	var e Entry
	plant(reflect.ValueOf(&e).Elem(), token)
	e.Input = json.RawMessage(`{"x":"` + token + `"}`)
	for name, line := range map[string][]byte{"whole": written(e), "cut": written(tightened(e))} {
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
		if diff := cmp.Diff([]string{"prev", "kind", "id", "input_sha256", "approvable"}, bare); diff != "" {
			t.Errorf("%s: the fields that hold the token: %s", name, diff)
		}
		if len(got) > 0 {
			t.Errorf("%s: no field of an entry: %v", name, got)
		}
	}
}

func written(e Entry) []byte {
	line, _ := lines.JSON(Sealed(e))
	return line
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
