package nod_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
)

// TestMoreShellThanIsFollowed holds that a line which needs a shell's state
// is never allowed by what nod reads of it, and that what such a line could
// do for good is denied all the same.
func TestMoreShellThanIsFollowed(t *testing.T) {
	o := inCorpusOptions()
	rule, err := nod.ParseRule(nod.ListHardDeny, "git push --force", "test:1")
	if err != nil {
		t.Fatal(err)
	}
	o.Rules.HardDeny = append(o.Rules.HardDeny, rule)
	for _, row := range []struct {
		command string
		denied  bool
	}{
		// What stands behind a function, which the parser takes for its body.
		{"greet() { echo hi; } && rm -rf ~", true},
		{"greet() { :; } || rm -rf ~", true},
		{"greet() { :; } | rm -rf ~", true},
		{"greet() { :; } && nod mode observe", true},
		{"greet() { :; } |& nod rules add allow x", true},
		{"greet() { :; } && git push --force origin main", true},
		{"function greet { :; } && rm -rf dist src", false},
		{"git() { :; } | true; git push --force", true},
		{"a() ((1)) && rm -rf ~", true},
		{"let n=1||rm -rf ~", true},
		{"list=(a b)#c;rm -rf ~", true},
		{"list=(a b)#c\nnod mode off", true},

		// What the shell's state makes of a text.
		{"v='rm -rf ~'; f() { local v=ls; }; f; eval \"$v\"", true},
		{"v='rm -rf ~'; f() { return; v=ls; }; f; eval \"$v\"", true},
		{"v='rm -rf ~'; for i in 1 2; do break; v=ls; done; eval \"$v\"", true},
		{"v='rm -rf ~'; { v=ls; } < nosuchfile; eval \"$v\"", true},
		{"v=ls; trap 'v=\"rm -rf ~\"' ERR; false; eval \"$v\"", true},
		{"_=ls; : 'rm -rf ~'; eval \"$_\"", true},
		{"v='rm -rf ~'; alias ls=\"$v\"; ls", true},
		{"cd src || true; echo gone > README.md", false},
		{"v=echo w=rm; declare w=echo v=$w; $v -rf ~", true},

		// A device that is another name of an open file.
		{"echo gone < README.md > /dev/stdin", false},
		{"ls | tee /dev/fd/3 3< src/cart.js", false},
		{"echo gone >> README.md > /dev/stdout", false},

		// What an expansion is worth.
		{"read -t 'a[$(rm -rf ~)]' y", true},
	} {
		for _, dialect := range []nod.Dialect{nod.Bash, nod.Zsh, nod.Unstated} {
			d := corpusVerdict(o, dialect, row.command)
			if d.Verdict == nod.Allow || row.denied && d.Verdict != nod.Deny {
				t.Errorf("dialect %v: %q: %s by %s (%s)", dialect, row.command, d.Verdict, d.Layer, d.Reason)
			}
		}
	}
}

// A shell that the host keeps must be where it was for the next call.
func TestShellsThatAreKept(t *testing.T) {
	p := newProject(t)
	gate := p.gate()
	ask := func(command string, change func(*nod.Call)) nod.Verdict {
		c := nod.Call{Agent: "test", Tool: "bash", Command: command, Dir: p.dir, Roots: []string{p.dir},
			Dialect: nod.Bash,
			Environ: testworld.Environ(p.home), Interactive: true}
		change(&c)
		return gate.Check(t.Context(), c).Verdict
	}
	kept := func(c *nod.Call) { c.Keeps = true }
	for command, want := range map[string]nod.Verdict{
		"cd src && ls": nod.Deny, "cd src": nod.Deny, "ls; cd ..": nod.Deny, "cd src; cd ..": nod.Deny,
		"if ls; then cd src; fi": nod.Deny, "cd \"$X\" && ls": nod.Deny, "cd src && python3 x.py": nod.Deny,
		"ls | cd src": nod.Deny, "set -eu; ls": nod.Deny, "export A=b && ls": nod.Deny, "HOME=/x": nod.Deny,
		"for HOME in a; do ls; done": nod.Deny, "a=b": nod.Deny, "CI=1 ls": nod.Allow, "(a=b; ls)": nod.Allow,
		"(cd src && ls)": nod.Allow, "cd " + p.dir + " && ls": nod.Allow, "cd . && ls": nod.Allow, "ls": nod.Allow,
		"echo $(cd src && ls)": nod.Allow, "git -C src status": nod.Allow,
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
	if got := ask("ls", func(c *nod.Call) { c.Unread = "an argument that nobody knows" }); got != nod.Ask {
		t.Error("a call that is not read to its end:", got)
	}
}

// The interpreter of Crush reads globs and backslashes otherwise.
func TestTheInterpreterOfCrush(t *testing.T) {
	gate := newProject(t).gate()
	for command, want := range map[string]nod.Verdict{
		"cat [!.]*": nod.Ask, "cat a\\*": nod.Ask, "echo x > \\#new": nod.Ask, "sh -c 'cat [!a]*'": nod.Ask,
		"cat ?env": nod.Ask, "cat < src/../a.txt": nod.Ask, "./src/../x.sh": nod.Ask, "ls": nod.Allow,
		"wc -l a.txt": nod.Allow,
	} {
		c := bash(command)
		c.Dialect, c.Interactive = nod.Interp, true
		if got := gate.Check(t.Context(), c); got.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", command, got.Verdict, got.Reason, want)
		}
	}
}

