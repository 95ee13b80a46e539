package code

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var jsPure = []string{
	"console.log(2**10)", "nothing",
	"1+1", "nothing",
	"const fs=require('fs'); const d=JSON.parse(fs.readFileSync('a.json','utf8')); console.log(d.x.y)", "read a.json",
	"console.log(JSON.parse(require('fs').readFileSync(0, 'utf8')).name)", "nothing",
	"JSON.parse(require('fs').readFileSync(process.argv[1],'utf8'))", "read first",
	"const fs=require('fs'); for (const line of fs.readFileSync(process.argv[1],'utf8').split(/\\r?\\n/)) { if (line.trim()) JSON.parse(line); }", "read first",
	"const fs=require('fs'); for (const line of fs.readFileSync('f','utf8').split(/\\r?\\n/)) { const t=line.trim(); if (!t || t.startsWith('#')) continue; JSON.parse(t); }", "read f",
	"try{console.log(require.resolve('@openai/codex-sdk'))}catch(e){console.error(e.message); process.exit(1)}", "nothing",
	"const fs=require('fs'); const a=JSON.parse(fs.readFileSync(0,'utf8')); const hit=a.find(x=>x.title==='t'); if(!hit) process.exit(1); process.stdout.write(hit.id);", "nothing",
	"require('./package.json').version", "load ./package.json",
	"const p = require('./package.json'); console.log(p.name, p.version)", "load ./package.json",
	"console.log(process.version, process.platform, process.cwd())", "nothing",
	"console.log(`a ${1 + 1} b ${`c ${2}`}`)", "nothing",
	"[1,2,3].map(x => x * 2).filter(Boolean).forEach(x => console.log(x))", "nothing",
	"console.log([3,1,2].sort((a, b) => a - b).join(','))", "nothing",
	"console.log(['1','2'].map(Number).reduce((a, b) => a + b, 0))", "nothing",
	"let s=''; process.stdin.on('data', d => s += d); process.stdin.on('end', () => console.log(JSON.parse(s).a))", "nothing",
	"const {readFileSync} = require('node:fs'); console.log(readFileSync('x', 'utf8').length)", "read x",
	"const {join} = require('path'); console.log(join('a', 'b'))", "nothing",
	"const path=require('path'), fs=require('fs'); console.log(fs.readFileSync(path.join('a','b'),'utf8'))", "read a/b",
	"require('fs').writeFileSync('out', 'x')", "write out",
	"require('fs').unlinkSync('f')", "delete f",
	"require('fs').rmSync('d', {recursive: true, force: true})", "deltree d",
	"require('fs').mkdirSync('d/e', {recursive: true})", "mkdir d/e",
	"require('child_process').execSync('rm -rf /')", "shell rm -rf /",
	"console.log(require('child_process').execSync('git status', {encoding: 'utf8'}))", "shell git status",
	"console.log(process.env.HOME)", "secret HOME",
	"console.log(process.env['PATH'])", "secret PATH",
	"const o = {}; for (const w of 'a b'.split(' ')) { o[w] = (o[w] || 0) + 1 } console.log(o)", "nothing",
	"const m = new Map(); m.set('a', 1); console.log([...m.entries()])", "nothing",
	"function f(n) { return n < 2 ? 1 : n * f(n - 1) } console.log(f(10))", "nothing",
	"const f = (a, b = 2) => a + b; console.log(f(1))", "nothing",
	"(() => { console.log(1) })()", "nothing",
	"(function () { console.log(1) })()", "nothing",
	"console.log(Object.keys({a: 1, 'b': 2, 3: 4}).length)", "nothing",
	"console.log(Object.entries({a: 1}).map(([k, v]) => `${k}=${v}`).join('\\n'))", "nothing",
	"const {a, b: {c = 1} = {}, ...rest} = {a: 1}; console.log(a, c, rest)", "nothing",
	"for (let i = 0; i < 3; i++) console.log(i)", "nothing",
	"let i = 3; while (i--) { if (i === 1) break; else continue }", "nothing",
	"console.log('a-b'.replace(/-/g, '_'), 'x'.padStart(3), 'a'.toUpperCase())", "nothing",
	"console.log('a b'.replace(/\\w/g, m => m.toUpperCase()))", "nothing",
	"console.log(Math.max(1, 2), Math.round(1.5), Math.PI)", "nothing",
	"console.log(new Date().toISOString(), Date.now())", "nothing",
	"console.log(Buffer.from('aGk=', 'base64').toString())", "nothing",
	"console.log(Buffer.from('hi').toString('base64'))", "nothing",
	"console.log(encodeURIComponent('a b'), decodeURIComponent('a%20b'))", "nothing",
	"console.log(typeof undefined, !true, -1, +'2', ~1, void 0)", "nothing",
	"const a = [1, , 2, ...[3]]; console.log(a?.[0], a?.length, a ?? 1, a && 1 || 2)", "nothing",
	"console.log(1 / 2 / 3, (4) / 2, [1][0] / 2)", "nothing",
	"console.log(/[/]/.test('a/b'), /a\\/b/i.test('x'))", "nothing",
	"/* c */ console.log(1) // d\nconsole.log(2)", "nothing",
	"const x = 1\nconst y = 2\nconsole.log(x + y)", "nothing",
	"console.log(JSON.stringify({a: 1}, null, 2))", "nothing",
	"console.log(new Set([1, 2]).size, [...new Set([1])])", "nothing",
	"console.log(require('os').platform(), require('path').basename('/a/b'))", "nothing",
	"for (const k in {a: 1}) console.log(k)", "nothing",
	"if (1) console.log(1); else console.log(2)", "nothing",
	"var t = 0; [1, 2].forEach(function (n) { t += n }); console.log(t)", "nothing",
	"console.log(parseInt('10', 2), Number('1'), String(1), isNaN(1))", "nothing",
	"try { throw new Error('x') } catch { console.log('y') } finally { }", "nothing",
	"console.log(require('fs').existsSync('x'), require('fs').readdirSync('.').length)", "read .",
	"for (const f of ['a', 'b']) console.log(require('fs').readFileSync(f, 'utf8'))", "read a; read b",
	"const n = process.argv[2]; console.log(n, process.argv.slice(1).length)", "nothing",
}

