package nod_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
	"github.com/nodgate/nod/internal/view"
)

// A project with an ignored .env, which holds SHOP_KEY and nothing of vat.
func withSecret(t *testing.T) project {
	p := newProject(t)
	p.write(".gitignore", "dist/\n.env\n*.log\n")
	p.write("src/price.go", "vat\n")
	p.write("docs/a.md", "vat SHOP\n")
	p.git("add", ".")
	p.git("commit", "-q", "-m", "two")
	p.write(".env", "SHOP_KEY=abcdef\n")
	p.write("node_modules/x/server.pem", "vat SHOP_KEY\n")
	return p
}

// rg leaves out hidden files and what git ignores.
func TestSecretsThatRipgrepSees(t *testing.T) {
	p := withSecret(t)
	p.write("prod.env", "SHOP_KEY=x\n")
	ask := func(allowed bool, commands ...string) {
		t.Helper()
		o := options(nod.DefaultRules())
		o.Files = p.inMemory("rg", "fd", "xargs", "cat")
		for _, command := range commands {
			if d := verdictOf(o, bash(command)); (d.Verdict == nod.Allow) != allowed {
				t.Errorf("%s: %s (%s)", command, d.Verdict, d.Reason)
			}
		}
	}
	ask(lost, "rg SHOP_KEY", "rg SHOP_KEY .", "rg -uu SHOP_KEY", "rg --hidden --no-ignore SHOP_KEY",
		"rg -g '*' SHOP_KEY", "rg -g '*.env' SHOP_KEY", "rg -v vat", "rg --files | xargs cat", "rg -f a.txt",
		"rg -tgo --type-add 'go:*.env' KEY", "fd . | xargs cat", "fd -e env | xargs cat")
	ask(kept, "rg vat", "rg -l SHOP_KEY", "rg -g '*.go' SHOP_KEY", "rg -tgo SHOP_KEY", "rg -g '!*.env' SHOP_KEY",
		"rg --files", "rg SHOP_KEY src")
	p.must(os.Remove(p.dir + "/prod.env"))
	ask(kept, "rg SHOP_KEY", "rg --hidden SHOP_KEY")
	ask(lost, "rg --hidden --no-ignore SHOP_KEY", "rg -uu SHOP_KEY", "fd -HI . | xargs cat", "fd -u . | xargs cat")
	ask(lost, "rg --type-add 'e:.env' --no-ignore-vcs -te SHOP_KEY")
	p.write(".ignore", "!.env\n")
	ask(lost, "rg --hidden SHOP_KEY")
	p.must(os.Remove(p.dir + "/.ignore"))
	p.write("sub/.env", "SHOP_KEY=x\n")
	p.write("sub/.gitignore", "!.env.example\n")
	ask(kept, "rg SHOP_KEY")
	for _, shown := range []string{"!.env", "!.*", "!*", "!**/.env"} {
		p.write("sub/.gitignore", shown+"\n")
		ask(lost, "rg SHOP_KEY", "cd sub && rg SHOP_KEY", "rg --files | xargs cat", "fd . | xargs cat")
	}
}

// inMemory is the project on a machine with these programs.
func (p project) inMemory(programs ...string) nod.Files {
	w := view.NewMemory(false)
	for _, name := range programs {
		w.File("/usr/bin/"+name, "", 0o755)
	}
	p.must(filepath.WalkDir(p.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		w.File(shop+strings.TrimPrefix(name, p.dir), string(data), 0o644)
		return err
	}))
	return w
}

// The lists, by the end of a path and below any home.
func TestStoresOfSecrets(t *testing.T) {
	p := newProject(t)
	text, err := os.ReadFile("testdata/stores.txt") // what is secret, a blank line, and what is not
	p.must(err)
	secret, public, _ := strings.Cut(string(text), "\n\n")
	for _, name := range strings.Fields(secret) {
		for _, line := range []string{"cat " + name, "head -3 < " + name, "grep x " + name} {
			if d := p.decide(p.dir, line); d.Verdict == nod.Allow {
				t.Errorf("%s: allowed", line)
			}
		}
		if d := p.gate().Check(t.Context(),
			nod.Call{Agent: "claude-code", Tool: "read_file", RawTool: "Read", Dir: p.dir, Roots: []string{p.dir},
				Paths: []string{name}}); d.Verdict == nod.Allow {
			t.Errorf("Read %s: allowed", name)
		}
	}
	for _, name := range strings.Fields(public) {
		if d := p.decide(p.dir, "cat "+name); d.Verdict != nod.Allow {
			t.Errorf("cat %s: %s", name, d.Reason)
		}
	}
	p.check(kept, "cat .git/config", "cat .npmrc")
	p.write(".npmrc", "//registry.npmjs.org/:_authToken=abc\n")
	p.git("remote", "add", "origin", "https://x:ghp_0123456789@code.example/x.git")
	p.check(lost, "cat .git/config", "cat .npmrc", "grep -rn url .git/config", "grep -rn url .")
	p.write(".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n")
	p.check(kept, "cat .npmrc")
	// The user's own settings of git, wherever they stand.
	for _, name := range []string{"../.gitconfig", "../.config/git/config", "x/.gitconfig"} {
		p.write(name, "[user]\n\tname = a\n")
		p.check(kept, "cat "+name)
		p.write(name, "[http]\n\textraheader = AUTHORIZATION: bearer abc\n")
		p.check(lost, "cat "+name, "grep a "+name, "head < "+name)
	}
}

// What is too much to look through is asked about: more names than a glob is looked at.
func TestMoreThanIsLookedThrough(t *testing.T) {
	p := withSecret(t)
	p.must(os.MkdirAll(p.dir+"/many", 0o755))
	for i := range 10_050 {
		p.must(os.WriteFile(fmt.Sprintf("%s/many/f%05d.ts", p.dir, i), nil, 0o644))
	}
	p.must(os.Symlink("../.env", p.dir+"/many/zz"))
	p.check(lost, "cat many/*", "head -n 1 many/*", "cat many/* | tail -2")
	p.check(kept, "cat many/f00001*", "ls many/*")
	for i := range 10_050 {
		p.must(os.WriteFile(fmt.Sprintf("%s/many/g%05d.ts", p.dir, i), nil, 0o644))
	}
	p.check(lost, "cat many/*", "cat **/*.ts") // more than are listed at all
}

// What has a second name may be a secret by that, and no byte of it is shown to a model.
func TestSecretsByASecondName(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=marked-secret\n")
	p.write("run.sh", "frobnicate plain-script\n")
	p.must(os.Link(p.dir+"/.env", p.dir+"/hard.sh"))
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: testworld.Disk(), Home: p.home,
		Profile: nod.Profile{Ledger: true, Stages: 2}})
	shown := func(command string) string {
		q, err := gate.Prompt(t.Context(), nod.Call{Agent: "test", Tool: "bash", Command: command, Dir: p.dir,
			Roots: []string{p.dir}, Environ: testworld.Environ(p.home),
			Dialect: nod.Bash})
		p.must(err)
		return q.User
	}
	if text := shown("bash run.sh"); !strings.Contains(text, "plain-script") {
		t.Errorf("a script is not shown:\n%s", text)
	}
	for _, command := range []string{"bash hard.sh", "sh hard.sh", "make -f hard.sh", ". ./hard.sh && frobnicate"} {
		if text := shown(command); strings.Contains(text, "marked-secret") {
			t.Errorf("%s:\n%s", command, text)
		}
	}
}
