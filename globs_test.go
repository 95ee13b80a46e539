package nod_test

import (
	"os"
	"testing"

	"github.com/nodgate/nod"
)

// A directory whose name has the signs of a pattern is no pattern: Next.js calls
// directories app/[slug].
func TestDirectoriesThatLookLikePatterns(t *testing.T) {
	p := withSecret(t)
	for _, dir := range []string{"app/[slug]", "app/[slug]/q", "app/[[id]]", `app/a\b`, "app/[a-z]", "app/[...all]"} {
		p.write(dir+"/key.pem", "KEY\n")
		p.write(dir+"/plain.txt", "x\n")
		p.write(dir+"/mine.dat", "mine\n")
		p.must(os.Symlink(p.dir+"/.env", p.dir+"/"+dir+"/n.txt"))
	}
	p.write("app/s/plain.txt", "x\n") // what the name matches as a pattern
	p.write("app/s/mine.dat", "x\n")
	p.git("add", "app/s")
	p.git("commit", "-qm", "s")
	ask := func(dir, line string) nod.Decision { return p.decideIn(p.dir, p.dir+"/"+dir, line) }
	for _, dir := range []string{"app/[slug]", "app/[slug]/q", "app/[[id]]", `app/a\b`, "app/[a-z]", "app/[...all]"} {
		for _, line := range []string{"cat *", "cat n*", "cat k*", "grep KEY *", "head -1 *.pem", "rm *.dat",
			"rm -rf m*",
			"truncate -s 0 m*", "sed -i s/mine/x/ *.dat"} {
			if d := ask(dir, line); d.Verdict == nod.Allow {
				t.Errorf("in %s: %q is allowed (%s)", dir, line, d.Reason)
			}
			if d := p.decide(p.dir, "cd '"+dir+"' && "+line); d.Verdict == nod.Allow {
				t.Errorf("behind cd %s: %q is allowed (%s)", dir, line, d.Reason)
			}
		}
		for _, line := range []string{"cat p*", "cat plain.*", "ls *"} {
			if d := ask(dir, line); d.Verdict != nod.Allow {
				t.Errorf("in %s: %q: %s (%s)", dir, line, d.Verdict, d.Reason)
			}
		}
	}
	if d := ask("app/s", "rm *.dat"); d.Verdict != nod.Allow {
		t.Errorf("in app/s: %s (%s)", d.Verdict, d.Reason)
	}
}

// Shells differ in what a pattern matches: what it matches in any of them counts.
func TestPatternsOfAnyShell(t *testing.T) {
	p := withSecret(t)
	p.write("sub/x/y/key.pem", "KEY\n")
	p.write("sub/x/plain.md", "x\n")
	p.must(os.Symlink("../../.env", p.dir+"/sub/x/z.md"))
	p.write("../.ssh/work", "KEY\n")
	p.write("../key.pem", "KEY\n")
	p.must(os.Mkdir(p.dir+"/e", 0o755))
	p.must(os.Symlink("../../.ssh", p.dir+"/e/ss"))
	p.must(os.Symlink(".env", p.dir+"/qn.txt"))
	p.write("docs/n.txt", "x\n")
	p.check(lost,
		"cat **/*.md", "cat **/z.md", "head -3 ./**/*.md", "grep KEY **/*.md",
		"for f in **/*.md; do cat \"$f\"; done",
		"cat **/*", "cat **/k*", "cat sub/**/k*", "cat */**/*", "cat ***/*", // zsh goes down all levels
		"cat e/s*/w*", "cat e/[s]s/work", "cat e/s?/work", "head e/s*/w*", "for f in e/s*/w*; do cat \"$f\"; done",
		"cd e && cat s*/work", "cp e/s[s]/w* q", "for d in e/s*; do cat \"$d\"/work; done", // behind a link
		"find e/s*/w* | xargs cat", "tar cf - e/s*/w* | tar xOf -",
		"cat [^q]*.txt", "rm -f [^a-t]*", // dash knows no negation by a caret
		"grep -r KEY .*", "grep -rh = .?", "cat .*/k*", "cat .?/k*", "cat .[.]/k*", "cat ..*/k*",
		"tar cf - .* | tar xOf -",
		"sort .?/k*", "cat .[!x]/k*", // ".." is among the matches
		"tar cf - --anchored --exclude=key.pem sub | tar xOf -")
	p.check(kept, "cat docs/**/*.txt", "cat docs/**", "cat docs/[^m]*", "ls .*", "cat docs/*.txt", "ls **/*.md")
}

// A glob beside a value that nobody knows is one word or many.
func TestGlobsBesideUnknownValues(t *testing.T) {
	p := newProject(t)
	p.write("-lk", "x\n")
	p.check(lost, `grep -v -e l"$e"*`, `grep -h -e ."$e"*`, `git log --author "$e"-[!n]*`, `git grep -e "$e"-[!nr-]*`,
		`git commit -m "$e"*.txt`, `head -n "$e"* a.txt`, `grep -e *"$e" a.txt`, `sort -k "${e}"? a.txt`,
		`grep -e [a]"$(date)"* a.txt`)
	p.check(kept, `ls "$e"/*.txt`, `grep -e "$e" a.txt`, `git commit -m "$e.txt"`)
}
