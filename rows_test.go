package nod_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/corpus"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/shell/commands"
	"github.com/nodgate/nod/internal/view"
)

// The rows of testdata/rows are calls, and what becomes of each under what its paragraph
// says. testdata/rows/README.txt says how they are written.

func TestHardDenyIsABoundary(t *testing.T)          { judgeFile(t, "rules") }
func TestWaysAroundTheStaticLayers(t *testing.T)    { judgeFile(t, "attacks") }
func TestNoToolChangesNod(t *testing.T)             { judgeFile(t, "guard") }
func TestSilencerSpellings(t *testing.T)            { judgeFile(t, "silencers") }
func TestIrrecoverableIsDenied(t *testing.T)        { judgeFile(t, "disasters") }
func TestEdits(t *testing.T)                        { judgeFile(t, "edits") }
func TestSecretsGoToTheModelByAnyTool(t *testing.T) { judgeFile(t, "secrets") }
func TestWhatAHostsJudgeMayDecide(t *testing.T)     { judgeFile(t, "judged") }
func TestMoreShellThanIsFollowed(t *testing.T)      { judgeFile(t, "shells") }
func TestEditsThatMakeSettingsVoid(t *testing.T)    { judgeFile(t, "registrations") }
func TestPermissionDeny(t *testing.T)               { judgeFile(t, "permissions") }
func TestAskRules(t *testing.T)                     { judgeFile(t, "asks") }
func TestACallThatHasOnlyAnInput(t *testing.T)      { judgeFile(t, "inputs") }
func TestRulesForTools(t *testing.T)                { judgeFile(t, "tools") }
func TestWhatIsNotConfined(t *testing.T)            { judgeFile(t, "confined") }
func TestModules(t *testing.T)                      { judgeFile(t, "modules") }

func judgeFile(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile("testdata/rows/" + name + ".rows")
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(string(text), "\n\n") {
		judgeRows(t, part)
	}
}

func judgeRows(t *testing.T, part string) {
	s := &scene{t: t, options: options(nod.DefaultRules()), dialects: []nod.Dialect{nod.Bash}}
	s.world = s.options.Files.(*view.Memory)
	for line := range strings.Lines(part) {
		line = strings.TrimSuffix(line, "\n")
		key, value, head := strings.Cut(line, ": ")
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "  "):
			row, _, _ := strings.Cut(strings.TrimSpace(line), "  ## ")
			row, reason, _ := strings.Cut(row, "  => ")
			want, what, _ := strings.Cut(row, " ")
			s.judge(want, strings.TrimSpace(what), reason)
		case head:
			s.head(key, value)
		default:
			t.Errorf("nobody knows %q", line)
		}
	}
}

// scene is what the heads of a paragraph say.
type scene struct {
	t        *testing.T
	options  nod.Options
	world    *view.Memory
	witness  witness
	corpus   bool   // the rows run in the project of package corpus
	rule     string // the rule that was named last
	dialects []nod.Dialect
	changes  []func(*nod.Call)
}

func (s *scene) head(key, value string) {
	name, text, _ := strings.Cut(value, " ")
	switch key {
	case "allow", "soft_deny", "hard_deny", "ask":
		s.rules(nod.RuleList(key), value)
	case "claude_deny", "claude_ask":
		lists := map[string]nod.RuleList{"claude_deny": nod.ListHardDeny, "claude_ask": nod.ListAsk}
		more := permitted(s.t, lists[key], value)
		s.options.Rules.HardDeny, s.options.Rules.Ask, s.rule = more.HardDeny, more.Ask, value
	case "confined":
		s.options = confining()
		s.world = s.options.Files.(*view.Memory)
		if value == "off" {
			s.options.Confine = nil
		} else if value == "gone" {
			s.options.Confine = func() string { return "" }
		}
	case "in":
		s.options, s.corpus = inCorpusOptions(), true
		s.world = s.options.Files.(*view.Memory)
	case "hosts":
		s.options.Rules.Hosts = strings.Fields(value)
	case "file":
		s.world.File(absolute(name), unquoted(s.t, text), 0o644)
	case "program":
		s.world.File("/usr/bin/"+value, "", 0o755)
	case "dir":
		s.world.Dir(absolute(name), 0o755)
	case "link":
		s.world.Link(absolute(name), text)
	case "model":
		s.options.Model = answering{block: value == "blocks"}
		if value == "fails" {
			s.options.Model = answering{err: &fault.Error{Kind: fault.Overloaded, Message: "overloaded"}}
		}
	case "wrote":
		s.witness.wrote = []string{absolute(value)}
		s.options.Memory = s.witness
	case "folds":
		s.world = newWorld(true)
		s.options.Files = s.world
	case "self":
		s.options.Self = append(s.options.Self, absolute(value))
	case "sources":
		s.options.Sources = append(s.options.Sources, absolute(value))
	case "roots":
		s.options.Roots = append(s.options.Roots, absolute(value))
	case "unguarded":
		s.options.Rules.Guarded, s.options.Rules.Secrets = []string{}, []string{}
		s.options.Rules.Allowlist = append(s.options.Rules.Allowlist, strings.Fields(value)...)
	default:
		s.call(key, value)
	}
}

