package code

import (
	"slices"
	"strings"
	"testing"
)

func TestSQL(t *testing.T) {
	for _, c := range []struct{ dialect, source, want string }{
		{"", "select 1", "nothing"},
		{"postgres", "SELECT * FROM users WHERE name = 'a;b' -- drop\n LIMIT 5;", "nothing"},
		{"postgres", "select count(*), max(a) from t where x in (1,2) group by b", "nothing"},
		{"postgres", "WITH x AS (SELECT 1) SELECT * FROM x; SHOW search_path", "nothing"},
		{"postgres", "EXPLAIN SELECT 1", "nothing"},
		{"postgres", "EXPLAIN DELETE FROM t", "nothing"},
		{"postgres", "EXPLAIN ANALYZE DELETE FROM t", "destroy ; not proven"},
		{"postgres", "EXPLAIN (ANALYZE) SELECT 1", "nothing"},
		{"postgres", "\\dt", "nothing"}, {"postgres", "\\d+ users", "nothing"}, {"postgres", "\\l", "nothing"},
		{"postgres", "\\! rm -rf /", "shell  rm -rf /"}, {"postgres", "\\copy t to 'x'", "not proven"},
		{"postgres", "\\o f", "not proven"}, {"postgres", "\\i f.sql", "not proven"},
		{"postgres", "\\d `id`", "not proven"}, {"postgres", "\\dt | sh", "not proven"},
		{"postgres", "select 1 \\g out", "not proven"}, {"postgres", "select 'x' \\gexec", "not proven"},
		{"postgres", "\\drop x", "not proven"},
		{"postgres", "SELECT pg_read_file('/etc/passwd')", "not proven"},
		{"postgres", "select pg_catalog.pg_read_file('x')", "not proven"},
		{"postgres", "select \"pg_read_file\"('x')", "not proven"},
		{"postgres", "SELECT lo_export(1, 'x')", "not proven"}, {"postgres", "select dblink('x','y')", "not proven"},
		{"postgres", "select nextval('s')", "not proven"}, {"postgres", "select setval('s', 1)", "not proven"},
		{"postgres", "select pg_terminate_backend(1)", "not proven"}, {"postgres", "select pg_sleep(9)", "not proven"},
		{"postgres", "select myfunction()", "not proven"},
		{"postgres", "COPY t TO PROGRAM 'sh'", "not proven"}, {"postgres", "COPY t FROM '/x'", "not proven"},
		{"postgres", "DO $$ begin end $$", "not proven"}, {"postgres", "CALL x()", "not proven"},
		{"postgres", "SELECT 1 INTO x", "not proven"},
		{"postgres", "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "destroy ; not proven"},
		{"postgres", "INSERT INTO t (a, b) VALUES (1, 2)", "change "},
		{"postgres", "UPDATE t SET a = 1 WHERE b = 2", "change "},
		{"postgres", "UPDATE t SET a = 1", "destroy "}, {"postgres", "DELETE FROM t", "destroy "},
		{"postgres", "DELETE FROM t WHERE a = 1", "change "}, {"postgres", "DROP TABLE t", "destroy "},
		{"postgres", "TRUNCATE t", "destroy "}, {"postgres", "SELECT 1; DROP TABLE t", "destroy "},
		{"postgres", "CREATE TABLE t (id int primary key, n varchar(10))", "change "},
		{"postgres", "ALTER TABLE t DROP COLUMN a", "destroy "}, {"postgres", "GRANT SELECT ON t TO x", "change "},
		{"postgres", "CREATE EXTENSION x", "change ; not proven"},
		{"postgres", "CREATE FUNCTION f() RETURNS int AS 'x' LANGUAGE c", "change ; not proven"},
		{"postgres", "ALTER SYSTEM SET x = 'y'", "change ; not proven"},
		{"postgres", "INSERT INTO t SELECT evil()", "change ; not proven"},
		{"postgres", "UPDATE t SET a = evil() WHERE b", "change ; not proven"},
		{"postgres", "SET ROLE x", "not proven"}, {"postgres", "SET statement_timeout = 1", "nothing"},
		{"postgres", "select $$; drop table t$$", "nothing"}, {"postgres", "select $a$; $$ drop $a$", "nothing"},
		{"mysql", "select $$; drop table t; $$", "not proven"},
		{"postgres", "select E'\\''; drop table t; --'", "not proven"},
		{"mysql", "select 'a\\'; drop table t; -- '", "not proven"},
		{"mysql", "select /*! 1; drop table t */ 1", "not proven"}, {"postgres", "select /* /* */ */ 1", "not proven"},
		{"mysql", "select 1 --1", "not proven"}, {"mysql", "select 1 # comment; drop\n", "nothing"},
		{"mysql", "select * from t\\G", "nothing"}, {"mysql", "select 1 \\! sh", "not proven"},
		{"mysql", "system rm -rf /", "not proven"}, {"mysql", "source a.sql", "not proven"},
		{"mysql", "SELECT * FROM t INTO OUTFILE '/x'", "not proven"},
		{"mysql", "LOAD DATA INFILE 'x' INTO TABLE t", "not proven"}, {"mysql", "SHOW TABLES", "nothing"},
		{"mysql", "use x; describe t", "nothing"}, {"mysql", "select load_file('/x')", "not proven"},
		{"mysql", "SET GLOBAL x = 1", "not proven"}, {"mysql", "REPLACE INTO t VALUES (1)", "change "},
		{"mysql", "select replace(a, 'b', 'c') from t", "nothing"}, {"mysql", "tee /tmp/x", "not proven"},
		{"mysql", "delimiter //", "not proven"},
		{"sqlite", ".tables", "nothing"}, {"sqlite", ".schema users", "nothing"},
		{"sqlite", ".shell rm x", "shell rm x"}, {"sqlite", ".system rm x", "shell rm x"},
		{"sqlite", ".output f", "not proven"}, {"sqlite", ".import f t", "not proven"},
		{"sqlite", ".load x", "not proven"}, {"sqlite", ".once |sh", "not proven"}, {"sqlite", ".save x", "not proven"},
		{"sqlite", ".restore x", "not proven"}, {"sqlite", ".clone x", "not proven"},
		{"sqlite", ".backup x", "not proven"}, {"sqlite", ".read x", "not proven"}, {"sqlite", ".open x", "not proven"},
		{"sqlite", ".excel", "not proven"}, {"sqlite", ".log x", "not proven"},
		{"sqlite", "PRAGMA table_info(users)", "nothing"}, {"sqlite", "pragma user_version", "nothing"},
		{"sqlite", "pragma user_version = 5", "not proven"}, {"sqlite", "pragma writable_schema=1", "not proven"},
		{"sqlite", "pragma journal_mode(wal)", "not proven"}, {"sqlite", "ATTACH 'x' AS y", "not proven"},
		{"sqlite", "select writefile('x', 'y')", "not proven"}, {"sqlite", "select load_extension('x')", "not proven"},
		{"sqlite", "select edit(1)", "not proven"}, {"sqlite", "select [a b] from t", "nothing"},
		{"sqlite", "select [a'b] from t; drop table t -- '", "not proven"},
		{"sqlite", "select \"a\" from `b`", "nothing"}, {"sqlite", "VACUUM", "change "},
		{"sqlite", "select name from sqlite_master where type='table'", "nothing"},
		{"sqlite", "VACUUM INTO 'x'", "change ; not proven"},
		{"sqlite", "select data from fsdir where path = '/etc'", "not proven"},
		{"sqlite", "select * from \"fsdir\" where path = '/etc'", "not proven"},
		{"postgres", "select email, password from users", "secret PASSWORD"},
		{"postgres", "select * from pg_shadow", "secret PASSWORD"},
		{"mysql", "select * from mysql.user", "secret PASSWORD"}, {"mysql", "start slave", "not proven"},
		{"mysql", "desc analyze delete from t", "destroy ; not proven"},
		{"postgres", "begin; select 1; commit", "nothing"},
		{"postgres", "select a::text, b::int from t", "nothing"}, {"postgres", "select :x", "not proven"},
		{"", "select 1; \xff", "not proven"}, {"", "", "nothing"}, {"", "'x'", "not proven"},
		{"", "select 'x", "not proven"}, {"", "ｄｒｏｐ table t", "not proven"}, {"", "select ı from t", "not proven"},
	} {
		f := SQL(c.dialect, c.source, false)
		got := show(f)
		if c.want == "read x; not proven" && got == "not proven" {
			got = c.want
		}
		if got != c.want {
			t.Errorf("%s %q\ngot  %s (%s)\nwant %s", c.dialect, c.source, got, f.Why, c.want)
		}
	}
	if f := SQL("sqlite", "select 1;\n.tables\n.shell id\n", true); show(f) != "shell id" {
		t.Error(show(f), f.Why)
	}
}

func FuzzSQL(f *testing.F) {
	f.Add("select 'a' from \"b\" where c = $$x$$; drop table t")
	f.Add("\\dt\n.shell x\nselect /* */ 1 -- x")
	f.Fuzz(func(t *testing.T, source string) {
		for _, dialect := range []string{"postgres", "mysql", "sqlite", ""} {
			for _, fed := range []bool{false, true} {
				facts := SQL(dialect, source, fed)
				if facts.Proven == (facts.Why != "") {
					t.Fatalf("%v, %q", facts.Proven, facts.Why)
				}
			}
		}
	})
}

// show is a text's facts in short.
func show(f Facts) string {
	var out []string
	for _, e := range f.Effects {
		name := e.Name
		if !e.Known {
			name = "?"
		}
		out = append(out, [...]string{"", "read", "write", "shell", "fetch", "change", "destroy",
			"secret"}[e.Kind]+" "+name)
	}
	slices.Sort(out)
	if !f.Proven {
		out = append(out, "not proven")
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(slices.Compact(out), "; ")
}
