package nod_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// A key that stands there already, and comes to count.
func TestSilencersThatWereThere(t *testing.T) {
	const file = "/home/dev/shop/.claude/settings.json"
	for _, row := range []struct {
		before, old, new string
		want             bool
	}{
		{`{"disableAllHooks": false}`, "false", "true", true},
		{"{\"disableAllHooks\":\n false}", "false", "true", true},
		{"{\n//\"disableAllHooks\": true,\n\"model\": \"x\"}", "//", "", true},
		{`{/*"disableAllHooks": true*/}`, "/*", "", true},
		{`{"note": "x\",disableAllHooks\": true"}`, `\"`, `"`, true},
		{`{"env": {"CLAUDE_CODE_SIMPLE": "0"}}`, "0", "1", true},
		{`{"disableAllHooks": false, "model": "x"}`, `"x"`, `"y"`, false},
		{`{"disableAllHooks": true}`, "true", "false", false},
		{"{\"model\": \"x\", // not disableAllHooks\n\"language\": \"a\"}", `"a"`, `"b"`, false},
	} {
		o := options(nod.DefaultRules())
		w := newWorld(false)
		w.File(file, row.before, 0o644)
		o.Files = w
		edit, write := tool("file_edit", file), tool("file_write", file)
		edit.Edits = []nod.Edit{{Path: file, Old: row.old, New: row.new}}
		write.Edits = []nod.Edit{{Path: file, Whole: true, New: strings.Replace(row.before, row.old, row.new, 1)}}
		for _, c := range []nod.Call{edit, write} {
			t.Run(c.Tool+" "+row.before, func(t *testing.T) { guarded(t, o, c, row.want) })
		}
	}
}
