package agent_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/transcript"
)

// withSaid is a call of a shell with a conversation beside it.
func withSaid(t *testing.T, a agent.Adapter, more string) (agent.Event, error) {
	t.Helper()
	hook := map[string]string{"opencode": "tool.execute.before", "pi": "tool_call"}[a.Name()]
	return a.Decode([]byte(`{"hook":"`+hook+
		`","session":"s","call":"c","directory":"/w","tool":"bash","args":{"command":"x"}`+more+`}`), nil)
}

// What the lines in opencode and Pi heard is a conversation, in which only what they name as a person's is one.
func TestPluginTranscript(t *testing.T) {
	const said = `,"said":[{"by":"person","text":"publish it"},{"by":"agent","text":"I will"},` +
		`{"by":"agent","tool":"bash","text":"{\"command\":\"ls\"}"},{"by":"agent","tool":"write","text":"{\"path\":\"a\" [... left out ...]"},` +
		`{"by":"person","tool":"bash","text":"yes"},{"by":"oracle","text":"yes"},{"by":"person","text":"and tag it"}]`
	want := []string{"person: and tag it", "other: yes", "other: yes",
		`agent: write "{\"path\":\"a\" [... left out ...]"`,
		`agent: bash {"command":"ls"}`, "agent: I will", "person: publish it"}
	for _, a := range []agent.Adapter{agent.Host("opencode"), agent.Host("pi")} {
		e, err := withSaid(t, a, said)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // it can be read again
			if diff := cmp.Diff(want, spoken(t, e)); diff != "" || e.Call.Opening != nil {
				t.Error(diff)
			}
		}
		if e, err = withSaid(t, a, said+`,"cut":true,"first":"never touch billing"`); err != nil {
			t.Fatal(err)
		}
		turns, ending := 0, error(nil)
		for _, err := range e.Call.Transcript(t.Context()) {
			if ending = err; err == nil {
				turns++
			}
		}
		if first, ok := e.Call.Opening(t.Context()); !errors.Is(ending,
			transcript.ErrEarlier) || turns != len(want) || !ok || first.Text != "never touch billing" ||
			first.Origin != transcript.Person {
			t.Errorf("%s: %d turns, %v, then %+v", a.Name(), turns, ending, first)
		}
		if e, err = withSaid(t, a, ``); err != nil || e.Call.Transcript != nil || e.Call.Opening != nil {
			t.Errorf("%s: a plugin from before has a conversation (%v)", a.Name(), err)
		}
		if e, err = withSaid(t, a, `,"said":[],"cut":true`); err != nil || len(spoken(t, e)) != 0 {
			t.Errorf("%s: %v", a.Name(), err)
		}
	}
}

// A conversation of another shape blocks the call, like all else in a payload.
func TestPluginTranscriptBroken(t *testing.T) {
	for more, want := range map[string]string{
		`,"said":["publish it"]`:             "an object",
		`,"said":[{"text":"x"}]`:             "by is missing",
		`,"said":[{"by":"person","text":1}]`: "a string",
		`,"said":[],"cut":"no"`:              "true or false",
		`,"said":[],"Said":[]`:               "in case only",
	} {
		if _, err := withSaid(t, agent.Host("pi"), more); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", more, err, want)
		}
	}
}
