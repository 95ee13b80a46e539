package nod_test

import (
	"os"
	"testing"
)

func TestWhatFindDeletes(t *testing.T) {
	p := newProject(t)
	p.write("src/x.tmp", "untracked\n")
	p.write("dist/x.js", "built\n")
	p.write("dist/__pycache__/x.pyc", "built\n")
	p.write("dist/y.rej", "built\n")
	p.write("dist/deep/y.TMP", "built\n")
	p.write("src/deep/é.bak", "untracked\n")
	p.must(os.Symlink("..", p.dir+"/up"))
	p.must(os.Symlink("../src", p.dir+"/dist/src"))
	p.git("branch", "old.orig")
	p.check(kept,
		"find . -name '*.pyc' -delete", "find . -name '*.pyc' -type f -delete", "find src -name d.txt -delete", "find src/deep -iname 'D.*' -delete",
		"find . -type f -name '*.rej' -delete", "find dist/deep -delete", "find src/deep -name d.txt -mtime +30 -delete", "find -P src -name d.txt -delete",
		"cd src && find . -name c.txt -delete")
	p.check(lost,
		"find . -name '*.swp' -delete", // nothing is there: whoever asks for it thinks otherwise
		"find . -name '*.tmp' -delete", "find src -iname 'X.TMP' -delete", "find . -delete", "find src -type f -delete", "find src -empty -delete",
		// in .git too, where a file is a branch
		"find . -name '*.orig' -delete", "find .git -name x -delete", "find .git -delete", "find . -name '.git*' -delete",
		// patterns that shells and libraries read in different ways
		"find . -name '[!a].tmp' -delete", `find . -name '\x.tmp' -delete`, "find . -name '[[:alpha:]].tmp' -delete", "find . -name '[Z-z].tmp' -delete", "find src -name '?.bak' -delete", "find src -name '??.bak' -delete",
		// only one of the alternatives has a name, or none
		"find . -name '*.pyc' -o -type f -delete", `find . \( -name '*.pyc' -o -type f \) -delete`, "find . ! -name '*.pyc' -delete", "find . -delete -name '*.pyc'",
		// by a link, or a program that follows them
		"find up/ -name a.txt -delete", "find up/shop -name '*.pyc' -delete", "find -L . -name '*.pyc' -delete", "find . -follow -name '*.pyc' -delete",
		"find */ -name '*.pyc' -delete", "find -H up -name '*.pyc' -delete", "find dist -name src -delete",
		// outside, unknown, or fed
		"find .. -name '*.pyc' -delete", "find ~ -name '*.pyc' -delete", "find $X -name '*.pyc' -delete", "find . -name \"$X\" -delete",
		"echo . | xargs find -name '*.pyc' -delete", "sudo find . -name '*.pyc' -delete", "find . -files0-from list -name '*.pyc' -delete",
		// something else is put there before
		"mv src/x.tmp src/x.pyc; find . -name '*.pyc' -delete", "git checkout main; find src -name d.txt -delete")
}

func TestAModeIsEasilyPutBack(t *testing.T) {
	p := newProject(t)
	p.write("run.sh", "ls\n")
	p.write("src/.env", "KEY=x\n")
	p.write("shop.db", "x\n")
	p.must(os.Link(p.dir+"/run.sh", p.home+"/second"))
	p.write("own.sh", "ls\n")
	p.check(kept, "chmod +x own.sh", "chmod 644 own.sh a.txt", "chmod u+w $PWD/own.sh")
	p.check(lost, "chmod +x run.sh", "chmod 644 src/.env", "chmod -R +x src", "chmod 666 shop.db", "chmod +x ../x", "chmod +x .git/hooks/pre-commit",
		"echo own.sh | xargs chmod +x", "chown x own.sh", "chattr +i own.sh", "chmod +x $F", "chmod --reference=a.txt .git/config")
}

func TestInstalledPackagesAreInstalledAgain(t *testing.T) {
	p := newProject(t)
	p.write("ui/node_modules/x/index.js", "x\n")
	p.write("ui/package.json", "{}\n")
	p.check(lost, "rm -rf ui/node_modules")
	p.write(".gitignore", "node_modules/\n")
	p.git("commit", "-qam", "two")
	p.check(lost, "rm -rf ui/node_modules")
	p.write("ui/package-lock.json", "{}\n")
	p.check(kept, "rm -rf ui/node_modules", "cd ui && rm -rf node_modules", "rm -fr ./ui/node_modules/")
	p.check(lost, "rm -rf ui/node_modules/x", "rm ui/node_modules/x/index.js", "rm -rf ui/node_modules ui/package.json", "mv src/c.txt ui/node_modules && rm -rf ui/node_modules",
		"echo x > ui/node_modules/x/index.js", "find ui -name node_modules -exec rm -rf {} +")
	p.must(os.Rename(p.dir+"/ui/node_modules", p.home+"/elsewhere"))
	p.must(os.Symlink(p.home+"/elsewhere", p.dir+"/ui/node_modules"))
	p.check(lost, "rm -rf ui/node_modules/", "rm -rf ui/node_modules/*")
}
