package disguise

import (
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/testworld"
)

// marker is the only program besides shells that the real bash finds: it
// writes its words down.
const marker = "nod-marker"

// markers are harmless commands of several shapes.
func markers() []string {
	return []string{
		"nod-marker a b c", `nod-marker 'a b' "c" ''`, "nod-marker a; nod-marker 'x\ty'",
		"ZZM=1 nod-marker a && nod-marker b # end",
		"for i in 1 2; do nod-marker $i; done", "nod-marker <<'E'\nx'y\nE", "nod-marker \\\n  x",
		`nod-marker "it's" $'a\tb' {p,q}`,
	}
}

// bed is an empty directory with a PATH of its own.
type bed struct{ dir, bin, log string }

func newBed(t *testing.T, bash string) bed {
	root := t.TempDir()
	b := bed{filepath.Join(root, "work"), filepath.Join(root, "bin"), filepath.Join(root, "log")}
	for _, dir := range []string{b.dir, b.bin} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script := "#!" + bash + " -p\nprintf '%q ' \"$@\" >> " + quote(b.log) + "\nprintf '\\n' >> " + quote(b.log) + "\n"
	if err := os.WriteFile(filepath.Join(b.bin, marker), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	sh := testworld.Needs(t, "sh")
	for name, to := range map[string]string{"bash": bash, "sh": sh} {
		if err := os.Symlink(to, filepath.Join(b.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// run returns the lines that the marker wrote. It waits for all that bash has
// started, also in the background: each holds a pipe, as a descriptor that no
// disguise uses.
func (b bed) run(t *testing.T, bash, text string) []string {
	t.Helper()
	os.Remove(b.log)
	held, holds, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	cmd := exec.CommandContext(hang.Context(t), bash, "--norc", "--noprofile", "-c", text)
	cmd.Dir, cmd.Env = b.dir, []string{"PATH=" + b.bin, "HOME=" + b.dir}
	cmd.ExtraFiles = append(make([]*os.File, 90), holds)
	err = cmd.Start()
	holds.Close()
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its status says nothing
	if err := held.SetReadDeadline(time.Now().Add(hang.Limit())); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, held); err != nil {
		t.Fatalf("what bash started in the background does not end: %v\n%s", err, text)
	}
	data, _ := os.ReadFile(b.log) // there is none where the marker did not run
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// keepsInBash reports whether every marker is seen under the disguise.
func keepsInBash(t *testing.T, b bed, bash string, k Kind, alone map[string][]string) (kept bool, lost string) {
	r := rand.New(rand.NewPCG(5, 6))
	tried := 0
	for _, command := range markers() {
		text, ok := k.Apply(r, command)
		if !ok {
			continue
		}
		tried++
		if gone := missing(alone[command], b.run(t, bash, text)); len(gone) > 0 {
			return false, text + "\nlost " + strings.Join(gone, " and ")
		}
	}
	return tried > 0, ""
}

// TestInBash runs the harmless marker, and nothing else, under each disguise
// that needs no other program.
func TestInBash(t *testing.T) {
	bash := testworld.Needs(t, "bash")
	if out, _ := exec.Command(bash, "--norc", "-c",
		"echo ${BASH_VERSINFO[0]}").Output(); strings.TrimSpace(string(out)) < "5" {
		t.Skip("no bash of version 5: what only bash can show is not shown here")
	}
	alone, plain := map[string][]string{}, newBed(t, bash)
	for _, command := range markers() {
		if alone[command] = plain.run(t, bash, command); alone[command][0] == "" {
			t.Fatalf("%s: the marker alone is not seen", command)
		}
	}
	for _, k := range Kinds() {
		if k.Needs != "" || k.Unshown != "" {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			kept, lost := keepsInBash(t, newBed(t, bash), bash, k, alone)
			t.Logf("%s: %v", k.Name, kept)
			if !kept && slices.Contains(bashProves(), k.Name) {
				t.Error(lost)
			} else if !kept {
				t.Logf("not in bash: %s", lost)
			}
		})
	}
}
