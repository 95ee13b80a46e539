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
		"perl -e 'print 1'", "run inline code",
		"ruby -e 'puts 1'", "run inline code",
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
