package agent_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/agent"
)

// This is the contract that every adapter passes unchanged. run feeds an adapter its captured payloads, and from each
// of them a few thousand hostile ones, and encodes every decision for every event. What it demands:
//
//   - each captured payload decodes to a canonical call that starts somewhere;
//   - a hostile payload is an error, or the same event as without what was
//     done to it: there is no second reading of a payload;
//   - for a key that nod reads, a twin in another case, a second occurrence
//     and a value of another type are errors. Which keys those are is found
//     out by changing each one;
//   - a denial is never said as anything else, an ask never as an allow, and
//     nothing panics or blocks without a reason, zero values included.
//
// A host differs from another only in the table host.

// host is what the suite must be told about one agent.
type host struct {
	adapter agent.Adapter
	// fixtures holds captured payloads, one JSON object in each *.json file. At least one must be a call to decide.
	fixtures fs.FS
	// environ is the hook's environment in which they were captured.
	environ []string
	// modes are the host's permission modes, with a mode that it does not have.
	modes []string
	// several lists the keys to which the host's schema gives several types: null, a string or a list beside their own.
	several []string
	// valid reports what the host's schema does not allow in an answer to an event; nil where all
	// is well. The suite has checked that the answer means the decision.
	valid func(agent.Event, agent.Answer) error
}

// run checks the contract. Each demand is a subtest.
func run(t *testing.T, h host) {
	for _, demand := range demands() {
		t.Run(demand.name, func(t *testing.T) {
			for _, problem := range demand.check(h) {
				t.Error(problem)
			}
		})
	}
}

type demand struct {
	name  string
	check func(host) []string
}

func demands() []demand {
	return []demand{
		{"name", named},
		{"captured payloads", captured},
		{"other readings", otherReadings},
		{"cut off", cutOff},
		{"not a payload", notAPayload},
		{"large", large},
		{"answers", answers},
		{"zero values", zeroValues},
		{"block", blocks},
	}
}

func named(h host) (problems []string) {
	if h.adapter.Name() == "" || strings.ContainsAny(h.adapter.Name(), " /\t\n") {
		problems = append(problems, fmt.Sprintf("the name %q is no word", h.adapter.Name()))
	}
	if h.adapter.Capabilities().Tried == "" {
		problems = append(problems, "Capabilities does not say on which version they were measured")
	}
	return problems
}

// fixture is a captured payload and the event in it.
type fixture struct {
	name  string
	text  []byte
	event agent.Event
}

// load reads and decodes every fixture; problems say which it could not.
func load(h host) (all []fixture, problems []string) {
	names, err := fs.Glob(h.fixtures, "*.json")
	if err != nil || len(names) == 0 {
		return nil, []string{fmt.Sprintf("there are no fixtures (%v)", err)}
	}
	for _, name := range names {
		text, err := fs.ReadFile(h.fixtures, name)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		event, err := h.adapter.Decode(text, h.environ)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		all = append(all, fixture{name, bytes.TrimSpace(text), event})
	}
	return all, problems
}

// gated are the fixtures that carry a call to be answered.
func gated(h host) (out []fixture) {
	all, _ := load(h)
	for _, f := range all {
		if f.event.Kind == agent.Decide || f.event.Kind == agent.Prompt {
			out = append(out, f)
		}
	}
	return out
}

func captured(h host) []string {
	all, problems := load(h)
	if len(problems) == 0 && len(gated(h)) == 0 {
		problems = append(problems, "no fixture carries a call to decide")
	}
	for _, f := range all {
		for _, what := range wrongEvent(h, f.event) {
			problems = append(problems, f.name+": "+what)
		}
	}
	return problems
}

// wrongEvent says what is not canonical about a decoded event.
func wrongEvent(h host, e agent.Event) (wrong []string) {
	complain := func(format string, a ...any) { wrong = append(wrong, fmt.Sprintf(format, a...)) }
	c := e.Call
	switch {
	case e.Kind == agent.Unexpected:
		complain("an event of the host that the adapter does not know")
	case e.Name == "":
		complain("the event has no name")
	case c.Agent != h.adapter.Name():
		complain("agent is %q", c.Agent)
	}
	if e.Kind != agent.Decide && e.Kind != agent.Prompt {
		return wrong
	}
	if c.Session == "" || c.RawTool == "" || len(c.Input) == 0 {
		complain("session %q, raw tool %q or input %q is missing", c.Session, c.RawTool, c.Input)
	}
	if !path.IsAbs(c.Dir) || e.Project != "" && !path.IsAbs(e.Project) {
		complain("directory %q or project %q is not absolute", c.Dir, e.Project)
	}
	if !path.IsAbs(e.Start) {
		complain("start %q is not absolute, so that nothing is a workspace", e.Start)
	}
	if strings.Trim(c.Tool, "abcdefghijklmnopqrstuvwxyz_") != "" {
		complain("%q is no canonical name", c.Tool)
	}
	if (c.MCP != nil) != (c.Tool == "mcp") {
		complain("tool %q, but MCP is %v", c.Tool, c.MCP)
	}
	if c.Command != "" && c.Tool != "bash" {
		complain("tool %q has a command", c.Tool)
	}
	for _, edit := range c.Edits {
		if !slices.Contains(c.Paths, edit.Path) {
			complain("edit of %q is not in paths %q", edit.Path, c.Paths)
		}
	}
	return wrong
}

