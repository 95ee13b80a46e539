package agent

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

// copilotEvent tells the event from the keys.
func copilotEvent(f fields) (Kind, string) {
	name := f.optional("hookName")
	tool, result, failure := f.maybe("toolName"), f.maybe("toolResult"), f.maybe("error")
	switch {
	case name == "permissionRequest":
		return Prompt, name
	case name != "" || f.maybe("hook_event_name") != nil:
		return Unexpected, cmp.Or(name, f.optional("hook_event_name")) + " of another registration"
	case tool == nil && carriesCall(f):
		return Unexpected, cmp.Or(f.hint("hookEventName"), "unnamed")
	case tool == nil:
		return Other, "unnamed"
	case result != nil:
		return Outcome, "postToolUse"
	case failure != nil:
		return Outcome, "postToolUseFailure"
	}
	return Decide, "preToolUse"
}

func copilotQuirk(e *Event, in, f fields) {
	if parent := f.optional("parentAgentId"); parent != "" && e.Kind != Prompt {
		e.Call.Session = parent
	}
	environ := e.Call.Environ
	e.Call.Interactive, e.Call.Environ = false, copilotEnviron(environ)
	copilotRecord().of(&e.Call, copilotEvents(environ, e.Call.Session))
	// A shell with a name, if it is there already, is where it was made (1.0.102, the description of
	// the tool), and a person may have changed the directory since.
	if e.Call.Command != "" && in.optional("shellId") != "" && e.Call.Dir != e.Project {
		e.Call.Rewritten = cmp.Or(e.Call.Rewritten, copilotElsewhere)
	}
	switch e.Kind {
	case Decide:
		e.Reserved, e.Complete = true, func(e *Event) {
			e.Reserved, e.Theirs = copilotDenies(e.Call, e.Project), attended("copilot")
		}
	case Outcome:
		e.Error = f.nullable("error")
		e.Failed = e.Name == "postToolUseFailure"
	}
}

// copilotEnviron leaves out what Copilot itself sets for every command: with it git takes no bare repository for the
// repository it stands in, which only tightens. Any other setting by these variables stays.
func copilotEnviron(environ []string) []string {
	if variable(environ, "GIT_CONFIG_COUNT") != "1" || variable(environ, "GIT_CONFIG_KEY_0") != "safe.bareRepository" ||
		variable(environ, "GIT_CONFIG_VALUE_0") != "explicit" {
		return environ
	}
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"}, name)
	})
}

// copilotOwn recognises a call to an MCP server: no tool of the host's own has a hyphen or a slash in its name. It
// reads a patch, which is a text, and leaves out what a prompt shows by its effects and not by its arguments.
func copilotOwn(e *Event, f fields, input *member) bool {
	raw := e.Call.RawTool
	if i := strings.IndexAny(raw, "/-"); i >= 0 {
		if i == 0 || i == len(raw)-1 {
			f.wrong(f.get("toolName"), "a server and a tool")
			return true
		}
		f.asObject(input) // free-form, but an object
		e.Call.Tool, e.Call.MCP = "mcp", &nod.MCP{Server: raw[:i], Tool: raw[i+1:]}
		return true
	}
	if raw == "apply_patch" && (e.Kind != Prompt || input.value[0] == '"') {
		e.Call.Tool = "apply_patch"
		patched(&e.Call, f.asText(input))
		return true
	}
	f.asObject(input)
	return e.Kind == Prompt && raw != "bash"
}

// copilotSearch reads a search, whose paths may be one or a list.
func copilotSearch(call *nod.Call, raw string, in fields) {
	var pattern, filter string
	if raw == "glob" {
		pattern = in.word("pattern")
	} else {
		_ = in.text("pattern") // what is looked for, not where
		filter = in.optional("glob")
	}
	bases := in.texts("paths")
	if one := in.optional("path"); one != "" || len(bases) == 0 {
		bases = append(bases, one)
	}
	for _, base := range bases { // a text with blanks is several names (1.0.102, run)
		if pieces := strings.Fields(base); len(pieces) > 1 {
			bases = append(bases, pieces...)
		}
	}
	for _, base := range bases {
		call.Paths = append(call.Paths, searched(call.Dir, base, pattern, filter)...)
	}
}

// copilotMayRewrite: measured on 1.0.102. The program may run a later version of itself that it has fetched since;
// it tells its hooks which version runs. nod doctor has tried only the version that came with the program.
func copilotMayRewrite(e Event) bool {
	runs := path.Base(variable(e.Call.Environ, "COPILOT_CLI_RESOLVED_DIST_DIR"))
	return rewritable(e, "bash") && runs == variable(e.Call.Environ, "COPILOT_CLI_BINARY_VERSION")
}
