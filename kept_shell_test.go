package nod_test

import (
	"os"
	"testing"

	"github.com/nodgate/nod"
)

// A shell that the host keeps must be where it was for the next call.
func TestShellsThatAreKept(t *testing.T) {
	p := newProject(t)
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: nod.OnDisk(), Home: p.home})
	ask := func(command string, change func(*nod.Call)) nod.Verdict {
		c := nod.Call{Agent: "test", Tool: "bash", Command: command, Dir: p.dir, Roots: []string{p.dir},
			Dialect: nod.Bash,
			Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home}, Interactive: true}
		change(&c)
		return gate.Check(t.Context(), c).Verdict
	}
	kept := func(c *nod.Call) { c.Keeps = true }
	for command, want := range map[string]nod.Verdict{
		"cd src && ls": nod.Deny, "cd src": nod.Deny, "ls; cd ..": nod.Deny, "cd src; cd ..": nod.Deny,
		"{ cd src; }":            nod.Deny,
		"if ls; then cd src; fi": nod.Deny, "cd \"$X\" && ls": nod.Deny,
		"cd src && python3 x.py": nod.Deny,
		"ls | cd src":            nod.Deny,
		"set -e":                 nod.Deny, "set -eu; ls": nod.Deny, "export A=b": nod.Deny, "HOME=/x": nod.Deny, "export A=b && ls": nod.Deny, "for HOME in a; do ls; done": nod.Deny,
		"A=b ls": nod.Allow, "a=b": nod.Deny, "for __x in a; do ls; done": nod.Deny, "(a=b; ls)": nod.Allow, "(export A=b; ls)": nod.Allow, "for f in src; do ls $f; done": nod.Allow,
		"(cd src && ls)": nod.Allow, "cd " + p.dir + " && ls": nod.Allow, "cd . && ls": nod.Allow,
		"ls":                   nod.Allow,
		"echo $(cd src && ls)": nod.Allow, "git -C src status": nod.Allow, "cd " + p.dir + "/. && ls src": nod.Allow,
	} {
		if got := ask(command, kept); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
	if got := ask("cd src && ls", func(*nod.Call) {}); got != nod.Allow {
		t.Error("a shell that is not kept:", got)
	}
	if got := ask("sleep 9", func(c *nod.Call) { c.Outlives = true }); got != nod.Ask {
		t.Error("what outlives the session:", got)
	}
}

// The interpreter of Crush keeps backslashes, and takes [!a]* for hidden files too.
func TestTheInterpreterOfCrush(t *testing.T) {
	p := newProject(t)
	p.write(".env.local", "KEY=1\n")
	p.must(os.WriteFile(p.home+"/.netrc", []byte("KEY\n"), 0o600))
	gate := nod.New(nod.Options{Rules: nod.DefaultRules(), Files: nod.OnDisk(), Home: p.home})
	for command, want := range map[string]nod.Verdict{
		"cat [!.]*": nod.Ask, "ls [a-z]*": nod.Ask, "cat a\\*": nod.Ask, "cat \\{a": nod.Ask,
		"echo x > \\#new": nod.Ask,
		"X=\\a ls":        nod.Ask, "sh -c 'cat [!a]*'": nod.Ask, "cat <<< \\a": nod.Ask,
		"cat ?env": nod.Ask, "cat *.env*": nod.Ask, "cat ~/*.netrc": nod.Ask, "cat *\".env.local\"": nod.Ask,
		"wc -l *.txt": nod.Allow,
		"cat *":       nod.Allow, "cat ~/*.ssh/a": nod.Ask,
		"cat < src/../a.txt": nod.Ask, "./src/../x.sh": nod.Ask, "jq . a.json": nod.Ask,
		"sed '# \u0081w x' a.txt":                              nod.Ask,
		`find . -name '*.txt' \( -type f \) -exec wc -l {} \;`: nod.Allow, "[ -f a.txt ] && ls *.txt": nod.Allow,
		`grep 'a\[b' a.txt`: nod.Allow,
	} {
		got := gate.Check(t.Context(), nod.Call{Agent: "test", Tool: "bash", Command: command, Dir: p.dir,
			Roots: []string{p.dir}, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home},
			Dialect: nod.Interp, Interactive: true})
		if got.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", command, got.Verdict, got.Reason, want)
		}
	}
}

