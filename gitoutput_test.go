package nod_test

import (
	"fmt"
	"strings"
	"testing"
)

// What git prints as the name of a commit is an argument that nod knows enough of: no
// option, and the commit that the command in the substitution names.
func TestGitsOutputAsItsArgument(t *testing.T) {
	p := withHistory(t)
	p.git("branch", "old", "HEAD~4")
	p.git("branch", "mid", "HEAD~2")
	p.git("tag", "held", p.output("rev-parse", "HEAD~2:.env"))
	p.git("tag", "a.txt", "HEAD")
	p.check(kept, "git show $(git rev-parse HEAD) --stat", `git diff --stat "$(git merge-base HEAD old)" HEAD`,
		"for c in $(git log --format=%h -3); do git show --stat $c; done",
		"for c in $(git rev-list -3 HEAD); do git log -1 --format=%s $c; done",
		"git log --oneline old..$(git branch --show-current)", "git log --oneline $(git rev-parse --short HEAD)",
		"git diff --name-only $(git merge-base HEAD old)", "C=$(git rev-parse HEAD); git log -1 --stat $C",
		"git diff $(git rev-parse HEAD~1)..HEAD", "git show $(git rev-parse HEAD)", "git show $(git log -1 --format=%H)",
		`git show "$(git rev-parse HEAD)"`, "git log -p $(git merge-base HEAD HEAD~1)..HEAD",
		"git diff $(git merge-base HEAD~1 HEAD)", "git diff HEAD~1..$(git branch --show-current)",
		"git log --oneline $(git rev-parse --abbrev-ref HEAD)",
		"git log --oneline $(git -C src rev-parse HEAD)", "git show $(git rev-parse HEAD 2>/dev/null)")
	p.check(kept, "git commit -qm \"docs: say \\`nod\\` twice\"") // a message with a name in backquotes
	p.check(lost, "git commit -qm \"docs: say `rm -rf ~` twice\"")
	p.check(lost, "git show $(git rev-parse HEAD~1)", "git diff $(git rev-parse HEAD~2)..HEAD",
		"git diff $(git merge-base HEAD mid)", "git log -p $(git merge-base mid HEAD)..$(git branch --show-current)",
		"git show $(git log -1 --format=%h HEAD~1)", "C=$(git rev-parse mid); git show $C",
		"git show $(git log -3 --format=%h)", "git show $(git rev-list HEAD)",
		"git log $(echo --output=x)", "git log $(git rev-parse --output=x)", "git log $(git log -1 --format=%s)",
		"git log $(git rev-parse --sq-quote --output=x)", "git log $(git log -1 --format=%h%n%s)",
		"git log $(git log -1 --graph --format=%h)", "git log $(git log -1 --format=%h --name-only)",
		"git log $(git show --format=%h)", "git log $(git rev-parse HEAD; cat a.txt)",
		"git log $(git rev-parse '*')", "git log $(git rev-parse HEAD^@) -p", "git show $(git rev-parse HEAD~3..HEAD)",
		"git diff HEAD~2...$(git log -1 --format=%H a.txt)", "for c in $(git rev-parse held); do git show --stat $c; done",
		"git show -s $(git rev-parse held) -- a.txt", "C=$(git rev-parse held); git show --stat $C",
		"git show --stat $(git rev-parse held nosuch)", "for c in $(git rev-parse nosuch held); do git show --stat $c; done",
		"git show --stat $(git rev-parse --short held)", "git diff HEAD~3...$(git log -1 --format=%H held)",
		"git show $(git -C nodir rev-parse HEAD~4)", "git show $(git -c core.abbrev=2 rev-parse --short HEAD~4)",
		"git diff HEAD~3..$(git rev-parse HEAD~4 1>&2)", "git diff HEAD~3..$(git rev-parse HEAD~4 < nosuch)",
		"git log $(git rev-parse HEAD 2>&1)", "git diff HEAD~3..$(git rev-parse HEAD~4 > x)",
		"git log -- $(git branch --show-current)", "git diff $(git rev-parse HEAD):.env", "git show $(git rev-parse .env)",
		"git diff $(git merge-base HEAD old)--output=x", "git diff --output=$(git rev-parse HEAD)",
		"git diff $(git merge-base HEAD old)/etc/passwd", "cat out-$(git rev-parse HEAD)",
		"rm $(git rev-parse HEAD)", "cat $(git branch --show-current)",
		"git show $(cd src && git rev-parse HEAD~1)", "git log $(git describe)")
}

