package e2e

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/llm/llmtest"
)

// ruleSettings is what most tests' users have set.
const ruleSettings = `allow = ["git update-ref refs/heads/allowed HEAD", "printenv E2E_MARK"]
hard_deny = ["touch forbidden"]
`

// The whole flow without a model, in the mode in which Claude Code asks
// before it acts.
func TestWithoutModel(t *testing.T) {
	deep(t, "modes of Claude Code")
	begin(t)
	m := newMachine(t, ruleSettings)
	m.install("user")
	outside := filepath.Join(m.dir, "outside")
	m.write(filepath.Join(outside, "there"), "", 0o644)
	m.write(filepath.Join(m.home, ".ssh", "id_ed25519"), "not a key\n", 0o600)
	m.link(outside, filepath.Join(m.work, "link"))

	in := func(name string) string { return filepath.Join(m.work, name) }
	approve := "A person has to approve this"
	list := []expectation{
		{call: llmtest.Bash("known and harmless", "git status --short"), answered: "allow", layer: nod.LayerShell,
			ran: true, told: []string{"link"}},
		{call: llmtest.Bash("known and harmless to write", "touch allowed"), answered: "allow", layer: nod.LayerShell,
			ran: true, makes: in("allowed")},
		{call: llmtest.Bash("by an allow rule", "git update-ref refs/heads/allowed HEAD"), answered: "allow",
			layer: nod.LayerShell, ran: true, makes: in(".git/refs/heads/allowed")},
		{call: llmtest.Bash("by a hard_deny rule", "touch forbidden"), answered: "deny", layer: nod.LayerGuard,
			makes: in("forbidden"), told: []string{"hard_deny", "touch forbidden"}},
		{call: llmtest.Bash("hidden in another shell", `bash -c "cd . && touch forbidden"`), answered: "deny",
			layer: nod.LayerGuard, makes: in("forbidden")},
		{call: llmtest.Bash("irrecoverable", "rm -rf ~"), answered: "deny", layer: nod.LayerShell, makes: ""},
		{call: llmtest.Bash("to be asked", "./opaque asked"), answered: "deny", layer: nod.LayerNone,
			kind: fault.NoModel, makes: in("asked"), told: []string{approve, `add allow = [`}},
		{call: llmtest.Read("read", in("sub/README")), answered: "allow", layer: nod.LayerAllowlist, ran: true,
			told: []string{"a file"}},
		{call: llmtest.Read("read a secret", filepath.Join(m.home, ".ssh", "id_ed25519")), answered: "deny",
			kind: fault.NoModel, told: []string{"secret", approve}},
		{call: llmtest.Bash("print a secret", "cat ~/.ssh/id_ed25519"), answered: "deny", kind: fault.NoModel,
			told: []string{"secret", approve}},
		{call: llmtest.Write("edit", in("new.txt"), "new"), answered: "allow", layer: nod.LayerEdit, ran: true,
			makes: in("new.txt")},
		{call: llmtest.Write("edit through a link", in("link/escaped.txt"), "new"), answered: "deny",
			makes: filepath.Join(outside, "escaped.txt"), told: []string{approve}},
		{call: llmtest.Write("edit a hook", in(".git/hooks/pre-commit"), "new"), answered: "deny",
			makes: in(".git/hooks/pre-commit"), told: []string{approve}},
		{call: llmtest.Bash("cd", "cd sub"), answered: "allow", layer: nod.LayerShell, ran: true},
		{call: llmtest.Bash("after cd", "ls README"), answered: "allow", layer: nod.LayerShell, ran: true,
			told: []string{"README"}},
		{call: llmtest.Write("edit below after cd", in("sub/below.txt"), "new"), answered: "allow",
			layer: nod.LayerEdit, ran: true, makes: in("sub/below.txt")},
		{call: llmtest.Write("edit above after cd", in("above.txt"), "new"), answered: "allow", layer: nod.LayerEdit,
			ran: true, makes: in("above.txt")},
		{call: llmtest.Bash("take nod out", filepath.Join(m.bin, "nod")+" uninstall claude-code --user --unattended"),
			answered: "deny", layer: nod.LayerGuard},
		{call: llmtest.Bash("loosen nod", "echo 'mode = \"off\"' >> ~/.config/nod/nod.toml"), answered: "deny",
			layer: nod.LayerGuard},
		{call: llmtest.Write("forge nod's log", filepath.Join(m.home, ".local/state/nod/forged.jsonl"), "{}"),
			answered: "deny", layer: nod.LayerGuard, makes: filepath.Join(m.home, ".local/state/nod/forged.jsonl")},
		{call: llmtest.Write("silence nod", in(".claude/settings.json"), `{"disableAllHooks": true}`), answered: "deny",
			layer: nod.LayerGuard, makes: in(".claude/settings.json")},
	}
	r := m.prompt(llmtest.NewServer(t, script(list)), "default")
	r.check(list)
	r.noModelAsked()
	r.checkOutcomes()
}

