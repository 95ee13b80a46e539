package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod/internal/shell/grammar"
)

// Commands of one row are the same to a shell.
func TestCanonicalIsTheSame(t *testing.T) {
	for _, row := range [][]string{
		{"git commit -m 'a b'", `git commit -m "a b"`, `git  commit	-m a\ b`, "  git commit -m 'a b'  ",
			`git commit -m a" "b`},
		{"a && b | c > out.txt", "a&&b|c>out.txt", "a  &&  b  |  c  >  out.txt", "a &&\nb |\nc > out.txt"},
		{`x --msg="a b"`, `x "--msg=a b"`, `x --msg='a b'`},
		{`echo $(ls  "a b")`, `echo $(ls 'a b')`},
		{`for f in 'a b' c; do rm "$f"; done`, `for f in "a b"  c;  do  rm  "$f"; done`},
		{`x > "a b"`, `x >'a b'`},
	} {
		for _, other := range row[1:] {
			if grammar.Canonical(row[0], Bash) != grammar.Canonical(other, Bash) {
				t.Errorf("%q and %q differ", row[0], other)
			}
		}
	}
}

// Commands of one row mean something else, or may, in some shell.
func TestCanonicalDiffers(t *testing.T) {
	for _, row := range [][]string{
		{"rm -rf a b", `rm -rf "a b"`, `rm -rf 'a' b`, "rm -rf a  b c", `\rm -rf a b`, `rm -rf a; b`, "rm -rf a\nb",
			"rm -rf a & b"},
		{`echo *`, `echo "*"`},
		{`echo ~/x`, `echo "~/x"`, `echo ~"/x"`},
		{`echo "$x"`, `echo '$x'`, `echo $x`},
		{`echo {a,b}`, `echo "{a,b}"`},
		{`for x; do y; done`, `for x in; do y; done`},
		{`[[ a =~ a.c ]]`, `[[ a =~ "a.c" ]]`, `[[ a =~ 'a.c' ]]`},
		{"cat <<EOF\n$x\nEOF", "cat <<'EOF'\n$x\nEOF", "cat <<EOF\n $x\nEOF"},
		{`x # a`, `x # b`, `x`, `x '#' a`},
		{`echo $LINENO`, `echo  $LINENO`},
		{`cat /proc/self/cmdline`, `cat  /proc/self/cmdline`},
		{`echo 'a''b'`, `echo 'ab'`},
		{`echo "a!b"`, `echo 'a!b'`},
		{`echo $'a\nb'`, `echo 'a\nb'`},
		{`x 2>&1`, `x 2 >&1`},
		{`a=b c`, `"a=b" c`},
		{`make a="b c"`, `make "a=b c"`},
		{`if true; then x; fi`, `'if' true`},
		{"unclosed '", "unclosed  '"},
	} {
		for i, one := range row {
			for _, other := range row[i+1:] {
				if grammar.Canonical(one, Bash) == grammar.Canonical(other, Bash) {
					t.Errorf("%q and %q are one", one, other)
				}
			}
		}
	}
	if grammar.Canonical("ls a", Bash) == grammar.Canonical("ls  a", PowerShell) || grammar.Canonical("a |& b",
		Unstated) == grammar.Canonical("a  |& b", Unstated) {
		t.Error("what is not read, or read in two ways, is taken as written")
	}
}

// Two commands that are one to Canonical are one to Analyze.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"git commit -m 'a b'", `x --m="a b" | y`, `echo "a$x" 'b' \c`, "cat <<E\na\nE\nb",
		`[[ "a" == 'b' ]] && c`, `a=$(b "c d")`} {
		f.Add(s, uint16(3), uint8(0))
		f.Add(s, uint16(7), uint8(1))
	}
	f.Fuzz(func(t *testing.T, s string, at uint16, how uint8) {
		other := changed(s, int(at), how)
		for _, dialect := range []Dialect{Bash, Zsh, Posix, Unstated} {
			if s == other || grammar.Canonical(s, dialect) != grammar.Canonical(other, dialect) {
				continue
			}
			env := Env{Dialect: dialect, Dir: "/w", Home: "/home/u", Roots: []string{"/w"}}
			if diff := cmp.Diff(meant(Analyze(s, env)), meant(Analyze(other, env))); diff != "" {
				t.Errorf("%q and %q:\n%s", s, other, diff)
			}
		}
	})
}

// changed is a text with a blank more, or with other quotes, at a place.
func changed(s string, at int, how uint8) string {
	if len(s) == 0 {
		return s
	}
	at %= len(s)
	switch how % 4 {
	case 0:
		return s[:at] + " " + s[at:]
	case 1:
		return strings.ReplaceAll(s, "'", `"`)
	case 2:
		return strings.ReplaceAll(s, `"`, "'")
	}
	return s[:at] + `\` + s[at:]
}

// meant is what a report says of the commands, without how they were written.
func meant(r Report) (said []string) {
	for _, c := range r.Commands {
		for _, w := range c.Words {
			if w.Known {
				said = append(said, w.Value)
			} else {
				said = append(said, "?")
			}
		}
		said = append(said, c.Program, c.Dir, "|")
	}
	for _, e := range r.Effects {
		said = append(said, string('a'+rune(e.Kind)), e.Target, e.Pattern)
	}
	return said
}