var jsAttacks = []string{
	"eval('1')", "(0, eval)('1')", "Function('1')()", "new Function('1')()", "[].constructor.constructor('1')()", "''['constructor']", "(() => {}).constructor('1')()", "x = 'constructor'; ''[x][x]('1')()",
	"const k = 'constr' + 'uctor'; (0)[k][k]('1')()", "const k = 'constr' + 'uctor'; const F = (0)[k][k]; F('1')()", "const k = 'constr' + 'uctor'; ['1'].map((0)[k][k])", "const k = 'constr' + 'uctor', F = 0[k][k]; ['1'].map(F).forEach(f => f())",
	"const {constructor: C} = 0; C('1')", "const {constructor} = 0", "const {['constructor']: C} = 0; C('1')", "const f = x => x('1'); f(0)", "[eval].map(f => f('1'))", "['1'].map(eval)", "['1'].forEach(Function)", "Reflect.construct(Function, ['1'])()", "Reflect.get({}, 'a')", "new Proxy({}, {})", "Symbol.iterator", "globalThis.eval('1')", "global.process", "global['eval']('1')", "window.x", "self.x", "this.constructor", "this", "arguments", "function f() { return arguments.callee }", "module.constructor", "module.exports = 1", "exports.x = 1", "__dirname + 1", "process.binding('fs')", "process.mainModule.require('fs')", "process['env']", "process['binding']('fs')", "process.kill(1)", "process.chdir('/')", "process.dlopen(1)", "process.env", "console.log(process.env)", "const e = process.env; e.PATH = '.'", "process.env.PATH = '.'", "process.env[x]\nvar x", "process.on('exit', () => {})", "process.stdin.on('data', eval)", "const p = process; p.exit()", "console.log(process)", "console.log.constructor('1')()", "console.log = eval", "JSON.parse = eval; JSON.parse('1')", "Math.max = 1", "Object.prototype.x = 1", "({}).__proto__.x = 1", "Object.defineProperty({}, 'a', {})", "Object.setPrototypeOf({}, {})", "Object.assign({}, {})", "Object.fromEntries([])", "Object.getPrototypeOf(0)", "Object['keys']({})", "Array.prototype.map = 1", "Array.from({length: 1}, eval)", "Array.from([1], x)\nlet x", "JSON.parse('{}', eval)", "JSON.parse('1', r)\nlet r", "setTimeout('1', 0)", "setTimeout(x)\nlet x", "setInterval(() => {}, 1)", "queueMicrotask(() => {})", "fetch('http://x')", "new WebSocket('ws://x')", "new XMLHttpRequest()", "new Worker('x')", "new Intl.DateTimeFormat()", "import('fs')", "import fs from 'fs'", "export default 1", "await 1", "async () => {}", "class A {}", "class A { static { } }", "({ get a() { return 1 } })", "({ set a(v) {} })", "({ f() {} })", "({ async f() {} })", "({ *g() {} })", "function* g() {}", "with ({}) {}", "x: for (;;) {}", "debugger", "delete {}.a", "new.target", "super.x", "String.raw`x`", "eval`1`", "f`x`\nconst f = () => 1", "(x => x)`1`", "[1].map`x`",
	"\\u0065val('1')", "ev\\u0061l('1')", "ｅｖａｌ('1')", "a\u2028eval('1')", "// x\u2028eval('1')", "<!-- x\neval('1')", "x\n--> y", "#!/usr/bin/node\n1", "'a\neval(1)'", "`${eval('1')}`", "`${`${eval('1')}`}`", "`a${[].constructor}`", "/x/.constructor", "/a/.exec('x')", "1 /eval('1')/ 1", "a = 1\n/eval('1')/g", "(1)/eval('1')/1", "/[/]/.x(eval('1'))", "/\\//.y(eval('1'))",
	"require('child_process').exec('id')", "require('child_process').spawn('id')", "require('child_process').execSync(x)\nlet x", "require('child_process').execSync('id', {shell: 'x'})", "require('child_process').execFileSync('id')", "require('child_process')['execSync']('id')", "const c = require('child_process'); const d = c; d.exec('id')", "const {exec} = require('child_process'); exec('id')", "const {exec: log} = require('child_process'); log('id')", "const {...all} = require('child_process'); all.exec('id')", "const {[k]: f} = require('fs')\nvar k", "[require('child_process')][0].exec('id')", "let fs = require('path'); fs = require('fs'); fs.writeFileSync('a', 'b')", "require(x)\nlet x", "require('ht' + 'tp')", "require('http')", "require('net')", "require('vm').runInThisContext('1')", "require('module')", "require('worker_threads')", "require('./x')", "require('./x.js')", "require('/tmp/x')", "require('lodash')", "require('../package.json').constructor.constructor('1')()", "const r = require; r('fs')", "[require].map(r => r('child_process'))", "['child_process'].map(require)", "require.main.require('fs')", "require.cache", "require.extensions", "module.require('fs')",
	"const fs = require('fs'); fs.promises.writeFile('a', 'b')", "const fs = require('fs'); fs.createWriteStream('a')", "const fs = require('fs'); fs.renameSync('a', 'b')", "const fs = require('fs'); fs.copyFileSync('a', 'b')", "const fs = require('fs'); fs.openSync('a', 'w')", "const fs = require('fs'); fs.chmodSync('a', 0)", "const fs = require('fs'); fs.symlinkSync('a', 'b')", "const fs = require('fs'); fs.readFileSync('a', {flag: 'w'})", "const fs = require('fs'); fs.readFileSync('a', o)\nlet o", "const fs = require('fs'); fs.readFileSync(...['a', {flag: 'w'}])", "const fs = require('fs'); const f = fs.writeFileSync; f('a', 'b')", "const fs = require('fs'); ['a'].map(fs.unlinkSync)", "const fs = require('fs'); ['a'].forEach(fs.readFileSync)", "const fs = require('fs'); fs['writeFileSync']('a', 'b')", "const {writeFileSync: readFileSync} = require('fs'); [1].map(readFileSync)", "const fs = require('fs'); console.log(fs)", "const fs = require('fs'); const {unlinkSync} = fs; unlinkSync('a')", "const fs = require('fs'); fs.readFileSync = eval", "const fs = require('fs'); (fs).unlinkSync.call(null, 'a')", "const fs = require('fs'); fs.unlinkSync.apply(fs, ['a'])", "const fs = require('fs'); fs.readFile('a', eval)",
	"const o = {map: eval}", "const o = {join: x}; o.join('1')\nlet x", "const o = {}; o.join = x; o.join('1')\nlet x", "const o = {}; o[k] = v; o.join('1')\nlet k, v", "const o = {}; o[k] ||= v\nlet k, v", "const o = {toString: x}; '' + o\nlet x", "const o = {toJSON: x}; JSON.stringify(o)\nlet x", "const o = {valueOf: x}; +o\nlet x", "const o = {[k]: v}; o.join('1')\nlet k, v", "const o = {['to' + 'String']: v}\nlet v", "const o = {__proto__: x}\nlet x", "const o = {'__proto__': x}\nlet x", "const p = 0[k]; p.flag = 'w'\nlet k", "const p = 0[k]; p[j] = 'w'\nlet k, j", "x[k][j] = 1\nlet x, k, j", "const o = {}; o.a.b = 1", "const o = {}; o.__proto__ = 1", "const o = {}; o.constructor = 1", "[o.join] = [x]\nlet o, x", "({a: o.join} = {a: x})\nlet o, x", "for (o.join of [x]) ;\nlet o, x", "const f = () => 1; f.call = 1", "[1].map(x)\nlet x", "[1].map(...x)\nlet x", "[1].sort(x)\nlet x", "[1].reduce(x, 0)\nlet x", "'a'.replace('a', x)\nlet x", "'a'.replaceAll(/a/g, o.f)\nconst o = {}", "const f = eval; f('1')", "let f = () => 1; f = x; f('1')\nlet x", "function f() {} f = x; f('1')\nvar x", "const f = x || (() => 1); f('1')\nvar x", "(x ? a : b)('1')\nvar x, a, b", "x.y('1')\nvar x", "x.call('1')\nvar x", "x.bind('1')\nvar x", "x.apply('1')\nvar x", "x.then(y)\nvar x, y", "Promise.resolve(1)", "new Promise(() => {})", "require = 1", "const process = 1", "const Math = {max: 1}", "function require() {}", "var JSON = 1", "parseInt = eval; parseInt('1')", "const {log} = console; log(1)", "WebAssembly.compile(1)", "SharedArrayBuffer", "structuredClone(1)", "Bun.write('a', 'b')", "Deno.run()",
	"(", "`${", "'", "/x", "{", "if", "((((", "1 1", "a b", "=> 1", "...x", "x => ", "/* x",
}

