package nod_test

import (
	"os"
	"testing"
)

// What find -delete would remove is not looked for: a person or a model is asked.
func TestWhatFindDeletes(t *testing.T) {
	p := newProject(t)
	p.check(lost, "find . -name '*.pyc' -delete", "find src -name d.txt -delete", "find . -delete",
		"find .. -name '*.pyc' -delete")
}

func TestAModeIsEasilyPutBack(t *testing.T) {
	p := newProject(t)
	p.write("run.sh", "ls\n")
	p.write("src/.env", "KEY=x\n")
	p.write("shop.db", "x\n")
	p.must(os.Link(p.dir+"/run.sh", p.home+"/second"))
	p.write("own.sh", "ls\n")
	p.check(kept, "chmod +x own.sh", "chmod 644 own.sh a.txt", "chmod u+w $PWD/own.sh")
	p.check(lost, "chmod +x run.sh", "chmod 644 src/.env", "chmod -R +x src", "chmod 666 shop.db", "chmod +x ../x",
		"chmod +x .git/hooks/pre-commit",
		"echo own.sh | xargs chmod +x", "chown x own.sh", "chattr +i own.sh", "chmod +x $F",
		"chmod --reference=a.txt .git/config")
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
	p.check(lost, "rm -rf ui/node_modules/x", "rm ui/node_modules/x/index.js", "rm -rf ui/node_modules ui/package.json",
		"mv src/c.txt ui/node_modules && rm -rf ui/node_modules",
		"echo x > ui/node_modules/x/index.js", "find ui -name node_modules -exec rm -rf {} +")
	p.must(os.Rename(p.dir+"/ui/node_modules", p.home+"/elsewhere"))
	p.must(os.Symlink(p.home+"/elsewhere", p.dir+"/ui/node_modules"))
	p.check(lost, "rm -rf ui/node_modules/", "rm -rf ui/node_modules/*")
}
