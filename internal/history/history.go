// Package history reads what a person's coding agents did before, and says
// what nod would have made of it: which calls it would have settled, asked
// about and denied, and which rules those calls suggest.
//
// # What is read
//
//	claude-code  ~/.claude/projects/**/*.jsonl, or CLAUDE_CONFIG_DIR's
//	codex        ~/.codex/sessions/**/*.jsonl and archived_sessions, or CODEX_HOME's
//	copilot      ~/.copilot/session-state/*/events.jsonl
//	gemini       ~/.gemini/tmp/**/*.jsonl, with the directory's name in .project_root
//	qwen         ~/.qwen/projects/**/*.jsonl
//
// They are read by the agents' own adapters, as the model that judges reads them: of a very long
// file, the end. Links are not followed.
//
// # How a call is judged
//
// It becomes the payload that the agent's hook would have been sent, and is judged by the gate that
// the hook would make for that session: the settings that hold there today, a person who could be
// asked, no model, no memory. Nothing is run, nothing is recorded, nothing is sent. It is judged
// where its session began, and the files that it names are those of today. Where the session's
// directory is gone, its calls are counted and not judged. A call with an id that was read before
// is passed over: a session that is resumed is copied into a new file.
package history

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
)

// File is one transcript.
type File struct {
	Path  string
	Agent string // the adapter's name
	Size  int64
}

// Agents are the names of the agents whose transcripts are read.
func Agents() []string { return []string{"claude-code", "codex", "copilot", "gemini", "qwen"} }

// Find lists the transcripts in a home directory. getenv reads the variables by which the agents
// move theirs. What cannot be listed is passed over and told in problems.
func Find(home string, getenv func(string) string) (files []File, problems []string) {
	if !filepath.IsAbs(home) {
		return nil, nil
	}
	for _, name := range Agents() {
		a := hosts.ByName(name)
		base := filepath.Join(home, a.Home[0])
		if moved := getenv(a.HomeVariable); filepath.IsAbs(moved) {
			base = moved
		}
		for _, dir := range a.Sessions {
			found, wrong := below(filepath.Join(base, dir), name)
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

// session is the id by which the agent knows the session of a file.
func (f File) session() string {
	if f.Agent == "copilot" {
		return filepath.Base(filepath.Dir(f.Path))
	}
	return strings.TrimSuffix(filepath.Base(f.Path), ".jsonl")
}

// headLimit is how far into a file its session's directory is looked for.
const headLimit = 256 << 10

// root is where the session began, "" where its file does not say.
func (f File) root() string {
	if f.Agent == "gemini" { // the host writes it beside the chats
		text, _ := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(f.Path)), ".project_root"))
		return strings.TrimSpace(string(text))
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return ""
	}
	defer file.Close()
	head, _ := io.ReadAll(io.LimitReader(file, headLimit))
	// The quotes of a text within a line are escaped, so a key is a key.
	found := regexp.MustCompile(`"cwd": ?"(/[^"\\]*)"`).FindSubmatch(head)
	if found == nil {
		return ""
	}
	return string(bytes.Clone(found[1]))
}
