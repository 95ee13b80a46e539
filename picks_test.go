package nod_test

import (
	"os"
	"testing"
)

// A linter takes the files of its kind in a directory, and prints lines of those that
// are links to a secret.
func TestLintersAndLinks(t *testing.T) {
	p := withSecret(t)
	p.check(kept, "gofmt -l .", "gofmt -d src", "black --check src")
	p.must(os.MkdirAll(p.dir+"/p", 0o755))
	p.must(os.Symlink("../.env", p.dir+"/p/x.go"))
	p.check(lost, "gofmt -l .", "gofmt -d p")
	p.check(kept, "gofmt -l src", "black --check src")
	p.must(os.Remove(p.dir + "/p/x.go"))
	p.write(".env.py", "A=1\nx y\n")
	p.check(lost, "black --check --include .env .")
	p.must(os.Remove(p.dir + "/.env.py"))
	p.write("pyproject.toml", "[tool.black]\ninclude = \".env\"\n")
	p.check(lost, "node --check src/m.js")
	p.must(os.MkdirAll(p.dir+"/site/b-1.dist-info", 0o755))
	p.must(os.Symlink("../../.env", p.dir+"/site/b-1.dist-info/INSTALLER"))
}
