package grammar

import (
	"fmt"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// inside are texts of each form that the reader knows.
var inside = []string{
	"", "\n# a\n\n# b", "ls", "ls -l  a/b # c", "ls;ls ; ls\nls;", "ls &&\nls || # c\nls", "! ls | wc | cat",
	"\\\nls \\\n -l \\\n\n", "A=1 B='x y' ls", "x=$(ls -l); echo $x", "export A=b C=\"$HOME/x\"",
	"git commit -m \"a \\`b c\\` d\\\\\"",
	`echo 'a b'c"d $x ${y} \" \$ $? $$ end$"`, `rg "a|b$" x$ "[^$]"`, "echo $x$y-$z/a $?, $$", `echo $'a\n'`,
	"(ls; cd a && ls) > f 2>&1", "{ ls; ls\n} >>f 2>/dev/null", "ls 2>&1 | cat >&2", "ls &>/dev/null", "cat <f >g",
	"if ls; then wc; elif cat; then ls\nelse ls; fi > f",
	"for x in a 'b c' $(ls) *.go; do ls $x; done", "for x in a\ndo\nls\ndone | wc", "while read x; do ls; done < f",
	"until ls; do ls; done", "time ls -l", "echo $(ls \"$(pwd)\" 'a)') \"$(ls 'b\")' | wc)\" $((ab))",
	"diff <(ls a) <(ls b)", "echo `ls a` \"`ls -l`\"", "cat <<E\n$x $(ls) \"'\nE\nls", "cat <<'E' | wc\n$( `\nE\n",
	"cat <<-\"E\"\n\ta\n\tE\nls", "cat <<E\nE", "cat <<A && cat <<'B'\n$a\nA\nz\nB\nls", "x=$(cat <<'E'\na\nE\n)\nls",
	"cat <<< 'a b'", "ls \"a\nb\" 'c\nd'", "find . -name '*.go' -exec wc {} \\;", "[ -f a ] && ls a[0-9]{b,c}",
}

func TestReadAlike(t *testing.T) {
	for _, text := range inside {
		file, err := As(text, syntax.LangBash)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := ReadAlike(file.Stmts, text, false); got != "" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestReadApart lays each text beside the trees of the others of its length, and of
// itself with another byte: no two shapes may pass for each other.
func TestReadApart(t *testing.T) {
	for _, text := range inside {
		for _, signs := range []string{"'", "\"", "`", ";", "|", "&", "(", ")", "<", ">", "\n", " "} {
			for i := range len(text) {
				apart(t, text, text[:i]+signs+text[i+1:])
			}
		}
	}
}

// apart holds that a tree passes for another text only if that has the same tree.
func apart(t *testing.T, text, other string) {
	t.Helper()
	file, err := As(text, syntax.LangBash)
	if err != nil || ReadAlike(file.Stmts, other, false) != "" {
		return
	}
	changed, err := As(other, syntax.LangBash)
	if err != nil || len(changed.Stmts) != len(file.Stmts) || shown(t, changed) != shown(t, file) {
		t.Errorf("the tree of %q passes for that of %q", text, other)
	}
}

// shown is a tree without its plain text and what is calculated.
func shown(t *testing.T, f *syntax.File) string {
	t.Helper()
	var b strings.Builder
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.Lit, *syntax.Comment, *syntax.File, *syntax.Stmt:
		default:
			fmt.Fprintf(&b, "%T %d-%d ", n, n.Pos().Offset(), n.End().Offset())
		}
		_, calculated := n.(*syntax.ArithmExp)
		return !calculated
	})
	return b.String()
}

func TestOneReadingOnly(t *testing.T) {
	for text, posix := range map[string]bool{
		"diff <(ls a) b": true, "cat <<< a": true, "ls &>/dev/null": true, "echo $'a'": true,
		"ls &": false, "ls |& cat": false, "a=(b)": false, "f() { ls; }": false, "ls a(b)": false, "ls >|a": false,
		"ls >!a": false, "ls <1-2>": false, "ls <-3> a": false, "if ls; then if ls; then ls; fi fi": false,
		"ls 3>a": false, "ls {fd}>a": false, "ls <>a": false, "[[ -f a ]]": true,
		"case a in a) ls;; esac": false, "echo ${x:-a}": false, "echo $\"a\"": false, "echo $[1]": false,
		"echo $1": false, "echo \"$*\"": false, "echo $(ls # a\n)": false, "echo `ls \\`a\\``": false,
		"echo \"\\`a\\`\" `ls`": false, "echo \"\\`a\\`\" $(ls)": false, "echo \"\\\\`a\\`\"": false,
		"ls a\\\nb": false, "cat <<E $(ls\n)\na\nE": false, "cat <<E 'a\nb'\na\nE": false, "cat <<$x\na\n$x": false,
		strings.Repeat("(", 61) + "ls" + strings.Repeat(")", 61): false,
		strings.Repeat("$(ls ", 61) + strings.Repeat(")", 61):    false,
	} {
		r := &reader{place: place{src: text, end: len(text)}, posix: posix, plain: plainBackquotes(text)}
		if r.list(); r.fault == "" && r.at == r.end {
			t.Errorf("%q is read", text)
		}
	}
}

// FuzzReadAgain holds that the reader ends, and that what it marks stands in the text.
func FuzzReadAgain(f *testing.F) {
	for _, text := range inside {
		f.Add(text)
	}
	f.Add("if ls; then if\nls <<-'E'\nE \nE\nfi\n") // ran beyond its end
	f.Fuzz(func(t *testing.T, text string) {
		for _, posix := range []bool{false, true} {
			read, _ := readAgain(text, posix)
			for _, m := range append(read.marks, read.texts...) {
				if m.from < 0 || m.from > len(text) || m.to > len(text)+1 || m.to != 0 && m.to < m.from {
					t.Errorf("%+v stands not in %q", m, text)
				}
			}
		}
	})
}
