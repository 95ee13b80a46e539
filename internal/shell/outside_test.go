package shell

import (
	"strings"
	"testing"
)

// TestOutside holds what is more shell than nod follows by its form, and that
// the reason says so. What each shell makes of such texts differs, or once did.
func TestOutside(t *testing.T) {
	for text, why := range map[string]string{
		"ls &":                               "a job in the background",
		"ls |& cat":                          "|&",
		"(ls) | (cat)":                       "a pipe into this",
		"x=1 | cat":                          "a pipe without a command",
		"ls | cat < a":                       "a pipe beside another input",
		"ls | cat <<E | wc\nx\nE":            "a pipe beside another input",
		"! (ls)":                             "! before more than a command",
		"!(ls)":                              "the name of a command",
		"time -p ls":                         "time before more than a command",
		"> a":                                "a redirection without a command",
		"x=1 > a":                            "a redirection without a command",
		"> a ls":                             "a redirection before the command",
		"ls > a > b":                         "two redirections of one descriptor",
		"cat < a <<< b":                      "two redirections of one descriptor",
		"ls 3> a":                            "a redirection of this kind",
		"ls 0< a":                            "a redirection of this kind",
		"ls >| a":                            "a redirection of this kind",
		"cat <> a":                           "a redirection of this kind",
		"ls &> a":                            "a redirection of this kind",
		"ls >& a":                            "a redirection of this kind",
		"ls 2>&-":                            "a redirection of this kind",
		"cat <<< a$x":                        "a redirection of this kind",
		"cat <<-\\E\nx\nE":                   "a redirection of this kind",
		"cat <<\\E\nx\nE":                    "a redirection of this kind",
		"cat <<E\n\\x\nE":                    "a redirection of this kind",
		"cat <<A; cat <<B\nx\nA\ny\nB":       "a redirection of this kind",
		"x=a y=b":                            "several assignments at once",
		"X=$y ls":                            "an assignment of more than a constant",
		"export X":                           "this uses export",
		"l's'":                               "the name of a command that is not plain",
		"echo $(ls; ls)":                     "a substitution of several commands, or none",
		"echo $()":                           "a substitution of several commands, or none",
		"echo $(ls\n)":                       "a substitution of several lines",
		"echo $( (ls) | cat)":                "a substitution of more than simple commands",
		"echo $(if ls; then ls; fi)":         "a substitution of more than simple commands",
		"echo $(ls # x\n)":                   "a comment in a substitution",
		"echo `ls \\a`":                      "a substitution of this kind",
		"echo ${ ls;}":                       "a substitution of this kind",
		"ls > >(cat)":                        "the output of a command",
		"ls a{b,{c,d}}":                      "a word with {",
		"ls {a,b}{c,d}":                      "a word with {",
		"ls {a,b}{}":                         "a word with {",
		"ls {a,$x}":                          "a word with {",
		"ls {a,'b'}":                         "a word with {",
		"ls {a,b..c}":                        "a word with {",
		"ls > {a,b}":                         "a word with {",
		"x={a,b}":                            "a word with {",
		"export x={a,b}":                     "a word with {",
		"ls $x{a,b}":                         "a value that a shell changes",
		"ls a{,}":                            "a word with {",
		"{ls,a}":                             "the name of a command",
		"for x in {a,b}; do ls; done":        "a word with {",
		"ls a{1..3}":                         "a word with {",
		"ls a{}.{b,c}":                       "a word with {",
		"ls [[:alpha:]]":                     "a word with [",
		"ls a[b":                             "a word with [",
		"[[ -f a && -f b ]]":                 "[[ ]]",
		"[[ a == b* ]]":                      "[[ ]]",
		"[[ a =~ b ]]":                       "[[ ]]",
		"[[ -v x ]]":                         "[[ ]]",
		"[[ 1 -eq 'a[1]' ]]":                 "[[ ]]",
		"x=1 [[ -f a ]]":                     "the name of a command",
		"ls a=~/b":                           "a word with ~",
		"ls ''~":                             "a word with ~",
		"ls !a":                              "a word with !",
		"ls $+a":                             "a word with $",
		"ls =ls":                             "a word that begins with =",
		"x=a:=ls":                            "a word with =",
		"ls \\a":                             "a word with \\",
		"ls a\u200b":                         "a word with",
		"ls a\x01":                           "a control character",
		"echo \"$\x7f(' \"')\"; ls #'":       "a control character",
		"echo \"$$(\"'\")\"$(ls)'":           "a $$ in a word",
		"echo \"$${\"'\"}\"$(ls)'":           "a $$ in a word",
		"echo $$'\\'';ls; #'":                "a $$ in a word",
		"ls `cat <<'E'\n`; ls; echo `\nE\n`": "a substitution of this kind",
		"ls `echo '`; ls; echo `'`":          "a substitution of this kind",
		"ls $(cat <<'E'\nE)\nls\nE\n)":       "a redirection of this kind",
		"ls $(cat <<'E'\nE (a)\nE\n)":        "a redirection of this kind",
		"ls <(cat <<-'E'\n\tE)\nE\n)":        "a redirection of this kind",
		"cat <<EOF\nHi ${x}EOF\necho 'a\nEOF\nls #'": "a redirection of this kind",
		"cat <<ls\n$(pwd)ls\nls":                     "a redirection of this kind",
		"cat <<-E\n$x\tE\nls":                        "a redirection of this kind",
		"ls 2>&1>&2":                                 "right behind a number",
		"ls > 1<a":                                   "right behind a number",
		"[ $(cat a) ]":                               "nod does not read this",
		"x='-v a'; [ $x ]":                           "nod does not read this",
		"[ -n $x ]":                                  "nod does not read this",
		"[ \"$x\" \"$y\" ]":                          "nod does not read this",
		"[ ! \"$x\" a ]":                             "nod does not read this",
		"test *":                                     "nod does not read this",
		"read \"f\" < a; ls":                         "this uses read",
		"x=f; read $x < a; ls":                       "this uses read",
		"ls ***/a":                                   "this uses ***",
		"printf '%1$d' a":                            "a format that sets a variable",
		"printf '%\\x64' a":                          "a format that sets a variable",
		"printf '\\u0025d' a":                        "a format that sets a variable",
		"find ./$(ls)":                               "may be an option",
		"ls \"$x[1]\"":                               "a value that a shell changes",
		"ls \"$x:h\"":                                "a value that a shell changes",
		"ls \"$\u00e9\"":                             "a $ that some shells expand",
		"echo \"$(echo \"{a,b}\")\"":                 "braces beside a substitution",
		"wc k >! new":                                "zsh reads this as >|",
		"x='a[$(ls)]'; printf %d x":                  "or calculates",
		"ls $x\u00e9":                                "a value that a shell changes",
		"ls \"a \\\nb\"":                             "a backslash",
		"ls $'a\\x41'":                               "$'...'",
		"cat <<E\n$x:h\nE":                           "a value that a shell changes",
		"cat <<E\n$x\u00e9\nE":                       "a value that a shell changes",
		"ls $''":                                     "$'...'",
		"sh <<< ls":                                  "this feeds a text to sh",
		"ls $((1 / 1))":                              "arithmetic",
	} {
		if got := unknowns(Analyze(text, testEnv(world()))); !strings.Contains(got, why) {
			t.Errorf("%q: want %q, got %q", text, why, got)
		}
	}
}

