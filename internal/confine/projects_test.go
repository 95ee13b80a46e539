//go:build linux && (amd64 || arm64)

package confine_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/testworld"
)

// project is one that is made, its tool, and the line that tests it.
type project struct {
	name, tool, line string
	files            map[string]string
	says             string // what it prints where it passes
	slow             bool   // compiles: not in a short run
	fill             string // fills the caches outside first, over the network
	// modules are packages that lie beside the tool and are linked into the
	// project, as where they were installed.
	modules []string
}

// Maven looks for its repository where the system's list of users says home is.
const (
	mavenLine    = "mvn -B -q -Dmaven.repo.local=$HOME/.m2/repository test"
	mavenProject = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies></project>
`
)

func projects() []project {
	return []project{
		{name: "make and sh", tool: "make", line: "make test", says: "passed",
			files: map[string]string{
				"Makefile": "test: built\n\t@grep -q x built && echo passed\nbuilt:\n\t@echo x > built\n"}},
		{name: "unittest with a server", tool: "python3", line: "python3 -m unittest -q 2>&1 && echo passed",
			says: "passed", files: map[string]string{
				"test_x.py": "import unittest, threading, urllib.request, http.server, tempfile, subprocess, multiprocessing, socket\n" +
					"class T(unittest.TestCase):\n def test_server(self):\n  s = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n  threading.Thread(target=s.handle_request).start()\n" +
					"  self.assertEqual(urllib.request.urlopen('http://127.0.0.1:%d/' % s.server_port).status, 200)\n  s.server_close()\n" +
					" def test_local_socket(self):\n  with tempfile.TemporaryDirectory() as d:\n   s = socket.socket(socket.AF_UNIX); s.bind(d + '/s'); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect(d + '/s')\n" +
					" def test_processes(self):\n  with multiprocessing.Pool(2) as p: self.assertEqual(p.map(abs, [-1, 2]), [1, 2])\n  self.assertEqual(subprocess.check_output(['echo', 'x']), b'x\\n')\n"}},
		{name: "pytest", tool: "pytest", line: "pytest -q -p no:cacheprovider", says: "1 passed", slow: true,
			files: map[string]string{"test_y.py": "def test_y(tmp_path):\n    (tmp_path / 'x').write_text('x')\n"}},
		{name: "node --test with a server", tool: "npm", line: "npm test", says: "pass 1", slow: true,
			files: map[string]string{"package.json": `{"name":"x","scripts":{"test":"node --test"}}`,
				"x.test.js": "const test = require('node:test'); const http = require('node:http');\ntest('server', (t, done) => { const s = http.createServer((q, r) => r.end('x')).listen(0, '127.0.0.1', () => http.get({ port: s.address().port, host: '127.0.0.1' }, r => { r.resume(); s.close(); done(); })); });\n"}},
		{name: "go test with httptest", tool: "go", line: "go test ./... 2>&1", says: "ok", slow: true,
			files: map[string]string{"go.mod": "module x\n\ngo 1.21\n",
				"x_test.go": "package x\nimport (\"net/http\"; \"net/http/httptest\"; \"testing\")\nfunc TestX(t *testing.T) { s := httptest.NewServer(http.NotFoundHandler()); defer s.Close(); if r, err := http.Get(s.URL); err != nil || r.StatusCode != 404 { t.Fatal(r, err) } }\n"}},
		{name: "cargo test", tool: "cargo", line: "cargo test 2>&1", says: "1 passed", slow: true,
			files: map[string]string{"Cargo.toml": "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"src/lib.rs": "#[test] fn x() { assert_eq!(1, 1); }\n"}},
		{name: "gcc", tool: "gcc", line: "gcc -o x x.c && ./x", says: "passed", slow: true,
			files: map[string]string{"x.c": "#include <stdio.h>\nint main(void) { puts(\"passed\"); return 0; }\n"}},
		{name: "tsc", tool: "tsc", line: "tsc -p . && node out/x.js", says: "passed", slow: true,
			files: map[string]string{
				"tsconfig.json": `{"compilerOptions":{"outDir":"out","strict":true,"incremental":true,"types":[]},"files":["x.ts"]}`, "x.ts": "const said: string = 'passed'; console.log(said);\n"}},
		{name: "eslint", tool: "eslint", line: "eslint --cache . && echo passed", says: "passed", slow: true,
			files: map[string]string{"eslint.config.js": "module.exports = [{ rules: { semi: 'error' } }];\n",
				"x.js": "module.exports = 1;\n"}},
		{name: "pnpm test", tool: "pnpm", line: "pnpm test", says: "pass 1", slow: true,
			files: map[string]string{"package.json": `{"name":"x","scripts":{"test":"node --test"}}`,
				"x.test.js": "require('node:test')('x', () => {});\n"}},
		{name: "playwright's list", tool: "playwright", line: "playwright test --list", says: "Total: 1 test",
			slow: true, modules: []string{"@playwright/test"},
			files: map[string]string{
				"x.spec.js": "const { test } = require('@playwright/test'); test('x', async ({ page }) => {});\n"}},
		{name: "ruff", tool: "ruff", line: "ruff check . && ruff format --check . && echo passed", says: "passed",
			slow: true, files: map[string]string{"x.py": "x = 1\n"}},
		{name: "mypy", tool: "mypy", line: "mypy --strict x.py", says: "Success", slow: true,
			files: map[string]string{"x.py": "def x(a: int) -> int:\n    return a\n"}},
		{name: "uv run", tool: "uv", line: "uv run --no-project python3 -m unittest -q 2>&1 && echo passed",
			says: "passed", slow: true,
			files: map[string]string{
				"test_x.py": "import unittest\nclass T(unittest.TestCase):\n def test_x(self): pass\n"}},
		{name: "ant", tool: "ant", line: "ant -q test", says: "BUILD SUCCESSFUL", slow: true,
			files: map[string]string{
				"build.xml": `<project default="test"><target name="test"><mkdir dir="out"/><javac srcdir="." destdir="out" includeantruntime="false"/><java classname="X" classpath="out" fork="true" failonerror="true"/></target></project>`,
				"X.java":    "class X { public static void main(String[] a) { System.out.println(\"passed\"); } }\n"}},
		{name: "gradle", tool: "gradle", line: "gradle -g $HOME/.gradle --offline --no-daemon -q said 2>&1",
			says: "passed", slow: true,
			files: map[string]string{
				"build.gradle":    "apply plugin: 'java'\ntask said(dependsOn: 'classes') { doLast { println(new File(projectDir, 'build/classes/java/main/X.class').exists() ? 'passed' : 'failed') } }\n",
				"settings.gradle": "rootProject.name = 'x'\n", "src/main/java/X.java": "class X { }\n"}},
		{name: "maven", tool: "mvn", fill: mavenLine, line: mavenLine + " -o && echo passed", says: "passed",
			slow: true,
			files: map[string]string{"pom.xml": mavenProject, "src/main/java/X.java": "class X { }\n",
				"src/test/java/XTest.java": "public class XTest { @org.junit.Test public void x() { new X(); } }\n"}},
		{name: "javac", tool: "javac", line: "javac X.java && java X", says: "passed", slow: true,
			files: map[string]string{
				"X.java": "class X { public static void main(String[] a) { System.out.println(\"passed\"); } }\n"}},
	}
}

// What passes outside passes confined, cold and warm.
func TestProjectsPassConfined(t *testing.T) {
	for _, p := range projects() {
		t.Run(p.name, func(t *testing.T) {
			tool := testworld.Needs(t, p.tool)
			if p.slow && testing.Short() {
				t.Skip("left to the deep run: a slow build")
			}
			w := newWorld(t)
			w.tools()
			for name, text := range p.files {
				w.file(name, text)
			}
			for _, name := range p.modules {
				w.module(tool, name)
			}
			cmd := exec.Command("/bin/bash", "-c", p.fill+"\n"+p.line)
			cmd.Dir, cmd.Env = w.root, w.environ
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), p.says) {
				t.Skipf("it does not pass outside: %v %s", err, out)
			}
			for _, when := range []string{"cold", "warm"} {
				if r := w.run(p.line); r.Code != 0 || !strings.Contains(r.out, p.says) {
					t.Errorf("%s: %d\n%s%s", when, r.Code, r.out, r.err)
				}
			}
		})
	}
}

// module links a package that lies beside a tool of npm's.
func (w *world) module(tool, name string) {
	real, err := filepath.EvalSymlinks(tool)
	root, _, found := strings.Cut(real, "/node_modules/")
	at := w.at("node_modules/" + name)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(at), 0o755)
	}
	if err == nil {
		err = os.Symlink(filepath.Join(root, "node_modules", name), at)
	}
	if err != nil || !found {
		w.t.Fatalf("%s: %v", real, err)
	}
}

// tools names where the toolchains of the person who tests lie.
func (w *world) tools() {
	home, err := os.UserHomeDir()
	if err != nil {
		w.t.Fatal(err)
	}
	for name, below := range map[string]string{"PYENV_ROOT": ".pyenv", "RUSTUP_HOME": ".rustup", "NVM_DIR": ".nvm"} {
		dir := cmp.Or(os.Getenv(name), filepath.Join(home, below))
		if _, err := os.Stat(dir); err == nil {
			w.environ = append(w.environ, name+"="+dir)
		}
	}
	if dir := os.Getenv("VIRTUAL_ENV"); dir != "" {
		w.environ = append(w.environ, "VIRTUAL_ENV="+dir)
	}
}
