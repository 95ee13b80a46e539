package shell

import (
	"strings"
	"testing"
)

// In GBK, Shift_JIS and Big5 a backslash may be the second byte of a letter: bash, GNU sed
// and gawk then read another text than nod.
func TestLocales(t *testing.T) {
	facts(t, testEnv(world()), []string{
		"LC_ALL=C.UTF-8 sort a", "read a",
		"LANG=de_DE.utf8@euro sort a", "read a",
		"LANGUAGE=en:de sort a", "read a",
		"LC_ALL= sort a", "read a",
		"LC_ALL=zh_CN.GBK sort a", "read a; unknown",
		"LANG=zh_TW sort a", "read a; unknown",
		"env LC_CTYPE=ja_JP.SJIS sort a", "read a; unknown",
		"LC_COLLATE=/x sort a", "read a; unknown",
	})
	for value, unknown := range map[string]bool{"zh_CN.GBK": true, "zh_TW": true, "ja_JP.eucJP": true,
		"en_US.UTF-8": false, "UTF-8": false, "C": false, "": false} {
		for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
			env := testEnv(world())
			lookup := env.Lookup
			env.Lookup = func(variable string) (string, bool) {
				if variable == name {
					return value, true
				}
				return lookup(variable)
			}
			env.Ambient = append(env.Ambient, name)
			if r := Analyze("echo 'あ'", env); (len(r.Unknowns) > 0) != unknown {
				t.Errorf("%s=%s: %+v", name, value, r.Unknowns)
			}
			if r := Analyze("echo a", env); len(r.Unknowns) > 0 {
				t.Errorf("%s=%s: %+v", name, value, r.Unknowns)
			}
		}
	}
}

// What a command reads it does not fill at the same time, by itself or down a pipe.
func TestFilesThatGrowWhileTheyAreRead(t *testing.T) {
	for line, unknown := range map[string]bool{
		"cat a b | tee b": true, "cat a b | sed s/o/p/ > b": true, "awk 1 a b > b": true, "cat a | tee -a a": true,
		"for f in a b; do cat $f; done > b": true, "{ cat a; cat b; } | tee b": true,
		"touch 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18": false,
		"cat a > b": false, "cat a | sort | tee b": false, "cat a b > c": false, "grep -rn x . > out": false,
		"grep -rn x . | sort > out": false, "sort a > b && cat b": false, "git ls-files | xargs wc -l > n": false,
	} {
		r := Analyze(line, testEnv(world()))
		seen := false
		for _, u := range r.Unknowns {
			seen = seen || strings.Contains(u.What, "may not end")
		}
		if seen != unknown {
			t.Errorf("%s: %+v", line, r.Unknowns)
		}
	}
}