// Where nod is not shown what is typed into a program, nothing that runs is
// harmless, and an interpreter that waits for its script is denied.
func TestStdinUnseen(t *testing.T) {
	for _, row := range []struct {
		command string
		want    nod.Verdict
	}{
		{"bash", nod.Deny},
		{"python3", nod.Deny},
		{"python3 -i", nod.Deny},
		{"sh -s", nod.Deny},
		{"env FOO=1 bash", nod.Deny},
		{"cd /tmp && bash", nod.Deny},
		{"echo ls | bash", nod.Ask},
		{"bash <<'E'\nls\nE", nod.Ask},
		{"ls", nod.Ask},
		{"git log", nod.Ask},
		{"cat > new", nod.Ask},
	} {
		t.Run(row.command, func(t *testing.T) {
			c := bash(row.command)
			c.Interactive, c.StdinUnseen = true, true
			if d := nod.New(options(nod.DefaultRules())).Check(t.Context(), c); d.Verdict != row.want {
				t.Errorf("%s: %s", d.Verdict, d.Reason)
			}
		})
	}
}

// With --git-dir alone, git's working tree is wherever it starts.
func TestAnotherWorkingTree(t *testing.T) {
	p := newProject(t)
	p.must(os.MkdirAll(p.home+"/.ssh", 0o700))
	p.must(os.WriteFile(p.home+"/.ssh/id_rsa", []byte("KEY\n"), 0o600))
	p.check(lost, "git -C ~/.ssh --git-dir="+p.dir+"/.git add .", "cd src && git --git-dir=../.git add .",
		"git -C src --git-dir="+p.dir+"/.git diff",
	)
	p.check(kept, "git -C src status", "git -C . add a.txt")
}

// What ripgrep takes for a comment or for nothing leaves nothing out.
func TestGlobsThatSayNothing(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.check(lost, "rg -uuu KEY -g '' .", "rg -uuu KEY -g ' ' .", "rg -uuu KEY -g '#a' .")
	p.check(kept, "rg -uuu KEY -g '*.py' .", "rg -uuu KEY -g '' -g '*.py' .")
}

// A link among the files of a kind is read, and a line of it printed where it is wrong.
func TestLinksAmongFilesThatAreFormatted(t *testing.T) {
	p := newProject(t)
	p.write(".env", "KEY=1\n")
	p.check(kept, "terraform fmt -check", "terraform fmt -check -recursive")
	p.must(os.Symlink(".env", p.dir+"/main.tf"))
	p.check(lost, "terraform fmt -check", "terraform fmt -check -recursive", "terraform fmt -write=false")
}

// Claude Code puts functions of its own in the place of grep and find: ugrep, which looks
// into a directory that it is named, and bfs, to which a place may stand anywhere.
func TestFunctionsInThePlaceOfPrograms(t *testing.T) {
	p := newProject(t)
	p.write("conf/.env", "KEY=1\n")
	p.write("conf/deep/.env", "DEEP=1\n")
	p.check(lost, "grep KEY conf", "grep KEY conf/", "grep KEY *", "find src -name '*.go' conf -exec cat {} +",
		"find src -name 'x' -delete ../..", "find src -depth 1")
	p.check(kept, "grep KEY src", "grep DEEP conf", "grep zzzz conf", "grep KEY src/*", "grep -n this a.txt b.txt",
		"find -O3 src -name '*.go'", "find src conf -name '*.go'")
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

// Claude Code brings its own rg, where PATH has none.
func TestTheHostBringsRipgrep(t *testing.T) {
	c := bash("rg -n x src")
	c.Environ = []string{"PATH=/nowhere", "HOME=" + home}
	if d := verdictOf(options(nod.DefaultRules()), of(nod.ClaudeCode, c)); d.Verdict != nod.Allow {
		t.Errorf("%s (%s)", d.Verdict, d.Reason)
	}
	if d := verdictOf(options(nod.DefaultRules()), of("codex", c)); d.Verdict == nod.Allow {
		t.Errorf("without a host that brings it: %s", d.Reason)
	}
}
