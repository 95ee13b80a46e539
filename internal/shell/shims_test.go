package shell

import (
	"testing"

	"github.com/nodgate/nod/internal/view"
)

// TestShimsOfVersionManagers holds that the shim of a version manager is whatever
// program the repository names.
func TestShimsOfVersionManagers(t *testing.T) {
	for _, row := range []struct{ file, text, want string }{
		{"", "", "nothing"}, {".tool-versions", "nodejs 20.1.0\n", "nothing"}, {".python-version", "3.12\n", "nothing"},
		{".tool-versions", "nodejs path:./tools\n", "run"}, {".python-version", "../x\n", "run"},
		{"mise.toml", "[tools]\nnode = \"path:./x\"\n", "run"}, {".nvmrc", "lts/iron\n", "nothing"},
		{"mise.toml", "[tools]\nnode = \"22\"\n", "nothing"}, {"mise.toml", "[env]\n_.source = \"x\"\n", "run"}, {".nvmrc", "./x\n", "run"},
	} {
		const home = "/home/dev"
		files := view.NewMemory(false).Dir(home, 0o755).File(home+"/.asdf/shims/node", "#!/bin/sh\n", 0o755).
			Dir(home+"/shop", 0o755)
		if row.file != "" {
			files.File(home+"/shop/"+row.file, row.text, 0o644)
		}
		r := Analyze("node --version", Env{Dialect: Bash, Dir: home + "/shop", Home: home,
			Roots: []string{home + "/shop"}, Files: files,
			Lookup: func(name string) (string, bool) { return home + "/.asdf/shims", name == "PATH" }})
		got := brief(r)
		if (got == "nothing") != (row.want == "nothing") {
			t.Errorf("%s with %q: %s, want %s", row.file, row.text, got, row.want)
		}
	}
}
