package main

import "strings"

// liner makes lines of file and git commands.
type liner struct{ *generator }

func (g *liner) options(list ...string) string {
	text := ""
	for g.chance(45) {
		text += " " + g.of(list...)
	}
	return text
}

// name is a file, directory, link or pattern of the repository.
func (g *liner) name() string {
	return g.choose(
		choice{10, func() string {
			return g.of("README.md", "LICENSE", "src/main.go", "src/sub/c.c", "'a b.txt'", "data/b.csv", "x.sh")
		}},
		choice{8, func() string {
			return g.of("src/tax.js", "docs/a.md", "src/staged.txt", "src/half.txt", "gone.txt")
		}},
		choice{8, func() string {
			return g.of("notes.txt", "src/todo.txt", "scratch/one.txt", "out.txt", "w.tmp", "hard.txt", "@x")
		}},
		choice{8, func() string {
			return g.of("new.txt", "new", "src/new.txt", "newdir/x", "new/", "/tmp/new", "/tmp/scratch.txt",
				"new.log")
		}},
		choice{6, func() string {
			return g.of("src", "docs", "scratch", "data", "build", "src/sub", "scratch/deep", "config", ".", "..",
				"./src/", "scratch/")
		}},
		choice{4, func() string {
			return g.of("lnk", "lnk/main.go", "outside", "outside/file.txt", "notes-link", "envlink",
				"lnk/../notes.txt", "outside/../other")
		}},
		choice{4, func() string {
			return g.of("build/o.o", "debug.log", "local.cfg", "build/deep", "pack.tar", "a.md.gz", "old.gz")
		}},
		choice{3, func() string {
			return g.of(".env", "config/server.key", "id_rsa", "~/.ssh/id_rsa", "~/other/file.txt", "~/.bashrc",
				"../other", "~")
		}},
		choice{3, func() string {
			return g.of(".git", ".git/config", ".git/hooks/x", ".gitignore", ".gitattributes", "CLAUDE.md",
				".claude/settings.json", ".github/hooks/x", ".envrc", ".vscode/tasks.json", ".claude", ".github")
		}},
		choice{6, func() string {
			return g.of("*", "*.txt", "src/*", "*.md", "*.tmp", "**/*.js", "[a-n]*", ".*", "*/*", "scratch/*",
				"?.tmp", "*.gz", "new*", "-- -x", "{notes,out}.txt", "*key*", "*/*.txt")
		}},
	)
}

func (g *liner) names() string {
	text := " " + g.name()
	for g.chance(25) {
		text += " " + g.name()
	}
	return text
}

func (g *liner) command() string {
	text := g.choose(
		choice{30, g.fileCommand}, choice{26, g.reader}, choice{30, g.git}, choice{10, g.packer}, choice{8,
			g.finder}, choice{6, g.editor}, choice{8, g.carried}, choice{4, g.behind}, choice{4, g.spilling},
		choice{10, g.history}, choice{4, g.listing}, choice{4, g.narrowed}, choice{3, g.gathered}, choice{3, g.valued},
		choice{4, g.guessed}, choice{4, g.excluding}, choice{4, g.expression},
		choice{60, g.ordinary},
	)
	if g.chance(14) {
		text += " " + g.of(">", ">>", ">|", "2>", "<") + " " + g.name()
	}
	return text
}

func (g *liner) fileCommand() string {
	return g.choose(
		choice{8, func() string {
			return "rm" + g.options("-r", "-f", "-rf", "-v", "-d", "--", "-R", "--one-file-system", "-I") + g.names()
		}},
		choice{8, func() string {
			return "mv" + g.options("-f", "-n", "-v", "-T", "-b", "-u", "--backup=numbered", "-t new", "-t src",
				"-t docs", "-S .bak", "--no-clobber", "--exchange",
				"--strip-trailing-slashes") + g.names() + " " + g.name()
		}},
		choice{8, func() string {
			return "cp" + g.options("-r", "-a", "-f", "-n", "-u", "-l", "-s", "-T", "-t src", "-t new", "-b",
				"--backup", "-p", "--parents", "--remove-destination", "-L", "-P", "-i", "--attributes-only",
				"--update=none", "-H", "-x") + g.names() + " " + g.name()
		}},
		choice{5, func() string {
			return "ln" + g.options("-s", "-f", "-sf", "-n", "-r", "-T", "-t src", "-b",
				"-L") + " " + g.name() + g.of("", " "+g.name())
		}},
		choice{3, func() string {
			return "touch" + g.options("-c", "-m", "-a", "-r README.md", "-d yesterday", "-h") + g.names()
		}},
		choice{3, func() string { return "mkdir" + g.options("-p", "-v", "-m 700") + g.names() }},
		choice{2, func() string { return "rmdir" + g.options("-p", "-v", "--ignore-fail-on-non-empty") + g.names() }},
		choice{2, func() string {
			return "truncate" + g.of(" -s 0", " -s +1", " -s 10", " -r README.md -s +1", " -c -s 0",
				" -s %5") + g.names()
		}},
		choice{3, func() string {
			return g.of("echo x | ", "cat README.md | ", "") + "tee" + g.options("-a", "-i", "-p") + g.names()
		}},
		choice{2, func() string {
			return "dd if=" + g.name() + " of=" + g.name() + g.options("bs=1", "count=1", "conv=notrunc",
				"oflag=append", "seek=1", "status=none", "conv=excl", "conv=nocreat")
		}},
		choice{2, func() string {
			return "install" + g.options("-d", "-D", "-m 644", "-b", "-C", "-t src",
				"-T") + g.names() + " " + g.name()
		}},
		choice{2, func() string {
			return g.of("unlink ", "shred -u ", "split -b 4 ", "split README.md ", "csplit README.md 2 -f ",
				"link README.md ", "mktemp -p ", "mkfifo ") + g.name()
		}},
		choice{2, func() string {
			return "chmod" + g.options("-R", "-v") + g.of(" 644", " +x", " u-w", " 000", " a+r",
				" --reference=README.md") + g.names()
		}},
		choice{1, func() string { return "cd " + g.name() + g.of(" && ", "; ") + g.command() }},
		choice{1, func() string { return "rename s/a/b/ " + g.name() }},
	)
}

