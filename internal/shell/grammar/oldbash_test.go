package grammar

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// TestEndsOfBash3 holds what bash 3.2.57 did with each text: where it ran RUN the text is
// outside, and where it found no end, so that nothing ran, it is not.
func TestEndsOfBash3(t *testing.T) {
	for body, ran := range map[string]bool{
		"fix :)\n$(RUN)": true, "a ) b": true, "1) a\n2) b": true, "it's (a) don't\n) `RUN`": true,
		"${x)}": true, "$[)": true, "$'a)": true, "'a' \")\" )": true, "#\n)": true, "a \\\nb": true, "a \\": true,
		"it's": false, "say \"hi": false, "(a) b $(RUN)": false, "it's 'a' don't": false, "`RUN` a": false,
		strings.Repeat("(", 99) + strings.Repeat(")", 100) + "$(RUN)": true,
		`a\)b`: false, "case a": false, "(see 'a)' b)": false, "# it's (": false, "plain": false,
	} {
		for _, text := range []string{"git commit -m \"$(cat <<'EOF'\n" + body + "\nEOF\n)\"",
			"x=$(cat <<'EOF'\n" + body + "\nEOF\n)", "cat <(cat <<'EOF'\n" + body + "\nEOF\n)"} {
			file, err := As(text, syntax.LangBash)
			if err != nil {
				t.Fatal(err)
			}
			if why := ReadAlike(file.Stmts, text, false); strings.Contains(why, "macOS") != ran {
				t.Errorf("%q: %q, want outside %v", text, why, ran)
			}
		}
	}
	apostrophe := "git commit -m \"$(cat <<'EOF'\nit's\nEOF\n)\" && echo ' )$(RUN)'"
	if file, err := As(apostrophe, syntax.LangBash); err != nil || ReadAlike(file.Stmts, apostrophe, false) == "" {
		t.Error("what an apostrophe of a here-document reaches to is read alike")
	}
}

// TestBracesOfBash3 holds which words bash 3.2.57 made several of, by the braces in what
// they substitute.
func TestBracesOfBash3(t *testing.T) {
	for text, several := range map[string]bool{
		"cat <(grep {KEY,-e} .env x)": true, "cat <(uniq {-w,a} x)": true, "diff <(cat a{a,b}) <(cat b)": true,
		`echo "$(echo "{a,b}")"`: true, `echo "$(echo "{1..3}")"`: true, `echo "$(echo "a" {a,b})"`: false,
		`echo $(echo {a,b})`: false, `echo "$(echo '{a,b}')"`: false, `echo "$(echo "{a}")"`: false,
		`X="$(echo "{a,b}")" env`: false, "echo `echo {a,b}`": false, `git show "$(git rev-parse "@{u}")"`: false,
		"git commit -m \"$(cat <<'EOF'\nuse \"a\" {b, c}\nEOF\n)\"":     false,
		"git commit -m \"$(cat <<'EOF'\nuse \"a {b, c}\" d\nEOF\n)\"":   true,
		"git commit -m \"$(cat <<'EOF'\nuse {b, c} and {d}\nEOF\n)\"":   false,
		"git commit -m \"$(cat <<'EOF'\nuse \"a\" and {d..e}\nEOF\n)\"": false,
	} {
		file, err := As(text, syntax.LangBash)
		if err != nil {
			t.Fatal(err)
		}
		if why := ReadAlike(file.Stmts, text, false); strings.Contains(why, "several words") != several {
			t.Errorf("%q: %q, want several words %v", text, why, several)
		}
	}
}

// On macOS the last byte of à is a blank to bash.
func TestLettersThatBashSplits(t *testing.T) {
	for _, row := range []struct {
		system, text string
		splits       bool
	}{
		{"darwin", "d\u00e0/x", true}, {"darwin", "\u4f60", true}, {"darwin", "d\u00e9", false},
		{"darwin", "da", false},
		{"linux", "d\u00e0/x", false},
	} {
		if got := splits(row.system, row.text); got != row.splits {
			t.Errorf("%s %q: %v", row.system, row.text, got)
		}
	}
}
