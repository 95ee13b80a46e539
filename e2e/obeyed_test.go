package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/testworld"
	"github.com/nodgate/nod/llm/llmtest"
)

// controls names, for each agent, a file that it is known to run.
var controls = map[string]string{
	"claude-code": ".claude/settings.json", "codex": ".codex/config.toml", "copilot": ".github/hooks/x.json",
	"gemini": ".gemini/settings.json", "qwen": ".qwen/settings.json", "opencode": ".opencode/plugin/x.js",
	"pi": ".pi/extensions/x.js",
}

// TestNextSessionRunsNothing writes, under every name that an agent is known to run something from, a file that would
// leave a mark, as far as nod lets a call write it unasked. Then each agent works in that repository: no mark may be
// there. In the end what nod refuses is written by hand, and runs.
func TestNextSessionRunsNothing(t *testing.T) {
	deep(t, "what an agent runs from a repository by itself")
	files := allowedFiles(t)
	onEach(t, allDriven(), func(t *testing.T, d driven) {
		m := d.ready(t, "", llmtest.Script{})
		m.trust(d.adapter.Name(), m.work)
		if err := os.Mkdir(m.mark(""), 0o755); err != nil {
			t.Fatal(err)
		}
		for i, f := range files {
			m.plant(f, strconv.Itoa(i))
		}
		for _, dir := range []string{m.work, filepath.Join(m.work, "sub")} {
			m.session(dir)
			for _, mark := range m.marked() {
				t.Errorf("a session in %s ran %s, which nod lets a call write", dir, files[must(strconv.Atoi(mark))].name)
			}
		}
		m.control(t)
	})
}

// control shows that the test can fail.
func (d *driving) control(t *testing.T) {
	t.Helper()
	name := controls[d.adapter.Name()]
	files := obeyedFiles(t)
	i := slices.IndexFunc(files, func(f obeyedFile) bool { return f.name == name })
	if i < 0 || d.allows(t, name, files[i].text) {
		t.Fatalf("%q: not among the files, or nod lets a call write it", name)
	}
	d.plant(files[i], "control")
	d.session(d.work)
	if !slices.Contains(d.marked(), "control") {
		t.Errorf("%s did not run %s, written by hand, so this test shows nothing:\n%s", d.title, name, d.output)
	}
}

// session has the agent do something harmless in a directory, without nod.
func (d *driving) session(dir string) {
	d.t.Helper()
	whole := d.work
	d.work = dir
	defer func() { d.work = whole }()
	d.calls(d.shell("shell", "true"), d.driven.write("write", filepath.Join(dir, "made.ts"), "let a = 1\n"))
	d.run()
	d.told(d.t, "write")
	d.remove(filepath.Join(dir, "made.ts"))
}

func (m *machine) mark(name string) string { return filepath.Join(m.dir, "marks", name) }

func (m *machine) marked() (names []string) {
	for _, e := range must(os.ReadDir(m.mark(""))) {
		names = append(names, e.Name())
	}
	return names
}

// plant writes a file that leaves a mark.
func (m *machine) plant(f obeyedFile, mark string) {
	m.t.Helper()
	m.write(filepath.Join(m.work, f.name), strings.ReplaceAll(f.text, "MARK", m.mark(mark)), 0o755)
}

// allowedFiles are those that nod lets a call write unasked.
func allowedFiles(t *testing.T) (files []obeyedFile) {
	t.Helper()
	m, all := newBareMachine(t, ""), obeyedFiles(t)
	for _, f := range all {
		if m.allows(t, f.name, f.text) {
			files = append(files, f)
		}
	}
	t.Logf("%d of %d files are nod's to allow", len(files), len(all))
	if len(files) == 0 || files[0] != all[0] {
		t.Fatalf("nod does not even let a call write %s", all[0].name)
	}
	return files
}

