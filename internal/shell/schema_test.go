package shell

import (
	"encoding/binary"
	"strings"
	"testing"
)

// sqliteFile is a database whose schema has these statements, each in a row of one
// column, as sqlite3 would write it with pages of 1024 bytes.
func sqliteFile(statements ...string) string {
	const page = 1024
	varint := func(n int) []byte { return []byte{byte(n>>14) | 0x80, byte(n>>7) | 0x80, byte(n) & 0x7f} }
	first, more := make([]byte, page), []byte{}
	copy(first, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(first[16:], page)
	first[59] = 1 // UTF-8
	first[100] = 13
	binary.BigEndian.PutUint16(first[103:], uint16(len(statements)))
	end := page
	for i, s := range statements {
		record := append(append([]byte{4}, varint(13+2*len(s))...), s...)
		here, rest := record, []byte(nil)
		if len(record) > page-35 {
			n := (page-12)*32/255 - 23
			if k := n + (len(record)-n)%(page-4); k <= page-35 {
				n = k
			}
			here, rest = record[:n], record[n:]
		}
		cell := append(append(varint(len(record)), byte(i+1)), here...)
		if rest != nil {
			cell = binary.BigEndian.AppendUint32(cell, uint32(len(more)/page+2))
		}
		for len(rest) > 0 {
			chunk := make([]byte, page)
			n := copy(chunk[4:], rest)
			if rest = rest[n:]; len(rest) > 0 {
				binary.BigEndian.PutUint32(chunk, uint32(len(more)/page+3))
			}
			more = append(more, chunk...)
		}
		end -= len(cell)
		copy(first[end:], cell)
		binary.BigEndian.PutUint16(first[108+2*i:], uint16(end))
	}
	return string(first) + string(more)
}

// TestSchema holds that a database is looked into before it is opened: its views
// and triggers may call what only the client has.
func TestSchema(t *testing.T) {
	plain := sqliteFile("CREATE TABLE t(a, edited_at, credit)", "CREATE VIEW v AS SELECT a FROM t")
	const ask = "read a.db; unknown"
	over, one, many := strings.Repeat("x", 97), strings.Repeat("x", 899), strings.Repeat("x", 3300)
	for _, c := range []struct{ name, file, text, command, want string }{
		{"plain", "a.db", plain, "sqlite3 a.db 'select * from v'", "read a.db"},
		{"a view", "a.db", sqliteFile("CREATE VIEW v AS SELECT EDIT(a,'x') FROM t"), "sqlite3 a.db .tables", ask},
		{"in quotes", "a.db", sqliteFile(`CREATE VIEW v AS SELECT "edit"(a)`), "sqlite3 a.db 'select 1'", ask},
		{"another file", "a.db", sqliteFile("SELECT readfile('k')"), "sqlite3 a.db 'select 1'", ask},
		{"over pages", "a.db", sqliteFile(over + " edit()" + one), "sqlite3 a.db 'select 1'", ask},
		{"over pages, plain", "a.db", sqliteFile(over + " editor" + one), "sqlite3 a.db 'select 1'", "read a.db"},
		{"over many pages", "a.db", sqliteFile(many + " edit(1)"), "sqlite3 a.db 'select 1'", ask},
		{"over many, plain", "a.db", sqliteFile(many + " editor"), "sqlite3 a.db 'select 1'", "read a.db"},
		{"safe", "a.db", sqliteFile("edit(1)"), "sqlite3 -safe a.db 'select 1'", "read a.db"},
		{"another encoding", "a.db", plain[:59] + "\x02" + plain[60:], "sqlite3 a.db 'select 1'", ask},
		{"cut off", "a.db", plain[:500], "sqlite3 a.db 'select 1'", ask},
		{"not a database", "a.db", strings.Repeat("x", 999), "sqlite3 a.db 'select 1'", ask},
		{"empty", "a.db", "", "sqlite3 a.db 'select 1'", "read a.db"},
		{"a log", "a.db-wal", "x", "sqlite3 a.db 'select 1'", "read a.db; unknown; write a.db"},
		{"none", "b.db", "x", "sqlite3 a.db 'select 1'", "read a.db; write a.db"},
		{"put there", "src/b.db", plain, "cp src/b.db a.db && sqlite3 a.db .tables",
			"read a.db; read src/b.db; run a.db; unknown; write a.db"},
		{"of duckdb", "a.db", "x", "duckdb a.db 'select 1'", ask},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := world()
			files.File(testRepo+"/"+c.file, c.text, 0o644)
			if got := brief(Analyze(c.command, testEnv(files))); got != sorted(c.want) {
				t.Errorf("%s\nwant %s\ngot  %s", c.command, sorted(c.want), got)
			}
		})
	}
}
