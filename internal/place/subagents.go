package place

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// subagentDirectories are those in which hosts look for the definitions of sub-agents in
// a repository (read: their documentation; Qwen Code 0.24.4 measured).
func subagentDirectories() []string {
	return []string{".claude/agents", ".qwen/agents", ".gemini/agents", ".github/agents", ".codex/agents",
		".opencode/agent", ".opencode/agents", ".agents/agents", ".pi/agents", ".factory/droids"}
}

// Bounds of a look for definitions. What lies beyond counts as one that starts programs.
const (
	maxSubagents      = 200
	maxSubagentsDepth = 4
)

// Subagent returns the file of a definition in the workspace of a sub-agent that starts
// programs by itself (servers, hooks, a program in its place, a working tree), works in a
// container in which nod's hook is not asked, or elsewhere. "" where there is none. Which
// agent a call starts depends on names that hosts read in ways of their own, so that one
// such definition speaks against all.
func (w *Workspace) Subagent() (file string) {
	for _, root := range w.Roots {
		dirs := []string{root}
		for dir := w.Machine.Real(w.Dir); dir != root && view.Below(root, dir); dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
		for _, dir := range dirs {
			for _, below := range subagentDirectories() {
				if found := definitionIn(w.Machine, dir+"/"+below, maxSubagentsDepth); found != "" {
					return found
				}
			}
		}
	}
	return ""
}

// definitionIn is the first that starts programs by itself at or below a directory.
func definitionIn(m *Machine, dir string, depth int) (found string) {
	names, _ := m.Files.List(m.Real(dir), maxSubagents+1)
	if len(names) > maxSubagents || depth == 0 && len(names) > 0 {
		return dir
	}
	for _, name := range names {
		file := dir + "/" + name
		info, err := m.Files.Lstat(m.Real(file))
		switch {
		case err == nil && info.Mode.IsDir():
			found = definitionIn(m, file, depth-1)
		case err == nil && info.Mode&fs.ModeType == 0 && startsPrograms(m, file):
			found = file
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// startsPrograms reports whether the head of a definition says that it starts programs.
func startsPrograms(m *Machine, file string) bool {
	data, err := m.Files.Read(m.Real(file), maxSettings)
	if err != nil {
		return true
	}
	head := string(data)
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".mdc", ".markdown", "":
		_, text, _ := strings.Cut(head, "---")
		head, _, _ = strings.Cut(text, "\n---")
	case ".toml", ".yaml", ".yml", ".json":
	default:
		return false
	}
	low := strings.ToLower(head)
	// Every agent elsewhere has an agent_card (read: Gemini CLI 0.61.0).
	return slices.ContainsFunc([]string{"mcpservers", "mcp_servers", "mcp-servers", "hooks", "executor",
		"isolation", `\x`, `\u`, "executionbackend", "agent_card"},
		func(key string) bool { return strings.Contains(low, key) })
}
