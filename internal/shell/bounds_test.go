package shell

import (
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/shell/grammar"
)

func TestBounds(t *testing.T) {
	env := testEnv(world())
	for name, source := range map[string]string{
		"bytes":             strings.Repeat("a", grammar.MaxBytes+1),
		"parentheses":       strings.Repeat("(", 160<<10),
		"parentheses small": strings.Repeat("(", 60<<10),
		"arithmetic":        strings.Repeat("((", 30000),
		"substitution":      strings.Repeat("$(", 30000) + strings.Repeat(")", 4),
		"in quotes":         strings.Repeat(`"$(`, 20000),
		"braces":            strings.Repeat("{ ", 30000),
		"parameters":        strings.Repeat("${a:-", 10000),
		"backticks":         strings.Repeat("echo `\\`", 8000),
		"process":           strings.Repeat("cat <(", 10000),
		"hidden closers":    strings.Repeat(`( ")" `, 10000),
		"hidden in single":  strings.Repeat(`( ')' `, 10000),
		"hidden in comment": strings.Repeat("( #)\n", 10000),
		"if":                strings.Repeat("if x; then ", 5000),
		"conditions":        strings.Repeat("if ", 20000),
		"for":               strings.Repeat("for a in b; do ", 4000),
		"case":              strings.Repeat("case a in a) ", 5000),
		"here-documents":    strings.Repeat("cat <<A\nA\n", 6000),
		"redirections":      "cat " + strings.Repeat("> f ", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			var r Report
			hang.Cheap(t, time.Second, func() { r = Analyze(source, env) })
			if r.Exceeded == "" && len(r.Unknowns) == 0 {
				t.Errorf("not exceeded: %.200s", brief(r))
			}
		})
	}
}

func TestBoundsLeaveProse(t *testing.T) {
	env := testEnv(world())
	code := strings.Repeat("if x:\n    for y in z:\n        print(f(y)[0])\n", 60)
	for name, source := range map[string]string{
		"python":    "cat > a.py <<'EOF'\n" + code + "EOF",
		"lines":     "echo '" + strings.Repeat("-", 5000) + "'",
		"long list": strings.Repeat("ls a; ", 600),
		"and":       strings.Repeat("true && ", 600) + "ls",
	} {
		if r := Analyze(source, env); r.Exceeded != "" {
			t.Errorf("%s: exceeded %s", name, r.Exceeded)
		}
	}
}

func TestMalformed(t *testing.T) {
	env := testEnv(world())
	for source, want := range map[string]bool{
		"ls\x00": true, "ls\rrm a": true, "ls\r": true, "ls\r\n": false, "ls\n": false, "echo a\r\nls": false,
	} {
		if got := Analyze(source, env).Malformed != ""; got != want {
			t.Errorf("%q: malformed %v", source, got)
		}
	}
}

func TestDisguises(t *testing.T) {
	env := testEnv(world())
	for source, unknown := range map[string]bool{
		"c\u200bat a":                     true,
		"cat a\u202eb":                    true,
		"cat s\u0441r/a":                  true, // Cyrillic es
		"cat \U000e0041a":                 true,
		"curl https://ex\u0430mple.com/":  true,
		"echo caf\u00e9 \u4f60\u597d":     false,
		"cat caf\u00e9":                   false,
		"cat \u4f60\u597d.txt":            false,
		"grep '\u200b' a":                 false,
		"echo x > a\u202eb":               true,
		"cd a\u200bb && cat c":            true,
		"git log --grep='\u0441\u0430ts'": false,
	} {
		r := Analyze(source, env)
		if got := len(r.Unknowns) > 0; got != unknown {
			t.Errorf("%+q: unknown %v: %+v", source, got, r)
		}
		for _, u := range r.Unknowns {
			for _, c := range u.What {
				if c >= 0x7F {
					t.Errorf("%+q: not escaped: %+q", source, u.What)
				}
			}
		}
	}
}
