package nod_test

import (
	"fmt"
	"strings"
	"testing"
)

// What git prints may be an option, a file or another commit to whom it is given: git's
// messages hold words of the line, a branch has any name, an abbreviation may be a tag's.
func TestGitsOutputAsItsArgument(t *testing.T) {
	p := newProject(t)
	p.check(lost, "for c in $(git merge-base 'a --output=x b' HEAD 2>&1); do git show -s $c; done",
		"git log -p --ignore-missing $(git log -1 --format=%h 'HEAD --output=x' 2>&1)",
		"for c in $(git rev-list --format=%s -3 HEAD); do git show -s $c; done",
		"git log $(git log -1 --format=%s)", "git log $(git rev-parse '*')", "git diff --output=$(git rev-parse HEAD)",
		"cd ~/.ssh && git diff $(git -C "+p.dir+" branch --show-current) known_hosts",
		"git diff $(git branch --show-current) /dev/null", "rm $(git rev-parse HEAD)",
		"cat $(git branch --show-current)")
	p.check(kept, "git commit -qm \"docs: say \\`nod\\` twice\"") // a message with a name in backquotes
	p.check(lost, "git commit -qm \"docs: say `rm -rf ~` twice\"")
	p = withHistory(t)
	p.git("tag", "held", p.output("rev-parse", "HEAD~2:.env"))
	p.check(lost, "git show $(git rev-parse HEAD~1)", "git diff HEAD~3...$(git log -1 --format=%H held)",
		"git show --stat $(git rev-parse held)", "for c in $(git rev-parse held); do git show --stat $c; done",
		"git show $(git -C nodir rev-parse HEAD~4)", "git diff HEAD~3..$(git rev-parse HEAD~4 1>&2)",
		"git show $(git log -3 --format=%h)")
}

// A name may be that of another ref than it seems: of a tag beside a branch, of a file of
// the git directory; one of all digits is an object's. Where no commit is checked out, a
// revision is laid beside nothing that nod knows.
func TestNamesOfOtherRefs(t *testing.T) {
	for _, kind := range []string{"refs/tags/", "refs/heads/", "refs/remotes/%s/HEAD", "file"} {
		for _, name := range []string{"short", "main"} {
			p := withHistory(t)
			if name == "short" {
				name = p.output("rev-parse", "--short", "HEAD")
			} else if strings.HasPrefix(kind, "refs/heads") || strings.Contains(kind, "remotes") {
				continue // the branch comes first
			}
			p.check(kept, "git show "+name)
			secret := p.output("rev-parse", "HEAD~2")
			switch {
			case kind == "file":
				p.write(".git/"+name, secret+"\n")
			case strings.Contains(kind, "%"):
				p.git("update-ref", fmt.Sprintf(kind, name), secret)
			default:
				p.git("update-ref", kind+name, secret)
			}
			p.check(lost, "git show "+name, "git diff HEAD~4 "+name, "git log -p -1 "+name)
		}
	}
	p := withHistory(t)
	p.git("update-ref", "refs/heads/"+p.output("rev-parse", "HEAD~2"), "HEAD")
	p.check(lost, "git show "+p.output("rev-parse", "v3^{commit}"))
	p.git("symbolic-ref", "HEAD", "refs/heads/unborn")
	p.check(lost, "git diff main~2", "git diff --cached v3")
}