func (g *liner) reader() string {
	return g.choose(
		choice{6, func() string {
			return g.of("cat", "head", "tail", "nl", "tac", "rev", "od -c", "xxd", "strings", "base64", "fold",
				"cut -c1-", "expand", "pr", "sort", "uniq", "wc", "cat -A", "head -c 100", "more", "fmt", "shuf",
				"tail -n +1", "paste", "md5sum", "sum", "hexdump -C", "zcat", "zgrep MARK", "bzcat", "col",
				"iconv -f utf8", "less") + g.names()
		}},
		choice{4, func() string {
			return "grep" + g.options("-r", "-n", "-l", "-i", "-v", "-c", "-e MARK", "-f notes.txt", "-R",
				"--include=*.txt", "--exclude=.env", "--exclude-dir=config", "-h", "-o", "-a", "-s", "-L", "-w", "-E",
				"--include='.*'") + g.of(" MARK", " SECRET", " KEY", " .", " one", " ''", " 'a\\|S'",
				" -- -n") + g.of("", g.names())
		}},
		choice{2, func() string {
			return g.of("diff", "diff -r", "diff -u", "cmp", "comm", "join", "diff -q", "sdiff", "diff -N",
				"diff3 README.md") + " " + g.name() + " " + g.name()
		}},
		choice{2, func() string {
			return "sort" + g.options("-u", "-r", "-o "+g.name(), "--files0-from="+g.name(), "-m", "-c", "-T /tmp",
				"--output=new.txt", "-k1", "-o"+g.name()) + g.names()
		}},
		choice{1, func() string { return "uniq" + g.options("-c", "-d") + " " + g.name() + g.of("", " "+g.name()) }},
		choice{2, func() string {
			return g.of("ls", "ls -la", "ls -R", "stat", "file", "du -a", "readlink -f", "realpath", "test -f",
				"tree", "file -f", "wc --files0-from", "du --files0-from", "file -C -m") + g.names()
		}},
		choice{1, func() string {
			return g.of("ls -A", "ls", "echo *", "git ls-files", "git ls-files -o", "printf '.env\\n'",
				"find . -type f", "ls -a | head -8") + " | xargs " + g.of("cat", "head", "wc", "ls", "grep MARK",
				"-I {} cat {}", "rm", "cp -t /tmp", "md5sum", "-n 1 base64", "tail -n 5", "strings")
		}},
		choice{1, func() string { return "while read -r f; do cat \"$f\"; done < " + g.name() }},
		choice{1, func() string {
			return "for f in " + g.name() + "; do " + g.of("cat", "head", "wc", "rm", "cp README.md",
				"git add") + " \"$f\"; done"
		}},
	)
}

