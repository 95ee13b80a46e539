package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	if len(os.Args) == 3 && os.Args[0] == interpName {
		os.Exit(interpret(os.Args[2]))
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
	for _, name := range []string{"bash", "zsh", "dash"} {
		if s.shells[name] == "" {
			t.Skip(name + " is not installed (from Debian): what nod says of it is not shown here")
		}
	}
	return s
}

// sample is how many texts a test looks at: a tenth with -short, where the race
// detector is what is wanted.
func sample(n uint64) uint64 {
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestShellPrograms is the sample that everybody can wait for.
func TestShellPrograms(t *testing.T) {
	s := staged(t)
	var out bytes.Buffer
	w := &witnessing{n: sample(3000), seed: 1, workers: 2, most: 20, out: &out, progress: &out}
	err := w.run(s)
	t.Log(out.String())
	if err != nil {
		t.Error(err)
	}
	if c := w.count; c.allowed*100 < 15*c.generated {
		t.Errorf("%d of %d texts are allowed: less than 15 %% show nothing", c.allowed, c.generated)
	}
	if w.count.runs["bash"] == 0 || w.count.runs["zsh"] == 0 || w.count.runs["dash"] == 0 {
		t.Errorf("not every shell ran: %v", w.count.runs)
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

// A text at which nod fails inside is denied, and the witness says so: as one more
// text that is not allowed it would be missed.
func TestAFailureInsideIsAViolation(t *testing.T) {
	var out bytes.Buffer
	w := &witnessing{most: 1, out: &out}
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

// TestSecondReading is the sample of the other claim: what nod's parser reads
// is what the shells read.
func TestSecondReading(t *testing.T) {
	s := staged(t)
	var out bytes.Buffer
	w := &witnessing{n: sample(2000), seed: 1, workers: 2, most: 20, out: &out, progress: &out, second: true}
	err := w.run(s)
	t.Log(out.String())
	if err != nil {
		t.Error(err)
	}
	if w.count.runs["bash"] == 0 || w.count.runs["zsh"] == 0 {
		t.Errorf("not every shell was asked: %v", w.count.runs)
	}
}

// TestFileLines is the sample of lines over files.
func TestFileLines(t *testing.T) {
	s := staged(t)
	for _, name := range []string{"git", "tar", "find", "gzip"} {
		if _, err := os.Stat(binDir + "/" + name); err != nil {
			t.Skip(name + " is not installed: the lines of files are not shown here")
		}
	}
	var out bytes.Buffer
	w := &witnessing{n: sample(500), seed: 1, workers: 2, most: 20, files: true, out: &out, progress: &out}
	err := w.run(s)
	t.Log(out.String())
	if err != nil {
		t.Error(err)
	}
	if w.count.runs["bash"] == 0 {
		t.Error("no line was run")
	}
}

// TestOptions is the sample of what programs say of their options themselves: of
// those that every machine has in much the same version.
func TestOptions(t *testing.T) {
	s := staged(t)
	all, _ := probes()
	all = slices.DeleteFunc(all, func(p probe) bool {
		name, _, _ := strings.Cut(p.call, " ")
		return !slices.Contains([]string{"cat", "head", "tail", "sort", "uniq", "cut", "wc", "cp", "mv", "ln", "ls",
			"du", "df", "tr", "grep", "sed", "find", "git", "tar", "gzip", "diff"}, name)
	})
	if len(all) == 0 {
		t.Skip("no program is installed whose options could be asked about")
	}
	step := max(1, len(all)/int(sample(600)))
	var out bytes.Buffer
	w := &witnessing{seed: 1, workers: 2, most: 20, out: &out, progress: &out}
	for i := 0; i < len(all); i += step {
		w.probes, w.texts = append(w.probes, all[i]), append(w.texts, all[i].text)
	}
	w.n = uint64(len(w.texts))
	err := w.run(s)
	t.Log(out.String())
	if err != nil {
		t.Error(err)
	}
	if w.count.runs["bash"] == 0 {
		t.Error("no call was run")
	}
}

// A program that says that an option takes no value, or another, is heard.
func TestComplaints(t *testing.T) {
	told := newComplaints()
	for _, c := range []struct{ option, role, printed string }{
		{"-x", "", "prog: option requires an argument -- 'x'"},
		{"--long", "", "error: a value is required for '--long <N>' but none was supplied"},
		{"--long", "", "prog: error: argument --long: expected one argument"},
		{"-x", "", "prog: -x: No such file or directory"},
		{"-x", "=text", "prog: unrecognized option '--nod-nope'"},
		{"-x", "=text", "prog: invalid option -- '-'"},
		{"--long", "=text", "prog: option '--long' doesn't allow an argument"},
	} {
		heard := false
		for _, p := range told.probesOf("prog", c.option, c.role) {
			heard = heard || p.in(c.printed) != ""
		}
		if !heard {
			t.Errorf("%s %s: %q is not heard", c.option, c.role, c.printed)
		}
	}
	for _, p := range told.probesOf("prog", "-x", "=text") {
		if line := p.in("prog: invalid option -- 'x'\nprog: unrecognized option '--nod-nope'\n"); line != "" {
			t.Errorf("a build without the option is taken for a wrong sheet: %s", line)
		}
	}
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

// TestFound runs the texts in which something was found once.
func TestFound(t *testing.T) {
	s := staged(t)
	data, err := os.ReadFile(filepath.Join("testdata", "found.txt"))
	if err != nil {
		t.Fatal(err)
	}
	b := opened(t, s)
	var out bytes.Buffer
	w := &witnessing{most: 1000, out: &out, count: newFigures()}
	worlds := newWorlds()
	n := 0
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "files ") {
			continue
		}
		number, quoted, _ := strings.Cut(line, " ")
		seed, err := strconv.ParseUint(number, 10, 64)
		text, err2 := strconv.Unquote(quoted)
		if err := errors.Join(err, err2); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		n++
		if err := errors.Join(w.one(s, b, worlds, seed, text), w.readTwice(s, b, worlds, seed, text)); err != nil {
			t.Fatal(err)
		}
	}
	if w.count.violations > 0 {
		t.Errorf("%d violations\n%s", w.count.violations, out.String())
	}
	if n == 0 {
		t.Error("testdata/found.txt holds no text")
	}
}

// TestGivenTexts: what was given is what is looked at, whatever is to be shown
// of it. Texts of one's own were once taken for their numbers alone.
func TestGivenTexts(t *testing.T) {
	for _, w := range []*witnessing{{}, {second: true}, {files: true}, {texts: []string{"sheet"}}} {
		w.given = []string{"of another generator"}
		if got := w.textOf(0); got != w.given[0] {
			t.Errorf("second %v, files %v, sheets %v: %q is looked at", w.second, w.files, w.texts, got)
		}
		if w.text = "of one's own"; w.textOf(0) != w.text {
			t.Errorf("second %v, files %v, sheets %v: %q is looked at", w.second, w.files, w.texts, w.textOf(0))
		}
	}
}

// TestFoundLines does the same for lines over files.
func TestFoundLines(t *testing.T) {
	s := staged(t)
	data, err := os.ReadFile(filepath.Join("testdata", "found.txt"))
	if err != nil {
		t.Fatal(err)
	}
	over := map[string]*stage{}
	n := 0
	for line := range strings.Lines(string(data)) {
		quoted, ok := strings.CutPrefix(strings.TrimSpace(line), "files ")
		if !ok {
			continue
		}
		text, turns := foundLine(t, quoted)
		key := strings.Join(turns, "\n")
		if over[key] == nil {
			if over[key], err = s.over(turns); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		w := &witnessing{most: 10, out: &out, count: newFigures()}
		g := &ground{stage: over[key], worlds: newWorlds()}
		if err := errors.Join(g.ready(false, 1), w.oneLine(g.stage, g.bed, g.worlds, 1, text)); err != nil {
			t.Fatal(err)
		}
		g.close()
		if n++; w.count.violations > 0 || len(w.count.skipped) > 0 {
			t.Errorf("%s%s%v", line, out.String(), w.count.skipped)
		}
	}
	if n == 0 {
		t.Error("testdata/found.txt holds no line over files")
	}
}

// TestHarmIsSeen holds that what must not happen over files is seen where it does: the lines
// run without a question to nod.
func TestHarmIsSeen(t *testing.T) {
	s, err := staged(t).over(trapped())
	if err != nil {
		t.Fatal(err)
	}
	b := opened(t, s)
	for _, line := range []string{"./run.sh", "cat .env", "rm -rf scratch", "echo x > ~/other/x", "touch .envrc",
		"git config alias.x '!ls'", "git add -f .env", "echo x >> ~/.bashrc", "git stash -u && git stash drop && git gc -q --prune=now"} {
		r, err := b.run(job{Shell: "bash", Text: line, Line: true, Seed: 1})
		if err != nil || len(r.Harm) == 0 {
			t.Errorf("%s: nothing is seen of it: %v, %+v", line, err, r)
		}
	}
	for _, line := range []string{"cat README.md", "echo x > new.txt", "git add README.md"} {
		if r, err := b.run(job{Shell: "bash", Text: line, Line: true, Seed: 1}); err != nil || len(r.Harm) > 0 {
			t.Errorf("%s: %v, %v", line, err, r.Harm)
		}
	}
}

// foundLine takes a line and the turns of its repository apart, each quoted.
func foundLine(t *testing.T, quoted string) (text string, turns []string) {
	t.Helper()
	for quoted != "" {
		word, err := strconv.QuotedPrefix(quoted)
		if err != nil {
			t.Fatalf("%s: %v", quoted, err)
		}
		value, err := strconv.Unquote(word)
		if err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		turns = append(turns, value)
		quoted = strings.TrimSpace(quoted[len(word):])
	}
	return turns[0], turns[1:]
}

// hole is a fault that nod had, put back: nod hears another text than the one
// that runs.
type hole struct {
	name, shape, heard string
}

// holes lists the classes by which lines got past nod before there was a
// witness. In heard, $1 ... are what the shape's groups matched. In a shape, ;;
// stands between two statements, and VALUE for a word.
func holes() []hole {
	return []hole{
		{"what follows the body of a function", `(?s)^(?:\w+ ?\(\)|function \w+) ?\{[^}]*\} ?(?:&&|\|\||\|) ?.*`,
			":"},
		{"let and ||", `let \w+\|\|.*`, ":"},
		{"# behind an array", `\w=\([^)]*\)#[^\n]*`, ":"},
		{"|& behind (( )) as a body", `f\(\) \(\(1\)\)\|&.*`, ":"},
		{"a comment that ends in a backslash", `#\\\n[^\n]*`, "#"},
		{"local ends with the function", `(\w+)=VALUE;;f\(\) \{ (?:local|declare|typeset) \w+=(VALUE); \}; f\b`,
			"$1=$2"},
		{"return leaves", `(\w+)=VALUE;;f\(\) \{ (?:if true; then )?return; (?:fi; )?\w+=(VALUE); \}; f\b`, "$1=$2"},
		{"break and continue leave", `(\w+)=VALUE;;for i in 1 2; do (?:break|continue); \w+=(VALUE); done`, "$1=$2"},
		{"a failed redirection", `(\w+)=VALUE;;\{ \w+=(VALUE); \} < (?:nofile|/nonexistent/x|nodir/new1)`, "$1=$2"},
		{"a subshell", `(\w+)=VALUE;;\(\w+=(VALUE)\)`, "$1=$2"},
		{"a trap", `(\w+)=(VALUE);;trap [^\n;]* (?:ERR|CHLD|DEBUG); (false|wc k|:)`, "$1=$2; $3"},
		{"the last argument", `(?s)^_=VALUE;;((?:wc|:|true) )(VALUE)(.*)\$_`, "v=$2\n$1$2$3$$v"},
		{"readonly", `readonly (\w+)=VALUE;;\w+=(VALUE)`, "$1=$2"},
		{"an attribute", `(?:declare|typeset|local) -[lu] (\w+)=(VALUE)`, "$1=$2"},
		{"an expansion that fails", `(\w+)=VALUE;;k=\$\(\(1/0\)\) \w+=(VALUE)`, "$1=$2"},
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
	b, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	worlds := newWorlds()
	const most = 50000
	open := map[string]*regexp.Regexp{}
	for _, h := range holes() {
		open[h.name] = h.pattern()
	}
	for seed := uint64(1); seed <= most && len(open) > 0; seed++ {
		text := generate(seed)
		for _, h := range holes() {
			shape := open[h.name]
			if shape == nil || !shape.MatchString(text) {
				continue
			}
			found, err := through(b, worlds.of(seed%variants), seed, text, shape.ReplaceAllString(text, h.heard))
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
		var list [2][]violation
		for i, run := range []string{text, heard} {
			r, err := b.run(job{Shell: shellsOf(d)[0], Text: run, Variant: seed % variants, Seed: seed})
			if err != nil {
				return "", err
			}
			list[i] = against(world.analyze(heard, d), world.files, r)
		}
		if len(list[0]) > 0 && len(list[1]) == 0 {
			return list[0][0].What, nil
		}
	}
	return "", nil
}

// TestReads is a sample of what calls read though no word names it.
func TestReads(t *testing.T) {
	if _, err := os.Stat(binDir + "/strace"); err != nil {
		t.Skip("strace is not installed (from Debian)")
	}
	var out bytes.Buffer
	w := &witnessing{workers: 4, most: 20, out: &out, progress: io.Discard}
	err := w.runReads(staged(t), []string{"git status -v", "git blame README.md", "git commit -m x"}, states()[:2], 67)
	if err != nil || w.count.allowed == 0 {
		t.Errorf("%v\n%s", err, out.String())
	}
	t.Log(out.String())
}

// TestSame shows that a text and a world follow from their numbers alone.
func TestSame(t *testing.T) {
	for seed := range uint64(500) {
		if a, b := generate(seed), generate(seed); a != b {
			t.Fatalf("%d: %q, then %q", seed, a, b)
		}
	}
}

// TestTheNamespaceHolds tries what must not work in the namespace.
func TestTheNamespaceHolds(t *testing.T) {
	s := staged(t)
	b, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
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