// call is a head that changes each call.
func (s *scene) call(key, value string) {
	change, ok := map[string]func(*nod.Call){
		"interactive": func(c *nod.Call) { c.Interactive = true },
		"judged":      func(c *nod.Call) { c.Interactive, c.HostJudges = true, true },
		"unseen":      func(c *nod.Call) { c.Interactive, c.StdinUnseen = true, true },
		"keeps":       func(c *nod.Call) { c.Interactive, c.Keeps = true, true },
		"guessed":     func(c *nod.Call) { c.MCP.Named = false },
		"brought":     func(c *nod.Call) { c.MCP.Brought = true },
		"outlives":    func(c *nod.Call) { c.Interactive, c.Outlives = true, true },
		"unread":      func(c *nod.Call) { c.Interactive, c.Unread = true, value },
		"agent":       func(c *nod.Call) { c.Agent = value },
		"PATH":        func(c *nod.Call) { c.Environ = []string{"PATH=" + value, "HOME=" + home} },
		"root": func(c *nod.Call) {
			c.Dir, c.Roots = absolute(value), []string{absolute(value)}
		},
		"cwd":     func(c *nod.Call) { c.Dir = absolute(value) },
		"nowhere": func(c *nod.Call) { c.Dir = "" },
		"dialect": func(*nod.Call) {},
	}[key]
	if !ok {
		s.t.Errorf("nobody knows %q", key)
		return
	}
	dialects := map[string][]nod.Dialect{"unstated": {nod.Unstated}, "zsh": {nod.Zsh}, "crush": {nod.Interp},
		"all": {nod.Bash, nod.Zsh, nod.Unstated}}
	if key == "dialect" {
		s.dialects = dialects[value]
	}
	s.changes = append(s.changes, change)
}

// rules adds rules, which "; " separates.
func (s *scene) rules(list nod.RuleList, texts string) {
	more := rulesOf(s.t, list, texts)
	bare, all := nod.DefaultRules(), &s.options.Rules
	all.Allow = append(all.Allow, more.Allow[len(bare.Allow):]...)
	all.SoftDeny = append(all.SoftDeny, more.SoftDeny[len(bare.SoftDeny):]...)
	all.HardDeny, all.Ask = append(all.HardDeny, more.HardDeny...), append(all.Ask, more.Ask...)
	s.rule = texts
}

func rulesOf(t *testing.T, list nod.RuleList, texts string) nod.Rules {
	if name, _, ok := strings.Cut(texts, "("); ok && slices.Contains(strings.Fields("Bash Read Edit Write WebFetch"),
		name) {
		return permitted(t, list, texts)
	}
	return ruled(list, strings.Split(texts, "; ")...)
}

func (s *scene) judge(want, what, reason string) {
	what = strings.NewReplacer("⏎", "\n", "␍", "\r", "␀", "\x00").Replace(what)
	for _, c := range s.calls(what) {
		for _, dialect := range s.dialects {
			c.Dialect = dialect
			d := verdictOf(s.options, c)
			failed := d.Err != nil && d.Err.Kind == fault.Internal
			if !s.became(want, c, d) || !strings.Contains(d.Reason, reason) || failed {
				s.t.Errorf("%s %s, dialect %v: %s by %s (%s), want %s %s", c.Tool, what, dialect, d.Verdict, d.Layer,
					d.Reason, want, reason)
			}
		}
	}
}

// calls are a row's command, or the calls of its tool.
func (s *scene) calls(what string) (calls []nod.Call) {
	call, isTool := strings.CutPrefix(what, "@")
	if !isTool {
		calls = []nod.Call{bash(what)}
	} else {
		calls = s.toolCalls(call)
	}
	for i := range calls {
		if c := &calls[i]; s.corpus {
			c.Dir, c.Roots, c.Environ = corpus.Project, []string{corpus.Project}, corpus.Environ()
		}
		for _, change := range s.changes {
			change(&calls[i])
		}
	}
	return calls
}

