package shell

import "testing"

// TestHooksAreRead holds what is read of the hooks that git starts: what they
// do is what the command does, and what cannot be read stays code that was not
// read.
func TestHooksAreRead(t *testing.T) {
	const kept = "write .git kept"
	for _, row := range []struct{ name, hook, script, command, want string }{
		{"harmless", "pre-commit",
			"#!/bin/sh\nset -e\nif git diff --cached | grep -q XXX; then\n  echo no; exit 1\nfi\n", "git commit -m x",
			"read .git/hooks/pre-commit"},
		{"harmful", "pre-commit", "#!/bin/sh\nrm -rf src\n", "git commit -m x",
			"delete src tree forced; read .git/hooks/pre-commit"},
		{"at the top", "pre-commit", "#!/bin/sh\nrm a\n", "cd src && git commit -m x",
			"delete a; read .git/hooks/pre-commit"},
		{"after git add", "pre-commit", "#!/bin/sh\nls src\n", "git add -A && git commit -m x",
			"read .git/hooks/pre-commit; read src"},
		{"its message, which is a parameter", "commit-msg", "#!/bin/sh\ngrep -q '^[a-z]' \"$1\"\n", "git commit -m x",
			"run .git/hooks/commit-msg"},
		{"a message that it changes", "prepare-commit-msg", "#!/bin/sh\necho x >> \"$1\"\n", "git commit -m x",
			"run .git/hooks/prepare-commit-msg"},
		{"what else it is told", "prepare-commit-msg", "#!/bin/sh\nrm \"$2\"\n", "git commit -m x",
			"run .git/hooks/prepare-commit-msg"},
		{"a script of the project", "pre-commit", "#!/bin/sh\n./x.sh\n", "git commit -m x",
			"delete b; read .git/hooks/pre-commit; read x.sh"},
		{"not one that is off", "pre-commit.sample", "#!/bin/sh\nrm a\n", "git commit -m x", ""},
		{"at the top as git says it", "pre-commit", "#!/bin/sh\ncd \"$(git rev-parse --show-toplevel)\"\nrm a\n",
			"git commit -m x", "delete ?; delete a; read .git/hooks/pre-commit; unknown"},
		{"git in it", "pre-commit", "#!/bin/sh\ngit add src/a\n", "git commit -m x",
			"read .git/hooks/pre-commit; read src/a"},
		{"of another command", "post-checkout", "#!/bin/sh\nrm a\n", "git commit -m x", ""},

		{"git elsewhere in it", "pre-commit", "#!/bin/sh\ncd src && git checkout -f\n", "git commit -m x",
			"run .git/hooks/pre-commit"},
		{"git of another place in it", "pre-commit", "#!/bin/sh\ngit -C src log\n", "git commit -m x",
			"run .git/hooks/pre-commit"},
		{"its top from elsewhere", "pre-commit", "#!/bin/sh\ncd src\ncd \"$(git rev-parse --show-toplevel)\"\nrm a\n",
			"git commit -m x", "run .git/hooks/pre-commit"},
		{"another language", "pre-commit", "#!/usr/bin/env python3\nprint(1)\n", "git commit -m x",
			"run .git/hooks/pre-commit"},
		{"Windows lines", "pre-commit", "#!/bin/sh\r\nls\r\n", "git commit -m x", "run .git/hooks/pre-commit"},
		{"byte order mark", "pre-commit", "\uFEFF#!/bin/sh\nls\n", "git commit -m x", "run .git/hooks/pre-commit"},
		{"commit in it", "pre-commit", "#!/bin/sh\ngit commit -m y\n", "git commit -m x",
			"read .git/hooks/pre-commit; run .git/hooks/pre-commit"},
		{"what is pushed", "pre-push", "#!/bin/sh\nls\n", "git push", "run .git/hooks/pre-push; remote origin"},
		{"of every change", "reference-transaction", "#!/bin/sh\nls\n", "git commit -m x",
			"run .git/hooks/reference-transaction"},
		{"when the files change first", "post-merge", "#!/bin/sh\nls\n", "git pull",
			"fetch git@github.com:x/y.git declared; run .git/hooks/post-merge; unknown; write ."},
		{"changed by the line", "pre-commit", "#!/bin/sh\nls src\n", "echo x > .git/hooks/pre-commit; git commit -m x",
			"read .git/hooks/pre-commit; read src; run .git/hooks/pre-commit; unknown; write .git/hooks/pre-commit"},
		{"its script is changed by the line", "pre-commit", "#!/bin/sh\n./x.sh\n", "echo x > x.sh; git commit -m x",
			"delete b; read .git/hooks/pre-commit; read x.sh; run x.sh; unknown; write x.sh"},
		{"its script comes from a stash", "pre-commit", "#!/bin/sh\n./x.sh\n", "git stash pop && git commit -m x",
			"run .git/hooks/pre-commit; unknown; write ."},
		{"made by the line", "none", "", "cp x.sh .git/hooks/pre-commit; git commit -m x",
			"read x.sh; run pre-commit; unknown; write .git/hooks/pre-commit"},
		{"under sudo", "pre-commit", "#!/bin/sh\nls\n", "sudo git commit -m x",
			"privilege root; run .git/hooks/pre-commit"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := scripted(map[string]string{"!.git/hooks/" + row.hook: row.script, "!x.sh": "#!/bin/sh\nrm b\n"})
			want := sorted(row.want + "; " + kept)
			if row.want == "" {
				want = kept
			}
			if row.hook == "pre-push" {
				want = sorted(row.want)
			}
			r := Analyze(row.command, testEnv(m))
			if got := brief(r); got != want {
				t.Errorf("want %s\ngot  %s\n%+v", want, got, r.Unknowns)
			}
		})
	}
}

// TestHooksAreBound holds that an allow rule for a git command stands for what
// the hooks said, and for what husky's hooks run.
func TestHooksAreBound(t *testing.T) {
	m := gitWorld("[core]\n\thooksPath = .husky/_\n")
	m.File(testRepo+"/.husky/_/pre-commit", "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"\n", 0o755)
	m.File(testRepo+"/.husky/_/h", "#!/usr/bin/env sh\n[ -f \"$X\" ] && . \"$X\"\n", 0o644)
	m.File(testRepo+"/.husky/pre-commit", "npx lint-staged\n", 0o644)
	r := Analyze("git commit -m x", testEnv(m))
	for _, name := range []string{"/.husky/_/pre-commit", "/.husky/pre-commit"} {
		if !defines(r, testRepo+name) {
			t.Errorf("%s does not define it: %+v", name, r.Definitions)
		}
	}
	if got := brief(r); got != "run .husky/_/pre-commit; write .git kept" {
		t.Error(got)
	}
}