// A glob beside a value that nobody knows is one word or many.
func TestGlobsBesideUnknownValues(t *testing.T) {
	p := newProject(t)
	p.write("-lk", "x\n")
	p.check(lost, `grep -v -e l"$e"*`, `grep -h -e ."$e"*`, `git log --author "$e"-[!n]*`, `git grep -e "$e"-[!nr-]*`,
		`git commit -m "$e"*.txt`, `head -n "$e"* a.txt`, `grep -e *"$e" a.txt`, `sort -k "${e}"? a.txt`,
		`grep -e [a]"$(date)"* a.txt`)
	p.check(kept, `ls "$e"/*.txt`, `for d in src; do ls "$d"/*.txt; done`, `grep -e "$e" a.txt`, `git commit -m "$e.txt"`)
}

// git prints names that are not ASCII in quotes, and what reads them opens another file.
func TestNamesThatGitQuotes(t *testing.T) {
	p := newProject(t)
	p.write("\u00e9", "x\n")
	p.git("add", ".")
	p.check(kept, "git ls-files | xargs cat", "for f in $(git ls-files); do cat $f; done")
	p.write("keys/.env", "KEY=1\n")
	p.write(".gitignore", "keys\n")
	p.must(os.Symlink("keys/.env", p.dir+`/\303\251`))
	p.check(lost, "git ls-files | xargs cat", "git diff --cached --name-only | xargs cat", "git ls-files | sort | xargs head",
		"for f in $(git ls-files); do cat $f; done", "cat $(git ls-files)", "git ls-files | while read -r f; do cat $f; done")
}

// A search among names does not look into directories, whoever stands in its place.
func TestNamesThatASearchPicks(t *testing.T) {
	p := newProject(t)
	p.write("keep/.env", "KEY=1\n")
	p.git("add", "-f", "keep/.env")
	p.git("commit", "-qm", "x")
	p.check(lost, "git ls-files | grep e | xargs cat", "git ls-files keep | grep e | xargs cat", "find . | grep e | xargs cat",
		"find keep -type f | grep -e k | xargs cat", "cat $(git ls-files | grep k)")
	p.check(kept, "git ls-files | grep txt | xargs cat")
}

// A name that is spelled out and printed is taken apart by what reads it.
func TestPrintedNamesThatFallApart(t *testing.T) {
	p := newProject(t)
	p.write(".gitignore", ".env\n")
	p.write(".env", "KEY=1\n")
	p.must(os.Symlink(".env", p.dir+"/lnk"))
	p.write("lnk foo", "ok\n")
	p.write(`"lnk"`, "ok\n")
	p.write("a foo", "ok\n")
	p.git("add", ".")
	p.check(lost, "grep -l ok 'lnk foo' | xargs cat", "find 'lnk foo' -type f | xargs cat", "cat $(grep -l ok 'lnk foo')",
		"for f in $(grep -l ok 'lnk foo'); do cat $f; done", `grep -l ok '"lnk"' | xargs cat`)
	p.check(kept, "grep -l ok 'a foo' | xargs cat", "cat 'lnk foo'", "git ls-files src | xargs wc -l")
}