func (g *liner) git() string {
	rev := g.of("HEAD", "HEAD~1", "feature", "v1", "main", "stash@{0}", "HEAD^", "@{1}", "origin/main", "ORIG_HEAD",
		":0", "HEAD:README.md", "feature:CLAUDE.md", "nosuch")
	n := g.name()
	return "git " + g.of("", "", "", "", "", "-C src ", "-C .. ", "-C config ", "-C ~ ", "--no-pager ", "-P ",
		"--git-dir=.git ", "--work-tree=.. ", "-c core.hooksPath=src ", "-c alias.x=status ") + g.choose(
		choice{10, func() string {
			return g.of("status", "diff", "log", "show "+rev, "branch", "tag", "stash list", "stash show -p",
				"blame "+n, "ls-files", "ls-tree -r "+rev, "cat-file -p "+rev, "reflog", "shortlog HEAD",
				"describe --tags", "rev-parse HEAD", "diff --stat", "log -p", "log --stat -2", "whatchanged",
				"diff "+rev, "diff --cached", "diff --no-index "+n+" "+g.name(), "show "+rev+":"+n, "log -- "+n,
				"config -l", "remote -v", "ls-files -o", "ls-files -s", "check-ignore -v "+n, "count-objects", "fsck",
				"var -l", "for-each-ref", "log -L1,2:"+n, "diff --output="+n, "log --output="+n, "diff --ext-diff",
				"status --ignored", "archive "+rev)
		}},
		choice{4, func() string {
			return "grep" + g.options("--no-index", "--untracked", "--no-exclude-standard", "--exclude-standard",
				"--cached", "-n", "-l", "-i", "-v", "-h", "-e KEY", "-f notes.txt", "--no-inde",
				"--recurse-submodules", "--max-depth 1", "-O", "-W") +
				g.of(" MARK", " SECRET", " S.CRET", " one", " ''", " -e SECRET") + g.of("", "", g.names(), " -- "+n,
				" "+rev, " -- ':!docs'", " ':(glob)**/*.key'", " -- '*.key'", " :/", " :/config", " -- '../*'")
		}},
		choice{6, func() string {
			return "add" + g.options("-A", "-u", "-f", "-p", "-n", "-N", ".", ":/", "--intent-to-add",
				"--renormalize", "--chmod=+x", "--pathspec-from-file="+g.name(), "-v") + g.names()
		}},
		choice{5, func() string {
			return "commit" + g.options("-m x", "-a", "-am x", "--amend", "--no-edit", "-m y", "--allow-empty", "-n",
				"-q", "--dry-run", "-F "+g.name(), "-C HEAD", "-i", "-o", "--fixup HEAD", "--reset-author") + g.of("",
				" "+n, " -- "+n)
		}},
		choice{4, func() string {
			return "rm" + g.options("-r", "-f", "--cached", "-n", "-q", "--ignore-unmatch") + g.names()
		}},
		choice{4, func() string { return "mv" + g.options("-f", "-k", "-n", "-v") + g.names() + " " + g.name() }},
		choice{5, func() string {
			return g.of("checkout", "switch", "restore") + g.options("-b new", "-c new", "-f", "--", "-B main",
				"-C main", "--staged", "--worktree", "-s "+rev, "--orphan o", "-q", "-m", "--detach", "-p",
				"--theirs", "--ours", "-", "--discard-changes", "--overlay", "-t") + g.of("", " "+rev, " "+n,
				" -- "+n, " "+rev+" -- "+n)
		}},
		choice{4, func() string {
			return "reset" + g.options("--hard", "--soft", "--mixed", "--keep", "--merge", "-q", "-N",
				"-p") + g.of("", " "+rev, " "+n, " -- "+n)
		}},
		choice{4, func() string {
			return "stash" + g.of("", " push", " -u", " -a", " pop", " apply", " drop", " clear", " push -- "+n,
				" branch b", " -k", " create", " store", " show -p --include-untracked", " push -m x", " list -p")
		}},
		choice{2, func() string {
			return "clean" + g.options("-f", "-d", "-x", "-X", "-n", "-fd", "-q", "-e '*.txt'", "-ff",
				"-i") + g.of("", " "+n)
		}},
		choice{4, func() string {
			return g.of("branch -D feature", "branch -d feature", "branch -m other", "branch -f main v1",
				"branch new", "branch new feature", "branch --set-upstream-to=origin/main", "branch -u origin/main",
				"branch -c x", "branch --unset-upstream", "branch --edit-description", "tag -d v1", "tag new",
				"tag -f v1", "tag -a z -m z", "update-ref refs/heads/main v1", "update-ref -d refs/heads/feature",
				"symbolic-ref HEAD refs/heads/feature", "replace HEAD v1", "notes add -m x",
				"branch -t y origin/main", "branch --track z feature")
		}},
		choice{4, func() string {
			return g.of("merge", "rebase", "cherry-pick", "revert", "pull", "fetch", "push", "am", "bisect start",
				"bisect bad", "merge --abort", "merge --squash", "rebase -i", "rebase --onto", "cherry-pick -n",
				"revert -n", "merge-tree", "read-tree -u", "read-tree", "checkout-index -f -a", "checkout-index",
				"merge-file README.md LICENSE", "fetch origin", "pull --rebase", "push origin",
				"push -f") + " " + g.of("", rev, n)
		}},
		choice{3, func() string {
			return g.of("gc", "gc --prune=now", "prune", "reflog expire --expire=now --all", "repack -ad",
				"update-index --assume-unchanged "+n, "update-index --skip-worktree "+n, "update-index --refresh",
				"worktree add ../wt", "worktree add wt feature", "worktree list", "worktree remove wt", "init",
				"init new", "clone . ../copy", "clone . copy", "config user.name x", "config core.fsmonitor ./x.sh",
				"config alias.x '!ls'", "config --unset user.name", "remote add x ../remote.git",
				"remote remove origin", "submodule add ../remote.git sub", "apply "+n, "apply --index "+n,
				"format-patch -1", "format-patch -1 -o "+n, "archive -o "+n+" HEAD", "bundle create "+n+" HEAD",
				"hash-object -w "+n, "rerere", "rerere clear", "sparse-checkout set docs", "sparse-checkout init",
				"filter-branch", "fast-export HEAD", "maintenance run", "pack-refs --all", "mktag", "write-tree",
				"commit-tree HEAD^{tree} -m x", "unpack-objects", "index-pack pack.tar", "diff-files -p",
				"restore --staged .", "rm -r --cached .", "lfs install", "hook run pre-commit", "credential fill",
				"difftool", "mergetool", "instaweb", "daemon", "show-ref", "range-diff v1 main feature",
				"stripspace < "+n, "column < "+n, "mailinfo a b < "+n, "get-tar-commit-id < pack.tar",
				"interpret-trailers --in-place "+n, "bugreport -o "+n, "diagnose -o "+n)
		}},
	)
}

