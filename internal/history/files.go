package history

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// File is one transcript.
type File struct {
	Path  string
	Agent string // the adapter's name
	Size  int64
}

// Places say where the agents keep their transcripts, absolute. An empty one
// holds nothing.
type Places struct {
	Claude  []string
	Codex   []string
	Copilot []string
	Gemini  []string
	Pi      []string
	Qwen    []string
}

// DefaultPlaces are those of a home directory. getenv reads the variables by
// which the agents move theirs.
func DefaultPlaces(home string, getenv func(string) string) Places {
	of := func(variable, name string) string {
		if dir := getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(home, name)
	}
	if !filepath.IsAbs(home) {
		return Places{}
	}
	codex := of("CODEX_HOME", ".codex")
	return Places{
		Claude:  []string{filepath.Join(of("CLAUDE_CONFIG_DIR", ".claude"), "projects")},
		Codex:   []string{filepath.Join(codex, "sessions"), filepath.Join(codex, "archived_sessions")},
		Copilot: []string{filepath.Join(of("COPILOT_HOME", ".copilot"), "session-state")},
		Gemini:  []string{filepath.Join(home, ".gemini", "tmp")},
		Pi:      []string{of("PI_CODING_AGENT_SESSION_DIR", ".pi/agent/sessions")},
		Qwen:    []string{filepath.Join(home, ".qwen", "projects")},
	}
}

// Find lists the transcripts. What cannot be listed is passed over and told in
// problems.
func Find(p Places) (files []File, problems []string) {
	for _, agent := range []struct {
		name string
		dirs []string
	}{{claudeCode, p.Claude}, {codex, p.Codex}, {copilot, p.Copilot}, {gemini, p.Gemini}, {pi, p.Pi}, {qwen, p.Qwen}} {
		for _, dir := range agent.dirs {
			found, wrong := below(dir, agent.name)
			files, problems = append(files, found...), append(problems, wrong...)
		}
	}
	return files, problems
}

// below walks one directory. It does not follow links.
func below(dir, agent string) (files []File, problems []string) {
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name != dir {
				problems = append(problems, err.Error())
			}
			return nil
		}
		if info, err := d.Info(); err == nil && d.Type().IsRegular() && strings.HasSuffix(name, ".jsonl") {
			files = append(files, File{Path: name, Agent: agent, Size: info.Size()})
		}
		return nil
	})
	return files, problems
}
