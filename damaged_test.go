package nod_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/shell/commands"
)

// TestNoDamagedCommandFailsInside takes each example of the data on programs
// apart: a word left out, the words from there on left out, a word replaced
// by a word that nod may not know. Each is asked alone and in a loop, a pipe
// and a group, since a statement is read for more than its effects there.
func TestNoDamagedCommandFailsInside(t *testing.T) {
	p := newProject(t)
	frames := []string{"%", "while %; do { %; } & done", "until %; do :; done < a.txt", "cd src && % | cat",
		"{ cat; } < src/* | xargs %", "for f in *; do % $f; done"}
	stride := 29 // a prime, so that each frame meets each kind of damage
	if os.Getenv("NOD_DEEP") != "" {
		stride = 1
	}
	n := 0
	for _, command := range examplesOfSheets() {
		for _, text := range damaged(command) {
			if n++; n%stride != 0 {
				continue
			}
			text = strings.ReplaceAll(frames[n/stride%len(frames)], "%", text)
			if d := p.decide(p.dir, text); d.Err != nil && d.Err.Kind == fault.Internal {
				t.Errorf("%q: %v", text, d.Err)
			}
		}
	}
	t.Logf("%d texts", n/stride)
}

func examplesOfSheets() (list []string) {
	for _, name := range commands.Names() {
		text, _, _ := commands.Find(name)
		for line := range strings.SplitSeq(text, "\n") {
			if example, ok := strings.CutPrefix(line, "$ "); ok {
				command, _, _ := strings.Cut(example, " => ")
				list = append(list, command)
			}
		}
	}
	return list
}

func damaged(command string) []string {
	words := strings.Fields(command)
	var list []string
	for i := range words {
		head, tail := strings.Join(words[:i], " "), strings.Join(words[i+1:], " ")
		list = append(list, head, strings.TrimSpace(head+" "+tail))
		for _, word := range []string{"*", "src/*.txt", `""`, "--", "-", "~", "$x", "$(cat a.txt)", "{}", "{a,b}",
			"a=~", "'", "<(ls)", "$((1))"} {
			list = append(list, head+" "+word+" "+tail)
		}
	}
	return list
}