// What git's settings say of a branch goes with it, and a refspec may make a branch its own
// other side.
func TestBranchesThatGoWithWhatOnlyTheyHave(t *testing.T) {
	for _, settings := range [][]string{
		{"branch.q.pushRemote", "fork"}, {"branch.q.issue", "7"}, {"remote.o.fetch", "+refs/heads/*:refs/heads/*"},
		{"remote.o.fetch", "+refs/*:refs/*"},
	} {
		p := newProject(t)
		p.git("branch", "q")
		p.check(kept, "git branch -d q")
		p.git("config", settings[0], settings[1])
		p.check(lost, "git branch -d q")
	}
	p := newProject(t)
	p.git("branch", "q")
	p.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	p.git("config", "branch.q.remote", "origin")
	p.check(kept, "git branch -d q")
	p.git("checkout", "-q", "--detach")
	p.check(lost, "git branch -d q")
}

// What a merge put aside comes back with the commit that ends it.
func TestACommitThatBringsBack(t *testing.T) {
	p := newProject(t)
	p.check(kept, "git commit -am x")
	p.write(".git/MERGE_AUTOSTASH", "x\n")
	p.check(lost, "git commit -m x", "git commit -am x", "git commit --amend --no-edit")
	p.check(kept, "git status", "git add .")
}

// A person's own filter that takes code from the directory is no program of theirs.
func TestOwnSettingsThatRunWhatLiesHere(t *testing.T) {
	for command, own := range map[string]bool{
		"python3 -m nbstripout": false, "make -s clean": false, "sh %f": false, "npx prettier %f": false, "node x.js": false,
		"python3 -c 'import helper'": false, "env A=b python3 -m x": false, "nice make x": false, "sh -c 'make x'": false, "f() { make; }; f": false, "PATH=bin:$PATH cat": false, "gmake": false, `ma\"\"ke`: false, "test -f x && sh x": false,

		"git-lfs clean -- %f": true, "/opt/bin/strip": true, "gpg -d": true, "less -R": true,
	} {
		p := newProject(t)
		p.must(os.WriteFile(p.home+"/.gitconfig", []byte("[filter \"f\"]\n\tclean = \""+command+"\"\n"), 0o600))
		want := lost
		if own {
			want = kept
		}
		p.check(want, "git add a.txt", "git status")
	}
	p := newProject(t)
	p.write("f.sh", "echo a\n")
	p.must(os.WriteFile(p.home+"/.gitconfig", []byte("[diff]\n\texternal = sh f.sh\n"), 0o600))
	p.check(lost, "git diff", "git status")
	for _, value := range []string{"lua f.sh", "vim -es '+so f.sh'", "pandoc -L f.sh", "BASH_ENV=$PWD/g bash -c cat", "LUA_INIT=@x lua -v"} {
		p.must(os.WriteFile(p.home+"/.gitconfig", []byte("[diff]\n\texternal = \""+value+"\"\n"), 0o600))
		p.check(lost, "git diff", "git -C src status")
	}
	p = newProject(t)
	p.must(os.WriteFile(p.home+"/.gitconfig", []byte("[filter \"lfs\"]\n\tprocess = git-lfs filter-process\n"), 0o600))
	p.check(kept, "git archive -o new.tar HEAD")
	p.write(".gitattributes", "*.bin filter=lfs\n")
	p.check(lost, "git archive -o new.tar HEAD")
	p.check(kept, "git add a.txt")
	p.git("config", "lfs.extension.foo.clean", "sh x")
	p.check(lost, "git add a.txt")
}

// What is put behind the file that it is read from has no end.
func TestFilesThatFeedThemselves(t *testing.T) {
	p := newProject(t)
	p.check(lost, "sed p a.txt >> a.txt", "tee -a a.txt < a.txt", "cat a.txt | tee -a a.txt", "cat a.txt | sed p | tee -a a.txt",
		"tr a b < a.txt >> a.txt", "awk 1 *.txt >> a.txt", "{ awk 1 a.txt; } >> a.txt",
		"find . -name '*.txt' | xargs awk 1 >> a.txt", "(cat a.txt) >> a.txt", "shuf -r a.txt > new")
	p.check(kept, "cat a.txt >> new", "echo x >> a.txt; cat a.txt", "cat b.txt | tee -a a.txt", "cat src/* >> new", "shuf -n 1 a.txt > new")
}
