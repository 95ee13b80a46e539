package shell

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/shell/commands"
)

// docs/adding-a-program.md shows a sheet as it is, and no word in its tables that the language does not have.
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
	for _, list := range []struct{ head, words string }{
		{"\nDirectives: ", sheetDirectives}, {"\nRoles: ", sheetRoles}, {"\nTraits: ", traitWords},
	} {
		_, line, _ := strings.Cut(doc, list.head)
		line, _, _ = strings.Cut(line, "\n")
		words := regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(line, -1)
		if len(words) < 8 {
			t.Errorf("%s: %d words read", list.head, len(words))
		}
		for _, w := range words {
			if !among(list.words, w[1]) {
				t.Errorf("%s: the language has no %s", list.head, w[1])
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
}
