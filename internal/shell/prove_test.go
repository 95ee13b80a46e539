package shell

import (
	"testing"
)

func TestInlinePython(t *testing.T) {
	facts(t, testEnv(world()), []string{
		"cat a | python3 -c 'import json,sys; print(json.load(sys.stdin))'", "read a",
		"python3 - <<'E'\nprint(1)\nE", "nothing",
		"python3 <<'E'\nopen('out', 'w').write('x')\nE", "write out",
		"echo 'print(1)' | python3", "nothing",
		"echo 'eval(1)' | python3 -", "run inline code",
		"python3 -c \"print($x)\"", "run inline code; unknown",
		"python3 - <<E\nprint($x)\nE", "run standard input; unknown",
		"python3 -W ignore -Bu -c 'print(1)'", "nothing",
		"python3 -X importtime -c 'print(1)'", "run inline code",
		"python3 -c 'import os; os.system(\"rm a; ls\")'", "delete a; read .",
		"python3 -c 'import subprocess; subprocess.run([\"rm\", \"-rf\", \"/\"])'", "delete / tree forced",
		"python3 -c 'import subprocess; subprocess.run([\"python3\", \"-c\", \"eval(1)\"])'", "run inline code",
		"python3 -c 'import os; os.remove(x)'", "delete ? forced; run inline code; unknown",
		"python3 -c 'import os; print(os.environ[\"HOME\"])'", "nothing",
		"python3 -c 'import os; print(os.environ[\"GITHUB_TOKEN\"])'", "secret GITHUB_TOKEN",
		"cd src && python3 -c 'print(open(\"x\").read())'", "read src/x",
		"cd $x; python3 -c 'print(1)'", "run inline code",
		"PYTHONPATH=. python3 -c 'print(1)'", "unknown",
		"chroot d python3 -c 'print(1)'", "privilege root; run inline code; unknown",
		"docker exec c python3 -c 'print(1)'", "remote c; run inline code; unknown",
	})
}

func TestInlineNode(t *testing.T) {
	files := world()
	files.File(testRepo+"/package.json", "{}", 0o644)
	facts(t, testEnv(files), []string{
		"node -p \"require('./package.json').version\"", "read package.json",
		"node -p \"require('./other.json').version\"", "read other.json; run inline code",
		"rm package.json; node -p \"require('./package.json').version\"", "delete package.json; read package.json; run inline code",
		"node <<'E'\nconsole.log(1)\nE", "nothing",
		"cat a | node -e 'console.log(JSON.parse(require(\"fs\").readFileSync(0)).x)'", "read a",
		"node -r ./x.js -e 1", "run ./x.js; run inline code",
		"node -e \"require('child_process').execSync('rm -rf src')\"", "delete src tree forced",
		"node -e 'fetch(\"http://x\")'", "run inline code",
		"perl -e 'print 1'", "nothing",
		"lua -e 'print(1)'", "run inline code",
	})
}

func TestSQLClients(t *testing.T) {
	files := world()
	files.File(testRepo+"/a.db", "", 0o644)
	facts(t, testEnv(files), []string{
		"sqlite3 a.db 'select 1'", "read a.db",
		"sqlite3 a.db <<'E'\nselect 1;\n.tables\nE", "read a.db",
		"sqlite3 a.db <<'E'\nselect 1;\n.shell rm a\nE", "delete a; read a.db",
		"echo 'drop table t' | sqlite3 a.db", "read a.db; write a.db",
		"sqlite3 a.db \"$q\"", "read a.db; unknown; write a.db",
		"psql <<'E'\n\\dt\nselect 1;\nE", "fetch localhost",
		"PGHOST=db psql -c 'select 1'", "fetch db; unknown",
		"PGHOST=$h psql -c 'select 1'", "fetch; unknown",
		"psql -h a -h b -c 'select 1'", "fetch; unknown",
		"psql -h db 'postgres://localhost/x' -c 'select 1'", "fetch; unknown",
		"mysql -h db.example.com -e 'truncate t'", "fetch db.example.com; remote db.example.com forced",
	})
}

