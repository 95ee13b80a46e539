package nod_test

import "testing"

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
}
