//go:build unix

package cli

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/history"
)

// TestJSONIsDocumented: docs/json.md names every key that --json prints, and nod help names --json where it is taken.
// Keys are only ever added: a line that goes from the document is a change that breaks somebody's script.
func TestJSONIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]any{"check": checked{}, "doctor": examined{}, "history": history.Report{}, "log": nil,
		"replay": replayed{}, "stats": statistics{}, "suggest": suggested{}, "undo": undoOutput{},
		"verify": audit.Report{}, "why": wayOf{}}
	for _, c := range commands() {
		answer, taken := answers[c.name]
		if taken != strings.Contains(c.long(), "--json") {
			t.Errorf("nod help %s names --json: %v", c.name, !taken)
		}
		if answer == nil {
			continue
		}
		_, section, _ := strings.Cut(string(text), "\n## nod "+c.name+" --json\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for _, key := range keysOf(reflect.TypeOf(answer)) {
			if !strings.Contains(section, "`"+key+"`") {
				t.Errorf("docs/json.md does not name the key %s of nod %s --json", key, c.name)
			}
		}
	}
}

// keysOf lists the keys of a type, and of what it holds.
func keysOf(of reflect.Type) (keys []string) {
	for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer || of.Kind() == reflect.Map {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of.String() == "time.Time" {
		return nil
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.IsExported() || name == "-" {
			continue
		}
		if name != "" {
			keys = append(keys, name)
		}
		keys = append(keys, keysOf(field.Type)...)
	}
	return keys
}