// checkOutcomes wants outcomes to say what ran and how long.
func (r run) checkOutcomes() {
	r.t.Helper()
	for _, e := range r.entries(audit.Outcome) {
		if e.Tool == "" || e.Session == "" || e.Time.Before(r.start) {
			r.t.Errorf("an outcome that does not say of what: %+v", e)
		}
	}
}

// A model of nod's own settles what the layers leave open.
func TestModel(t *testing.T) {
	deep(t, "a model of nod's own")
	begin(t)
	for _, provider := range []struct{ name, path string }{
		{"anthropic", "/v1/messages"},
		{"openai", "/v1/responses"},
	} {
		t.Run(provider.name, func(t *testing.T) {
			m := newMachine(t, "")
			in := func(name string) string { return filepath.Join(m.work, name) }
			list := []expectation{
				{call: llmtest.Bash("settled", "git status"), answered: "allow", layer: nod.LayerShell, ran: true},
				{call: llmtest.Bash("let through", "./opaque good"), answered: "allow", layer: nod.LayerModel,
					ran: true, makes: in("good")},
				{call: llmtest.Bash("blocked", "./opaque bad"), answered: "deny", layer: nod.LayerModel,
					makes: in("bad"), told: []string{"the script says no"}},
				{call: llmtest.Bash("hard_deny is not asked about", "touch forbidden"), answered: "deny",
					layer: nod.LayerGuard, makes: in("forbidden")},
			}
			s := script(list)
			s.Classifier = func(r llmtest.Request) llmtest.Answer {
				if strings.Contains(r.Text(), "./opaque bad") && !strings.Contains(r.Text(),
					"Input: {\"command\":\"./opaque good\"") {
					return llmtest.Block("the script says no")
				}
				return llmtest.Allow("fine")
			}
			srv := llmtest.NewServer(t, s)
			m.settings(ruleSettings + m.model(provider.name, srv.URL))
			m.install("user")
			r := m.prompt(srv, "default")
			r.check(list)
			r.checkQueries(provider.path, 3) // quick for both, careful for the one that is blocked
		})
	}
}

// checkQueries looks at what left the machine: so many queries, each to the
// right place, with nod's own key and none of the agent's.
func (r run) checkQueries(path string, n int) {
	r.t.Helper()
	queries := r.srv.Requests(llmtest.Classifier)
	if len(queries) != n {
		r.t.Errorf("%d classifier queries, want %d", len(queries), n)
	}
	for _, q := range queries {
		key := q.Header.Get("X-Api-Key") + strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer ")
		if q.Path != path || key != modelKey {
			r.t.Errorf("a query to %s with key %q, want %s and nod's own", q.Path, key, path)
		}
		if strings.Contains(string(q.Body), modelKey) || strings.Contains(string(q.Body), agentKey) {
			r.t.Errorf("a query holds a key: %s", q.Body)
		}
	}
}

// Ways in which a classifier fails: all block, each with its own cause, in the
// log and towards the model.
func TestFaultyClassifierBlocks(t *testing.T) {
	deep(t, "faults of a model, which internal/hook and llm try as well")
	begin(t)
	inTime, late := []modelFault{}, []modelFault{}
	for _, f := range modelFaults() {
		if f.kind == fault.TimedOut {
			late = append(late, f)
		} else {
			inTime = append(inTime, f)
		}
	}
	t.Run("in time", func(t *testing.T) { testFaults(t, inTime, "45s") })
	t.Run("late", func(t *testing.T) { testFaults(t, late, "3s") })
}