// A name that git prints may be that of another ref, which git then takes: an abbreviation
// that is a tag's name, a branch and a tag of one name, a file of the git directory.
func TestGitsOutputThatNamesAnotherRef(t *testing.T) {
	for _, kind := range []string{"refs/tags/", "refs/heads/", "refs/remotes/%s/HEAD", "file"} {
		for _, name := range []string{"short", "main"} {
			if strings.Contains(kind, "remotes") && name == "main" {
				continue // the branch comes first
			}
			p := withHistory(t)
			lines := []string{"git show $(git branch --show-current)", "git show $(git rev-parse --abbrev-ref HEAD)",
				"git diff HEAD~1 $(git branch --show-current)"}
			if name == "short" {
				name = p.output("rev-parse", "--short", "HEAD")
				lines = []string{"git show $(git rev-parse --short HEAD)", "git show $(git log -1 --format=%h)",
					"C=$(git log --format=%h -1); git show $C", "git diff HEAD~1..$(git log -1 --format=%h)"}
			}
			p.check(kept, lines...)
			secret := p.output("rev-parse", "HEAD~2")
			switch {
			case kind == "file":
				p.write(".git/"+name, secret+"\n")
			case strings.Contains(kind, "%"):
				p.git("update-ref", fmt.Sprintf(kind, name), secret)
			case kind != "refs/heads/" || name != "main":
				p.git("update-ref", kind+name, secret)
			default:
				continue
			}
			p.check(lost, lines...)
			p.check(lost, "git show "+name)
		}
	}
	p := newProject(t)
	p.write("server.pem", "PRIVATE KEY--\n")
	p.write(p.home+"/.ssh/id_rsa", "x\n")
	p.check(lost, "git diff $(git branch --show-current) /dev/null", "git -C ~/.ssh diff $(git branch --show-current) x",
		"cd ~/.ssh && git diff $(git -C "+p.dir+" branch --show-current) /dev/null",
		"cd ~/.ssh; git diff $(git -C "+p.dir+" branch --show-current) known_hosts",
		"git diff $(git branch --show-current) ../x", "git diff --stat $(git rev-parse HEAD) ~/x",
		"cd ~/.ssh && git diff $(git rev-parse id_rsa) known_hosts")
	p.check(kept, "for c in $(git merge-base main HEAD); do git show -s $c; done")
	p.check(lost, "for c in $(git merge-base 'a --output=x b' HEAD 2>&1); do git show -s $c; done",
		"for c in $(git rev-list --format=%s -3 HEAD); do git show -s $c; done", "git show -s $(git rev-list --pretty -1 HEAD)",
		"for c in $(git -c log.showSignature=true log --format=%h); do git show -s $c; done",
		"git log -p --ignore-missing $(git log -1 --format=%h 'HEAD --output=x' 2>&1)")
	p = withHistory(t)
	p.git("update-ref", "refs/heads/"+p.output("rev-parse", "HEAD~2"), "HEAD")
	p.git("symbolic-ref", "HEAD", "refs/heads/"+p.output("rev-parse", "HEAD~2"))
	p.check(lost, "git show $(git branch --show-current)", "git show "+p.output("rev-parse", "v3^{commit}"))
	p.git("symbolic-ref", "HEAD", "refs/heads/unborn")
	p.check(lost, "git diff main~2", "git diff --cached v3", "git diff $(git rev-parse v3)")
}
