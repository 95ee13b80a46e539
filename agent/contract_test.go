package agent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/nodgate/nod/agent"
)

// antigravityTakes is what agy reads: an object of these two keys with exit
// code 0, or nothing. No exit code is a denial on all versions.
func antigravityTakes(e agent.Event, a agent.Answer) error {
	if a.Exit != 0 || len(a.Stderr) > 0 {
		return fmt.Errorf("exit %d, stderr %q", a.Exit, a.Stderr)
	}
	return shimTakes(e, a)
}

func generic(name string, valid func(agent.Event, agent.Answer) error) contract {
	return contract{host{agent.Host(name), nil, []string{"PWD=/home/ada/loom"},
		[]string{"", "off", "spec", "plan", "newMode"}, []string{"workspace_roots", "workspacePaths"}, valid}, ""}
}

// contract is what the suite must be told about an agent, and where the shared corpus has its captured payloads.
type contract struct {
	host     host
	captured string
}

func contracts() []contract {
	at := func(names ...string) (environ []string) {
		for _, name := range names {
			environ = append(environ, name+"=/home/ada/loom")
		}
		return environ
	}
	claude := []string{"default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "newMode", ""}
	codex := []string{"default", "plan", "acceptEdits", "dontAsk", "bypassPermissions", "newMode", ""}
	qwen := []string{"default", "plan", "auto-edit", "auto", "yolo", "newMode", ""}
	return []contract{
		{host{agent.Host("claude-code"), nil, append(at("CLAUDE_PROJECT_DIR"), "CLAUDE_CODE_ENTRYPOINT=cli"), claude, nil,
			claudeTakes}, "*.json"},
		{host{agent.Host("codex"), nil, at("PWD"), codex, []string{"transcript_path"}, codexTakes}, "*.stdin.json"},
		{host{agent.Host("copilot"), nil, append(at("COPILOT_PROJECT_DIR"), "HOME=/home/ada"), []string{""},
			[]string{"error", "toolArgs.paths"}, copilotTakes}, "camel.*.json"},
		{host{agent.Host("gemini"), nil, at("GEMINI_PROJECT_DIR"), []string{""}, []string{"tool_input.include"},
			denying(printed("decision", "reason", "systemMessage"))}, "*.stdin.json"},
		{host{agent.Host("qwen"), nil, at("QWEN_PROJECT_DIR"), qwen, nil, claudeTakes}, "*.stdin.json"},
		{host{agent.Host("opencode"), nil, nil, []string{""}, nil, shimTakes}, ""}, // nod's own lines write the payload
		{host{agent.Host("pi"), nil, nil, []string{""}, nil, shimTakes}, ""},
		// Read, not captured: the payloads are in the words of the pages.
		generic("antigravity", antigravityTakes),
		generic("crush", printed("decision", "reason", "version")),
		generic("cursor", denying(printed("permission", "user_message", "agent_message"))),
		generic("droid", claudeTakes),
		generic("goose", codeTwoTakes),
		generic("grok", codeTwoTakes),
		generic("kiro", codeTwoTakes),
		generic("openhands", codeTwoTakes),
		generic("vscode", claudeTakes),
		generic("windsurf", codeTwoTakes),
	}
}

// of is the host with payloads.
func (h host) of(fixtures fs.FS) host {
	h.fixtures = fixtures
	return h
}

func TestContract(t *testing.T) {
	for _, row := range contracts() {
		name := row.host.adapter.Name()
		t.Run(name, func(t *testing.T) {
			run(t, row.host.of(os.DirFS(filepath.Join("testdata", name))))
		})
		if row.captured == "" {
			continue
		}
		t.Run(name+", captured", func(t *testing.T) {
			dir := filepath.Join("..", "..", "shared", "protocols", name, "fixtures")
			if _, err := os.Stat(dir); err != nil {
				t.Skipf("%s absent: skipped", dir)
			}
			run(t, row.host.of(only{os.DirFS(dir), row.captured}))
		})
	}
}

// only shows the files of a directory that match a pattern.
type only struct {
	fs.FS
	pattern string
}

func (o only) Glob(string) ([]string, error) { return fs.Glob(o.FS, o.pattern) }

// Every adapter is in the table above.
func TestContractCoversAll(t *testing.T) {
	covered := map[string]bool{}
	for _, row := range contracts() {
		covered[row.host.adapter.Name()] = true
	}
	for _, a := range agent.All() {
		if !covered[a.Name()] {
			t.Errorf("%s does not run the contract", a.Name())
		}
		if got, ok := agent.ByName(a.Name()); !ok || got != a {
			t.Errorf("ByName(%q) is %v", a.Name(), got)
		}
	}
	if _, ok := agent.ByName(""); ok {
		t.Error("there is an adapter without a name")
	}
}

// claudeTakes is the host's schema: one object, these keys and no others.
func claudeTakes(e agent.Event, a agent.Answer) error {
	if done, err := settled(a); done {
		return err
	}
	var out struct {
		Message  *string `json:"systemMessage"`
		Specific *struct {
			Event    string  `json:"hookEventName"`
			Decision *string `json:"permissionDecision"`
			Reason   *string `json:"permissionDecisionReason"`
			Answer   *struct {
				Behavior string  `json:"behavior"`
				Message  *string `json:"message"`
			} `json:"decision"`
		} `json:"hookSpecificOutput"`
	}
	if err := strictly(a, &out); err != nil || a.Stdout[0] != '{' || a.Stdout[len(a.Stdout)-1] != '}' {
		return fmt.Errorf("%s: %v", a.Stdout, err)
	}
	said := "abstained"
	if s := out.Specific; s != nil {
		switch {
		case s.Event != e.Name:
			return fmt.Errorf("hookEventName is %q", s.Event)
		case e.Kind == agent.Decide && s.Decision != nil && s.Reason != nil && *s.Reason != "" && s.Answer == nil:
			said = *s.Decision
		case e.Kind == agent.Prompt && s.Answer != nil && s.Decision == nil &&
			(s.Answer.Behavior == "allow" || s.Answer.Message != nil):
			said = s.Answer.Behavior
		default:
			return errors.New("keys of another event, or none")
		}
	}
	if said != a.Said {
		return fmt.Errorf("%q is printed, but Said is %q", said, a.Said)
	}
	return nil
}

// codexTakes is the schema of Codex 0.169.0, under which a key too many, an
// allow or an ask before a call, and a denial without a reason let it run.
func codexTakes(e agent.Event, a agent.Answer) error {
	if err := claudeTakes(e, a); err != nil || a.Exit != 0 || len(a.Stdout) == 0 {
		return err
	}
	switch {
	case e.Kind == agent.Decide && a.Said != "deny" && a.Said != "abstained":
		return fmt.Errorf("%s voids the answer", a.Said)
	case e.Kind != agent.Decide && e.Kind != agent.Prompt:
		return errors.New("no such event is answered")
	}
	return nil
}

// copilotTakes is what Copilot CLI reads: one flat object, by event.
func copilotTakes(e agent.Event, a agent.Answer) error {
	switch {
	case e.Kind != agent.Prompt:
		return printed("permissionDecision", "permissionDecisionReason")(e, a)
	case a.Said == "deny":
		return printed("behavior", "message")(e, a)
	}
	return printed("behavior")(e, a)
}

// shimTakes is what the JavaScript that nod installs reads.
func shimTakes(e agent.Event, a agent.Answer) error {
	if len(a.Stdout) > 0 && e.Kind != agent.Decide {
		return fmt.Errorf("%s is printed at %s", a.Stdout, e.Name)
	}
	return printed("decision", "reason")(e, a)
}

// printed is a host's schema of one flat object: a key that says what nod says, others that are not empty, and none
// beside them.
func printed(says string, others ...string) func(agent.Event, agent.Answer) error {
	return func(_ agent.Event, a agent.Answer) error {
		if done, err := settled(a); done {
			return err
		}
		var out map[string]any
		if err := json.Unmarshal(a.Stdout, &out); err != nil || out[says] != a.Said || len(out) != 1+len(others) {
			return fmt.Errorf("%s, said %q: %v", a.Stdout, a.Said, err)
		}
		for _, key := range others {
			if out[key] == nil || out[key] == "" || key == "version" && out[key] != 1.0 {
				return fmt.Errorf("%s has no %s", a.Stdout, key)
			}
		}
		return nil
	}
}

// settled reports whether an answer is exit code 2 with a reason, or silence,
// so that there is nothing printed to look at.
func settled(a agent.Answer) (done bool, err error) {
	switch {
	case a.Exit == 2 && len(a.Stdout) == 0 && len(bytes.TrimSpace(a.Stderr)) > 0 && a.Said == "deny":
		return true, nil
	case a.Exit != 0 || len(a.Stderr) > 0:
		return true, fmt.Errorf("exit %d, stderr %q, stdout %q", a.Exit, a.Stderr, a.Stdout)
	}
	return len(a.Stdout) == 0, nil
}

func codeTwoTakes(_ agent.Event, a agent.Answer) error {
	done, err := settled(a)
	if !done {
		return fmt.Errorf("%s is printed, and the host reads no answer", a.Stdout)
	}
	return err
}

// denying is a host that reads denials alone.
func denying(valid func(agent.Event, agent.Answer) error) func(agent.Event, agent.Answer) error {
	return func(e agent.Event, a agent.Answer) error {
		if len(a.Stdout) > 0 && a.Said != "deny" || json.Valid(a.Stderr) {
			return fmt.Errorf("%s, %s, said %q", a.Stdout, a.Stderr, a.Said)
		}
		return valid(e, a)
	}
}

// strictly reads what is printed, without a key too many.
func strictly(a agent.Answer, out any) error {
	dec := json.NewDecoder(bytes.NewReader(a.Stdout))
	dec.DisallowUnknownFields()
	return dec.Decode(out)
}
