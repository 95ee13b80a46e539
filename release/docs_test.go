package release

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each command in the table of docs/install.md stands in a script, with other words between its own. Scoop needs
// PowerShell; the image is run by buildah.
func TestDocumentedCommandsAreRun(t *testing.T) {
	elsewhere := map[string]bool{"go install": true, "scoop install nod": true,
		"docker run -i --rm ghcr.io/nodgate/nod": true}
	commands := 0
	scripts := strings.NewReplacer("$ROOT/release/", "", "$SH", "sh").Replace(texts(t, "testdata/script/*.txtar"))
	for row := range strings.Lines(texts(t, "../docs/install.md")) {
		columns := strings.Split(row, "|")
		if len(columns) < 5 {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(columns[2], -1) {
			commands++
			words := strings.Fields(regexp.QuoteMeta(m[1]))
			line := regexp.MustCompile(`(?m)^(took|exec) .*\b` + strings.Join(words, `( .*)? `) + `\b`)
			if !elsewhere[m[1]] && !line.MatchString(scripts) {
				t.Errorf("no script runs %s", m[1])
			}
		}
	}
	if commands < 14 {
		t.Errorf("only %d commands were read", commands)
	}
}

// install.ps1 was never run; what it refuses is at least what install.sh refuses.
func TestInstallersRefuseAlike(t *testing.T) {
	for _, name := range []string{"install.sh", "install.ps1"} {
		said := texts(t, name)
		for _, refusal := range []string{"has the wrong checksum", "did not arrive whole", "there is no nod ",
			"does not start here", "which is newer than", "cannot be written to", "is not https", "Nothing was changed"} {
			if !strings.Contains(said, refusal) {
				t.Errorf("%s refuses nothing with %q", name, refusal)
			}
		}
	}
}

// texts is what the files of a pattern hold.
func texts(t *testing.T, pattern string) (all string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	check(t, err)
	for _, name := range names {
		b, err := os.ReadFile(name)
		check(t, err)
		all += string(b)
	}
	return all
}