func (g *liner) packer() string {
	n := g.name()
	return g.choose(
		choice{5, func() string {
			return g.of("gzip", "gunzip", "xz", "unxz", "bzip2", "bunzip2", "zstd", "lz4", "compress", "zip",
				"lzma") + g.options("-k", "-f", "-d", "-c", "-t", "-l", "-v", "-r", "-q", "-n", "-S .x", "-1", "--rm",
				"-td", "-dc", "-o "+g.name(), "-N", "-z", "--keep") + g.names()
		}},
		choice{5, func() string {
			return "tar " + g.of("cf", "-cf", "czf", "tf", "-tf", "xf", "-xf", "rf", "-uf", "--delete -f", "cvf",
				"xvf", "--extract -f", "xkf", "-cf -", "xOf", "df", "Af", "c --remove-files -f") + " " + g.of(n,
				"new.tar", "pack.tar", "-") + g.of("", g.names(), " -C "+g.name(), " --exclude=.env .",
				" -T "+g.name(), " --to-command=cat", " --one-top-level", " -C /tmp", " --keep-old-files",
				" --transform s/src/new/", " . | base64")
		}},
		choice{1, func() string {
			return g.of("unzip -o ", "unzip -l ", "zip -r new.zip ", "zip -m new.zip ", "cpio -o < ", "cpio -id < ",
				"ar rc new.a ", "ar x ", "zip -u new.zip ", "cpio -pdm /tmp < ", "7z a new.7z ", "unzip -p ") + n
		}},
	)
}

func (g *liner) finder() string {
	return "find" + g.of("", " "+g.name(), " .", " src", " -L .", " -P scratch", " -H lnk", " --", " -D exec .",
		" -O3 .", " -files0-from "+g.name()) + g.options("-name '*.tmp'", "-name '*.txt'", "-type f", "-type d",
		"-empty", "-maxdepth 1", "-mindepth 1", "-newer README.md", "-not -name '.*'", "-path './src/*'", "-prune",
		"-o", "-mtime +1", "-user dev", "-size +0", "-name "+g.name(), "-iname 'n*'", "-regex '.*'", "-perm 644",
		"-links 2", "-xtype l", "-name .env", "-inum 1", "! -name '*.js'", "-depth") +
		g.of("", " -print", " -ls", " -delete", " -exec cat {} +", " -exec rm {} \\;", " -exec rm -rf {} +",
			" -print0 | xargs -0 rm", " | xargs cat", " -exec grep -l MARK {} \\;", " -fprint "+g.name(),
			" -fls "+g.name(), " -printf '%p\\n'", " -exec cp {} /tmp \\;", " -exec mv {} /tmp \\;", " -ok rm {} \\;",
			" -execdir cat {} \\;", " -exec sh -c 'cat \"$1\"' x {} \\;", " -exec touch {} +",
			" -fprintf "+g.name()+" %p", " -exec sed -i s/a/b/ {} +", " -exec uniq {} +", " -exec xxd {} +",
			" -exec ln -s {} new \\;", " | xargs -I{} ln -s {} new", " -quit", " | head",
			" | xargs -I{} mv {} {}.bak", " -exec gzip {} +")
}