// allows asks the real nod-hook, with nod's own rules and no model.
func (m *machine) allows(t *testing.T, name, text string) bool {
	t.Helper()
	said := filepath.Join(m.dir, "said.jsonl")
	m.write(said, "{}\n", 0o600) // nod waits for a file that is not there yet
	payload := marshal(map[string]any{
		"session_id": "s", "transcript_path": said, "cwd": m.work,
		"permission_mode": "default",
		"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_use_id": "toolu_" + name,
		"tool_input": map[string]any{"file_path": filepath.Join(m.work, name), "content": text},
	})
	cmd := m.command(t.Context(), filepath.Join(m.bin, "nod-hook"), "claude-code")
	cmd.Env = append(cmd.Env, "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR="+m.work)
	cmd.Stdin = strings.NewReader(payload)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"permissionDecision":`) {
		t.Fatalf("nod-hook: %v\n%s", err, out)
	}
	return strings.Contains(string(out), `"permissionDecision":"allow"`)
}

// obeyedFile is a name in a repository, and what an agent that obeys it would run to leave MARK.
type obeyedFile struct{ name, text string }

// obeyedFiles are those of testdata/obeyed.txtar, also in a directory and in capitals, and every name of
// [hosts.Guarded]. No agent obeys the first file; the first file of a name counts for controls.
func obeyedFiles(t *testing.T) (files []obeyedFile) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/obeyed.txtar")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, section := range archive.Files {
		names, text, _ := strings.Cut(string(section.Data), "\n\n")
		texts[section.Name] = text
		for name := range strings.FieldsSeq(names) {
			for _, variant := range []string{name, "sub/" + name, "SUB/" + strings.ToUpper(name)} {
				files = append(files, obeyedFile{variant, text})
			}
		}
	}
	kinds := map[string]string{".json": "servers", ".jsonc": "servers", ".toml": "codex", ".js": "module",
		".mjs": "module", ".cjs": "module"}
	for _, name := range hosts.Guarded() {
		name = strings.ReplaceAll(name, "*", "x")
		text := texts[kinds[filepath.Ext(name)]]
		if text == "" {
			text = texts["shell"]
		}
		files = append(files, obeyedFile{name, text}, obeyedFile{name + "/x.json", texts["servers"]})
	}
	return files
}

// TestWhatAgentsLookFor watches each agent while it works in a repository, and has nod-hook refuse an edit of every
// name that it looks for there, unless startsNothing says why that name is harmless.
func TestWhatAgentsLookFor(t *testing.T) {
	deep(t, "what an agent looks for in a repository")
	strace := testworld.Needs(t, "strace")
	onEach(t, allDriven(), func(t *testing.T, d driven) {
		m := d.ready(t, "", llmtest.Script{})
		m.trust(d.adapter.Name(), m.work)
		names := m.looksFor(strace)
		own, _, _ := strings.Cut(controls[d.adapter.Name()], "/")
		if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains("/"+name+"/", "/"+own+"/") }) {
			t.Errorf("%s did not look for %s, so this test shows nothing: %q", d.title, own, names)
		}
		for _, name := range names {
			if !startsNothing(name) && m.allows(t, name, "x") {
				t.Errorf("%s looks for %s, and nod lets a call write it", d.title, name)
			}
		}
	})
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

var tracedName = regexp.MustCompile(`^\d+ +(\w+)\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"`)

// looksFor is what the agent looks for in the workspace, in a session in a directory of it. In a trace of strace's what
// is relative and has no directory beside it is taken to be there.
func (d *driving) looksFor(strace string) (names []string) {
	d.t.Helper()
	file, dir := filepath.Join(d.dir, "trace"), filepath.Join(d.work, "sub")
	d.prefix = []string{strace, "-f", "-qq", "-y", "--seccomp-bpf", "-e", "trace=%file", "-o", file}
	d.session(dir)
	d.prefix = nil
	for line := range strings.Lines(d.read(file)) {
		f := tracedName.FindStringSubmatch(line)
		if f == nil || strings.HasPrefix(f[1], "symlink") { // its first name is what the link holds
			continue
		}
		name := f[3]
		if !filepath.IsAbs(name) {
			if f[2] == "" {
				f[2] = dir
			}
			name = filepath.Join(f[2], name)
		}
		if rel, err := filepath.Rel(d.work, name); err == nil && filepath.IsLocal(rel) {
			names = append(names, rel)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
