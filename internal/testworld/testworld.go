// Package testworld makes the machine that a test of a decision sees. It is the same everywhere: neither installed
// programs nor the user change it. A call gets [Environ]; a gate gets [Disk]. What a test starts for real it gets from
// [Needs], which holds the one list of such programs. TestTestsSeeTheirOwnWorld finds the tests that go round this
// package.
package testworld

import (
	_ "embed" // the lists of programs
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/view"
)

// Path is the PATH of every call in a test. Its programs are [Disk]'s.
const Path = "/usr/bin"

// Environ is what a call in a test inherits, with the test's own home.
func Environ(home string, more ...string) []string {
	return append([]string{"HOME=" + home, "PATH=" + Path, "LANG=C.UTF-8", "TZ=UTC"}, more...)
}

// programs are installed in every world: those of a plain machine, and those
// that tests speak of. A decision looks them up and starts none.
//
//go:embed programs.txt
var programs string

// Disk is this machine's temporary files, /dev, /proc and the directories that are named, in a world where all else is
// made up: the programs above, and no settings of anybody.
func Disk(further ...string) view.Files {
	made := view.NewMemory(false)
	for name := range strings.FieldsSeq(programs) {
		made.File(Path+"/"+name, "", 0o755)
	}
	made.Dir("/etc", 0o755).Link("/bin", "usr/bin")
	temporary, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		temporary = os.TempDir()
	}
	return disk{made: made, real: append(further, temporary, "/dev", "/proc")}
}

type disk struct {
	made *view.Memory
	real []string
}

// files is who knows a name.
func (d disk) files(name string) view.Files {
	for _, dir := range d.real {
		if name == dir || strings.HasPrefix(name, dir+"/") || strings.HasPrefix(dir, path.Clean(name)+"/") {
			return view.Disk{}
		}
	}
	return d.made
}

func (d disk) Lstat(name string) (view.Info, error)      { return d.files(name).Lstat(name) }
func (d disk) Readlink(name string) (string, error)      { return d.files(name).Readlink(name) }
func (d disk) Read(name string, n int64) ([]byte, error) { return d.files(name).Read(name, n) }
func (d disk) List(name string, n int) ([]string, error) { return d.files(name).List(name, n) }
func (d disk) Entries(name string, n int) ([]view.Entry, error) {
	return view.Entries(d.files(name), name, n)
}

// needed are the real programs that tests start. Behind those that a bare machine
// (Go, Node, git, coreutils, a C compiler) lacks stands where each is from.
//
//go:embed needed.txt
var needed string

// ErrUnlisted says that a test asks for a program that is not in the list.
var ErrUnlisted = errors.New("internal/testworld does not list this program: add it to needed.txt")

// Needs returns where a real program is. A test whose program is missing is skipped, and counted by the program's name.
func Needs(t testing.TB, program string) string {
	t.Helper()
	_, line, listed := strings.Cut("\n"+needed, "\n"+program+"\t")
	from, _, _ := strings.Cut(line, "\n")
	if !listed {
		t.Fatalf("%s: %v", program, ErrUnlisted)
	}
	at, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed%s", program, map[bool]string{true: " (from " + from + ")"}[from != ""])
	}
	return at
}

// Started is what a real program that a test starts inherits: this machine's PATH, and no settings of anybody.
func Started(home string, more ...string) []string {
	return append([]string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig")}, more...)
}
