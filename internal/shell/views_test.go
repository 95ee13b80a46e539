package shell

import "testing"

// TestViews holds that a database is opened only where its views and triggers can
// start nothing.
func TestViews(t *testing.T) {
	for _, c := range []struct{ name, file, command, want string }{
		{"there", "a.db", "sqlite3 a.db 'select 1'", "read a.db; unknown"},
		{"there, only read", "a.db", "sqlite3 -readonly a.db .tables", "read a.db; unknown"},
		{"safe", "a.db", "sqlite3 -safe a.db 'select 1'", "read a.db"},
		{"not there", "b.db", "sqlite3 a.db 'select 1'", "read a.db; write a.db"},
		{"put there", "b.db", "cp b.db a.db && sqlite3 a.db .tables",
			"read a.db; read b.db; run a.db; unknown; write a.db"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := world()
			files.File(testRepo+"/"+c.file, "x", 0o644)
			if got := brief(Analyze(c.command, testEnv(files))); got != sorted(c.want) {
				t.Errorf("%s\nwant %s\ngot  %s", c.command, sorted(c.want), got)
			}
		})
	}
}
