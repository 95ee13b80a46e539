package shell

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/nodgate/nod/internal/view"
)

// BenchmarkAnalyze measures typical commands on an in-memory view.
func BenchmarkAnalyze(b *testing.B) {
	for _, bench := range []struct{ name, command string }{
		{"ls", "ls -la src"},
		{"git-status", "git status --short"},
		{"git-log", "git log --oneline -20 -- src/a.go"},
		{"grep", `grep -rn "func main" --include=*.go src`},
		{"pipeline", `grep -n foo src/a.go | sort -u | head -20`},
		{"sed", `sed -n '1,220p' src/a.go`},
		{"find-exec", `find . -name '*.go' -exec grep -l foo {} \;`},
		{"loop", `for f in a b c; do wc -l "$f"; done`},
		{"commit", "git commit -m \"$(cat <<'EOF'\nfix: x\n\nbody\nEOF\n)\""},
		{"az", "az aks nodepool show --cluster-name c --name p -g g"},
		{"gcloud", "gcloud compute instances list --format json"},
		{"sh-c", `bash -c 'cd src && rm -rf build'`},
	} {
		for _, d := range []struct {
			name    string
			dialect Dialect
		}{{"bash", Bash}, {"unstated", Unstated}} {
			b.Run(bench.name+"/"+d.name, func(b *testing.B) {
				env := testEnv(world())
				env.Dialect = d.dialect
				b.ReportAllocs()
				for b.Loop() {
					Analyze(bench.command, env)
				}
			})
		}
	}
}

// BenchmarkCorpus reports median and worst time over real commands.
func BenchmarkCorpus(b *testing.B) {
	list := rows(b, "sessions")
	env := testEnv(world())
	env.Dialect = Unstated
	for b.Loop() {
		var times []time.Duration
		for _, r := range list {
			start := time.Now()
			Analyze(r.Input.Command, env)
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Nanoseconds()), "median-ns")
		b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
		b.ReportMetric(float64(times[len(times)-1].Nanoseconds()), "worst-ns")
	}
}

// BenchmarkDisk measures the same on the real file system.
func BenchmarkDisk(b *testing.B) {
	dir, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	env := Env{Dialect: Bash, Dir: dir, Home: "/home/dev", Roots: []string{dir}, Files: view.Disk{},
		Lookup: os.LookupEnv}
	for _, command := range []string{"ls -la", "git status", "grep -rn foo ."} {
		b.Run(command, func(b *testing.B) {
			for b.Loop() {
				Analyze(command, env)
			}
		})
	}
}
