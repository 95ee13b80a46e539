package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/mcp"
)

// answer is what Claude Code reads of the tool's text.
type answer struct {
	Behavior     string          `json:"behavior"`
	UpdatedInput json.RawMessage `json:"updatedInput"`
	Message      string          `json:"message"`
}

// served starts the server with a home of its own, and returns what asks it.
func served(t *testing.T, settings string, model nod.Model, deadline time.Duration) (ask func(arguments string) answer,
	work string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work = filepath.Join(home, "work")
	places := config.DefaultPlaces(home)
	places.Managed = ""
	for name, text := range map[string]string{filepath.Join(work, "a.txt"): "a", places.User: settings} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := hook.Options{
		Adapter: agent.ClaudePrompt{Project: work, Session: "s1"}, Places: places, Version: "test", Model: model,
		Environ: []string{"HOME=" + home, "PATH=/usr/bin:/bin"},
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- mcp.Serve(context.Background(), o, deadline, toServer, fromServer) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "0"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fromClient.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return func(arguments string) answer {
		t.Helper()
		result, err := session.CallTool(t.Context(),
			&sdk.CallToolParams{Name: mcp.Tool, Arguments: json.RawMessage(arguments)})
		if err != nil || result.IsError || len(result.Content) != 1 {
			t.Fatalf("%v: %+v", err, result)
		}
		var a answer
		if err := json.Unmarshal([]byte(result.Content[0].(*sdk.TextContent).Text), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}, work
}

// Each call gets one of two answers; nobody is there to be asked.
func TestApprove(t *testing.T) {
	ask, work := served(t, "hard_deny = [\"touch forbidden\"]\n", nil, hang.Limit())
	for _, row := range []struct{ arguments, behavior, message string }{
		{`{"tool_name":"Bash","input":{"command":"ls ` + work + `"},"tool_use_id":"t1"}`, "allow", ""},
		{`{"tool_name":"Write","input":{"file_path":"` + work + `/b.txt","content":"<é>"}}`, "allow", ""},
		{`{"tool_name":"Bash","input":{"command":"touch forbidden"}}`, "deny", "hard_deny"},
		{`{"tool_name":"Bash","input":{"command":"npm publish"}}`, "deny", "A person has to approve this"},
		// Where it starts is not said: the shell of the agent remembers a cd.
		{`{"tool_name":"Bash","input":{"command":"touch new"}}`, "deny", "not known"},
		{`{"tool_name":"Write","input":{"file_path":"/etc/passwd","content":""}}`, "deny", "outside the workspace"},
		{`{"tool_name":"mcp__db__drop","input":{"table":"users"}}`, "deny", "approve"},
		{`{"tool_name":"ExitPlanMode","input":{"plan":"x"}}`, "deny", "for a person"},
		{`{"tool_name":"read_file","input":{}}`, "deny", "approve"},
		{`{"tool_name":"Bash","input":{"command":"ls ` + work + `","command":"rm -rf ~"}}`, "deny", "could not read"},
		{`{"tool_name":"Bash","input":{"command":"ls /","Command":"rm -rf ~"}}`, "deny", "could not read"},
		{`{"tool_name":"Bash"}`, "deny", "could not read"},
		{`{"tool_name":7,"input":{}}`, "deny", "could not read"},
		{`{}`, "deny", "could not read"},
	} {
		got := ask(row.arguments)
		if got.Behavior != row.behavior || !strings.Contains(got.Message, row.message) {
			t.Errorf("%s: %+v", row.arguments, got)
		}
		var sent struct{ Input json.RawMessage }
		if json.Unmarshal([]byte(row.arguments),
			&sent) == nil && row.behavior == "allow" && string(got.UpdatedInput) != string(sent.Input) {
			t.Errorf("the input came back as %s", got.UpdatedInput)
		}
	}
}

// Where the settings let nod answer nothing, nothing is approved.
func TestApproveNothing(t *testing.T) {
	for _, settings := range []string{"mode = \"observe\"\n", "mode = \"off\"\n", "mode =\n",
		"profile = \"reinforce\"\n"} {
		ask, work := served(t, settings, nil, hang.Limit())
		if got := ask(`{"tool_name":"Bash","input":{"command":"ls ` + work + `"}}`); got.Behavior != "deny" ||
			got.Message == "" {
			t.Errorf("%q: %+v", settings, got)
		}
	}
}

// stuck is a model that never answers, and does not heed its context.
type stuck struct{ let chan struct{} }

func (s stuck) Classify(context.Context, nod.Prompt) (nod.Classification, error) {
	<-s.let
	return nod.Classification{}, context.Canceled
}

// An answer that does not come in time is a denial.
func TestApproveInTime(t *testing.T) {
	s := stuck{make(chan struct{})}
	defer close(s.let)
	ask, _ := served(t, "", s, 100*time.Millisecond)
	if got := ask(`{"tool_name":"Bash","input":{"command":"npm publish"}}`); got.Behavior != "deny" ||
		got.Message == "" {
		t.Errorf("%+v", got)
	}
}
