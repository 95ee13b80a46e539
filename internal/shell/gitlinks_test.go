package shell

import (
	"encoding/binary"
	"testing"
)

// gitlinkIndex is an index of version 2 with one repository in it.
func gitlinkIndex(name string) string {
	entry := make([]byte, 24)
	entry = binary.BigEndian.AppendUint32(entry, 0o160000)
	entry = append(entry, make([]byte, 12+20)...)
	entry = binary.BigEndian.AppendUint16(entry, uint16(len(name)))
	entry = append(entry, name...)
	entry = append(entry, make([]byte, 8-len(entry)%8)...)
	return "DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + string(entry) + string(make([]byte, 20))
}

// Git runs itself in the repositories that lie inside another one.
func TestRepositoriesInside(t *testing.T) {
	for _, c := range []struct{ command, inside, want string }{
		{"git status", "[core]\n\tfsmonitor = ./x\n", "run ./x; unknown"},
		{"git diff", "[filter \"f\"]\n\tclean = ./x\n", "run ./x; unknown"},
		{"git add -A", "[core]\n\tfsmonitor = ./x\n", "run ./x; write .git kept; unknown"},
		{"git status", "[core]\n\tfilemode = true\n", "nothing"},
		{"git fetch origin", "[remote \"origin\"]\n\turl = ../x\n", "fetch origin; write .git kept"},
		{"git log -1", "[core]\n\tfsmonitor = ./x\n", "run ./x; unknown"}, // settings of submodules count everywhere
	} {
		w := gitWorld("[remote \"origin\"]\n\turl = https://code.example/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n")
		w.File("/home/u/repo/.git/index", gitlinkIndex("a/sub"), 0o644)
		w.File("/home/u/repo/a/sub/.git", "gitdir: ../../.git/modules/a/sub\n", 0o644)
		w.File("/home/u/repo/.git/modules/a/sub/config", c.inside, 0o644)
		w.File("/home/u/repo/.git/modules/a/sub/HEAD", "ref: refs/heads/main\n", 0o644)
		if got := sorted(brief(Analyze(c.command, testEnv(w)))); got != sorted(c.want) {
			t.Errorf("%s\n%swant %s\ngot  %s", c.command, c.inside, sorted(c.want), got)
		}
	}
}

// Git takes a directory for a repository that has a HEAD, and what belongs to it
// or says where that lies.
func TestRepositoriesWithoutWorkingTree(t *testing.T) {
	for _, beside := range [][]string{{"objects/x", "refs/x"}, {"commondir"}} {
		w := gitWorld("")
		for _, name := range append(beside, "HEAD") {
			w.File("/home/u/repo/data/"+name, "x", 0o644)
		}
		for _, command := range []string{"git -C data status", "cd data && git log -1"} {
			if got := brief(Analyze(command, testEnv(w))); got != "unknown" {
				t.Errorf("%q beside HEAD, %s: %s", beside, command, got)
			}
		}
	}
}
