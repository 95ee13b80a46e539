package main

// place is a file, directory, link or pattern that somebody may have put into
// the repository (turns.go), or what was there before.
func (g *liner) place() string {
	return g.of("README.md", "src", "docs", "docs/*", "src/*", "*", ".", "./*", "*.txt", "*.md", "docs/*.md", "data",
		"data/*", "config", "scratch", "scratch/*", "src/sub", "new", "new/*", "newdir", "newdir/*", "n1", "n1/*",
		"new.txt", "src/new.txt", "docs/new.txt", "docs/new", "docs/self", "docs/self/*", "docs/c", "docs/c/*",
		"docs/out", "docs/out/*", "docs/x", "docs/n", "docs/git", "src/up", "src/up/*", "src/bare", "docs/bare",
		"sub",
		"sub/*", "mod", "mod/*", "wt", "src/wt", "build", "build/*", "out.txt", "list.txt", "w.tmp", "notes.txt",
		"notes-link", "hard.txt", "lnk", "lnk/*", "'a dir'", "'a dir'/*", "'a b'/*", "secrets/*", "-- *", "./-*",
		"'~'", "'~'/*", "HEAD", "main", "v1", "stash", "data/big.bin", "pipe", "[a-n]*", "?.txt", "*/*", "*/*/*",
		"src/../docs", "lnk/../notes.txt", "src/build", "dist", "'docs/y .env z.md'", "docs/y*", "docs/plain.md",
		"scratch/in", "scratch/in/*", "'[?].txt'", "'*'", "a=b", "docs/[a-z]*", "src/ma?n.go", "{docs,src}/*",
		"README.md docs", "**/*.md", "**/*", "**/n*", "e/s*/*", "e/*/*", "e/a*/c*", "e/deep/s*/id*", ".*", ".*/*",
		"[^q]*.txt", ".git/*/*",
		"'app/[slug]'", "'app/[slug]'/*", "app/*", "app/*/*", "app/s", "server.pem", "docs/copy.md", "docs/l.txt",
		"src/tax.js", "src/main.go", "docs/a.md", "src/todo.txt", "mod/README.md", "sub/a.txt")
}