func (g *liner) editor() string {
	n := g.name()
	return g.choose(
		choice{5, func() string {
			return "sed" + g.options("-i", "-n", "-e p", "-i.bak", "-s", "-E", "-z", "--in-place", "-n -i",
				"-f "+g.name(), "--follow-symlinks", "--sandbox", "-u") + " " + g.of("s/one/uno/", "'1d'",
				"'w "+strings.Trim(n, "'")+"'", "'s/one/x/w new.txt'", "p", "'r .env'", "1q", "'$d'", "'e ls'",
				"'R .env'", "'1,2p'", "'d'", "'s/.*//'", "'W new.txt'", "'/MARK/d'", "'F'") + g.names()
		}},
		choice{3, func() string {
			return "awk " + g.of("'{print}'", "'{print > \"new.txt\"}'", "'{print > \"notes.txt\"}'",
				"'{print >> \"out.txt\"}'", "'BEGIN{while((getline l < \".env\")>0) print l}'", "'{system(\"ls\")}'",
				"-i inplace '{print 1}'", "'{print | \"cat\"}'", "'{print > FILENAME}'", "'{print > $1}'",
				"-v f="+n+" '{print > f}'", "-f "+n, "'{print FILENAME}'",
				"'BEGIN{printf \"\" > ARGV[1]}'") + g.names()
		}},
		choice{2, func() string {
			return g.of("patch -p1 < ", "patch ", "ed -s ", "ex -sc wq ", "tr a b < ", "perl -pi -e s/a/b/ ",
				"perl -ne print ", "dos2unix ", "indent ", "unexpand ", "tsort ", "jq . ", "xargs -a ", "env cat ",
				"timeout 5 rm ", "nice rm ", "busybox rm ", "python3 -m json.tool ", "cat > ", "echo x > ", ": > ",
				"printf x >> ", "> ", "script -c ls ", "column -t ", "vim -es ", "sponge ", "iconv -o new.txt ",
				"iconv -f utf8 -o ") + n
		}},
	)
}

// spilling is an option with a value that turns out to be several words.
func (g *liner) spilling() string {
	return g.of("rm --interactive=", "rm -f", "touch --date=", "mkdir --mode=", "nl -s", "head -n", "cat -n",
		"sort -k", "tee --output-error=", "cp --backup=", "ln -s", "grep -A1 -e", "uniq -f", "mv -S", "wc -",
		"grep -h -e ", "grep -v -e ", "git grep -e ", "git log --author ", "sort -o ", "cut -d ") +
		g.of(`"$x"*`, `."$x"*`, `e"$x"[!b]*`, `"$x"?nv`, `config/"$x"*`, `"$(echo)"*`,
			"$(ls)", "$(echo k notes.txt)", "$(echo never notes.txt)", "`ls`", "$x", "$(echo k .env)") +
		g.of("", g.names())
}

// history is a command that prints what git has, told in many ways what of it.
func (g *liner) history() string {
	rev := func() string {
		return g.of("HEAD", "main", "v1", "HEAD~1", "feature", "@", "HEAD:src", "HEAD:keep", "main:docs", "v1:keep",
			"HEAD^{tree}",
			"HEAD:keep/.env", ":keep/.env", "@{1}", "HEAD^!", "v1..main", "^v1 main", "^v1",
			"^feature", "main...feature", ":/one", "v1^0",
			"feature~1", "t", "--not v1", "HEAD --not v1")
	}
	before := g.of("", "", "", "", "", "tag -f t "+rev(), "tag -m x t "+rev(), "notes add -f -C "+rev(),
		"notes add -m x",
		"commit -q --allow-empty -m x", "branch t "+rev(), "checkout -qb new", "add keep",
		"update-ref refs/tags/t "+rev())
	if before != "" {
		before = "git " + before + "; git "
	} else {
		before = "git "
	}
	return before + g.of("log -p", "log -1 -p", "log", "show", "show", "whatchanged -p -1", "diff", "diff",
		"diff-tree -p",
		"diff-index -p", "diff --cached", "format-patch --stdout -1", "reflog -p", "grep SECRET", "grep -e SECRET",
		"archive",
		"cat-file -p", "range-diff v1", "fast-export", "bundle create -", "stash list -p", "stash show -p",
		"for-each-ref", "tag -l", "branch", "notes show", "config -l", "config --list", "rev-list", "merge-tree",
		"diff-files -p", "blame", "ls-tree -r", "shortlog") + g.options("-1", "-2", "-n1", "-n 2", "--max-count=1",
		"--skip=1", "--grep=one",
		"--author=dev", "-S SECRET", "-G SECRET", "--diff-filter=A", "--all", "--reflog", "--boundary",
		"--first-parent",
		"--topo-order", "--reverse", "--merges", "--no-walk", "--do-walk", "--indexed-objects",
		"--stdin < notes.txt", "--stdin <<< v1", "--find-object=HEAD:keep/.env", "--simplify-by-decoration",
		"--before=2100-01-01",
		"--format='%(raw)'", "--format=%N", "--format='%(*raw)'", "--blob=HEAD:keep/.env", "--stat", "-U1",
		"--name-only",
		"-c", "-m", "--cc", "-g", "--remotes", "-P", "-e '(*ACCEPT)'", "--root", "--no-index", "-p", "--raw",
		"--relative=keep", "--full-diff", "--follow", "-L1,2:README.md", "--patch-with-stat", "-i",
		"--no-patch") + " " + g.of("", "",
		rev(), rev(), rev()+" "+rev(), "-- keep", "-- .", "-- '*.env'", "-- README.md", rev()+" -- README.md",
		"README.md")
}

