package place

import (
	"path"
	"slices"
	"strings"
)

// subagentDirectories are those in which hosts look for the definitions of sub-agents in
// a repository (read: their documentation; Qwen Code 0.24.4 measured).
func subagentDirectories() []string {
	return []string{".claude/agents", ".qwen/agents", ".gemini/agents", ".github/agents", ".codex/agents",
		".opencode/agent", ".opencode/agents", ".agents", ".agents/agents", ".pi/agents", ".factory/droids"}
}

// maxSubagents bounds how many definitions of a directory are read.
const maxSubagents = 200

// Subagent returns the file of the sub-agent that the arguments of a call name, if its
// definition lies in the workspace and starts programs by itself: servers, hooks, a
// program in its place, a working tree. "" where it is none. It errs towards one.
func (w *Workspace) Subagent(arguments string) (file string) {
	arguments = strings.ToLower(arguments)
	for _, root := range w.Roots {
		for _, dir := range subagentDirectories() {
			names, _ := w.Machine.Files.List(root+"/"+dir, maxSubagents)
			for _, name := range names {
				file = root + "/" + dir + "/" + name
				head := definition(w.Machine, file)
				stem := strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
				if head != "" && (strings.Contains(arguments, `"`+stem+`"`) ||
					strings.Contains(arguments, `"`+nameIn(head)+`"`)) {
					return file
				}
			}
		}
	}
	return ""
}

// definition is the head of the definition of a sub-agent that starts programs; "" for
// any other file.
func definition(m *Machine, file string) (head string) {
	ext := strings.ToLower(path.Ext(file))
	if ext != ".md" && ext != ".toml" && ext != ".yaml" && ext != ".yml" {
		return ""
	}
	data, err := m.Files.Read(m.Real(file), settingsSize)
	if err != nil {
		return ""
	}
	head = string(data)
	if ext == ".md" {
		_, head, _ = strings.Cut(head, "---")
		head, _, _ = strings.Cut(head, "\n---")
	}
	if slices.ContainsFunc([]string{"mcpservers", "mcp_servers", "mcp-servers", "hooks", "executor", "isolation"},
		func(key string) bool { return strings.Contains(strings.ToLower(head), key) }) {
		return head
	}
	return ""
}

// nameIn is the value of the member name of a definition, in lower case.
func nameIn(head string) string {
	for line := range strings.Lines(strings.ToLower(head)) {
		key, value, ok := strings.Cut(strings.ReplaceAll(line, "=", ":"), ":")
		if ok && strings.TrimSpace(key) == "name" {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return "\x00" // no name
}
