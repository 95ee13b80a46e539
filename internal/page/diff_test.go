package page

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// A person sees what an edit makes of the file, masked.
func TestChanges(t *testing.T) {
	dir := t.TempDir()
	text := "one\ntwo\nthree\nkey = \"AKIAIOSFODNN7EXAMPLE\"\ntwo again\n"
	if err := os.WriteFile(dir+"/a.txt", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, tool string
		input      map[string]any
		note       string
		lines      string // kinds and texts of those that are not the same
	}{
		{"an edit", "file_edit", map[string]any{"file_path": "a.txt", "old_string": "three", "new_string": "3"}, "",
			"-three +3"},
		{"all of them", "file_edit", map[string]any{"file_path": dir + "/a.txt", "old_string": "two", "new_string": "2",
			"replace_all": true}, "", "-two +2 -two again +2 again"},
		{"twice there", "file_edit", map[string]any{"file_path": "a.txt", "old_string": "two", "new_string": "2"},
			"the file does not hold these lines once; this is what goes and what comes", "-two +2"},
		{"a new file", "file_write", map[string]any{"file_path": "b.txt", "content": "x\n"}, "a new file", "+x"},
		{"a whole file", "file_write", map[string]any{"file_path": "a.txt", "content": "one\n"}, "",
			"-two -three -key = \"[masked-20]\" -two again"},
		{"nothing", "file_write", map[string]any{"file_path": "a.txt", "content": text}, "nothing changes", ""},
		{"no file", "file_edit", map[string]any{"file_path": "c.txt", "old_string": "x", "new_string": "y"},
			"there is no such file", ""},
		{"no text", "file_write", map[string]any{"file_path": "b.txt", "content": "\x00"}, "the file is no text", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			input, _ := json.Marshal(row.input)
			list := changes(nod.NewCall(row.tool, input, dir, nil))
			if len(list) != 1 {
				t.Fatal(list)
			}
			var lines []string
			for _, l := range list[0].Lines {
				if l.Kind == "add" || l.Kind == "del" {
					lines = append(lines, l.Text)
				}
			}
			if got := strings.Join(lines, " "); got != row.lines || list[0].Note != row.note {
				t.Errorf("%q, %q", got, list[0].Note)
			}
		})
	}
}