func TestJavaScript(t *testing.T) {
	env := Env{Args: []Arg{{"first", true}}}
	for i := 0; i+1 < len(jsPure); i += 2 {
		f := Prove("javascript", jsPure[i], env)
		if got := show(f); got != jsPure[i+1] {
			t.Errorf("%s\ngot  %s (%s)\nwant %s", jsPure[i], got, f.Why, jsPure[i+1])
		}
	}
	for _, source := range jsAttacks {
		f := Prove("javascript", source, Env{})
		if f.Proven && !slices.ContainsFunc(f.Effects, func(e Effect) bool { return !e.Known || e.Kind == Secret }) {
			t.Errorf("proven: %s", source)
		}
	}
	if n, m := len(jsPure)/2, len(jsAttacks); n < 60 || m < 120 {
		t.Errorf("%d programs and %d attacks", n, m)
	}
}

// What is accepted must be JavaScript, read by Node itself.
func TestJavaScriptParses(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to compare with")
	}
	var accepted []string
	for i := 0; i < len(jsPure); i += 2 {
		accepted = append(accepted, jsPure[i])
	}
	for _, source := range jsAttacks {
		if f := Prove("javascript", source, Env{}); f.Proven {
			accepted = append(accepted, source)
		}
	}
	// vm.Script compiles and does not run.
	cmd := exec.Command(node, "-e", "for (const s of require('fs').readFileSync(0,'utf8').split('\\x01')) try { new (require('vm').Script)('(function(){' + s + '\\n})') } catch (e) { console.log(JSON.stringify(s), e.message) }")
	cmd.Stdin = strings.NewReader(strings.Join(accepted, "\x01"))
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

func FuzzJavaScript(f *testing.F) {
	for i := 0; i < len(jsPure); i += 2 {
		f.Add(jsPure[i])
	}
	for _, source := range jsAttacks {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		facts := Prove("javascript", source, Env{})
		if facts.Proven == (facts.Why != "") {
			t.Fatalf("%v, %q", facts.Proven, facts.Why)
		}
		tree, fault := parseJavaScript(source)
		if !facts.Proven || fault != "" {
			return
		}
		c := jsChecker{bound: map[string]*jsBinding{}}
		c.bind(tree)
		if name := usesDenied(tree, c.bound); name != "" {
			t.Fatalf("proven with %s: %s", name, source)
		}
	})
}

// usesDenied finds a name without which nothing that is not stated can be done.
func usesDenied(n *node, bound map[string]*jsBinding) string {
	if n.op == "member" && among(n.text, " constructor __proto__ prototype binding mainModule ") ||
		n.op == "name" && bound[n.text] == nil && among(n.text, " eval Function globalThis global Reflect Proxy module fetch Symbol ") {
		return n.text
	}
	for _, k := range n.kids {
		if name := usesDenied(k, bound); name != "" {
			return name
		}
	}
	return ""
}
