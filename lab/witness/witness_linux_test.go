package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// In the namespace this test program is the driver.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == insideArg {
		if err := inside(); err != nil {
			fmt.Fprintln(os.Stderr, "witness:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// staged prepares a stage, or skips the test where nothing may run.
func staged(t *testing.T) *stage {
	t.Helper()
	s, err := newStage(t.TempDir())
	if errors.Is(err, errNoNamespace) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range shellsTried() {
		if s.shells[name] == "" {
			t.Skip(name + " is not installed (from Debian): what nod says of it is not shown here")
		}
	}
	return s
}

func opened(t *testing.T, s *stage) *bed {
	t.Helper()
	b, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b
}

func read(t *testing.T, name string) grammar {
	t.Helper()
	g, err := readGrammar(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// sample runs so many texts, a tenth with -short, where the race detector is what
// is wanted, and wants each shell to have run.
func sample(t *testing.T, n uint64, files bool) {
	s := staged(t)
	if testing.Short() {
		n /= 10
	}
	var out bytes.Buffer
	w := &witnessing{n: n, seed: 1, workers: 2, files: files, out: &out}
	err := w.run(t.Context(), s)
	t.Log(out.String())
	if err != nil {
		t.Error(err)
	}
	if c := w.count; c.allowed*100 < 15*c.generated {
		t.Errorf("%d of %d texts are allowed: less than 15 %% show nothing", c.allowed, c.generated)
	}
	for _, name := range shellsTried() {
		if w.count.runs[name] == 0 {
			t.Errorf("%s did not run", name)
		}
	}
}

func TestShellPrograms(t *testing.T) { sample(t, 3000, false) }

func TestFileLines(t *testing.T) {
	for _, name := range []string{"git", "tar", "find", "gzip"} {
		if _, err := os.Stat(binDir + "/" + name); err != nil {
			t.Skip(name + " is not installed: the lines of files are not shown here")
		}
	}
	sample(t, 480, true)
}

// TestGrammars holds that each rule is there and leads to an end, and that a text follows from its number alone.
func TestGrammars(t *testing.T) {
	for name, start := range map[string]string{"shells": "text", "lines": "line"} {
		g := read(t, name)
		for rule := range g {
			for seed := range uint64(20) {
				g.write(rule, seed)
			}
		}
		for seed := range uint64(500) {
			if a, b := g.write(start, seed), g.write(start, seed); a != b {
				t.Fatalf("%s %d: %q, then %q", name, seed, a, b)
			}
		}
	}
}

// unreadable is a file system that fails inside, once it is broken.
type unreadable struct {
	nod.Files
	broken *bool
}

func (u unreadable) Lstat(name string) (nod.FileInfo, error) {
	if *u.broken {
		panic("broken")
	}
	return u.Files.Lstat(name)
}

// A text at which nod fails inside is denied, and the witness says so: counted among
// the texts that are not allowed, the failure would be missed.
func TestAFailureInsideIsAViolation(t *testing.T) {
	var out bytes.Buffer
	w := &witnessing{out: &out}
	files := unreadable{viewOf(nil), new(bool)}
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: files, Home: home})
	*files.broken = true
	if d := w.ask(&world{gate: gate}, 7, "rm -r x", nod.Bash); d.Verdict == nod.Allow {
		t.Error("it is allowed")
	}
	if w.count.violations != 1 || !strings.Contains(out.String(), `VIOLATION seed 7: "rm -r x"`) {
		t.Errorf("%d violations\n%s", w.count.violations, out.String())
	}
}

// TestFound runs the texts in which something was found once: shell programs behind the number of their world, and
// behind "files" a line and the turns of its repository, each quoted.
func TestFound(t *testing.T) {
	s := staged(t)
	data, err := os.ReadFile(filepath.Join("testdata", "found.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := &witnessing{out: &out, count: figures{runs: map[string]int{}}}
	b, known := opened(t, s), worlds{}
	over := map[string]*ground{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		number, quoted, _ := strings.Cut(line, " ")
		words := unquoted(t, quoted)
		if number != "files" {
			seed, err := strconv.ParseUint(number, 10, 64)
			if err := errors.Join(err, w.one(s, b, known, seed, words[0])); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			continue
		}
		key := strings.Join(words[1:], "\n")
		if over[key] == nil {
			made, err := s.over(words[1:])
			if err != nil {
				t.Fatal(err)
			}
			over[key] = &ground{stage: made, worlds: worlds{}, bed: opened(t, made)}
		}
		g := over[key]
		if err := w.one(g.stage, g.bed, g.worlds, 1, words[0]); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if w.count.violations > 0 || w.count.generated == 0 {
		t.Errorf("%d violations in %d texts\n%s", w.count.violations, w.count.generated, out.String())
	}
}

// ground is a repository with its namespace.
type ground struct {
	stage  *stage
	bed    *bed
	worlds worlds
}

// unquoted takes quoted words apart.
func unquoted(t *testing.T, text string) (words []string) {
	t.Helper()
	for text != "" {
		word, err := strconv.QuotedPrefix(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		value, err := strconv.Unquote(word)
		if err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		words, text = append(words, value), strings.TrimSpace(text[len(word):])
	}
	return words
}

// TestHarmIsSeen holds that what must not happen over files is seen where it does: the lines
// run without a question to nod.
func TestHarmIsSeen(t *testing.T) {
	s, err := staged(t).over([]string{"true"})
	if err != nil {
		t.Fatal(err)
	}
	b := opened(t, s)
	for line, harm := range map[string]bool{
		"./run.sh": true, "cat .env": true, "rm -rf scratch": true, "echo x > ~/other/x": true, "touch .envrc": true,
		"git config alias.x '!ls'": true, "echo x >> ~/.bashrc": true,
		"git stash -u && git stash drop && git gc -q --prune=now": true,
		"cat README.md": false, "echo x > new.txt": false, "git add README.md": false, "git show HEAD:keep/.env": false,
	} {
		r, err := b.run(job{Shell: "bash", Text: line, Line: true, Seed: 1})
		if err != nil || len(r.Harm) > 0 != harm {
			t.Errorf("%s: %q, %v", line, r.Harm, err)
		}
	}
}

// hole is a fault that nod had, put back: nod hears a text that differs from the text that runs.
type hole struct {
	name, shape, heard string
}

// holes lists the classes by which lines got past nod before there was a witness. In heard, $1 ... are what the shape's
// groups matched. In a shape, ;; stands between two statements, and VALUE for a word.
func holes() []hole {
	return []hole{
		{"what follows the body of a function", `(?s)^(?:\w+ ?\(\)|function \w+) ?\{[^}]*\} ?(?:&&|\|\||\|) ?.*`,
			":"},
		{"let and ||", `let \w+\|\|.*`, ":"},
		{"# behind an array", `\w=\([^)]*\)#[^\n]*`, ":"},
		{"|& behind (( )) as a body", `f\(\) \(\(1\)\)\|&.*`, ":"},
		{"a comment that ends in a backslash", `#\\\n[^\n]*`, "#"},
		{"the file behind /dev/stdin", `< (\S+) >>? ?(?:/dev/stdin|/dev/fd/0|/proc/self/fd/0)`, "< $1 > /dev/null"},
		{"the file behind /dev/fd/3", `3< ?(\S+) > ?(?:/dev/fd/3|/proc/self/fd/3)`, "> /dev/null"},
		{"a quoted star in an operator", `(?s)^(\w+)=k1\.js(;;.*)\$\{\w+%"\.js\*"\}`, "$1=k1.js${2}k1"},
		{"a directory with a slash at its end", `"\$\(dirname ([\w/.]*\w)/ ?\)/`, `"$1/`},
		{"a tilde behind =", ` (\w+)=~/(\w+)`, ` $1=\~/$2`},
		{"a glob as the value of an option", `nice -n (?:\*|\?|\[1w\]\*|z/\*|\[1-9a-b\]\*) `, "nice -n 5 "},
		{"a carriage return", `\r\n`, "\n"},
		{"a directory that is not entered", `^cd (src|docs) < (?:nofile|nodir/new1);;`, "cd $1 && "},
		{"a function in a subshell", `[fg]\(\) \{ [^}]*\};;\([fg]\(\) \{ ([^}]*); \}\);;[fg] \w+`, "$1"},
	}
}

func (h hole) pattern() *regexp.Regexp {
	return regexp.MustCompile(strings.NewReplacer(";;", `(?:; |\n)`, "VALUE",
		`(?:'[^'\n]*'|"[^"\n]*"|[\w./]+)`).Replace(h.shape))
}

// TestHolesPutBack shows that texts of each class are made, run and found.
func TestHolesPutBack(t *testing.T) {
	s := staged(t)
	b := opened(t, s)
	known, g := worlds{}, read(t, "shells")
	const most = 50000
	open := map[string]*regexp.Regexp{}
	for _, h := range holes() {
		open[h.name] = h.pattern()
	}
	for seed := uint64(1); seed <= most && len(open) > 0; seed++ {
		text := g.program(seed)
		for _, h := range holes() {
			shape := open[h.name]
			if shape == nil || !shape.MatchString(text) {
				continue
			}
			world, err := known.of(s, seed)
			if err != nil {
				t.Fatal(err)
			}
			found, err := through(b, world, seed, text, shape.ReplaceAllString(text, h.heard))
			if err != nil {
				t.Fatal(err)
			}
			if found != "" {
				t.Logf("%s: seed %d: %q: %s", h.name, seed, text, found)
				delete(open, h.name)
			}
		}
	}
	for name := range open {
		t.Errorf("%s: not found within %d texts", name, most)
	}
}

// through runs a text that nod allows because it hears another. What is found
// counts only where nothing is found in the text that was heard.
func through(b *bed, world *world, seed uint64, text, heard string) (found string, err error) {
	for _, d := range []nod.Dialect{nod.Bash, nod.Zsh} {
		if text == heard || world.check(heard, d).Verdict != nod.Allow {
			continue
		}
		var list [2][]string
		for i, run := range []string{text, heard} {
			r, err := b.run(job{Shell: shellsOf(d)[0], Text: run, Variant: seed % variants, Seed: seed})
			if err != nil {
				return "", err
			}
			list[i] = against(world.analyze(heard, d), world.files, r)
		}
		if len(list[0]) > 0 && len(list[1]) == 0 {
			return list[0][0], nil
		}
	}
	return "", nil
}

// TestTheNamespaceHolds tries what must not work in the namespace.
func TestTheNamespaceHolds(t *testing.T) {
	s := staged(t)
	b := opened(t, s)
	outside := filepath.Join(t.TempDir(), "outside")
	for text, want := range map[string]string{
		"echo x > " + outside + " && wc bad":                                                  "",
		"echo x > /usr/bin/new && wc bad":                                                     "",
		"echo x > /usr/lib/new && wc bad":                                                     "",
		"echo x > /shells/bash && wc bad":                                                     "",
		"echo x > /etc/passwd && wc bad":                                                      "",
		"echo x > /new && wc bad":                                                             "",
		"exec 3<>/dev/tcp/127.0.0.1/22 && wc bad":                                             "",
		"[ -e " + outside + " ] || wc good":                                                   "good",
		"[ -z \"$SSH_AUTH_SOCK$GOPATH$GITHUB_TOKEN\" ] && wc good":                            "good",
		"while read -r l; do case $l in *eth0*) wc bad;; esac; done < /proc/net/dev; wc good": "good",
		"head -c 2000000 < /dev/zero > big; [ $? = 0 ] && wc bad; wc good":                    "good",
	} {
		r, err := b.run(job{Shell: "bash", Text: text, Variant: 3, Seed: 9})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := ""
		for _, s := range r.Started {
			if s.Words[0] == "wc" {
				got += s.Words[1]
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file was written outside")
	}
}

// TestRefused holds which lines are a shell's word that it cannot read a text.
func TestRefused(t *testing.T) {
	for output, want := range map[string]bool{
		"bash: line 1: syntax error near unexpected token `('\n": true,
		"k\nzsh:1: parse error near `i]'\n":                      true,
		"dash: 1: Syntax error: Bad for loop variable\n":         true,
		"bash: line 1: [: a: syntax error\n":                     false,
		"awk: line 1: syntax error\n":                            false,
		"k syntax error\n":                                       false,
	} {
		if got := refused(output); (got != "") != want {
			t.Errorf("%q: %q", output, got)
		}
	}
}
