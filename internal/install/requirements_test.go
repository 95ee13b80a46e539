//go:build unix

package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// managedCodex returns options for Codex's file of requirements.
func managedCodex(t *testing.T) Options {
	t.Helper()
	o := at(t, Managed)
	o.Agent = "codex"
	return o
}

// What stands in the file stays byte for byte, means the same as before with
// nod's hooks and the feature, and is what it was when nod is gone.
func TestRequirements(t *testing.T) {
	const policy = "# ours\nallowed_sandbox_modes = [\"read-only\"]   # strict\n"
	theirs := "[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"theirs\"\n"
	for name, text := range map[string]string{
		"nothing":               "",
		"a policy":              policy,
		"no last line end":      "x = 1",
		"other hooks":           policy + theirs,
		"other hooks, two ends": theirs + "\n\n",
		"the feature":           "[features]\nhooks = true\n",
		"the feature, dotted":   "features.hooks = true\n",
		"more features":         "[features]  # ours\nhooks = true\nmemories = false\n[y]\n",
		"a table of hooks":      "[hooks]\nmanaged_dir = \"/opt/hooks\"\n",
		"line ends of Windows":  strings.ReplaceAll(policy+"[x]\nmemories = false\n", "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			o := managedCodex(t)
			if text != "" {
				write(t, o.Target(), text)
			}
			checkRequirements(t, o, text)
		})
	}
}

func checkRequirements(t *testing.T, o Options, text string) {
	t.Helper()
	p, err := PlanInstall(o)
	must(t, err)
	for line := range strings.Lines(text) {
		if !strings.Contains(string(p.After), line) {
			t.Errorf("%q is lost:\n%s", line, p.After)
		}
	}
	write(t, o.Target(), string(p.After))
	in, err := Inspect(o)
	if err != nil || in == nil || len(in.Hooks) != 3 || in.Again != "" || len(in.Findings) != 0 || !in.Guarded() ||
		len(in.Missing()) != 0 {
		t.Fatalf("%v %+v\n%s", err, in, p.After)
	}
	for _, r := range in.Hooks {
		if !r.Written || r.Decides != (r.Event != "PostToolUse") {
			t.Errorf("%+v", r)
		}
	}
	if _, asks, err := in.Trust(); asks || err != nil {
		t.Errorf("a person is asked: %v", err)
	}
	moved := o
	moved.Hook = "/opt/else where/nod-hook"
	p, err = PlanInstall(moved)
	if err != nil || strings.Contains(string(p.After), o.Hook) || strings.Count(string(p.After), moved.Hook) != 3 {
		t.Errorf("moved: %v\n%s", err, p.After)
	}
	p, err = PlanUninstall(o)
	if want := strings.TrimSuffix(text, "\n"); err != nil || strings.TrimSuffix(string(p.After),
		"\n") != want || text == "" && p.After != nil {
		t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(text, string(p.After)))
	}
}

// What nod cannot add to, or cannot tell apart from its own, it leaves alone.
func TestRequirementsRefused(t *testing.T) {
	o := managedCodex(t)
	p, err := PlanInstall(o)
	must(t, err)
	own := string(p.After)
	for name, row := range map[string]struct {
		text, put, out string // what the error holds, "" for none
	}{
		"no TOML":            {"x = \n", "not TOML", "not TOML"},
		"the feature is off": {"[features]\nhooks = false\n", "features.hooks is not true", ""},
		"an inline table":    {"hooks = { PreToolUse = [] }\n", "cannot add to", ""},
		"an inline list":     {"[hooks]\nPreToolUse = []\n", "cannot add to", ""},
		"inline features":    {"features = { memories = true }\n", "cannot add to", ""},
		"other features":     {"[features]\nmemories = true\n", "add hooks = true", ""},
		"copied by hand": {strings.ReplaceAll(strings.ReplaceAll(own, ownBegin+"\n", ""), ownEnd+"\n", ""),
			"outside of nod's own lines", "outside of nod's own lines"},
		"cut off": {strings.ReplaceAll(own, ownEnd, ""), "is missing", "is missing"},
		"written between them": {strings.ReplaceAll(own, ownEnd,
			"[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"theirs\"\n"+ownEnd),
			"between nod's lines", "between nod's lines"},
		"a key between them": {strings.ReplaceAll(own, ownEnd, "async = true\n[x]\n"+ownEnd), "between nod's lines",
			"between nod's lines"},
		"features between": {strings.ReplaceAll(own, "hooks = true\n", "hooks = true\nmemories = true\n"),
			"between nod's lines", "between nod's lines"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, o.Target(), row.text)
			for _, try := range []struct {
				plan func(Options) (Plan, error)
				want string
			}{{PlanInstall, row.put}, {PlanUninstall, row.out}} {
				p, err := try.plan(o)
				if try.want == "" && (err != nil || p.Changed()) || try.want != "" && (err == nil ||
					!strings.Contains(err.Error(), try.want) || !strings.Contains(err.Error(), o.Target())) {
					t.Errorf("%v, want %q", err, try.want)
				}
			}
		})
	}
}

// Without the feature anybody's own settings switch the hooks off.
func TestRequirementsWeaker(t *testing.T) {
	o := managedCodex(t)
	p, err := PlanInstall(o)
	must(t, err)
	own := string(p.After)
	for name, row := range map[string]struct{ text, finding string }{
		"not required": {strings.Replace(own, "hooks = true", "memories = true", 1), "switch nod off"},
		"a hook less":  {own[:strings.Index(own, "[[hooks.PermissionRequest]]")] + ownEnd + "\n", ""},
		"other limit":  {strings.Replace(own, "timeout = 600", "timeout = 1", 1), ""},
		"asynchronous": {strings.Replace(own, "timeout = 600", "timeout = 600\nasync = true", 1), ""},
	} {
		write(t, o.Target(), row.text)
		in, err := Inspect(o)
		if err != nil || in == nil || in.Again == "" || (row.finding == "") != (len(in.Findings) == 0) ||
			row.finding != "" && !strings.Contains(in.Findings[0].Text, row.finding) {
			t.Errorf("%s: %v %+v", name, err, in)
		}
	}
}