func (s *scene) toolCalls(call string) (calls []nod.Call) {
	name, args, _ := strings.Cut(call, " ")
	switch {
	case name == "edit":
		for _, kind := range []string{"file_edit", "file_write", "notebook_edit", "apply_patch"} {
			calls = append(calls, s.toolCalls(kind+" "+args)...)
		}
		return calls
	case name == "whole":
		file, text, _ := strings.Cut(args, " ")
		c := tool("file_write", absolute(file))
		c.Edits = []nod.Edit{{Path: absolute(file), Whole: true, New: unquoted(s.t, text)}}
		return []nod.Call{c}
	case name == "confined":
		return []nod.Call{bash(confined(confiner, args))}
	case name == "replace":
		return []nod.Call{replacing(args)}
	case strings.HasPrefix(name, "mcp"):
		server, tool, _ := strings.Cut(strings.TrimPrefix(name, "mcp:"), ":")
		return []nod.Call{{Agent: "test", RawTool: "mcp__" + server + "__" + tool, Dir: shop, Roots: []string{shop},
			MCP: &nod.MCP{Server: server, Tool: tool, Named: true}, Input: json.RawMessage(args), Environ: environ()}}
	case strings.Contains(name, "="):
		raw, canonical, _ := strings.Cut(name, "=")
		calls = s.toolCalls(canonical + " " + args)
		calls[0].RawTool = raw
		return calls
	case strings.HasPrefix(args, "{"):
		c := tool(name)
		c.Input = json.RawMessage(args)
		return []nod.Call{c}
	case strings.HasPrefix(args, `"`):
		return []nod.Call{tool(name, unquoted(s.t, args))}
	}
	return []nod.Call{tool(name, strings.Fields(args)...)}
}

// replacing is a call that edits one file: NAME OLD ↦ NEW, with ∀ everywhere, and more of them behind ⇉.
func replacing(args string) nod.Call {
	file, edits, _ := strings.Cut(args, " ")
	c := tool("file_edit", absolute(file))
	for edit := range strings.SplitSeq(edits, " ⇉ ") {
		before, after, _ := strings.Cut(edit, " ↦ ")
		after, all := strings.CutSuffix(strings.TrimSuffix(after, "∅"), " ∀")
		c.Edits = append(c.Edits, nod.Edit{Path: absolute(file), Old: before, New: after, All: all})
	}
	return c
}

// became reports whether a call came to what a row says.
func (s *scene) became(want string, c nod.Call, d nod.Decision) bool {
	word, negative := strings.CutPrefix(want, "-")
	verdict, layer, _ := strings.Cut(word, "/")
	switch word {
	case "left", "person": // to a judge of the host, or not
		return d.Verdict == nod.Ask && d.Deferrable == (word == "left")
	case "unconfined": // as without a boundary, and typed it does not run
		without := s.options
		without.Confine = nil
		old := verdictOf(without, c)
		return d.Verdict == old.Verdict && d.Reason == old.Reason &&
			verdictOf(s.options, bash(confined(confiner, c.Command))).Verdict != nod.Allow
	case "denied", "asked", "open", "untouched":
		bare := s.options
		bare.Rules = nod.DefaultRules()
		bare.Rules.Hosts = s.options.Rules.Hosts
		return became(d, verdictOf(bare, c), s.rule) == word
	}
	return (d.Verdict.String() == verdict && (layer == "" || layer == d.Layer.String())) != negative
}

// became is what a rule made of a call that has another answer without it.
func became(with, without nod.Decision, rule string) string {
	switch {
	case with.Verdict == nod.Deny && with.Layer == nod.LayerGuard && with.Rule.Text == rule:
		return "denied"
	case with.Verdict == without.Verdict && with.Reason == without.Reason:
		return "untouched"
	case with.Rule.Text == rule:
		return "asked"
	case with.Settled():
		return "settled"
	}
	return "open"
}

// absolute is a name of the world: below the home, the project or as it stands.
func absolute(name string) string {
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		return home + "/" + below
	} else if strings.HasPrefix(name, "/") {
		return name
	}
	return shop + "/" + name
}

func unquoted(t *testing.T, text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	plain, err := strconv.Unquote(text)
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	return plain
}

// inCorpusOptions are those of the world of package corpus, with every program that nod's data knows.
func inCorpusOptions() nod.Options {
	w := corpus.World()
	for _, name := range commands.Names() {
		w.File("/usr/bin/"+name, "\x7fELF", 0o755)
	}
	return nod.Options{Rules: nod.DefaultRules(), Files: w, Home: corpus.Home,
		Self: []string{corpus.Home + "/.config/nod", corpus.State, corpus.Nod, corpus.Hook}}
}
