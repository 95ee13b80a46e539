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

// definition is that of a sub-agent which starts programs by itself.
type definition struct{ file, head string }

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
			if found := definitions(w.Machine, dir); len(found) > 0 {
				return found[0].file
			}
		}
	}
	return ""
}

// definitions are those in the directories of sub-agents right below a directory.
func definitions(m *Machine, root string) (found []definition) {
	return definitionsBelow(m, root, subagentDirectories())
}

// startingDirectories are those whose files may say what is started, of sub-agents and
// of what the agent itself takes up.
func startingDirectories() []string {
	return append(subagentDirectories(), ".claude/skills", ".claude/commands", ".qwen/skills", ".qwen/commands",
		".gemini/commands", ".agents/skills", ".github/skills", ".opencode/command", ".opencode/commands")
}

func definitionsBelow(m *Machine, root string, dirs []string) (found []definition) {
	for _, dir := range dirs {
		found = append(found, definitionsIn(m, path.Base(dir), root+"/"+dir, maxSubagentsDepth)...)
	}
	return found
}

// definitionsIn are those at or below a directory of a kind: agents, skills, commands.
func definitionsIn(m *Machine, kind, dir string, depth int) (found []definition) {
	names, _ := m.Files.List(m.Real(dir), maxSubagents+1)
	if len(names) > maxSubagents || depth == 0 && len(names) > 0 {
		return []definition{{dir, ""}}
	}
	for _, name := range names {
		file := dir + "/" + name
		info, statErr := m.Files.Lstat(m.Real(file))
		switch {
		case statErr == nil && info.Mode.IsDir():
			found = append(found, definitionsIn(m, kind, file, depth-1)...)
		case kind == "skills" && !strings.EqualFold(name, "SKILL.md"): // what the skill reads
		case statErr == nil && info.Mode&fs.ModeType == 0:
			if head, starts := headOf(m, kind, file); starts {
				found = append(found, definition{file, head})
			}
		}
	}
	return found
}

// headOf is the head of a definition, and whether what stands there starts programs.
func headOf(m *Machine, kind, file string) (head string, starts bool) {
	data, err := m.Files.Read(m.Real(file), settingsSize)
	if err != nil {
		return "", true
	}
	switch head = string(data); strings.ToLower(path.Ext(file)) {
	case ".md", ".mdc", ".markdown", "":
		_, text, _ := strings.Cut(head, "---")
		head, _, _ = strings.Cut(text, "\n---")
	case ".toml", ".yaml", ".yml", ".json":
	default:
		return "", false
	}
	if kind == "skills" || kind == "commands" || kind == "command" {
		if lines := startedIn(string(data)) + startedIn(decoded(string(data))); lines != "" {
			return head + "\nhooks:\n" + lines, true // which start where the session stands, as hooks do
		}
	}
	low := strings.ToLower(head)
	// Every agent elsewhere has an agent_card (read: Gemini CLI 0.61.0).
	return head, slices.ContainsFunc([]string{"mcpservers", "mcp_servers", "mcp-servers", "hooks", "executor",
		"isolation", `\x`, `\u`, "executionbackend", "agent_card"},
		func(key string) bool { return strings.Contains(low, key) })
}

// startedIn are the lines of shell that start when a command or a skill is taken up:
// !`line`, and blocks behind ```! (read: Claude Code's documentation); !{line} (Qwen Code
// 0.24.4 and Gemini CLI, read), of which what stands up to the end of the text is looked at.
func startedIn(text string) (lines string) {
	for _, after := range strings.Split(text, "!`")[1:] {
		line, _, _ := strings.Cut(after, "`")
		lines += line + "\n"
	}
	for _, after := range strings.Split(text, "```!")[1:] {
		block, _, _ := strings.Cut(after, "```")
		lines += block + "\n"
	}
	if _, after, found := strings.Cut(text, "!{"); found {
		lines += after
	}
	return lines
}
