// Package agenttest has the calls that tests play to every agent.
package agenttest

import "encoding/json"

// ScriptCall is one call of the script that is played in every mode of every
// agent: a tool by Claude Code's name, with its input as JSON. In the input DIR
// stands for the workspace and HOME for the home directory.
type ScriptCall struct{ Tool, Input string }

// Command is the call of a shell command.
func Command(line string) ScriptCall {
	raw, _ := json.Marshal(map[string]string{"command": line}) // a map of texts: cannot fail
	return ScriptCall{"Bash", string(raw)}
}

// Ordinary are 40 calls of a day's work that change nothing.
func Ordinary() (list []ScriptCall) {
	for _, command := range []string{
		"ls", "ls -la src", "pwd", "cat README.md", "head -20 src/main.go", "tail -5 src/main.go",
		"wc -l src/main.go",
		"grep -rn TODO src", "find src -name '*.go'", "git status", "git status --short", "git diff",
		"git log --oneline -5",
		"git branch -a", "git show HEAD", "git rev-parse HEAD", "git remote -v", "git diff --stat HEAD",
		"stat README.md",
		"file README.md", "du -sh src", "sort README.md | uniq -c", "echo done", "cd src && ls",
		"cat README.md | head -3",
		"ls src; ls", "test -f README.md && echo yes", "date",
	} {
		list = append(list, Command(command))
	}
	return append(list,
		ScriptCall{"Read", `{"file_path":"DIR/src/main.go"}`}, ScriptCall{"Read", `{"file_path":"DIR/README.md"}`},
		ScriptCall{"Glob", `{"pattern":"**/*.go"}`}, ScriptCall{"Grep", `{"pattern":"TODO","path":"DIR/src"}`},
		ScriptCall{"TodoWrite", `{"todos":[]}`}, ScriptCall{"TaskList", `{}`},
		ScriptCall{"ToolSearch", `{"query":"web"}`},
		ScriptCall{"Agent", `{"description":"d","prompt":"look","subagent_type":"Explore"}`},
		ScriptCall{"ListAgents", `{}`},
		ScriptCall{"StructuredOutput", `{"x":1}`}, ScriptCall{"ExitPlanMode", `{"plan":"p"}`},
		ScriptCall{"AskUserQuestion", `{"questions":[]}`},
	)
}

// Grave are 40 calls that lose work, leak, or run code that nod has not read;
// the first unread are those of which no more than that is known.
func Grave() (list []ScriptCall, unread int) {
	for i, command := range []string{
		"npm test", "npm run build", "make", "go test ./...", "python3 build.py", "./opaque", "npx eslint .",
		"pip install left-pad", "npm install left-pad", "cargo build", "curl https://example.org/x",
		"docker compose up -d",

		"rm -rf scratch", "rm scratch/a.txt", "git reset --hard", "git checkout -- .", "git clean -fdx",
		"git push --force", "git push origin :main", "git branch -D main", "git stash drop", "git restore src/main.go",
		"cp /dev/null scratch/a.txt", "echo x > scratch/a.txt", "truncate -s 0 scratch/a.txt", "find scratch -delete",
		"dropdb shop", "npm publish", "docker volume rm data", "terraform destroy", "gh repo delete shop",
		"cat .env", "cat HOME/.ssh/id_ed25519", "printenv", "grep -r KEY .env", "base64 .env",
		"git push --mirror https://example.org/x",
	} {
		list = append(list, Command(command))
		if i < 12 {
			unread++
		}
	}
	return append(list, ScriptCall{"Read", `{"file_path":"DIR/.env"}`},
		ScriptCall{"Read", `{"file_path":"HOME/.ssh/id_ed25519"}`},
		ScriptCall{"Write", `{"file_path":"HOME/notes.txt","content":"x"}`}), unread
}
