package llmtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// spec is a vendor's OpenAPI document. Its schemas are walked for the subset
// of JSON Schema that they use; a keyword outside of it is an error, so that
// nothing is passed unseen.
type spec struct{ doc map[string]any }

// loadSpec reads a document from ../shared beside the repository.
func loadSpec(t *testing.T, name string) spec {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "specs", name)
	raw, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		t.Skipf("../shared/specs/%s absent: skipped", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	var s spec
	if err := json.Unmarshal(raw, &s.doc); err != nil {
		t.Fatal(err)
	}
	return s
}

// check returns what is wrong with a JSON text that should be of a schema.
func (s spec) check(schema, text string) []string {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return []string{err.Error()}
	}
	return s.walk(map[string]any{"$ref": "#/components/schemas/" + schema}, v, "$")
}

func (s spec) resolve(ref string) map[string]any {
	var at any = s.doc
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		at = at.(map[string]any)[part]
	}
	return at.(map[string]any)
}

// annotations say nothing about what is valid, or no more than what stands
// beside them does.
var annotations = []string{"description", "title", "examples", "example", "default", "deprecated", "discriminator",
	"format",
	"readOnly", "nullable", "maxLength", "minLength", "pattern", "maxItems", "minItems", "minimum", "maximum",
	"exclusiveMinimum", "uniqueItems", "propertyNames"}

func (s spec) walk(schema map[string]any, v any, at string) (faults []string) {
	for key, arg := range schema {
		faults = append(faults, s.keyword(schema, key, arg, v, at)...)
	}
	return faults
}

func (s spec) keyword(schema map[string]any, key string, arg, v any, at string) []string {
	fault := func(format string, args ...any) []string { return []string{at + ": " + fmt.Sprintf(format, args...)} }
	switch key {
	case "$ref":
		return s.walk(s.resolve(arg.(string)), v, at)
	case "type":
		if !isType(arg, v) && (v != nil || schema["nullable"] != true) {
			return fault("%v is not %v", v, arg)
		}
	case "const":
		if !reflect.DeepEqual(arg, v) {
			return fault("%v is not %v", v, arg)
		}
	case "enum":
		if !slices.ContainsFunc(arg.([]any), func(a any) bool { return reflect.DeepEqual(a, v) }) {
			return fault("%v is not one of %v", v, arg)
		}
	case "allOf":
		return s.all(arg.([]any), v, at)
	case "anyOf", "oneOf":
		return s.any(arg.([]any), v, at)
	case "required", "properties", "additionalProperties":
		return s.object(schema, key, v, at)
	case "items":
		return s.items(arg, v, at)
	default:
		if !slices.Contains(annotations, key) && !strings.HasPrefix(key, "x-") {
			return fault("the walk does not know the keyword %s", key)
		}
	}
	return nil
}

func (s spec) all(branches []any, v any, at string) (faults []string) {
	for _, b := range branches {
		faults = append(faults, s.walk(b.(map[string]any), v, at)...)
	}
	return faults
}

// any passes where one branch does; else it reports the branch that came
// closest.
func (s spec) any(branches []any, v any, at string) []string {
	var best []string
	for _, b := range branches {
		faults := s.walk(b.(map[string]any), v, at)
		if len(faults) == 0 {
			return nil
		}
		if best == nil || len(faults) < len(best) {
			best = faults
		}
	}
	return best
}

func (s spec) object(schema map[string]any, key string, v any, at string) (faults []string) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil // "type" says so where it matters
	}
	properties, _ := schema["properties"].(map[string]any)
	switch arg := schema[key].(type) {
	case []any: // required
		for _, name := range arg {
			if _, ok := object[name.(string)]; !ok {
				faults = append(faults, fmt.Sprintf("%s: %v is missing", at, name))
			}
		}
	case bool: // additionalProperties
		for name := range object {
			if _, ok := properties[name]; !ok && !arg {
				faults = append(faults, fmt.Sprintf("%s: %s is not in the schema", at, name))
			}
		}
	case map[string]any:
		for name, value := range object {
			sub := arg // additionalProperties: every further value
			if key == "properties" {
				sub, _ = properties[name].(map[string]any)
			} else if _, named := properties[name]; named {
				continue
			}
			faults = append(faults, s.walk(sub, value, at+"."+name)...)
		}
	}
	return faults
}

func (s spec) items(schema, v any, at string) (faults []string) {
	list, _ := v.([]any)
	for i, item := range list {
		faults = append(faults, s.walk(schema.(map[string]any), item, fmt.Sprintf("%s[%d]", at, i))...)
	}
	return faults
}

// isType reports whether v is of a type, or of one of a list of types.
func isType(want, v any) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(w any) bool { return isType(w, v) })
	}
	switch v := v.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case string:
		return want == "string"
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	case float64:
		return want == "number" || want == "integer" && v == float64(int64(v))
	}
	return false
}

// The walk itself must be able to fail.
func TestSchemaWalkFindsFaults(t *testing.T) {
	s := loadSpec(t, "anthropic.json")
	for _, row := range []struct{ name, text string }{
		{"not an object", `[]`},
		{"no content", strings.Replace(MessageBody("m", "end_turn"), `"content":[],`, ``, 1)},
		{"wrong role", strings.Replace(MessageBody("m", "end_turn"), `"assistant"`, `"user"`, 1)},
		{"unknown stop reason", MessageBody("m", "bored")},
		{"unknown block", MessageBody("m", "end_turn", map[string]any{"type": "song"})},
		{"call without an id", MessageBody("m", "tool_use",
			map[string]any{"type": "tool_use", "name": "x", "input": map[string]any{}})},
		{"tokens as text", strings.Replace(MessageBody("m", "end_turn"), `"input_tokens":100`, `"input_tokens":"100"`,
			1)},
	} {
		if faults := s.check("Message", row.text); len(faults) == 0 {
			t.Errorf("%s: no fault found in %s", row.name, row.text)
		}
	}
}
