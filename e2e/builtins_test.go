package e2e

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
	"github.com/nodgate/nod/llm/llmtest"
)

// TestBuiltinsAreClassified has each agent show its tools to the scripted model. A tool that nobody classified in its
// adapter's table fails the test, and so does a version that was not looked at.
func TestBuiltinsAreClassified(t *testing.T) {
	deep(t, "what a pinned version offers")
	onEach(t, allDriven(), func(t *testing.T, d driven) {
		m := d.ready(t, "", llmtest.Script{})
		m.run()
		offered := m.offered()
		if len(offered) < 4 {
			t.Fatalf("%s offered %q", d.title, offered)
		}
		for _, tool := range offered {
			if unhooked(d.adapter.Name())[tool] == "" && agent.ClassOf(d.adapter.Name(), tool) == agent.Unclassified {
				t.Errorf("%s %s offers the tool %s, which nobody classified: say in its adapter's table what it does",
					d.title, d.version, tool)
			}
		}
		d.knowsArguments(t, m)
	})
}

// knowsArguments compares the arguments that the program offers for the tools that nod reads
// with what the adapter knows of them: a call with any other argument is not settled.
func (d *driven) knowsArguments(t *testing.T, m *driving) {
	found := 0
	for _, r := range m.srv.Requests(llmtest.Turn) {
		var body struct{ Tools []offer }
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		for _, o := range flat(body.Tools) {
			name := cmp.Or(o.Function.Name, o.Name)
			known := agent.Arguments(d.adapter.Name(), name)
			if known == nil {
				continue
			}
			found++
			for _, key := range o.arguments() {
				if !slices.Contains(known, key) {
					t.Errorf("%s %s offers %s with the argument %s, which the adapter does not know: say in its spelling "+
						"that it names neither where nor how the call runs, or read it", d.title, d.version, name, key)
				}
			}
		}
	}
	if found < 2 {
		t.Errorf("%s offered %d tools whose arguments nod reads", d.title, found)
	}
}

// unhooked are tools that a model is offered under a name that no hook sees, and why.
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
		names = append(names, offeredIn(d.t, r.Body)...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names,
		func(name string) bool { return name == "" || strings.Contains(name, "lab") || name == "poke" })
}

// offeredIn lists the tools of one request.
func offeredIn(t *testing.T, request []byte) (names []string) {
	t.Helper()
	var body struct{ Tools []offer }
	if err := json.Unmarshal(request, &body); err != nil {
		t.Fatal(err)
	}
	for _, o := range body.Tools {
		names = append(names, o.names()...)
	}
	return append(names, deferred(request)...)
}

// offer is one tool, or a group of them, in any vendor's shape.
type offer struct {
	Type, Name string
	Function   struct {
		Name       string
		Parameters schema
	}
	Tools                []offer
	FunctionDeclarations []offer
	Parameters           schema
	ParametersJSONSchema schema `json:"parametersJsonSchema"`
	InputSchema          schema `json:"input_schema"`
}

// schema is what a tool's arguments look like.
type schema struct{ Properties map[string]json.RawMessage }

// arguments are the names of a tool's arguments.
func (o offer) arguments() (names []string) {
	for _, s := range []schema{o.Function.Parameters, o.Parameters, o.ParametersJSONSchema, o.InputSchema} {
		names = slices.AppendSeq(names, maps.Keys(s.Properties))
	}
	slices.Sort(names)
	return names
}

// flat are the tools of a list, and those of the groups in it.
func flat(list []offer) (all []offer) {
	for _, o := range list {
		all = append(append(append(all, o), flat(o.Tools)...), flat(o.FunctionDeclarations)...)
	}
	return all
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