// testFaults plays faults to a nod that gives its model so much time.
func testFaults(t *testing.T, faults []modelFault, limit string) {
	m := newMachine(t, "")
	// After a vendor's "not before" nothing else is sent: that one comes last.
	slices.SortStableFunc(faults, func(a, b modelFault) int {
		return cmp.Compare(a.answer.Header["Retry-After"], b.answer.Header["Retry-After"])
	})
	var list []expectation
	for _, f := range faults {
		file := strings.Map(letters, f.name)
		list = append(list, expectation{call: llmtest.Bash(f.name, "./opaque fault-"+file), answered: "deny",
			layer: nod.LayerModel, kind: f.kind,
			makes: filepath.Join(m.work, "fault-"+file), told: []string{"nod's model gave no answer"}})
	}
	s := script(list)
	s.Classifier = func(r llmtest.Request) llmtest.Answer {
		// The calls before this one are told too: the last is asked about.
		last, answer := -1, llmtest.Allow("not one of the faults")
		for _, f := range faults {
			if at := strings.LastIndex(r.Text(), `"command":"./opaque fault-`+strings.Map(letters,
				f.name)+`"`); at > last {
				last, answer = at, f.answer
			}
		}
		return answer
	}
	srv := llmtest.NewServer(t, s)
	m.settings(strings.Replace(m.model("anthropic", srv.URL), "45s", limit, 1))
	m.install("user")
	r := m.prompt(srv, "default")
	r.check(list)
}

// letters keeps what may stand in a file name.
func letters(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '-'
}

// Observing changes nothing: Claude Code does what it would do without nod,
// and the log says what nod would have said.
func TestObserve(t *testing.T) {
	deep(t, "modes of Claude Code")
	begin(t)
	m := newMachine(t, ruleSettings+"mode = \"observe\"\n")
	m.install("user")
	in := func(name string) string { return filepath.Join(m.work, name) }
	list := []expectation{
		{call: llmtest.Bash("would be allowed", "touch allowed"), answered: "abstained", layer: nod.LayerShell,
			ran: true, makes: in("allowed")},
		{call: llmtest.Bash("would be denied", "touch forbidden"), answered: "abstained", layer: nod.LayerGuard,
			ran: true, makes: in("forbidden")},
		{call: llmtest.Bash("would be asked", "./opaque asked"), answered: "abstained", kind: fault.NoModel,
			makes: in("asked"), told: []string{"requires approval"}},
	}
	r := m.prompt(llmtest.NewServer(t, script(list)), "acceptEdits")
	r.check(list)
	for name, want := range map[string]nod.Verdict{"would be allowed": nod.Allow, "would be denied": nod.Deny,
		"would be asked": nod.Ask} {
		for _, e := range r.ofCall(audit.Decision, name) {
			if e.Verdict != want {
				t.Errorf("%s: verdict %s, want %s", name, e.Verdict, want)
			}
		}
	}
}

// Where nod is silent before a call and Claude Code then asks by itself, nod
// stays silent again, and decides and writes only once.
func TestPermissionRequestIsNotDecidedTwice(t *testing.T) {
	deep(t, "modes of Claude Code")
	begin(t)
	m := newMachine(t, ruleSettings+"mode = \"observe\"\n")
	m.install("user")
	in := func(name string) string { return filepath.Join(m.work, name) }
	list := []expectation{
		{call: llmtest.Bash("nod would allow", "touch allowed"), answered: "abstained", layer: nod.LayerShell,
			makes: in("allowed"), told: []string{"needs approval"}},
		{call: llmtest.Bash("nod would ask", "./opaque asked"), answered: "abstained", kind: fault.NoModel,
			makes: in("asked"), told: []string{"requires approval"}},
	}
	m.prompt(llmtest.NewServer(t, script(list)), "default").check(list)
}
