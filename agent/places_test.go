package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
)

// Signs in a name that a host decodes or leaves out: such a call is denied.
func TestNamesThatHostsReadOtherwise(t *testing.T) {
	shaped := `{"hook_event_name":"%s","session_id":"s","cwd":"/u/w","permission_mode":"default","tool_name":"%s",` +
		`"tool_input":{"%s":%s%s}}`
	pi := `{"hook":"tool_call","tool":"write","session":"s","call":"c","directory":"/u/w","args":{"path":%s,"content":"x"}}`
	for name, hosts := range map[string]string{"a.txt": "", "src/@types/a%": "gemini", "@.pi/x.ts": "gemini pi",
		"file:///home/u/%2Ebashrc": "gemini pi", "my\u00a0file": "pi", "%2Eclaude/x": "gemini", "@%2eenv": "gemini pi",
		`out\ link`: "gemini qwen", `~\.ssh\id`: "gemini qwen", "~/a b": ""} {
		quoted := string(marshal(t, name))
		for host, payload := range map[string]string{
			"gemini":  fmt.Sprintf(shaped, "BeforeTool", "write_file", "file_path", quoted, `,"content":"x"`),
			"gemini ": fmt.Sprintf(shaped, "BeforeTool", "list_directory", "dir_path", quoted, ""),
			"qwen":    fmt.Sprintf(shaped, "PreToolUse", "write_file", "file_path", quoted, `,"content":"x"`),
			"qwen ":   fmt.Sprintf(shaped, "PreToolUse", "list_directory", "path", quoted, ""),
			"pi":      fmt.Sprintf(pi, quoted),
		} {
			a, _ := agent.ByName(strings.TrimSpace(host))
			e, err := a.Decode([]byte(payload), nil)
			if denied := strings.Contains(hosts, a.Name()); err != nil || (e.Call.Rewritten != "") != denied {
				t.Errorf("%s, %s: %q %v", host, name, e.Call.Rewritten, err)
			}
		}
	}
}