// A file of a module's name is imported in the module's place.
func TestInlinePythonShadowed(t *testing.T) {
	files := world()
	files.Dir(testRepo+"/a/json", 0o755)
	files.File(testRepo+"/a/json/__init__.py", "", 0o644)
	files.Dir(testRepo+"/b/json", 0o755)
	files.File(testRepo+"/b/token.txt", "", 0o644)
	files.File(testRepo+"/c/re.cpython-312-x86_64-linux-gnu.so", "", 0o644)
	files.File(testRepo+"/d/enum.py", "", 0o644)
	files.File(testRepo+"/e/Traceback.pyc", "", 0o644)
	run := "python3 -c 'import json; print(1)'"
	facts(t, testEnv(files), []string{
		"cd a && " + run, "run inline code",
		"cd b && " + run, "nothing",
		"cd c && " + run, "run inline code",
		"cd d && " + run, "run inline code",
		"cd d && python3 -m json.tool", "run json.tool",
		"cd e && " + run, "run inline code",
		"echo x > json.py; " + run, "run inline code; write json.py",
		"echo x > b/json/__init__.py; cd b; " + run, "run inline code; write b/json/__init__.py",
		run + " & echo x > types.py", "run inline code; write types.py",
		"echo x > json.txt; " + run, "write json.txt",
		"echo x > src/json.py; " + run, "write src/json.py",
		"python3 -c 'open(\"json.py\", \"w\").write(\"x\")\nimport json'", "run inline code; write json.py",
	})
}

func TestInlinePerl(t *testing.T) {
	files := world()
	files.File(testRepo+"/p/x.pl", "#!/usr/bin/perl -w\nuse strict;\nmy $n = shift;\nprint \"$n\\n\";\n", 0o644)
	files.File(testRepo+"/p/i.pl", "#!/usr/bin/perl -i\nprint 1;\n", 0o644)
	files.File(testRepo+"/p/s.pl", "#!/bin/sh\nprint 1;\n", 0o644)
	files.File(testRepo+"/p/d.pl", "unlink 'a';\n", 0o644)
	files.File(testRepo+"/q/id|", "", 0o644)
	facts(t, testEnv(files), []string{
		"perl -ne 'print if /x/'", "nothing",
		"cat a | perl -ne 'print if /x/' -", "read a",
		"perl -ne 'print' a 'b|'", "read a; read b|; run inline code",
		"perl -ne 'print' a ' b'", "read a; read  b; run inline code",
		"perl -ne 'print' \"$F\"", "read ?; run inline code; unknown",
		"perl -ne 'print' $F", "read ?; run inline code; unknown",
		"perl -ne 'print' *.txt", "read . tree *.txt",
		"perl -pi -e 's/a/b/' *.txt", "write . tree *.txt",
		"perl -ne 'print' src/*.txt", "read src tree src/*.txt",
		"cd q && perl -ne 'print' *", "read q tree q/*; run inline code; unknown",
		"perl -ne 'print' src/*", "read src tree src/*; run inline code",
		"echo x > '>y'; perl -ne 'print' *.txt", "read . tree *.txt; run inline code; write >y",
		"perl -ne 'print' *.txt & cp a 'id|'", "read . tree *.txt; read a; run inline code; write id|",
		"find . -name '*.txt' | xargs perl -ne 'print'", "read . tree; read ?; run inline code; unknown",
		"perl -ne 'print' -- a", "read a",
		"perl -e 'print \"@ARGV\"' 'id|' '>x'", "nothing",
		"perl -e 'print' -i -n a", "write a",
		"perl -pie 's/a/b/' a", "run s/a/b",
		"perl -ne 'print' -s a", "read a; run inline code",
		"perl -i'a*' -pe 's/a/b/' f", "unknown; write f",
		"perl -I lib -e 'print 1'", "run lib",
		"perl -d -e 'print 1'", "run inline code",
		"perl -MFoo -e 'print 1'", "run inline code",
		"perl '-Mstrict;system(1)' -e 'print 1'", "run inline code",
		"perl '-F/x/,system(1)' -ane 'print 1' a", "read a; run inline code",
		"perl '-F/(?{1})/' -ane 'print 1' a", "read a; run inline code",
		"perl '-F/,/' -ane 'print $F[0]' a", "read a",
		"perl -MJSON::PP=decode_json -0777 -ne 'print decode_json($_)->{name}' a.json", "read a.json; run inline code",
		"PERL5OPT=-Mx perl -e 'print 1'", "unknown",
		"PERL_USE_UNSAFE_INC=1 perl -e 'print 1'", "unknown",
		"sudo perl -e 'print 1'", "privilege root; run inline code",
		"ssh h perl -e 'print 1'", "read 1; remote h; run inline code; unknown",
		"perl <<'E'\nprint 1;\nE", "nothing",
		"perl - a b <<'E'\nwhile (<>) { print }\nE", "read a; read b",
		"perl <<'E'\n#!/bin/sh\nid\nE", "run inline code",
		"perl <<E\nprint \"$x\";\nE", "run standard input; unknown",
		"echo 'print 1' | perl", "nothing",
		"perl p/x.pl 3", "read p/x.pl",
		"perl p/i.pl", "run p/i.pl",
		"perl p/s.pl", "run p/s.pl",
		"perl p/d.pl", "delete a forced; read p/d.pl",
		"perl p/none.pl", "run p/none.pl",
		"perl -e 'system(\"rm a; ls\")'", "delete a; read .",
		"perl -e 'system $x; unlink \"a\"'", "delete a forced; run inline code",
		"perl -e 'print $ENV{GITHUB_TOKEN}'", "secret GITHUB_TOKEN",
		"perl -e 'print $ENV{HOME}'", "nothing",
		"perl -v", "nothing",
	})
}

