package agent_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
)

// TestWhatIsCompleted: testdata/completed.txt has claims, and below each a host with its environment, files below HERE,
// a payload, and what is read in it, before and after the host's own files were looked at: what the host is told of an
// allow, whether it may be handed another command, and what [sight] says.
func TestWhatIsCompleted(t *testing.T) {
	text, err := os.ReadFile("testdata/completed.txt")
	if err != nil {
		t.Fatal(err)
	}
	claim := ""
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(block, "\n")
		for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
			claim, lines = lines[0], lines[1:]
		}
		if len(lines) < 3 {
			continue // the head of the file
		}
		files, last := map[string]string{}, len(lines)-1
		for _, line := range lines[1 : last-1] {
			name, quoted, _ := strings.Cut(line, " ")
			if files[name], err = strconv.Unquote(quoted); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		if got := completedIn(t, lines[0], files, lines[last-1]); got != lines[last] {
			t.Errorf("%s\n%s\nis read as\n%s\nwant\n%s", claim, strings.Join(lines[:last], "\n"), got, lines[last])
		}
	}
}

func completedIn(t *testing.T, host string, files map[string]string, payload string) string {
	t.Helper()
	dir := agent.HostFiles(t, files)
	words := strings.Fields(strings.ReplaceAll(host, "HERE", dir))
	e, err := agent.Host(words[0]).Decode([]byte(strings.ReplaceAll(payload, "HERE", dir)), words[1:])
	if err != nil {
		t.Fatalf("%s: %v", payload, err)
	}
	told := func() string {
		said := agent.Host(words[0]).Encode(e, nod.Decision{Verdict: nod.Allow}, agent.Default, false).Said
		return said + map[bool]string{true: " unseen"}[e.Call.StdinUnseen]
	}
	before := told()
	if e.Complete != nil {
		e.Complete(&e)
	}
	rewrites := map[bool]string{true: " rewrites"}[agent.Host(words[0]).MayRewrite(e)]
	return strings.ReplaceAll(fmt.Sprintf("first %s, then %s%s: %s", before, told(), rewrites, sight(e, nil)), dir, "HERE")
}
