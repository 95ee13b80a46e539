package nod_test

import (
	"testing"

	"github.com/nodgate/nod"
)

// TestMoreShellThanIsFollowed holds that a line which needs a shell's state
// is never allowed by what nod reads of it, and that what such a line could
// do for good is denied all the same.
func TestMoreShellThanIsFollowed(t *testing.T) {
	o := inCorpusOptions()
	rule, err := nod.ParseRule(nod.ListHardDeny, "git push --force", "test:1")
	if err != nil {
		t.Fatal(err)
	}
	o.Rules.HardDeny = append(o.Rules.HardDeny, rule)
	for _, row := range []struct {
		command string
		denied  bool
	}{
		// What stands behind a function, which the parser takes for its body.
		{"greet() { echo hi; } && rm -rf ~", true},
		{"greet() { :; } || rm -rf ~", true},
		{"greet() { :; } | rm -rf ~", true},
		{"greet() { :; } && nod mode observe", true},
		{"greet() { :; } |& nod rules add allow x", true},
		{"greet() { :; } && git push --force origin main", true},
		{"function greet { :; } && rm -rf dist src", false},
		{"git() { :; } | true; git push --force", true},
		{"a() ((1)) && rm -rf ~", true},
		{"let n=1||rm -rf ~", true},
		{"list=(a b)#c;rm -rf ~", true},
		{"list=(a b)#c\nnod mode off", true},

		// What the shell's state makes of a text.
		{"v='rm -rf ~'; f() { local v=ls; }; f; eval \"$v\"", true},
		{"v='rm -rf ~'; f() { return; v=ls; }; f; eval \"$v\"", true},
		{"v='rm -rf ~'; for i in 1 2; do break; v=ls; done; eval \"$v\"", true},
		{"v='rm -rf ~'; { v=ls; } < nosuchfile; eval \"$v\"", true},
		{"v=ls; trap 'v=\"rm -rf ~\"' ERR; false; eval \"$v\"", true},
		{"_=ls; : 'rm -rf ~'; eval \"$_\"", true},
		{"v='rm -rf ~'; alias ls=\"$v\"; ls", true},
		{"cd src < nosuchfile; echo gone > README.md", false},
		{"cd src || true; echo gone > README.md", false},
		{"cd nowhere; echo gone > README.md", false},
		{"v=echo w=rm; declare w=echo v=$w; $v -rf ~", true},

		// A device that is another name of an open file.
		{"echo gone < README.md > /dev/stdin", false},
		{"echo gone < ~/.bashrc > /dev/stdin", false},
		{"echo gone < .git/config >> /dev/stdin", false},
		{"echo gone 3< src/cart.js > /dev/fd/3", false},
		{"ls | tee /dev/fd/3 3< src/cart.js", false},
		{"echo gone >> README.md > /dev/stdout", false},

		// What an expansion is worth.
		{"read -t 'a[$(rm -rf ~)]' y", true},
	} {
		for _, dialect := range []nod.Dialect{nod.Bash, nod.Zsh, nod.Unstated} {
			d := corpusVerdict(o, dialect, row.command)
			if d.Verdict == nod.Allow || row.denied && d.Verdict != nod.Deny {
				t.Errorf("dialect %v: %q: %s by %s (%s)", dialect, row.command, d.Verdict, d.Layer, d.Reason)
			}
		}
	}
}