func TestInlineRuby(t *testing.T) {
	facts(t, testEnv(world()), []string{
		"ruby -e 'puts 1'", "nothing",
		"ruby -ryaml -e \"YAML.safe_load(File.read('a.yml')); puts 'YAML is valid'\"", "read a.yml",
		"ruby -rjson -e 'puts JSON.parse($stdin.read)[\"a\"]' < a", "read a",
		"ruby -r json -w -e 'x = 1' -e 'puts x' a b", "nothing",
		"ruby <<'E'\nputs 1\nE", "nothing",
		"ruby - a <<'E'\nputs ARGV\nE", "nothing",
		"ruby -e 'puts 1' -r./x", "run inline code",
		"ruby -I . -rjson -e 'puts 1'", "run .",
		"ruby -run -e httpd", "run inline code",
		"ruby -ne 'puts 1' a", "read a; run inline code",
		"ruby -e \"puts $x\"", "run inline code; unknown",
		"ruby -e 'puts 1' $x", "read ?; run inline code; unknown",
		"RUBYOPT=-rx ruby -e 'puts 1'", "unknown",
		"sudo ruby -e 'puts 1'", "privilege root; run inline code",
		"bundle exec ruby -e 'puts 1'", "run project-code",
		"ruby -e 'require \"fileutils\"; FileUtils.rm_rf(\"/\")'", "delete / tree forced",
		"ruby -e 'system(\"rm -rf /\")'", "delete / tree forced",
		"ruby -e 'system(\"rm -rf /\"); eval x'", "delete / tree forced; run inline code",
		"ruby -e 'puts ENV[\"GITHUB_TOKEN\"]'", "secret GITHUB_TOKEN",
		"ruby x.rb", "run x.rb",
	})
}

// What is inherited may load something before a program begins.
func TestInlineInherited(t *testing.T) {
	for _, c := range [][2]string{{"PERL5LIB", "perl -e 'print 1'"}, {"PERL_USE_UNSAFE_INC", "perl -e 'print 1'"}, {"RUBYOPT", "ruby -e 'puts 1'"}, {"BUNDLE_GEMFILE", "ruby -e 'puts 1'"}} {
		env := testEnv(world())
		env.Ambient = append(env.Ambient, c[0])
		lookup := env.Lookup
		env.Lookup = func(name string) (string, bool) {
			if name == c[0] {
				return "1", true
			}
			return lookup(name)
		}
		if got := brief(Analyze(c[1], env)); got != "run inline code" {
			t.Errorf("%s with %s: %s", c[1], c[0], got)
		}
	}
}