// narrowed is a command of git that prints what was changed, with an option that may
// take the next word, and what looks like a path behind it, or no path at all.
func (g *liner) narrowed() string {
	text := "git" + g.of("", "", "", " --icase-pathspecs", " --literal-pathspecs", " -C src",
		" -c color.ui=never -C src") + " " + g.of("log -p", "log -p", "diff v1 feature", "show", "show v1",
		"whatchanged -p", "diff-tree -p v1 feature", "format-patch --stdout --root HEAD", "blame", "stash show -p",
		"grep SECRET", "log -p --stdin")
	for again := true; again; again = g.chance(40) {
		text += " " + g.of("-O", "-I", "-U", "-S", "-G", "-l", "-n", "-X", "-M", "-C", "-B", "--unified",
			"--line-prefix", "--src-prefix", "--dst-prefix", "--anchored", "--ignore-matching-lines",
			"--word-diff-regex", "--ws-error-highlight", "--diff-merges", "--encoding", "--decorate-refs",
			"--decorate-refs-exclude", "--exclude", "--pretty", "--format", "--date", "--skip-to",
			"--rotate-to", "--cc", "--to", "--suffix", "--signature", "--subject-prefix", "-v", "--relative",
			"--submodule", "--abbrev", "--stat", "--color", "--since", "--until", "--author", "--grep",
			"--max-count", "--skip", "--glob", "--filter", "--reverse", "--contents", "--ignore-rev",
			"--date-order", "--follow", "--full-diff", "")
	}
	path := g.of("src", "docs", "README.md", "docs/a.md", "m", "x", "1", "keep", "KEEP", "src README.md", "all", "on")
	return g.of("", "", "", "ls gone.txt | xargs ", "echo keep | xargs ", "ls scratch | xargs ",
		"printf '%s\\n' v1 -- keep | ") +
		text + " " + g.of("", "-- ", "", "-- ") + g.of(path, path, path, "$(ls gone.txt)", "$(find src -name none)",
		"\"$X\"", "$(git ls-files none)")
}

// gathered puts something where a glob that was looked at before takes it along.
func (g *liner) gathered() string {
	dir := g.of("docs", "data", "src/sub", ".", "build", "kit")
	return g.of("mv ", "git mv ", "mv -t "+dir+" ", "ln ", "cp -l ") +
		g.of("notes.txt", "src/todo.txt", "out.txt", "scratch/one.txt", "src/tax.js", "docs/a.md", "src/half.txt") +
		" " + g.of(dir, dir+"/", dir+"/q.md", dir+"/o.o", "") + g.of("; ", " && ", "\n") +
		g.of("rm ", "rm -f ", "sed -i d ", "truncate -s 0 ", "tee ", "git rm -f ", "rm -rf ") +
		dir + "/" + g.of("*", "*.*", "*.txt", "[a-z]*", "?*", "*.md", "*.o") + g.of("", " < README.md")
}

// valued gives a program a value behind its operand, or one that may be an operand.
func (g *liner) valued() string {
	program := g.of("head", "tail", "sort", "cut", "nl", "od", "xxd", "strings", "grep one", "less", "more", "uniq",
		"column", "fold", "tac", "wc", "sum", "base64", "comm", "join", "paste", "diff", "cmp", "git blame", "git diff",
		"git show", "jq -R .", "sed", "awk 1", "file", "stat", "split", "expand", "fmt", "pr", "tr", "zcat",
		"gzip -c", "rg one")
	option := "-" + g.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "k", "l", "m", "n", "o", "p", "r", "s", "t", "u",
		"v", "w", "x", "y", "z", "A", "B", "C", "D", "F", "I", "L", "N", "P", "S", "T", "U", "lp", "pl", "cp", "bs",
		"-pattern", "-lines", "-key", "-args", "-unified", "-width", "-reverse", "-suffix")
	return g.of("", "", "", "POSIXLY_CORRECT=1 ") + program + " " + g.of("README.md ", "docs/a.md ", "", "") + option +
		" " + g.of(".env", "id_rsa", "keep/.env", "config/server.key", "HEAD:keep/.env") + g.of("", "", " README.md")
}

// guessed gives a program a word of which nobody knows that it is an option.
func (g *liner) guessed() string {
	program := g.of("grep", "grep -n", "egrep", "fgrep", "zgrep one", "du", "wc", "ls", "stat", "basename", "tr a",
		"seq",
		"head", "git status", "git ls-files", "git log", "git rev-parse", "git cat-file -p", "last", "pgrep", "findmnt",
		"lsblk", "which", "id", "df", "readlink", "cut", "rg", "fdfind", "jq", "file", "diff README.md", "sort", "nl")
	word := g.of("-re.", "-rf.env", "--files0-from=.env", "-F.env", "-f.env", "--pathspec-from-file=.env", "-X.env",
		"--rawfile=x=.env", "-e.", "--output=new.txt", "-o.bashrc", "-rS.", "--pre=./run.sh", "-R")
	return g.of(program+" \"$(echo "+word+")\"", program+" $(echo "+word+")", "x=$(echo "+word+"); "+program+" \"$x\"",
		"echo "+word+" | xargs "+program, "echo "+word+" | xargs -I{} "+program+" {} README.md",
		"echo "+word+" | while read -r f; do "+program+" \"$f\"; done",
		"for f in $(echo "+word+"); do "+program+" $f; done",
		"echo "+word+" > new.txt; "+program+" $(cat new.txt)", program+" "+word[:2]+"$(echo "+word[2:]+")",
		program+" -- \"$(echo "+word+")\"") + g.of("", "", " README.md", " .")
}

