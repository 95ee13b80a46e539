package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
)

// What plain Claude Code settles by itself nod does not ask about: its notes, its schedule,
// and what the person allowed there, "don't ask again" too. What is known against a call is
// asked about all the same.
func TestWhatClaudeCodeSettlesItself(t *testing.T) {
	const memory = "HOME/.claude/projects/-work/memory/"
	for _, row := range []struct {
		name, allow, tool, input string
		silent                   bool
	}{
		{"a note", "", "Write", `{"file_path":"` + memory + `MEMORY.md","content":"x"}`, true},
		{"a note that is there", "", "Write", `{"file_path":"` + memory + `old.md","content":"x"}`, true},
		{"a note is edited", "", "Edit", `{"file_path":"` + memory + `old.md","old_string":"o","new_string":"x"}`, true},
		{"no note", "", "Write", `{"file_path":"` + memory + `run.sh","content":"x"}`, false},
		{"another project's", "", "Write", `{"file_path":"HOME/.claude/projects/-x/memory/a.md","content":"x"}`, false},
		{"a way out", "", "Write", `{"file_path":"` + memory + `../../a.md","content":"x"}`, false},
		{"beside the notes", "", "Write", `{"file_path":"HOME/.claude/projects/-work/a.md","content":"x"}`, false},
		{"later", "", "CronCreate", `{"cron":"* * * * *","prompt":"x"}`, true},
		{"a working tree", "", "EnterWorktree", `{}`, true},
		{"an agent's tree", "", "Agent", `{"prompt":"x","isolation":"worktree"}`, false},

		{"a tool", "mcp__files__create_issue", "mcp__files__create_issue", `{}`, true},
		{"another tool", "mcp__files__create_issue", "mcp__files__delete_issue", `{}`, false},
		{"a server", "mcp__files", "mcp__files__create_issue", `{}`, true},
		{"a server's tools", "mcp__files__*", "mcp__files__create_issue", `{}`, true},
		{"some of its tools", "mcp__files__get_*", "mcp__files__create_issue", `{}`, false},
		{"any server", "mcp__*", "mcp__files__create_issue", `{}`, false},
		{"a host", "WebFetch(domain:github.com)", "WebFetch", `{"url":"https://github.com/a","prompt":"x"}`, true},
		{"another host", "WebFetch(domain:github.com)", "WebFetch",
			`{"url":"https://github.com.x.example/a","prompt":"x"}`, false},
		{"hidden host", "WebFetch(domain:github.com)", "WebFetch",
			`{"url":"https://github.com@x.example/a","prompt":"x"}`, false},
		{"searches", "WebSearch", "WebSearch", `{"query":"x"}`, true},
		{"a skill", "Skill", "Skill", `{"skill":"x"}`, true},
		{"one skill", "Skill(y)", "Skill", `{"skill":"x"}`, false},
		{"a command", "Bash(npm test)", "Bash", `{"command":"npm test"}`, true},
		{"its beginning", "Bash(npm run lint:*)", "Bash", `{"command":"npm run lint -- --fix"}`, true},
		{"a star", "Bash(npm run lint *)", "Bash", `{"command":"npm run lint"}`, true},
		{"a glued star", "Bash(npm run li*)", "Bash", `{"command":"npm run lint"}`, true},
		{"any command", "Bash(*)", "Bash", `{"command":"npm run lint"}`, false},
		{"another command", "Bash(npm run lint:*)", "Bash", `{"command":"npm run lints"}`, false},
		{"more behind", "Bash(npm run lint:*)", "Bash", `{"command":"npm run lint && npm test"}`, false},
		{"within", "Bash(npm run lint:*)", "Bash", `{"command":"npm run lint $(npm test)"}`, false},
		{"what loses work", "Bash(git push:*)", "Bash", `{"command":"git push --force"}`, false},
		{"a file", "Write", "Write", `{"file_path":"/etc/x","content":"x"}`, false},
		{"broken", `x"]}}} [`, "mcp__files__create_issue", `{}`, false},
	} {
		for _, where := range []string{"home/.claude/settings.json", "work/.claude/settings.local.json",
			"work/.claude/settings.json"} {
			t.Run(row.name+" "+where, func(t *testing.T) {
				dir := t.TempDir()
				home, work := filepath.Join(dir, "home"), filepath.Join(dir, "work")
				put := func(name, text string) {
					file := filepath.Join(dir, name)
					if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				put("home/.claude/projects/-work/memory/old.md", "old")
				put("home/.claude/projects/-work/s.jsonl", "")
				put(where, `{"permissions":{"allow":["`+row.allow+`"]}}`)
				wants := row.silent && (row.allow == "" || where != "work/.claude/settings.json")
				for _, mode := range []string{"default", "acceptEdits", "bypassPermissions"} {
					e := completed(t, strings.ReplaceAll(row.input, "HOME", home), row.tool, mode, home, work)
					d := nod.New(nod.Options{Rules: nod.DefaultRules(), Home: home}).Check(t.Context(), e.Call)
					if said := (ClaudeCode{}).Encode(e, d, Default, false).Said; (said == abstained) != wants {
						t.Errorf("%s: %s (%s)", mode, said, d.Reason)
					}
				}
			})
		}
	}
}

// A settings.local.json that the repository brought is nobody's "don't ask again".
func TestLocalSettingsOfTheRepository(t *testing.T) {
	for index, silent := range map[string]bool{"": true, "DIRC .claude/settings.json\x00": true,
		"DIRC .claude/settings.local.json\x00": false} {
		for _, git := range []string{"work/.git", "main/.git/worktrees/w"} {
			dir := t.TempDir()
			for name, text := range map[string]string{git + "/index": index,
				"work/.claude/settings.local.json": `{"permissions":{"allow":["mcp__files__poke"]}}`} {
				file := filepath.Join(dir, name)
				if os.MkdirAll(filepath.Dir(file), 0o700) != nil || os.WriteFile(file, []byte(text), 0o600) != nil {
					t.Fatal(name)
				}
			}
			if work := filepath.Join(dir, "work/.git"); git != "work/.git" {
				if err := os.WriteFile(work, []byte("gitdir: "+filepath.Join(dir, git)+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e := completed(t, `{}`, "mcp__files__poke", "default", filepath.Join(dir, "home"),
				filepath.Join(dir, "work"))
			if e.Theirs != silent {
				t.Errorf("%q in %s: %t", index, git, e.Theirs)
			}
		}
	}
}

func completed(t *testing.T, input, tool, mode, home, work string) Event {
	t.Helper()
	payload, err := json.Marshal(map[string]any{"session_id": "s", "cwd": work, "permission_mode": mode,
		"transcript_path": home + "/.claude/projects/-work/s.jsonl", "hook_event_name": "PreToolUse",
		"tool_name": tool, "tool_input": json.RawMessage(input), "tool_use_id": "t1"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := ClaudeCode{}.Decode(payload, []string{"HOME=" + home, "CLAUDE_PROJECT_DIR=" + work,
		"CLAUDE_CODE_ENTRYPOINT=sdk-cli", "PATH=/nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	e.Complete(&e)
	e.Call.Roots = []string{work}
	return e
}