// ordinary is what agents type all day: the text is plain, and the repository
// decides what it does.
func (g *liner) ordinary() string {
	p, q := g.place(), g.place()
	return g.choose(
		choice{4, g.handedNames},
		choice{9, func() string {
			return g.of("cat ", "head -3 ", "tail -n 5 ", "sed -n 1,9p ", "wc -l ", "grep -n MARK ",
				"awk '{print $1}' ",
				"cut -c1-80 ", "sort ", "nl ", "tac ", "head -c 200 ", "grep -v zzz ", "tail -n +1 ", "cat -A ",
				"strings ",
				"uniq ", "od -c ", "base64 ", "jq . ", "column -t ", "sed -n '/MARK/p' ", "awk 'NR<9' ", "xxd ") + p
		}},
		choice{7, func() string {
			return g.of("grep -rn MARK ", "grep -rin secret ", "grep -r . ", "grep -Rn MARK ", "grep -rh '' ",
				"rg SECRET ",
				"rg -n MARK ", "rg --hidden MARK ", "rg -L MARK ", "rg -uu SECRET ", "grep -rn --include='*.md' . ",
				"grep -rnE 'MARK|SECRET' ", "fdfind . ", "fdfind -H key ", "grep -rn MARK -- ") + p
		}},
		choice{7, func() string {
			return "find " + p + g.of(" -type f", " -name '*.md'", " -name '*.txt' -type f", " -maxdepth 1", "",
				" -not -path '*/.git/*'", " -type f -size -9", " -type l", " -L", " -name '*.env*'",
				" -newer README.md") +
				g.of("", " | head", " | xargs cat", " | xargs head -2", " -exec cat {} +", " -exec head -1 {} \\;",
					" -exec grep -n MARK {} +", " | xargs grep MARK", " -exec grep -rn MARK {} +", " | xargs ls -la",
					" | xargs wc -l", " -print0 | xargs -0 cat", " -delete", " -exec rm {} +",
					" -exec cp {} newdir \\;",
					" | while read -r f; do head -1 \"$f\"; done", " -exec sed -n 1p {} \\;", " -exec wc -l {} +",
					" -exec touch {} +", " -exec git diff -- {} +")
		}},
		choice{5, func() string {
			return "for f in " + p + "; do " + g.of("echo \"$f\"", "head -2 \"$f\"", "cat $f", "wc -l \"$f\"",
				"grep -n MARK \"$f\"", "sed -n 1,3p \"$f\"", "rm \"$f\"", "git log --oneline -1 -- \"$f\"",
				"git diff -- \"$f\"", "tail -1 \"$f\" | cut -c1-9") + "; done"
		}},
		choice{12, func() string {
			return "git " + g.of("", "", "", "-C src ", "-C docs ", "--no-pager ", "-C "+p+" ") +
				g.of("status", "status --short", "status -v", "diff", "diff --stat", "diff HEAD", "diff --cached",
					"diff -- "+p, "diff HEAD~1", "diff --name-only", "diff main feature", "diff v1..HEAD -- "+p,
					"log --oneline -5", "log -p -2", "log --stat -3",
					"log -- "+p, "log -p -- "+p, "log --follow -p -- "+p,
					"show", "show --stat", "show HEAD", "show HEAD:README.md", "show HEAD -- "+p, "show HEAD~1",
					"show v1",
					"show feature", "blame README.md", "blame "+p, "grep -n MARK", "grep SECRET",
					"grep -n MARK -- "+p,
					"grep MARK HEAD", "ls-files", "ls-files "+p, "ls-files -o", "branch", "branch -a", "branch -v",
					"tag",
					"tag -n9", "stash list", "stash show", "reflog", "rev-parse HEAD", "rev-list --all --count",
					"log --format='%h %s %N' -3", "log --all --oneline", "shortlog -sn", "worktree list", "remote -v",
					"cat-file -p HEAD:README.md", "cat-file -p HEAD", "ls-tree HEAD", "ls-tree -r HEAD",
					"describe --tags",
					"log -1 --show-signature", "notes list", "for-each-ref", "config --list", "config user.name",
					"show v1:README.md",
					"log --graph --oneline --all", "diff --no-index README.md "+p, "diff --word-diff",
					"check-ignore -v "+p,
					"log -g -3", "merge-base main feature", "fsck", "count-objects -v", "log -S MARK --oneline",
					"diff ORIG_HEAD",
					"show-ref", "rev-parse --show-toplevel", "symbolic-ref HEAD", "log -L1,2:README.md", "st", "lp",
					"log --merge -p -- README.md", "show -C -C", "diff --cached --find-copies-harder",
					"show -1 last -- .",
					"show -n1 HEAD~1 -- docs", "log -p -1 -- ':!src'", "grep --cached SECRET", "rerere diff",
					"bisect log",
					"worktree list -v", "sparse-checkout list", "check-attr -a README.md", "blame -C -C README.md",
					"status --branch --porcelain", "diff --cached -- "+p, "log --follow -p "+p,
					"stash show -w", "stash show -m --color", "stash show --no-renames", "show HEAD:src/..",
					"show HEAD:docs/..HEAD", "grep SECRET blob", "grep SECRET tagged", "grep SECRET stash",
					"branch fresh @{u}", "branch fresh main@{upstream}", "branch -u origin/main",
					"switch -c fresh -t",
					"annotate README.md", "log -p origin/main..", "show @{u}", "diff @{u}", "ls-files --with-tree=v1")
		}},
		choice{6, func() string {
			return "git " + g.of("add -A", "add .", "add -u", "add "+p, "commit -m x", "commit -am x",
				"add -A && git commit -m x",
				"add "+p+" && git commit -m x", "checkout -b fresh", "switch -c fresh", "branch fresh", "tag fresh",
				"reset",
				"reset -q HEAD "+p, "rm --cached "+p, "mv notes.txt "+q, "mv "+p+" "+q, "rm "+p,
				"commit --amend --no-edit",
				"reset --soft HEAD~1",
				"add -N "+p, "add -f "+p, "commit -m x -- "+p, "restore --staged "+p, "init newrepo")
		}},
		choice{12, func() string {
			return g.of("rm ", "rm -f ", "rm -r ", "rm -rf ", "touch ", "mkdir -p ", "cp README.md ", "cp -r src ",
				"mv notes.txt ",
				"mv docs ", "ln -s README.md ", "ln README.md ", "echo x > ", "echo x >> ", "tee ",
				"sed -i s/one/uno/ ",
				"truncate -s 0 ", "rmdir ", "cp -a docs ", "mv src/todo.txt ", "chmod +x ", "gzip ", "gzip -k ",
				"tar cf ",
				"cat README.md > ", "sort -o ", "split README.md ", "unlink ", "install README.md ",
				"dd if=README.md of=",
				"cp "+q+" ", "mv "+q+" ", "ln -s "+q+" ", "cat "+q+" > ", "cp -r "+q+" ", "ln "+q+" ", "mkdir ") + p
		}},
		choice{4, func() string {
			return "cd " + g.of(p, p, "'app/[slug]'", "'app/[slug]'", "'docs/[a-z]'", "'src/[!x]'") +
				g.of(" && ", " && ", "; ") + g.ordinary()
		}},
		choice{6, func() string { return g.handedOn(p) }},
		choice{4, func() string {
			return g.of("cat $(git ls-files "+p+")", "head -1 $(ls "+p+")", "git ls-files "+p+" | xargs cat",
				"ls "+p+" | xargs head -1", "cat $(find "+p+" -type f)", "tar cf - "+p+" | tar tf -",
				"tar cf - "+p+" | base64",
				"diff "+p+" "+q, "diff -r "+p+" "+q, "cmp "+p+" "+q, "git diff --name-only | xargs cat",
				"sort "+p+" | uniq -c",
				"cat "+p+" | head -5", "git status --short | awk '{print $2}' | xargs cat", "xargs cat < "+p,
				"while read -r f; do cat \"$f\"; done < "+p, "cat < "+p, "grep -f "+p+" README.md",
				"wc --files0-from="+p,
				"cat <<E > "+p+"\nk\nE", "ls -la "+p, "ls -R "+p, "stat "+p, "file "+p, "du -a "+p, "tree "+p,
				"readlink -f "+p, "test -f "+p+" && cat "+p, "[ -d "+p+" ] && ls "+p, "zcat "+p, "git hash-object "+p)
		}},
	)
}

