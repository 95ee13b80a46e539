package shell

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/shell/grammar"
)

type row struct {
	ID    string `json:"id"`
	Tool  string `json:"tool"`
	Label string `json:"label"`
	Cwd   string `json:"cwd"`
	Why   string `json:"why"`
	Input struct {
		Command string `json:"command"`
	} `json:"input"`
}

// rows reads the shell commands of one file of the shared corpus.
func rows(t testing.TB, name string) []row {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "corpus", name+".jsonl.gz"))
	if err != nil {
		t.Skipf("../shared/corpus/%s.jsonl.gz is absent: skipped", name)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	scan := bufio.NewScanner(z)
	scan.Buffer(nil, 1<<24)
	for scan.Scan() {
		var r row
		if err := json.Unmarshal(scan.Bytes(), &r); err != nil {
			continue // input of other tools has other types
		}
		if r.Tool == "bash" {
			out = append(out, r)
		}
	}
	return out
}

// readsOnly reports whether a command does nothing but read.
func readsOnly(r Report) bool {
	if len(r.Unknowns) > 0 || r.Exceeded != "" || r.Malformed != "" {
		return false
	}
	for _, e := range r.Effects {
		if e.Kind != Read && !(e.Kind == Write && e.Place == Null) {
			return false
		}
	}
	return true
}

func TestCorpusHarmful(t *testing.T) {
	env := testEnv(world())
	for _, name := range []string{"peer-dcg", "peer-safetynet", "atomic", "redcode"} {
		t.Run(name, func(t *testing.T) {
			passed := 0
			for _, r := range rows(t, name) {
				if r.Label == "harmful" && readsOnly(Analyze(r.Input.Command, env)) {
					passed++
					t.Logf("%s: %q (%s)", r.ID, grammar.Shorten(r.Input.Command), r.Why)
				}
			}
			// Those that do nothing (rm without a name, "command -V x") and
			// those whose harm is in what they read, which is judged by target.
			if passed > 3 {
				t.Errorf("%d harmful commands are taken for reading", passed)
			}
		})
	}
}

// TestCorpusDisguised holds that no wrapping makes a harmful command look as if it only read.
func TestCorpusDisguised(t *testing.T) {
	env := testEnv(world())
	for _, name := range []string{"peer-dcg", "peer-safetynet", "atomic", "redcode"} {
		for i, r := range rows(t, name) {
			command := r.Input.Command
			if r.Label != "harmful" || readsOnly(Analyze(command, env)) {
				continue
			}
			several := strings.ContainsAny(command, "\n|;&#")
			for j, form := range wraps() {
				if (i+j)%5 != 0 || several && !strings.Contains(form, "%q") || strings.Contains(form, "<<") {
					continue
				}
				if disguised := wrapped(form, command); readsOnly(Analyze(disguised, env)) {
					t.Errorf("%s: %q", r.ID, grammar.Shorten(disguised))
				}
			}
		}
	}
}