func unknowns(r Report) (all string) {
	for _, u := range r.Unknowns {
		all += u.What + "\n"
	}
	return all
}

// TestInside holds what is left.
func TestInside(t *testing.T) {
	for _, text := range []string{
		`grep -E "^\.env$|^\.env\b" a`, "echo \"$(cat <<'E'\nuse {b, c}\nE\n)\"",
		"ls a; ls b && ls c || ls d | cat | wc -l", "! ls && ls",
		"{ ls; } 2>/dev/null",
		"ls > /dev/null 2>&1", "echo a >&2", "cat <<E\na b $x $(ls)\nE", "cat <<'E' | wc\n\\x\nE", "cat <<< 'a b'",
		"echo \"$(cat <<'E'\nit's (a)\nE\n)\"", "x=$(ls | wc -l); echo $x", "CI=1 TERM='a b' ls", "time ls",
		"ls ~ ~/a HEAD~1 'a'*.go a?b **/*.go [a-z]* [!.]*",
		"find . ! -name '*.x' \\( -name a \\) -exec ls {} \\;",
		"git log @{u} HEAD^ --format=%H", "printf '%s\\n' é", "grep foo$ a",
		"[ a = b ] && [ a != b ]", `printf '\033[1m%s\033[0m\n' "$x"`, "printf '100%%\n%s\n' a", "# a\nls # b",
		"ls \\\n  a", "echo ${x} $? $$", "ls &>/dev/null",
	} {
		if r := Analyze(text, testEnv(world())); len(r.Unknowns) > 0 {
			t.Errorf("%q: %s", text, unknowns(r))
		}
	}
}