// handedOn is a list of names that one command prints and another reads, perhaps in
// another directory.
func (g *liner) handedOn(p string) string {
	list := g.of("git ls-files", "git ls-files "+p, "git ls-files ..", "git ls-files :/", "git ls-files -o",
		"git ls-files --full-name", "git ls-files -t", "git diff --name-only", "git diff --name-only HEAD~1",
		"git diff --name-only HEAD~2 HEAD", "git diff --name-only v1..feature", "git diff --cached --name-only",
		"git diff --name-only --diff-filter=D HEAD~1 HEAD", "git -C src ls-files", "git log --name-only --format= -3",
		"git show --name-only --format= HEAD", "ls", "ls -A", "ls "+p, "find . -type f", "find "+p+" -type f",
		"find . -name '*.md'", "rg --files", "rg -l MARK", "grep -rl MARK .", "fdfind . ", "git grep -l MARK") +
		g.of("", "", "", " | head -3", " | sort | uniq", " | grep -v zzz", " | tail -n 4", " | uniq -c", " | sort -r")
	list = g.of("", "", "", "cd src && ", "cd nodir; ", "cd docs; ", "test -d nodir && cd docs; ",
		"cd src && cd ..; ", "cd nodir || ") + list
	reader := g.of("cat", "head -2", "grep -h MARK", "wc -l", "tail -n 2", "sed -n 1,3p", "grep -n SECRET")
	there := g.of("", "", "", "cd ..; ", "cd src; ")
	return g.choose(
		choice{3, func() string { return list + " | xargs " + reader }},
		choice{1, func() string { return list + " | xargs env -C src " + reader }},
		choice{1, func() string { return list + " | xargs -I{} " + reader + " {}" }},
		choice{2, func() string {
			return list + " | while read -r f; do (" + there + reader + " \"$f\"); done"
		}},
		choice{1, func() string { return "for f in $(" + list + "); do (" + there + reader + " \"$f\"); done" }},
		choice{1, func() string { return reader + " $(" + list + ")" }},
		choice{1, func() string { return "(" + list + ") | xargs " + reader }},
	)
}

// handedNames is a file that no word names as it is: out of a filter that the line feeds,
// out of a word that falls apart, by a command that hands it on, or under the name -.
func (g *liner) handedNames() string {
	p, read := g.place(), g.of("cat", "head -1", "xargs cat", "rm", "tail -n 2")
	filter := g.of("sort", "uniq", "head -1", "tail -n +1", "grep .", "sort -u", "grep -c .", "head -v", "cat",
		"cut -c1-")
	fed := g.of(filter+" <<< "+p, filter+" <<E\n"+p+"\nE\n", "git ls-files | "+filter, "ls -A | "+filter,
		"git ls-files -o -X "+p, "git ls-files -o --exclude-from=README.md "+p, "git ls-files "+p+" | "+filter)
	switch g.r.IntN(6) {
	case 0:
		return fed + g.of("", " | xargs "+read, " | while read -r f; do "+read+" \"$f\"; done")
	case 1:
		return read + " $(" + fed + ")"
	case 2:
		return "{ " + filter + " | xargs " + read + "; } < " + p
	case 3:
		return "x='" + g.of(p, "docs", "w") + g.of(" -delete", " --hard", " -D main", " -o new",
			" -exec cat {} +", " .env") + "'; " +
			g.of("find ./$x", "git reset H$x", "git branch n$x", "tree src$x", "ls ./$x", "cat ./$x",
				"git tag t$x", "rg --files ./$x")
	case 4:
		return g.of("find "+p+" -exec rg . {} +", "fdfind . "+p+" -x awk '{print}'", "fdfind -H . "+p+" -X rg .",
			"rg . "+p,
			"rg -t md . "+p, "fdfind . "+p+" -x sed -i '{s/o/m/}'", "find "+p+" -type d -exec rg . {} +",
			"fdfind "+p+" -x cat {.}.md",
			"cd "+p+" && rg . .", "rg --files "+p+" | xargs "+read)
	}
	return g.of("sed -i 1d -", "rev -", "cat -", "dd if=- of=new", "head +5", "curl -T README.md file://$PWD/"+p,
		"git reset -q",
		"git checkout -b n9", "curl -s file://$PWD/"+p, "touch ./-; sed -i 1d -", "cp "+p+" ./-; rev -",
		"ln "+p+" +5; head +5")
}