// caught does something, and says how it panicked, "" if it did not.
func caught(what string, do func()) (panicked string) {
	defer func() {
		if p := recover(); p != nil {
			panicked = fmt.Sprintf("%s panics: %v", what, p)
		}
	}()
	do()
	return ""
}

// decode is Decode that reports a panic as a problem.
func decode(h host, text []byte) (e agent.Event, panicked string, err error) {
	panicked = caught("Decode", func() { e, err = h.adapter.Decode(text, h.environ) })
	return e, panicked, err
}

// same reports whether two events are the same to the deciding layers: all
// but the input as sent and what is a function.
func same(a, b agent.Event) bool {
	a.Call.Input, b.Call.Input = nil, nil
	a.Call.Transcript, b.Call.Transcript = nil, nil
	a.Complete, b.Complete = nil, nil
	a.Call.Opening, b.Call.Opening = nil, nil
	return reflect.DeepEqual(a, b)
}

// refused says how a text was read that had to be refused, "" if it was.
func refused(h host, text []byte) string {
	e, panicked, err := decode(h, text)
	switch {
	case panicked != "":
		return panicked
	case err == nil:
		return fmt.Sprintf("read as %s of %.60q, command %.60q", e.Name, e.Call.RawTool, e.Call.Command)
	case err.Error() == "":
		return "refused without a word"
	}
	return ""
}

func notAPayload(h host) (problems []string) {
	refuse := func(name string, text []byte) {
		if how := refused(h, text); how != "" {
			problems = append(problems, fmt.Sprintf("%s: %.200s", name, how))
		}
	}
	for _, text := range []string{"", " ", "null", "true", "0", `""`, "[]", "[{}]", "{}", "{", "\x00", "\ufeff{}",
		strings.Repeat("[", 1e6), strings.Repeat(`{"a":`, 1e6)} {
		refuse(fmt.Sprintf("%.20q", text), []byte(text))
	}
	for _, f := range gated(h) {
		inner := f.text[1:]
		for name, text := range map[string]string{
			"in a list":                  "[" + string(f.text) + "]",
			"twice":                      string(f.text) + string(f.text),
			"garbage after the end":      string(f.text) + "x",
			"NUL after the end":          string(f.text) + "\x00",
			"byte order mark":            "\ufeff" + string(f.text),
			"invalid UTF-8":              `{"x":"` + "\xff" + `",` + string(inner),
			"overlong UTF-8":             `{"x":"` + "\xc0\xaf" + `",` + string(inner),
			"half a surrogate pair":      `{"x":"\ud800",` + string(inner),
			"half a surrogate pair, low": `{"x":"\udc00a",` + string(inner),
			"raw control character":      `{"x":"` + "\x1f" + `",` + string(inner),
			"duplicate at depth":         `{"x":[{"y":{"a":1,"a":2}}],` + string(inner),
			"duplicate, escaped":         `{"x":[{"y":{"a":1,"\u0061":2}}],` + string(inner),
			"10,000 levels": `{"x":` + strings.Repeat("[", 1e4) + strings.Repeat("]", 1e4) + "," +
				string(inner),
			"comment": "{/**/" + string(inner),
		} {
			refuse(f.name+": "+name, []byte(text))
		}
	}
	return problems
}

// cutOff takes payloads off at every byte.
func cutOff(h host) (problems []string) {
	for _, f := range gated(h) {
		for n := range f.text {
			if how := refused(h, f.text[:n]); how != "" {
				problems = append(problems, fmt.Sprintf("%s cut after %d bytes: %.200s", f.name, n, how))
				break
			}
		}
	}
	return problems
}

// large makes a command 10 MB long: it is refused or read whole. 17 MiB are refused.
func large(h host) (problems []string) {
	all := gated(h)
	if len(all) == 0 {
		return []string{"no fixture carries a call to decide"}
	}
	for _, f := range all {
		if f.event.Call.Command != "" {
			problems = append(problems, longCommand(h, f)...)
			break
		}
	}
	text := `{"x":"` + strings.Repeat("x", 17<<20) + `",` + string(all[0].text[1:])
	if how := refused(h, []byte(text)); how != "" {
		problems = append(problems, fmt.Sprintf("17 MiB: %.200s", how))
	}
	return problems
}

func longCommand(h host, f fixture) []string {
	long := strings.Repeat("x", 10_000_000)
	text, ok := replaceText(f.text, f.event.Call.Command, long)
	if !ok {
		return []string{f.name + ": the command is not in the payload as it was read"}
	}
	e, panicked, err := decode(h, text)
	if panicked != "" || err == nil && e.Call.Command != long {
		return []string{fmt.Sprintf("%s: a command of 10 MB is read with %d bytes %s", f.name, len(e.Call.Command),
			panicked)}
	}
	return nil
}
