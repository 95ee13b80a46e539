package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/testworld"
	"github.com/nodgate/nod/llm/llmtest"
)

// TestWhatAgentsLookFor watches each agent while it works in a repository, and
// has nod-hook refuse an edit of every name that it looks for there, unless
// startsNothing says why that name is harmless.
func TestWhatAgentsLookFor(t *testing.T) {
	deep(t, "what an agent looks for in a repository")
	strace := testworld.Needs(t, "strace")
	for _, d := range allDriven() {
		t.Run(d.adapter.Name(), func(t *testing.T) {
			d.program(t)
			t.Parallel()
			m := d.ready(t, "", llmtest.Script{})
			m.trustWork(d.adapter.Name())
			names := m.looksFor(strace)
			own, _, _ := strings.Cut(controls[d.adapter.Name()], "/")
			if !slices.ContainsFunc(names,
				func(name string) bool { return strings.Contains("/"+name+"/", "/"+own+"/") }) {
				t.Errorf("%s did not look for %s, so this test shows nothing: %q", d.title, own, names)
			}
			for _, name := range names {
				if !startsNothing(name) && m.allows(t, name, "x") {
					t.Errorf("%s looks for %s, and nod lets a call write it", d.title, name)
				}
			}
		})
	}
}

// startsNothing reports whether a name that agents look for is an ordinary file of
// the repository, or data by which nothing is started or obeyed.
func startsNothing(name string) bool {
	name = strings.TrimPrefix(name, "sub/")
	if strings.HasPrefix(name, "made.ts") { // the call's own, and its neighbours
		return true
	}
	return slices.Contains([]string{
		".", "sub", "SUB", "opaque", "README", "package.json", // the repository
		".gitignore", ".ignore", ".rgignore", ".mailmap", // what a search passes over, names of authors
		"HEAD",                                  // of git beside .git; sub/HEAD is refused
		"commondir",                             // the same, which counts beside HEAD alone
		".github", ".github/allowed_models.txt", // a directory of many things; which models may be chosen
		"pull_request_template.md", "docs/pull_request_template.md", ".github/pull_request_template.md",
		".github/PULL_REQUEST_TEMPLATE", // a form that a person sees filled in
		"logs/openai",                   // what Qwen Code wrote, which it clears away
	}, name)
}

// looksFor is what the agent looks for in the workspace, in a session in a
// directory of it.
func (d *driving) looksFor(strace string) []string {
	d.t.Helper()
	file, dir := filepath.Join(d.dir, "trace"), filepath.Join(d.work, "sub")
	d.prefix = []string{strace, "-f", "-qq", "-y", "--seccomp-bpf", "-e", "trace=%file", "-o", file}
	d.session(dir)
	d.prefix = nil
	return tracedBelow(d.work, dir, string(must(os.ReadFile(file))))
}

var tracedName = regexp.MustCompile(`^\d+ +(\w+)\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"`)

// tracedBelow lists the names below a directory in a trace of strace's. What is
// relative and has no directory beside it is taken to be in dir.
func tracedBelow(root, dir, trace string) (names []string) {
	for line := range strings.Lines(trace) {
		f := tracedName.FindStringSubmatch(line)
		if f == nil || strings.HasPrefix(f[1], "symlink") { // its first name is what the link holds
			continue
		}
		name := f[3]
		if !filepath.IsAbs(name) {
			at := f[2]
			if at == "" {
				at = dir
			}
			name = filepath.Join(at, name)
		}
		if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
			names = append(names, rel)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
