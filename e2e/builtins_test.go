package e2e

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/llm/llmtest"
)

// TestBuiltinsAreClassified has each agent show its tools to the scripted
// model: one that nobody classified in its adapter's table fails the test, and
// so does a version that was not looked at.
func TestBuiltinsAreClassified(t *testing.T) {
	for _, d := range allDriven() {
		t.Run(d.adapter.Name(), func(t *testing.T) {
			d.program(t)
			t.Parallel()
			m := d.ready(t, "", llmtest.Script{})
			m.run()
			offered := m.offered()
			if len(offered) < 4 {
				t.Fatalf("%s offered %q", d.title, offered)
			}
			t.Logf("%d tools: %s", len(offered), strings.Join(offered, " "))
			for _, tool := range offered {
				if why := unhooked(d.adapter.Name())[tool]; why != "" {
					continue
				}
				if agent.ClassOf(d.adapter.Name(), tool) == agent.Unclassified {
					t.Errorf("%s %s offers the tool %s, which nobody classified: say in its adapter's table what it does", d.title, d.version, tool)
				}
			}
		})
	}
}

// unhooked are tools that a model is offered under a name that no hook sees,
// and why.
func unhooked(host string) map[string]string {
	switch host {
	case "claude-code":
		return map[string]string{"DeferredToolPlaceholder": "it stands for the tools that ToolSearch finds"}
	case "qwen":
		return map[string]string{"tool_call": "it holds the call of another tool, which the adapter reads"}
	case "codex":
	default:
		return nil
	}
	return map[string]string{
		"exec_command": "hooks name it Bash", "shell": "hooks name it Bash", "shell_command": "hooks name it Bash",
		"write_stdin": "no hook is shown it", "web_search": "the vendor's servers run it",
	}
}

// offered lists the tools of all turns, but for those of the MCP server.
func (d *driving) offered() (names []string) {
	for _, r := range d.srv.Requests(llmtest.Turn) {
		var body struct{ Tools []offer }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			d.t.Fatal(err)
		}
		for _, o := range body.Tools {
			names = append(names, o.names()...)
		}
		names = append(names, deferred(r.Body)...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == "" || strings.Contains(name, "lab") || name == "poke" })
}

// offer is one tool, or a group of them, in any vendor's shape.
type offer struct {
	Type, Name           string
	Function             struct{ Name string }
	Tools                []offer
	FunctionDeclarations []offer
}

func (o offer) names() (names []string) {
	for _, inner := range append(o.Tools, o.FunctionDeclarations...) {
		names = append(names, inner.names()...)
	}
	switch {
	case len(names) > 0:
		return names
	case o.Function.Name != "":
		return []string{o.Function.Name}
	case o.Name != "":
		return []string{o.Name}
	}
	return []string{o.Type}
}

// deferred are the tools that Claude Code names to its model without a schema,
// each on a line of its own, to be looked up by ToolSearch.
func deferred(body []byte) (names []string) {
	for _, list := range regexp.MustCompile(`(?s)deferred tools.*?</`).FindAll(body, -1) {
		for line := range strings.SplitSeq(string(list), `\n`) {
			if regexp.MustCompile(`^[A-Z][a-z]+[A-Za-z]*$`).MatchString(line) {
				names = append(names, line)
			}
		}
	}
	return names
}
