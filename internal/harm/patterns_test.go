package harm

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// TestPatternsOfGrep lays what a pattern must find beside what grep finds, in each of
// its dialects: where a line matches, nod may not say that none can.
func TestPatternsOfGrep(t *testing.T) {
	const text = "API=x y\nzq \n\nA b\n"
	found := 0
	for seed := range uint64(patternsTried) {
		pattern := randomPattern(rand.New(rand.NewPCG(seed, 7)))
		if mayMatch(pattern, text) {
			continue
		}
		for _, dialect := range []string{"-G", "-E", "-P"} {
			cmd := exec.Command("grep", dialect, "-i", "-e", pattern)
			cmd.Stdin = bytes.NewReader([]byte(text))
			cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"}
			out, err := cmd.Output()
			if _, exited := err.(*exec.ExitError); err != nil && !exited {
				t.Skip("there is no grep to ask: ", err)
			}
			if found++; len(out) > 0 {
				t.Errorf("seed %d: grep %s %q finds %q", seed, dialect, pattern, out)
			}
		}
	}
	if found < patternsTried/10 {
		t.Errorf("only %d patterns of %d were asked about", found, patternsTried)
	}
}

const patternsTried = 1500

// randomPattern is a pattern of what makes letters optional, or hides that.
func randomPattern(r *rand.Rand) string {
	pieces := []string{
		"k", "k", "kz", "zk", "k", "(", ")", "(k)", "(kk|k)", "|", `\|`, "+", "+", "*", "?", `\+`, `\?`, "{0}",
		"{,1}", "{1}", `\{0\}`, `\{0,1\}`, "[k]", "[^k]", ".", "^", "$", `\b`, `\<`, `\w`, `\W`, `\(`, `\)`, "(?i)",
		"(?:k)", "(?!k)", "(?#k)", `\Qk`, `\E`, `\x41`, `\K`, "-", "=", " ", `"`, "/", "\n", `\.`, `\*`, "{", "}",
		"K", `\/`, `\-`, `(?=A)`, `\d`, `\s`, "++", "*?", "+?", "*+", "??", `\@`, "!", "&", "~", "#", "<", ">", "%",
		",", ":", ";", "'", "`",
	}
	var b strings.Builder
	for range 1 + r.IntN(6) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}