// excluding leaves something out of what is read whole, in some order and spelling.
func (g *liner) excluding() string {
	out := g.of(".env", ".env/", "'.e*'", "'*.env'", "'.*'", "config", "config/", "'*.key'", "./.env", "'*/.env'",
		".ENV",
		"'{.env,id_rsa}'", "'[.]env'", "id_rsa")
	dir := g.of(".", ". ", "config", "src", "docs config", "config src", "./")
	test := g.of("-name '*.md'", "-name .env", "-path '*/.env'", "-type f", "-true", "-false", "-empty", "! -name .env",
		"\\( -name '*.md' -o -name .env \\)", "-not -false", "-prune", "-size +0", "-newer README.md")
	return g.of("tar c --exclude="+out+" "+dir, "tar c "+dir+" --exclude="+out, "tar cf new.tar "+dir+" --exclude "+out,
		"tar cf - -C "+dir+" . --exclude="+out, "diff -r -x "+out+" "+dir+" /tmp", "diff -r config src -x "+out,
		"grep -r --exclude="+out+" SECRET "+dir, "grep -r SECRET "+dir+" --exclude-dir="+out,
		"grep -r --exclude-dir="+out+" --include='*' SECRET "+dir, "rg -uu -g '!'"+out+" SECRET "+dir,
		"find "+dir+" "+test+g.of(" ", " -o ", " -a ", " , ", " -false -o ", " -true -o ", " ! ")+test+" "+
			g.of("-exec cat {} +", "-o -exec cat {} +", "-false -o -exec cat {} +",
				"-exec true + {} \\; -exec cat {} \\;",
				"-print0 | xargs -0 cat", "-delete", "-exec rm {} +"))
}

// expression is one of find, with its actions anywhere in it and words of theirs that
// look like tests.
func (g *liner) expression() string {
	part := func() string {
		return g.of("", "", "! ", "-not ") + g.of("-name '*.md'", "-name .env", "-iname '.E*'", "-type f", "-true",
			"-false", "-maxdepth 1", "-mindepth 2", "-path '*/.env'", "-name -maxdepth", "-name '*'", "-print",
			"-exec cat {} \\;",
			"-exec cat {} +", "-exec cat -- {} -maxdepth 0 \\;", "-exec grep -h SECRET {} -name x \\;",
			"-exec echo "+g.of(";", "'$X'", "* ", "$(echo \\;)")+" -exec cat {} +", "-exec true \\;", "-quit", "-prune",
			"\\( -exec cat {} + -o -name x \\)", "-exec head -1 {} + -name x", "-print0", "-printf '%p\\n'")
	}
	text := "find " + g.of(".", "config", "src config", "./") + " " + part()
	for range 1 + g.r.IntN(4) {
		text += g.of(" ", " ", " ", " -o ", " -a ", " , ") + part()
	}
	return text + g.of("", "", " | xargs cat", " | xargs grep SECRET", " | grep -v"+g.of("", "w", "x", "F")+" "+
		g.of("env", ".env", "'\\.env'", "config", "-e env -e id")+" | xargs cat")
}

// listing gives the names that one of several programs looks for to a command.
func (g *liner) listing() string {
	lister := func() string {
		return g.of("ls", "ls -A", "ls keep", "find . -type f", "git ls-files", "git ls-files -o", "grep -rl one .",
			"grep one",
			"grep -- -n", "head -3", "sort", "echo .env", "cat notes.txt", "find src", "ls src | grep c")
	}
	if g.chance(20) {
		return g.of("cat $(", "head -1 $(") + lister() + g.of(" && ", " | ", " || ") + lister() + ")"
	}
	return g.of("", lister()+" | ", "{ "+lister()+"; "+lister()+"; } | ", "("+lister()+"; "+lister()+") | ",
		lister()+" && ", lister()+" | "+lister()+" | ") + lister() + " | " + g.of("xargs cat", "xargs head -1",
		"xargs -n1 cat", "xargs -I{} cat {}", "while read -r f; do cat \"$f\"; done", "xargs grep SECRET",
		"grep v | xargs cat")
}

