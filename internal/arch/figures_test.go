package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
)

// A command prints every block of figures in docs/figures.md: TestNumbersOfTheDocs runs the
// command, or the text above the block names it and it is in the repository. Data that is
// not in the repository names its source, the commit and the licence.
func TestFiguresCanBeReproduced(t *testing.T) {
	text := string(read(t, "docs/figures.md"))
	blocks := regexp.MustCompile("(?s)([^\n]*)\n\n```\n(.*?)\n```\n").FindAllStringSubmatch(text, -1)
	if len(blocks) < 5 {
		t.Fatalf("%d blocks were found", len(blocks))
	}
	for _, b := range blocks {
		if strings.HasPrefix(b[2], "$ go run ./lab/eval ") {
			continue
		}
		section := text[:strings.Index(text, b[0])]
		section = section[strings.LastIndex(section, "\n## ")+1:]
		run := regexp.MustCompile("`go (?:run|test) (\\./[a-z/]+)").FindStringSubmatch(section + b[1])
		if run == nil {
			t.Errorf("no command is named that prints:\n%s", b[2])
		} else if _, err := os.Stat(filepath.Join(root, run[1])); err != nil {
			t.Errorf("%s: %v", run[1], err)
		}
	}
	for _, file := range regexp.MustCompile(`\.\./shared/corpus/([a-z-]+)\.jsonl`).FindAllStringSubmatch(text, -1) {
		row := regexp.MustCompile(`\| ` + file[1] + ` \| [0-9,]+ \| [a-z]+\.[a-z]+/\S.* \| [0-9a-f]{40} \| \S+ \|`)
		if !row.MatchString(text) {
			t.Errorf("%s: the table names no rows, source, commit and licence", file[1])
		}
	}
}

// The few numbers of the README are counted here.
func TestNumbersOfTheReadme(t *testing.T) {
	text := string(read(t, "README.md"))
	calls := strings.Count(string(read(t, "corpus/demo.jsonl")), "\n") - 1 // the head
	version := regexp.MustCompile(`(?m)^go ([0-9]+\.[0-9]+)`).FindStringSubmatch(string(read(t, "go.mod")))
	var tried, known int
	for _, a := range agent.All() {
		if strings.HasPrefix(a.Capabilities().Tried, "read: ") {
			known++
		} else {
			tried++
		}
	}
	words := []string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
		"twelve"}
	for what, want := range map[string]string{
		"the calls of the demo":                      "session of " + strconv.Itoa(calls) + " calls",
		"the version of Go":                          "Go " + version[1] + ".",
		"the agents that are known from their pages": words[known] + " more are known from their documents",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("README.md: %s: %q is not there", what, want)
		}
	}
	driven := regexp.MustCompile(`nod runs as the hook of (.*), each tried with the real program`).FindStringSubmatch(
		text)
	if driven == nil || strings.Count(driven[1], ", ")+strings.Count(driven[1], " and ")+1 != tried {
		t.Errorf("README.md: %d agents were tried, and it names %v", tried, driven)
	}
}
