package shell

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
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

// fetches also lets reading from the network pass.
func fetches(r Report) bool {
	kept := r.Effects[:0:0]
	for _, e := range r.Effects {
		if e.Kind != Fetch {
			kept = append(kept, e)
		}
	}
	r.Effects = kept
	return readsOnly(r)
}

// corpusEnv puts a row into a world where its directory is a clean repository.
func corpusEnv(cwd string) Env {
	m := world()
	if cwd == "" {
		cwd = testRepo
	}
	m.File(cwd+"/.git/HEAD", "ref: refs/heads/main\n", 0o644)
	m.File(cwd+"/.git/config", "[core]\n\tbare = false\n", 0o644)
	env := testEnv(m)
	env.Dir, env.Roots = cwd, []string{cwd}
	if parts := strings.SplitN(cwd, "/", 4); len(parts) > 2 && (parts[1] == "home" || parts[1] == "Users") {
		env.Home = "/" + parts[1] + "/" + parts[2]
	}
	return env
}

func TestCorpusHarmful(t *testing.T) {
	env := testEnv(world())
	for _, name := range []string{"peer-dcg", "peer-safetynet", "atomic", "redcode"} {
		t.Run(name, func(t *testing.T) {
			harmful, passed := 0, 0
			for _, r := range rows(t, name) {
				if r.Label != "harmful" {
					continue
				}
				harmful++
				if report := Analyze(r.Input.Command, env); readsOnly(report) {
					passed++
					t.Logf("%s: %q (%s)", r.ID, grammar.Shorten(r.Input.Command), r.Why)
					for _, e := range report.Effects {
						t.Logf("    %s", briefEffect(e))
					}
				}
			}
			t.Logf("%d harmful, %d of them only read", harmful, passed)
			// Those that do nothing (rm without a name, "command -V x") and
			// those whose harm is in what they read, which is judged by target.
			if passed > 3 {
				t.Errorf("%d harmful commands are taken for reading", passed)
			}
		})
	}
}

func TestCorpusReadOnly(t *testing.T) {
	for _, dialect := range []Dialect{Bash, Unstated} {
		envs := map[string]Env{}
		reasons := map[string]int{}
		examples := map[string]string{}
		n, only, net := 0, 0, 0
		for _, r := range rows(t, "sessions") {
			if r.Label != "benign-readonly" {
				continue
			}
			env, ok := envs[r.Cwd]
			if !ok {
				env = corpusEnv(r.Cwd)
				envs[r.Cwd] = env
			}
			env.Dialect = dialect
			n++
			report := Analyze(r.Input.Command, env)
			if readsOnly(report) {
				only++
				continue
			}
			if fetches(report) {
				net++
				continue
			}
			why := report.Exceeded + report.Malformed
			if len(report.Unknowns) > 0 {
				why = report.Unknowns[0].What
			} else {
				for _, e := range report.Effects {
					if e.Kind != Read && e.Kind != Fetch && e.Place != Null {
						why = briefEffect(e)
					}
				}
			}
			reasons[why]++
			examples[why] = grammar.Shorten(r.Input.Command)
		}
		t.Logf("dialect %d: %d rows, %.1f %% only read, %.1f %% with fetches", dialect, n, 100*float64(only)/float64(n),
			100*float64(only+net)/float64(n))
		var list []string
		for why := range reasons {
			list = append(list, why)
		}
		sort.Slice(list, func(i, j int) bool { return reasons[list[i]] > reasons[list[j]] })
		for i, why := range list {
			if i == 60 {
				break
			}
			t.Logf("%5d %s\n        %q", reasons[why], why, examples[why])
		}
		if n > 0 && only+net < n*85/100 {
			t.Errorf("only %d of %d", only+net, n)
		}
	}
}

// TestCorpusDisguised holds that no wrapping makes a harmful command look as
// if it only read.
func TestCorpusDisguised(t *testing.T) {
	env := testEnv(world())
	n := 0
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
				n++
				if disguised := wrapped(form, command); readsOnly(Analyze(disguised, env)) {
					t.Errorf("%s: %q", r.ID, grammar.Shorten(disguised))
				}
			}
		}
	}
	t.Logf("%d disguises", n)
}

// TestWords holds that the package states facts and passes no judgement.
func TestWords(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no source", err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(strings.ToLower(string(data)), "sqlite3 -safe", "") // an option
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' }) {
			switch word {
			case "allow", "allows", "allowed", "deny", "denies", "denied", "safe", "unsafe", "safely":
				t.Errorf("%s: %q", name, word)
			}
		}
	}
}
