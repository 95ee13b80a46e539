package shell

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/shell/commands"
)

// docs/adding-a-program.md shows a sheet as it is, and no word in its tables
// that the language does not have.
func TestAddingAProgramDocs(t *testing.T) {
	raw, err := os.ReadFile("../../docs/adding-a-program.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	shown := regexp.MustCompile("(?s)```sheet ([a-z]+)\n(.*?)```").FindAllStringSubmatch(doc, -1)
	if len(shown) == 0 {
		t.Fatal("no sheet is shown")
	}
	for _, s := range shown {
		if text, _, _ := commands.Find(s[1]); text != s[2] {
			t.Errorf("the sheet of %s is now:\n%s", s[1], text)
		}
	}
	for _, table := range []struct{ head, words string }{
		{"Directives that most sheets need:", sheetDirectives},
		{"Roles that most sheets need:", sheetRoles},
		{"Those that most sheets need:", traitWords},
	} {
		_, rows, found := strings.Cut(doc, table.head+"\n\n")
		rows, _, _ = strings.Cut(rows, "\n\n")
		if n := strings.Count(rows, "\n"); !found || n < 8 {
			t.Errorf("%s: %d rows read", table.head, n)
		}
		for row := range strings.Lines(rows) {
			word := strings.Split(row, "`")[1]
			if !among(table.words, word) {
				t.Errorf("%s: the language has no %s", table.head, word)
			}
		}
	}
	readme, err := os.ReadFile("commands/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for word := range strings.FieldsSeq(traitWords) {
		if !strings.Contains(string(readme), "`"+word+"`") {
			t.Errorf("commands/README.md does not say what the trait %s means", word)
		}
	}
	_, effects, _ := strings.Cut(doc, "\nEffects: ")
	effects, _, _ = strings.Cut(effects, "\n")
	for _, e := range regexp.MustCompile("`(![a-z]+):").FindAllStringSubmatch(effects, -1) {
		if _, faults := readEffects([]string{e[1] + ":x"}); len(faults) > 0 {
			t.Errorf("%s: %v", e[1], faults)
		}
	}
	_, words, _ := strings.Cut(doc, "\nWords behind an option's argument")
	words, _, _ = strings.Cut(words, "\n")
	for _, w := range regexp.MustCompile("`([a-z]+)`[ ,(]").FindAllStringSubmatch(words, -1) {
		if !among(sheetWords, w[1]) && w[1] != "grep" {
			t.Errorf("the language has no word %s", w[1])
		}
	}
}