// behind are two commands: one changes what is ignored, what git has or where a
// directory lies, and one prints or takes in what that was about.
func (g *liner) behind() string {
	away := g.of("new", "src", "docs", "newdir/", "build", "./new")
	first := g.of("mv keep "+away, "git mv keep "+away, "git rm -r --cached keep", "git rm -rq --cached ./keep/",
		"mv config "+away, "mv .gitignore new", "rm .gitignore", "echo > .gitignore", "echo '!.env' >> .gitignore",
		"git mv .gitignore new", "rm -f .git*e", "git reset --soft v1", "git branch -f new v1", "git tag -f v1 main",
		"mv .gitignore "+away, "cp README.md .gitignore", "git reset", "git add -A", "git commit -qam x",
		"mv kit "+g.of(".github", ".github/", ".claude/", "newdir/")+g.of("", " 2> new", " > /dev/null"),
		"mkdir .github && mv kit/* .github", "mv kit keep .github", "git checkout -qb new", "mkdir new && mv keep new",
		"sed -i d .gitignore", "truncate -s 0 .gitignore")
	second := g.of("git diff", "git diff HEAD", "git diff --cached", "git diff --cached --no-renames", "git show",
		"git show new", "git log -p -1", "git status -v", "git add . && git diff --cached",
		"git add -A; git show :.env", "git ls-files -o --exclude-standard | xargs cat",
		"git ls-files -co --exclude-standard | xargs grep SECRET",
		"git grep --untracked SECRET", "git diff v1", "git commit -qam y && git show", "git diff -- "+away,
		"cat "+away+"/*", "grep -r SECRET "+away, "git format-patch -1 --stdout", "git diff-index -p HEAD",
		"git commit -v --dry-run")
	return first + g.of(" && ", "; ", "\n") + second
}

// carried are two commands: one makes a secret, or what holds it, lie
// elsewhere or under another name, or goes there, and one reads that.
func (g *liner) carried() string {
	secret := g.of(".env", "config/server.key", "id_rsa", "config", ".", "envlink", "~/.aws/credentials", "~/.ssh",
		".e*", "*_rsa", "con*", ".[a-e]*", "./.e\"\"nv", "{.env,notes.txt}", "src/../.env", "$PWD/.env",
		"$(echo .env)")
	away := g.of("new.txt", "newdir", "/tmp/n", "src", "build", "new/", "../n")
	first := g.of("cp -r "+secret+" "+away, "cp "+secret+" "+away, "cp -a "+secret+" "+away, "cp -l "+secret+" "+away,
		"mv "+secret+" "+away, "ln -s "+secret+" "+away, "ln "+secret+" "+away, "tar cf new.tar "+secret,
		"tar c "+secret+" | tar x -C /tmp",
		"gzip -k "+secret, "gzip -c "+secret+" > "+away, "git add -f "+secret, "git add -A", "git add .", "git add :!x",
		"git add \"$PWD\"", "git add -- $x", "git hash-object -w "+secret, "git stash -u", "git stash -a", "cd "+secret,
		"cd config", "cd ~", "pushd config", "find . -type f -size -9 > "+away, "ls -A > "+away,
		"dd if="+secret+" of="+away,
		"mkdir newdir; cp -r . newdir", "f="+secret, "set -- "+secret, "exec 3<"+secret, "exec <"+secret,
		"git mv "+secret+" "+away, "git commit -am x", "zip -r new.zip "+secret, "sed -n p "+secret+" > "+away,
		"split "+secret+" new", "install "+secret+" "+away, "git worktree add ../wt", "read -r f < "+secret,
		"mapfile f < "+secret, "f=$(cat "+secret+")", "printf '%s\n' * .* > "+away)
	second := g.of("cat "+away, "cat *", "cat .*", "cat new*", "grep -r SECRET "+away, "grep -r SECRET",
		"grep SECRET *", "head -n 9 "+away+"/*", "tar xOf new.tar", "zcat *.gz", "zcat "+away, "git show :.env",
		"git show :config/server.key", "git diff --cached", "git diff HEAD", "git grep SECRET",
		"git grep --cached SECRET",
		"git stash show -p -u", "git show stash@{0}^3", "xargs cat < "+away, "xargs -a "+away+" cat", "cat < "+away,
		"cat \"$f\"", "cat \"$1\"", "cat $*", "cat <&3", "cat", "echo \"$f\"", "echo $f",
		"while read -r l; do cat \"$l\"; done < "+away, "for f in $(cat "+away+"); do head \"$f\"; done",
		"git log -p -1", "git show", "unzip -p new.zip", "tail -n +1 "+away, "sort "+away, "cat $OLDPWD/.env",
		"cat ~-/.env", "cat server.key", "cat .aws/credentials", "tail server.key", "base64 *",
		"diff "+away+" README.md", "cat /tmp/*", "cat ../n", "strings new.tar", "git cat-file -p :.env",
		"git diff --no-index src "+away, "sed -n p "+away, "awk 1 "+away, "cat /dev/fd/3", "cat /dev/stdin",
		"git blame "+away, "git archive HEAD | tar xO", "cut -c1-80 "+away)
	return first + g.of(" && ", "; ", "; ") + second
}
