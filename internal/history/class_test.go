package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClassOf(t *testing.T) {
	for reason, want := range map[string]string{
		"this may overwrite /home/x/a.go":                                                         "this may overwrite PATH",
		"/home/x/.env holds or may hold secrets":                                                  "PATH holds or may hold secrets",
		"this runs code that nod has not read: go test ./...":                                     "this runs code that nod has not read: go",
		"this runs code that nod has not read: ./x.sh":                                            "this runs code that nod has not read: PATH",
		"this runs code that nod has not read: /usr/bin/make all":                                 "this runs code that nod has not read: make",
		"this deletes: src/a.go":                                                                  "this deletes: PATH",
		"this reads from the network: https://example.com/x":                                      "this reads from the network: URL",
		"option --foo of rg is not known":                                                         "option --foo of rg is not known",
		"this writes CLAUDE.md, which changes what runs later":                                    "this writes PATH, which changes what runs later",
		"this writes a/b.sh, which runs later, and this session may follow orders of others: web": "this writes PATH, which runs later, and this session may follow orders of others: web",
		"this sets STRATEGY, and nod does not know what that makes the command do":                "this sets NAME, and nod does not know what that makes the command do",
		"this runs claude, which is not on PATH":                                                  "this runs claude, which is not on PATH",
		"bd is not on PATH":                                                                       "bd is not on PATH",
	} {
		if diff := cmp.Diff(want, ReasonClass(reason)); diff != "" {
			t.Errorf("%s: %s", reason, diff)
		}
	}
}
