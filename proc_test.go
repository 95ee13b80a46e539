package nod_test

import (
	"os"
	"testing"
)

// A link that leads through what Linux makes for a process leads nowhere that is
// known, also where the way goes on with "..".
func TestWalksBehindLinksOfProcesses(t *testing.T) {
	p := withSecret(t)
	for _, target := range []string{"/proc/self/cwd/src/../.env", "/proc/self/cwd/../" + "ws/.env", "/proc/self/cwd/../.ssh/work"} {
		p.must(os.MkdirAll(p.dir+"/d", 0o755))
		p.must(os.Symlink(target, p.dir+"/d/l.txt"))
		p.check(lost, "find d -name '*.txt' | xargs cat", "find d -name 'l*' -exec cat {} +", "grep -R KEY d",
			"cat d/l.txt", "cat d/*")
		p.must(os.Remove(p.dir + "/d/l.txt"))
	}
	p.must(os.Symlink("/proc/thread-self/cwd", p.dir+"/n1"))
	p.check(lost, "nl */*/*", "cat n1/*", "cat n*/.e*", "head -1 */.env")
	p.check(kept, "cat a*")
}
