package agent_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/transcript"
)

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func replaced(t *testing.T, text []byte, old, with string) []byte {
	t.Helper()
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%q is not in %s", old, text)
	}
	return bytes.ReplaceAll(text, []byte(old), []byte(with))
}

// spoken is an event's conversation, newest first, in words.
func spoken(t *testing.T, e agent.Event) (all []string) {
	t.Helper()
	names := map[transcript.Origin]string{transcript.Other: "other", transcript.Person: "person",
		transcript.Agent: "agent",
		transcript.Tool:  "tool", transcript.OtherAgent: "other agent", transcript.Harness: "harness"}
	for turn, err := range e.Call.Transcript(t.Context()) {
		switch {
		case err != nil:
			t.Fatal(err)
		case turn.Tool != "":
			all = append(all, names[turn.Origin]+": "+turn.Tool+" "+string(turn.Input))
		default:
			all = append(all, names[turn.Origin]+": "+turn.Text)
		}
	}
	return all
}

// Copilot's own setting of git is no surprise; anybody else's is.
func TestCopilotEnviron(t *testing.T) {
	payload, err := os.ReadFile("testdata/copilot/shell.json")
	if err != nil {
		t.Fatal(err)
	}
	own := []string{"A=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.bareRepository", "GIT_CONFIG_VALUE_0=explicit"}
	for _, row := range []struct{ environ, want []string }{
		{own, []string{"A=1"}},
		{append(slices.Clone(own), "GIT_CONFIG_COUNT=2"), append(slices.Clone(own), "GIT_CONFIG_COUNT=2")},
		{[]string{own[1], "GIT_CONFIG_KEY_0=core.pager", own[3]},
			[]string{own[1], "GIT_CONFIG_KEY_0=core.pager", own[3]}},
	} {
		e, err := agent.Host("copilot").Decode(payload, row.environ)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row.want, e.Call.Environ); diff != "" {
			t.Error(diff)
		}
	}
}
