package code

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// show renders facts in a short form: the effects, and whether it is proven.
func show(f Facts) string {
	var out []string
	for _, e := range f.Effects {
		name := e.Name
		if !e.Known {
			name = "?"
		}
		if e.Kind == Command {
			name = strings.Join(e.Words, " ")
		}
		out = append(out, kindWord(e.Kind)+" "+name)
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

func kindWord(k Kind) string {
	return [...]string{"", "read", "tree", "write", "mkdir", "delete", "deltree", "command", "shell", "fetch", "change", "destroy", "secret", "load", "arguments"}[k]
}

// pure are programs of Python that do nothing but print and read what they
// are fed, and what else they do.
var pythonPure = []string{
	"print(2**10)", "nothing",
	"import json,sys; d=json.load(sys.stdin); print(d['x'])", "nothing",
	"import json, sys\nfor line in sys.stdin:\n    try:\n        ev = json.loads(line)\n        if ev.get('A') == 'pass' and not ev.get('B'):\n            print(f'{ev[\"E\"]:8.2f}s  {ev}')\n    except: pass\n", "nothing",
	"import json; d=json.load(open('a.json')); print(json.dumps(d, indent=2))", "read a.json",
	"import json\nwith open('/tmp/x.jsonl') as f:\n  for line in f:\n    print(line.rstrip())\n", "read /tmp/x.jsonl",
	"import yaml; yaml.safe_load(open('a.yml')); print('ok')", "read a.yml",
	"import re, sys\nm = re.search(r'a.*?b', sys.stdin.read())\nif m:\n    print(m.group(0)[:500])", "nothing",
	"t = {}\nfor n, e in sorted(t.items(), key=lambda x: -x[1])[:30]:\n    print(f'{e:8.2f}s  {n}')\nprint(f'{sum(t.values()):.1f}s')", "nothing",
	"passed = failed = 0\npassed += 1\nprint(f'P {passed}, F {failed}')", "nothing",
	"print(', '.join(str(i) for i in range(10) if i % 2))", "nothing",
	"def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nprint(f(10))", "nothing",
	"import sys; print(sys.version)", "nothing",
	"import sys; print(sys.path)", "nothing",
	"import sys; print('\\n'.join(sys.path))", "nothing",
	"from datetime import datetime, timedelta; print(datetime.now() - timedelta(days=1))", "nothing",
	"import datetime as d; print(d.datetime.now().strftime('%Y'))", "nothing",
	"from collections import Counter\nimport sys\nprint(Counter(sys.stdin.read().split()).most_common(5))", "nothing",
	"import base64;dec=base64.b64decode('aGk=');print(dec.decode())", "nothing",
	"import hashlib; print(hashlib.sha256(open('a','rb').read()).hexdigest())", "read a",
	"import os; print(os.getcwd(), os.path.exists('x'), os.sep)", "nothing",
	"import os; print(os.listdir('src'))", "read src",
	"import os\nfor root, dirs, files in os.walk('src'):\n  for f in files:\n    print(os.path.join(root, f), len(open(os.path.join(root, f)).read()))", "tree src",
	"import glob\nfor f in sorted(glob.glob('data/*.json')):\n  print(open(f).read())", "tree data",
	"from pathlib import Path\nfor p in Path('src').rglob('*.py'):\n  print(p, len(p.read_text()))", "tree src",
	"from pathlib import Path; print(Path('a.txt').read_text())", "read a.txt",
	"from pathlib import Path; print((Path('a') / 'b.txt').read_text())", "read a/b.txt",
	"from pathlib import Path; Path('out').write_text('x')", "write out",
	"open('out', 'w').write('x')", "write out",
	"f = 'out'\nwith open(f, mode='a') as h:\n    h.write('x')", "write out",
	"for f in ['a', 'b']:\n  print(open(f).read())", "read a; read b",
	"files = ['a', 'b']\nfor f in files:\n  print(open(f).read())", "read a; read b",
	"import shutil; shutil.rmtree('/home/user')", "deltree /home/user",
	"import os; os.remove('/etc/passwd')", "delete /etc/passwd",
	"import os; os.makedirs('a/b', exist_ok=True)", "mkdir a/b",
	"import os; os.system('rm -rf /')", "shell rm -rf /",
	"import subprocess; print(subprocess.run(['git', 'status'], capture_output=True, text=True).stdout)", "command git status",
	"import subprocess; subprocess.check_output('ls -l', shell=True)", "shell ls -l",
	"import urllib.request; print(urllib.request.urlopen('https://x.org/a').read())", "fetch https://x.org/a",
	"import os; print(os.environ['HOME'], os.environ.get('PATH', ''), os.getenv('X'))", "secret HOME; secret PATH; secret X",
	"import sys; print(open(sys.argv[1]).read())", "read first",
	"import sys; print(open(sys.argv[2]).read())", "read ?",
	"import sys\nfor a in sys.argv[1:]: print(a)", "nothing",
	"print('{} {:>5} {name}'.format(1, 2, name='x'), '%s %d' % ('a', 1))", "nothing",
	"x = [1, 2]; x[0], *y = x; print(y, x[::-1], x[1:], {**{'a': 1}}, {1, 2}, (yes := 5))", "nothing",
	"assert 1 == 1, 'no'\nwhile True:\n    break\nelse:\n    pass", "nothing",
	"import json\ntry:\n    json.loads('{')\nexcept (ValueError, json.JSONDecodeError) as e:\n    print(e, type(e).__name__)\nfinally:\n    print(1)", "nothing",
	"if __name__ == '__main__':\n    print(1)", "nothing",
	"import sys\nsys.stdout.write('x'); sys.stderr.write('y'); sys.exit(0)", "nothing",
	"print('a' 'b' \"c\", '''multi\nline''', r'\\d', b'x')", "nothing",
	"import math, statistics, random\nprint(math.sqrt(2), statistics.mean([1, 2]), random.randint(1, 6))", "nothing",
	"import functools, itertools, operator\nprint(functools.reduce(operator.add, itertools.chain([1], [2])))", "nothing",
	"import csv, sys\nfor row in csv.DictReader(open('a.csv')):\n    print(row['x'], file=sys.stderr)", "read a.csv",
	"import ast; print(ast.literal_eval('[1]'))", "nothing",
	"print(f'{1+1=} {\"a\"!r:>{10}} {{x}} {[i for i in \"ab\"]}')", "nothing",
	"import unicodedata; print(unicodedata.name('é'), 'ünïcode')", "nothing",
	"x = 1 \\\n  + 2\nprint(x)", "nothing",
	"def g():\n    for i in range(3):\n        yield i\nprint(list(g()))", "nothing",
	"d = {}\nd.setdefault('a', []).append(1)\ndel d['a']\nd['b'] = 2\nprint(d)", "nothing",
	"import tomllib; print(tomllib.load(open('pyproject.toml', 'rb'))['project']['version'])", "read pyproject.toml",
	"import xml.etree.ElementTree as ET, sys\nprint(ET.fromstring(sys.stdin.read()).tag)", "nothing",
	"import os.path as p; print(p.basename('/a/b'))", "nothing",
	"from os import path; print(path.join('a', 'b'))", "nothing",
	"import os; d = os.path.expanduser('~/x'); print(open(os.path.join(d, 'y')).read())", "read /home/u/x/y",
	"print(open(0).read())", "nothing",
	"import uuid, time, calendar; print(uuid.uuid4(), time.time(), calendar.month(2024, 1))", "nothing",
	"s = 'a-b'\nprint(s.replace('-', '_'), s.upper()[0], s.split('-')[-1])", "nothing",
	"import json,sys\ndata = json.load(sys.stdin)\nprint(isinstance(data, dict) and list(data.keys()) or len(data))", "nothing",
	"n: int = 3\ndef f(x: str, *a, k=1, **kw) -> str:\n    return x\nprint(f('a', n))", "nothing",
	"print(*[1, 2], sep='\\n', end='')", "nothing",
	"import urllib.parse; print(urllib.parse.quote('a b'))", "nothing",
	"import sys, textwrap\nprint(textwrap.dedent(sys.stdin.read()))", "nothing",
	"from __future__ import print_function\nprint('x')", "nothing",
	"print(max([1, 2], key=lambda v: -v), any(x > 1 for x in [1]), not True)", "nothing",
	"a = lambda x, y=2: x + y\nprint(a(1))", "nothing",
	"x = 1\nprint(type(x), f'{type(x)}', type(x) == int, type(x) is not str, type(x).__name__)", "nothing",
	"import struct; print(struct.unpack('<I', open('f', 'rb').read(4)))", "read f",
}

// pythonAttacks are programs that must not be proven, or whose effect must be
// stated. Each does, or might do, something.
var pythonAttacks = []string{
	"eval('1')", "exec('1')", "compile('1', '', 'exec')", "__import__('os').system('id')", "getattr(1, 'x')", "globals()", "vars()", "locals()",
	"setattr(print, 'x', 1)", "delattr(print, 'x')", "breakpoint()", "help()", "e = eval; e('1')", "[eval][0]('1')", "map(eval, ['1'])", "list(map(exec, ['1']))",
	"sorted(['1'], key=eval)", "import functools; functools.reduce(lambda a, b: eval(b), ['1', '2'])", "(lambda f: f('1'))(eval)", "f = lambda x=eval: x('1'); f()",
	"def f(x=exec): x('1')\nf()", "max(['1'], key=exec)", "print(1, file=open(name, 'w'))\nname = input()", "print(x := eval('1'))", "[e for e in [eval]][0]('1')",
	"import os as json; json.loads('x')", "import os as json; json.system(x)", "from os import system; system(x)", "from os import system as loads; loads(x)", "import subprocess as re; re.run(x)",
	"from os import *; system('id')", "import os; os.execvp('id', ['id'])", "import os; os.fork()", "import os; os.kill(1, 9)", "import os; os.rename('a', 'b')", "import os; os.replace('a', 'b')", "import os; os.chmod('a', 511)",
	"import os; os.environ['PATH'] = '.'", "import os; os.environ.update({'A': '1'})", "import os; e = os.environ; e['PATH'] = '.'", "import os; os.putenv('A', 'b')", "import os; os.chdir('/')", "import os; del os.environ['A']", "import os; os.environ['A'] += 'x'",
	"import os; s = os.system; s('id')", "import os; [os.system][0]('id')", "import os; list(map(os.system, ['id']))", "import os; m = os; m.system('id')", "import os; print(os)", "import os; f = lambda: os; f().system('id')",
	"import os; (os).__dict__['system']('id')", "import os; os.__dict__", "import os; vars(os)", "import json; json.os.system('id')", "import re; re.sys.modules", "import json; json.decoder.scanner.re.sys", "import json; json.__builtins__",
	"import sys; sys.modules['os'].system('id')", "import sys; sys.path.insert(0, '/tmp'); import json", "import sys; p = sys.path; p.append('/tmp')", "from sys import path; path.append('/tmp')", "import sys; sys.path[0] = '/tmp'", "import sys; sys.path += ['/tmp']", "import sys; sys.path = []", "import sys; sys.settrace(print)", "import sys; sys._getframe()", "import sys; sys.meta_path.append(1)", "import sys; sys.stdout = open('x', 'w')", "import sys; sys.excepthook = print", "import sys; sys.displayhook('x')",
	"import sys; (lambda p: p.append('/tmp'))(sys.path)", "import sys; [p.append('/tmp') for p in [sys.path]]", "import sys; sys.path.__class__",
	"import importlib; importlib.import_module('os')", "import ctypes", "import pickle; pickle.loads(b'x')", "import marshal", "import socket", "import requests; requests.post('http://x', data='y')", "import requests; requests.get(u)", "import urllib.request; urllib.request.urlopen('file:///etc/passwd')", "import urllib.request; urllib.request.urlopen('http://x', b'data')", "import urllib.request; urllib.request.urlretrieve('http://x', 'f')",
	"import http.server", "import ftplib", "import smtplib", "import multiprocessing", "import threading", "import code; code.interact()", "import pty; pty.spawn('sh')", "import atexit", "import logging; logging.FileHandler('x')", "import tempfile", "import shelve", "import sqlite3", "import builtins; builtins.eval('1')", "import antigravity", "import webbrowser", "import mymodule", "from . import x", "import numpy", "import runpy", "import inspect", "import gc; gc.get_objects()", "import types", "import io; io.FileIO('x', 'w')", "import zipfile", "import tarfile", "import platform; platform.popen('id')", "import operator; operator.attrgetter('__class__')(1)", "import operator; operator.methodcaller('system', 'id')", "import timeit; timeit.timeit('1')", "import collections; collections.namedtuple('A', 'b')", "import yaml; yaml.load(x)", "import yaml; yaml.unsafe_load(x)", "import yaml; yaml.YAMLObject",
	"'{0.__class__}'.format(1)", "'{0.__globals__[os].environ}'.format(print)", "f = '{.__class__}'; f.format(1)", "f = input(); f.format(1)", "s = '{' + '0.__class__}'; print(s.format(1))", "'{x}'.format_map({})", "g = '{}'.format; g(1)", "list(map('{0.__class__}'.format, [1]))", "str.format('{0.__class__}', 1)", "'{:{0.__class__}}'.format(1)", "'{0[a].__class__}'.format(1)", "import string; string.Formatter().format('{0.__class__}', 1)", "'{!r:{0.x}}'.format(1)",
	"().__class__.__bases__[0].__subclasses__()", "(1).__class__", "print.__self__", "f = print; f.__self__", "(lambda: 0).__globals__", "(lambda: 0).__code__", "x.__dict__\nx = 1", "try:\n  1/0\nexcept Exception as e:\n  e.__traceback__.tb_frame.f_globals", "''.__class__", "[].__init_subclass__", "print(__builtins__)", "__builtins__.eval('1')", "__loader__", "__spec__", "f'{().__class__}'", "f'{eval(\"1\")}'", "f'{x:{eval(\"1\")}}'\nx = 1", "f'{f\"{eval(1)}\"}'", "f'''{\neval('1')}'''", "rf'{eval(1)}'", "F'{eval(1)}'", "fR'{eval(1)}'", "f'{{{eval(1)}}}'", "f'{1:{1:{eval(1)}}}'", "f'{(lambda: eval(1))()}'", "f'{1!r:{eval(1)}}'", "'a' f'{eval(1)}' 'b'", "f'{ {\"a\": eval}[\"a\"](1) }'",
	"class A:\n  pass", "class A(str):\n  def __del__(self): pass", "@eval\ndef f(): pass", "type('A', (), {})", "t = type; t('A', (), {})", "map(type, [1])", "type(open('a', 'rb', 0))('evil', 'w')", "t = type(open('a', 'rb', 0)); t('evil', 'w')", "(type(1) or 0)('evil')", "[type(1)][0]('x')", "(1 if type(1) else type(2))('x')", "(type(1) if 1 else 2)('x')", "{'a': type(1)}", "print((lambda: type(1))()('x'))", "list(map(lambda t: t('x'), [type(1)]))", "f'{[type(1)][0](2)}'", "async def f(): pass", "match 1:\n  case 1: pass",
	"print = eval\nprint('1')", "len = exec; len('1')", "def print(x): pass", "for print in [eval]: print('1')", "with open('a') as print: pass", "import json; json.loads = eval; json.loads('1')", "import json; json.loads.x = 1", "x = 1; x.y = 2", "def open(*a): return 1\nopen('x')", "open = print; open('x', 'w')", "import json as open; open('x')", "from os import system as print; print('id')", "__name__ = 'x'", "for __builtins__ in [1]: pass", "lambda open: 1", "[open for open in [1]]", "try: pass\nexcept Exception as open: pass",
	"ｅｖａｌ('1')", "𝐞val('1')", "print(ｅｘｅｃ)", "import ｏｓ", "x.ｆoo\nx = 1", "# -*- coding: utf-7 -*-\nprint(1)", "#!/usr/bin/python\n# vim: set fileencoding=rot13 :\nprint(1)", "eva\\\nl('1')", "eval\\\n('1')", "\\\neval('1')", "if 1:\n\teval('1')", "if 1:\n  print(1)\n\tprint(2)", "exec \"print 1\"", "print `1`", "print 'x'", "input()  # Python 2", "x = input", "print(open)", "o = open; o('x', 'w')", "list(map(open, ['x'], ['w']))", "from io import open as o; p = o", "import io; o = io.open; o('x', 'w')",
	"open('x', 'r', opener=f)\nf = 1", "open(*['x', 'w'])", "open(**{'file': 'x', 'mode': 'w'})", "open('x', m)\nm = input()", "open(3, 'w')", "open('x', 'r' + 'w'[0])", "m = 'r'\nm = 'w'\nopen('x', m)", "def f(m): open('x', m)\nf('w')",
	"from pathlib import Path; Path('a').rename('b')", "from pathlib import Path; Path('a').replace('b')", "from pathlib import Path; p = Path('a'); f = p.replace; f('b')", "from pathlib import Path; Path('a').chmod(0)", "from pathlib import Path; Path('a').symlink_to('b')", "from pathlib import Path; Path('a').hardlink_to('b')", "from pathlib import Path; f = Path('a').write_text; f('x')", "from pathlib import Path; f = Path('a').unlink; f()", "from pathlib import Path; Path('a').replace(*['b'])", "from pathlib import Path; list(map(Path.unlink, [Path('a')]))", "from pathlib import Path; Path.write_text(Path('a'), 'x')", "from pathlib import Path; [p.unlink for p in Path('.').glob('*')][0]()", "from pathlib import os; os.system('id')",
	"import subprocess; subprocess.run(cmd)\ncmd = input()", "import subprocess; subprocess.run(['ls'], cwd='/')", "import subprocess; subprocess.run(['ls'], env={})", "import subprocess; subprocess.run(['ls'], executable='rm')", "import subprocess; subprocess.run(['ls'], preexec_fn=print)", "import subprocess; subprocess.Popen(['ls'])", "import subprocess; r = subprocess.run; r(['ls'])", "import subprocess; subprocess.run(*x)\nx = 1", "import subprocess; subprocess.run('a' if x else 'b', shell=True)\nx = 1", "import os; os.system(x)\nx = input()", "import shutil; shutil.copy('a', 'b')", "import shutil; shutil.move('a', 'b')", "import shutil; f = shutil.rmtree; f('x')", "import shutil; shutil.rmtree(onerror=eval, path='x')",
	"import signal", "import sched", "import cgi", "import dbm", "import doctest", "import unittest", "import site", "import readline", "import resource", "x = await y", "nonsense(", "'unterminated", "f'{1'", "f'{1}}'", "(1", "1)", "  indented", "if 1:\nprint(1)", "print(1))", "\x00", "a = 1\r\neval('1')", "\f", "print(1)\ufeff", "import typing; typing.get_type_hints(x)\nx = 1", "import csv; csv.__builtins__", "import string; string._re.sys", "import json; from json import scanner", "import os; from os import sys; sys.modules", "import random; random._os.system('id')", "import glob; glob.os.system('id')", "import datetime; datetime.sys",
	"atob = 1; x = atob.send", "import copy; copy.sys", "import os; getattr(os, 'sys' + 'tem')('id')", "import os; hasattr(os, 'x')", "import os; dir(os)[0]; isinstance(os, int)", "import os; str(os)", "import os; f'{os}'", "import os; {'a': os}['a'].system('id')", "import os; (x := os).system('id')", "import os; os.path.os.system('id')", "import os; os.path.genericpath.os.system('id')", "import xml.etree.ElementTree as E; E.sys", "import os, sys; (os if 1 else sys).system('id')", "import os; (0 or os).system('id')", "import os; [o.system('id') for o in [os]]", "import os\nfor o in (os,): o.system('id')", "import os\nwith os as o: o.system('id')", "import os\ndef f(o=os): o.system('id')\nf()", "import os\nx = os\nx.system('id')",
}

func TestPython(t *testing.T) {
	env := Env{Home: "/home/u", Args: []Arg{{"first", true}, {"", false}}}
	for i := 0; i+1 < len(pythonPure); i += 2 {
		f := Prove("python", pythonPure[i], env)
		if got := show(f); got != pythonPure[i+1] {
			t.Errorf("%s\ngot  %s (%s)\nwant %s", pythonPure[i], got, f.Why, pythonPure[i+1])
		}
	}
	for _, source := range pythonAttacks {
		f := Prove("python", source, Env{Old: true})
		lost := slices.ContainsFunc(f.Effects, func(e Effect) bool { return !e.Known })
		if f.Proven && !lost { // what is not known is said to be so
			t.Errorf("proven: %s", source)
		}
	}
	if n, m := len(pythonPure)/2, len(pythonAttacks); n < 60 || m < 120 {
		t.Errorf("%d programs and %d attacks", n, m)
	}
}

// The effects of what is not proven are stated, as far as they are constant.
func TestPythonEffectsOfTheUnproven(t *testing.T) {
	for _, c := range [][2]string{
		{"import shutil, ctypes; shutil.rmtree('/')", "deltree /; not proven"},
		{"eval('1'); open('out', 'w')", "write out; not proven"},
		{"import os; os.remove(eval('x'))", "delete ?; not proven"},
		{"import os; print(os.environ)", "secret environment; not proven"},
		{"import os; print(dict(os.environ))", "secret environment; not proven"},
		{"import subprocess; subprocess.Popen(['rm', '-rf', '/'])", "command rm -rf /; not proven"},
		{"open(input() + '.txt', 'w')", "write ?"},
		{"x = 'a'\nx = 'b'\nopen(x)", "read ?"},
		{"x = ['a']\nx.append('/etc/shadow')\nfor f in x: open(f)", "read ?"},
		{"import os\nfor r, d, f in os.walk('a'):\n  d.append('/etc')\n  for n in f: open(os.path.join(r, n))", "read ?; tree a"},
		{"import os\nfor r, d, f in os.walk('a'):\n  f.append('/etc/shadow')\n  for n in f: open(os.path.join(r, n))", "read ?; tree a"},
		{"import os; open(os.path.join('a', '/etc/shadow'))", "read ?"},
		{"from pathlib import Path; (Path('a') / '/etc/shadow').read_text()", "read ?"},
		{"import glob\nfor f in glob.glob('a/*/../../b'): open(f)", "read ?; tree ?"},
		{"from pathlib import Path\nfor p in Path('a').glob('../*'): p.read_text()", "read ?; tree ?"},
		{"def f(n): return open(n)\nf('x')", "read ?"},
	} {
		if got := show(Prove("python", c[0], Env{})); got != c[1] {
			t.Errorf("%s\ngot  %s\nwant %s", c[0], got, c[1])
		}
	}
}

// What is accepted must be Python, read by Python itself.
func TestPythonParses(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 to compare with")
	}
	var accepted []string
	for i := 0; i < len(pythonPure); i += 2 {
		accepted = append(accepted, pythonPure[i])
	}
	for _, source := range pythonAttacks {
		if _, fault := parsePython(source); fault == "" && !strings.Contains(source, "Python 2") {
			accepted = append(accepted, source)
		}
	}
	cmd := exec.Command(python, "-I", "-c", "import ast,sys\nfor s in sys.stdin.read().split(chr(1)):\n try: ast.parse(s)\n except SyntaxError as e: print(repr(s), e)")
	cmd.Stdin = strings.NewReader(strings.Join(accepted, "\x01"))
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// denied are identifiers without which nothing can be done that is not stated.
const denied = " eval exec compile __import__ getattr setattr globals vars breakpoint fork execv execvp importlib ctypes pickle marshal socket builtins __builtins__ __class__ __globals__ __dict__ __subclasses__ "

func FuzzPython(f *testing.F) {
	for i := 0; i < len(pythonPure); i += 2 {
		f.Add(pythonPure[i])
	}
	for _, source := range pythonAttacks {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		facts := Prove("python", source, Env{})
		if facts.Proven == (facts.Why != "") {
			t.Fatalf("%v, %q", facts.Proven, facts.Why)
		}
		if !facts.Proven || len(facts.Effects) > 0 {
			return
		}
		if name := usedName(pythonCode(source), denied); name != "" {
			t.Fatalf("proven with %s: %s", name, source)
		}
	})
}

// pythonCode is a program without its strings and comments, as the lexer
// sees them.
func pythonCode(source string) string {
	var b strings.Builder
	l := pyLexer{src: source, start: true}
	before := ""
	for range len(source) + 2 {
		t := l.next()
		if t.kind == pyEnd {
			break
		}
		if t.kind == pyName || t.kind == pyOp {
			fmt.Fprintf(&b, "%s ", before+t.text)
		}
		before = ""
		if t.kind == pyOp && t.text == "." {
			before = "."
		}
	}
	return b.String()
}

func usedName(source, list string) string {
	for _, word := range strings.Fields(source) {
		if among(strings.TrimPrefix(word, "."), list) && word != ".compile" && word != ".eval" {
			return word
		}
	}
	return ""
}
