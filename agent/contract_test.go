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
	"github.com/nodgate/nod/agent/agenttest"
)

func claudeHost(fixtures fs.FS) agenttest.Host {
	return agenttest.Host{
		Adapter:  agent.ClaudeCode{},
		Fixtures: fixtures,
		Environ:  []string{"CLAUDE_PROJECT_DIR=/home/ada/loom", "CLAUDE_CODE_ENTRYPOINT=cli"},
		Modes:    []string{"default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "newMode", ""},
		Valid:    claudeTakes,
	}
}

func TestContract(t *testing.T) {
	t.Run("claude-code", func(t *testing.T) {
		agenttest.Run(t, claudeHost(os.DirFS("testdata/claude-code")))
	})
	t.Run("claude-code, captured", func(t *testing.T) {
		dir := filepath.Join("..", "..", "shared", "protocols", "claude-code", "fixtures")
		if _, err := os.Stat(dir); err != nil {
			t.Skipf("%s absent: skipped", dir)
		}
		agenttest.Run(t, claudeHost(os.DirFS(dir)))
	})
}

// Every adapter is in the table above.
func TestContractCoversAll(t *testing.T) {
	covered := map[string]bool{"claude-code": true}
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
	switch {
	case a.Exit == 2 && len(a.Stdout) == 0 && len(bytes.TrimSpace(a.Stderr)) > 0:
		return nil
	case a.Exit != 0 || len(a.Stderr) > 0:
		return fmt.Errorf("exit %d, stderr %q, stdout %q", a.Exit, a.Stderr, a.Stdout)
	case len(a.Stdout) == 0:
		return nil
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
	dec := json.NewDecoder(bytes.NewReader(a.Stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil || a.Stdout[0] != '{' || a.Stdout[len(a.Stdout)-1] != '}' {
		return fmt.Errorf("%s: %v", a.Stdout, err)
	}
	said := "abstained"
	if s := out.Specific; s != nil {
		switch {
		case s.Event != e.Name:
			return fmt.Errorf("hookEventName is %q", s.Event)
		case e.Kind == agent.Decide && s.Decision != nil && s.Reason != nil && *s.Reason != "" && s.Answer == nil:
			said = *s.Decision
		case e.Kind == agent.Prompt && s.Answer != nil && s.Decision == nil && (s.Answer.Behavior == "allow" || s.Answer.Message != nil):
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
