package nod_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Settings of an agent further down, in a package of the repository or a linked working
// tree, start files as those at the top do: the agent may be started there.
func TestWhatInnerSettingsStart(t *testing.T) {
	p := newProject(t)
	p.write("packages/a/.claude/settings.json", `{"hooks":{"Stop":[{"hooks":[`+
		`{"command":"scripts/stop.sh"},{"command":"../../tools/up.sh"}]}]}}`)
	p.write("packages/b/.mcp.json", `{"mcpServers":{"x":{"command":"bash","args":["./srv/run.sh"]}}}`)
	p.write("packages/c/.claude/commands/go.md", "do !`bin/take.sh`\n")
	p.git("add", ".")
	p.git("commit", "-qm", "packages")
	p.check(lost, "mv packages/a packages/z", "cp -r packages/a packages/z")              // with their settings
	p.write("loose/.claude/settings.json", `{"statusLine":{"command":"sh bar/line.sh"}}`) // git does not know it
	p.write("e", "x\n")
	p.check(lost, "echo x > packages/a/scripts/stop.sh", "echo x > tools/up.sh", "echo x > packages/b/srv/run.sh",
		"echo x > packages/c/bin/take.sh", "echo x > loose/bar/line.sh", "ln -s /tmp packages/a/scripts",
		"mkdir -p packages/b/srv && cp e packages/b/srv/run.sh", "cp e tools/up.sh",
		"(cd packages/a && mkdir scripts && echo x > scripts/stop.sh)")
	p.check(kept, "echo x > scripts/stop.sh", "echo x > packages/a/scripts/other.sh", "echo x > packages/b/srv/x.sh",
		"echo x > packages/tools/up.sh", "mkdir packages/a/lib", "echo x > packages/c/src.js")
}

// A setting names what it starts in more ways than by its path from the top: from a
// directory of its own key, as a module, as a directory.
func TestWhatSettingsStartFromADirectory(t *testing.T) {
	p := newProject(t)
	p.write(".mcp.json", `{"mcpServers":{
		"a":{"command":"node","args":["server.js"],"cwd":"tools/mcp"},
		"b":{"command":"uv","args":["--directory","py","run","serve.py"]},
		"c":{"command":"python3","args":["-m","shop.server"]},
		"d":{"command":"python","args":["-m","lone"]},
		"e":{"command":"node","args":["nsrv"]},
		"f":{"command":"go","args":["run","./cmd/srv"]},
		"g":{"command":"python3","args":["psrv"]},
		"i":{"command":"python3","args":["-mtight.mod"]},
		"j":{"command":"python3","args":["-c","import impo.rt"]},
		"k":{"command":"python3","args":["-m","pmod"],"env":{"PYTHONPATH":"plib"}},
		"l":{"command":"sh","args":["-c","cd one && cd two && sh main.sh"]},
		"h":{"command":"bash","args":["-c","cd deep/er; ./go.sh && PATH=bin2:$PATH mine"]}}}`)
	p.write(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"command":"node tools/x.js && npx eslint src && prettier lib"}]}]}}`)
	p.check(lost, "echo x > tools/mcp/server.js", "echo x > py/serve.py", "echo x > shop/server.py",
		"echo x > src/shop/server.py", "echo x > shop/__init__.py", "echo x > lone.py", "echo x > lone/__main__.py",
		"echo x > nsrv/index.js", "echo x > nsrv/package.json", "echo x > cmd/srv/main.go", "echo x > psrv/__main__.py",
		"echo x > deep/er/go.sh", "echo x > bin2/mine", "ln -s /tmp psrv", "ln -s lib nsrv")
	p.check(kept, "echo x > src/index.js", "echo x > lib/index.ts", "echo x > tools/server.js",
		"echo x > tools/mcp/other.js", "echo x > shop/views.py", "echo x > cmd/other/main.go", "echo x > src/run.py",
		"echo x > cmd/srv.go", "echo x > mine", "echo x > nsrv/lib.js", "touch src/a")
	p.check(lost, "echo x > tight/mod.py", "echo x > impo/rt.py", "echo x > plib/pmod.py", "echo x > one/two/main.sh",
		"echo x > nsrv.js", "ln -s ../ev shop/server", "ln -s lib shop", "echo x > shop.py")
}

// One server of a workspace, by the ways in which programs and shells take a name.
func TestWaysToNameWhatIsStarted(t *testing.T) {
	for _, row := range []struct{ server, started, other string }{
		{`"command":"sh","args":["-c","scripts/fm\\t.sh"]`, "scripts/fmt.sh", "scripts/fm.sh"},
		{`"command":"bash","args":["-c","$'scripts/f\\155t.sh'"]`, "scripts/fmt.sh", "scripts/f155t.sh"},
		{`"command":"sh","args":["-c","cd docs/../scripts && ./fmt.sh"]`, "scripts/fmt.sh", "docs/fmt.sh"},
		{`"command":"sh","args":["-c","cd docs && cd ../scripts && ./fmt.sh"]`, "scripts/fmt.sh", "scripts/a.sh"},
		{`"command":"node","args":["${SERVER:-tools/x.js}"]`, "tools/x.js", "tools/y.js"},
		{`"command":"node","args":["${DIR:-tools}/x.js"]`, "tools/x.js", "tools/y.js"},
		{`"command":"python3","args":["."],"cwd":"tools"`, "tools/__main__.py", "tools/main.py"},
		{`"command":"node","args":["."],"cwd":"tools"`, "tools/index.js", "tools/x.js"},
		{`"command":"sh","args":["-c","cd tools && exec node x"]`, "tools/x.js", "tools/y.js"},
		{`"command":"sh","args":["-c","cd tools && node ."]`, "tools/index.js", "src/index.js"},
		{`"command":"python3","args":["-Bum","tools.mcp"]`, "tools/mcp.py", "tools/x.py"},
		{`"command":"python3","args":["-Bum","tmcp"]`, "tmcp.py", "tx.py"},
		{`"command":"server","env":{"PATH":"${PWD}/tools:/usr/bin"}`, "tools/server", "docs/server"},
		{`"command":"python","args":["-m","uvicorn","tools.mcp:app"]`, "tools/mcp.py", "tools/app.py"},
		{`"command":"uvicorn","args":["tools.mcp:app"]`, "tools/mcp.py", "src/mcp.py"},
		{`"command":"gunicorn","args":["--chdir","tools","mcp:app"]`, "tools/mcp.py", "tools/app.py"},
		{`"command":"flask","args":["--app","tools.mcp","run"]`, "tools/mcp.py", "tools/run.py"},
		{`"command":"node","args":["-r","x","y.js"],"env":{"NODE_PATH":"tools"}`, "tools/x.js", "tools/z.js"},
		{`"command":"ruby","args":["-C","tools","x.rb"]`, "tools/x.rb", "tools/y.rb"},
		{`"command":"ruby","args":["-r./tools/x","-e","1"]`, "tools/x.rb", "tools/y.rb"},
		{`"command":"java","args":["-cp","tools","Main"]`, "tools/Main.class", "tools/Other.class"},
		{`"command":"lua","args":["-l","tools.x"]`, "tools/x.lua", "tools/y.lua"},
		{`"command":"perl","args":["-Itools","-Mx","-e","1"]`, "tools/x.pm", "tools/y.pm"},
		{`"command":"bash","args":["-c","bash 'scripts/it'\\''s.sh'"]`, "\"scripts/it's.sh\"", "scripts/it.sh"},
		{`"command":"node","args":["scripts/\ud83d\ude80.js"]`, "scripts/🚀.js", "scripts/a.js"},
		{`"command":"sh","args":["-c","bash scri\\\npts/x.sh"]`, "scripts/x.sh", "scripts/pts.sh"},
		{`"command":"sh","args":["-c","sed -nfscripts/x.sed"]`, "scripts/x.sed", "scripts/y.sed"},
		{`"command":"sh","args":["-c","bash s\u0022cripts/x.sh\u0022"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"sh","args":["-c","bash s\u0027cripts/x.sh\u0027"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"sh","args":["-c","bash s\u005ccripts/x.sh"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"sh","args":["-c","cd to\u0022ols\u0022; sh x.sh"]`, "tools/x.sh", "tools/y.sh"},
		{`"command":"bash","args":["-c","bash scripts/x$'.sh'"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"bash","args":["-c","cd t$'\\157'ols && sh x.sh"]`, "tools/x.sh", "tools/y.sh"},
		{`"command":"bash","args":["-c","bash scr$\"ipts/x.sh\""]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"sh","args":["-c","env -S 'bash\\_scripts/x.sh'"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"bash","args":["-c","bash scr\u0024\u0027\u005Cx69\u0027pts/x.sh"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"bash","args":["-c","bash scr\u0024\u0022ip\u0022ts/x.sh"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"sh","args":["-c","bash scr\u005C\u000Aipts/x.sh"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"sh","args":["-c","env -S \u0027bash\u005C_scripts/x.sh\u0027"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"bash","args":["-c","bash $\u0027scr\u005C151pts/x.sh\u0027"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"sh","args":["-c","bash \\\n   scripts/x.sh"]`, "scripts/x.sh", "scripts/y.sh"},
		{`"command":"gawk","args":["-i","tools/fmt","1"]`, "tools/fmt.awk", "tools/x.awk"},
		{`"command":"lua","args":["-l","tools.fmt"]`, "tools/fmt/init.lua", "tools/x/init.lua"},
		{`"command":"lua","env":{"LUA_INIT":"@./tools/i.lua"}`, "tools/i.lua", "tools/x.lua"},
		{`"command":"lua","env":{"LUA_INIT":"@${CLAUDE_PROJECT_DIR}/tools/i.lua"}`, "tools/i.lua", "tools/x.lua"},
		{`"command":"ruby","env":{"RUBYOPT":"-r./tools/fmt"}`, "tools/fmt.rb", "tools/x.rb"},
		{`"command":"x","env":{"PATH":"/usr/bin://tools/.:x"}`, "x/git", "docs/git"},
		{`"command":"sh","args":["-c","PATH=$(pwd)/tools:$PATH prettier"]`, "tools/git", "docs/git"},
		{`"command":"x","env":{"PATH":"/proc/self/cwd/tools"}`, "tools/git", "docs/git"},
		{`"command":"x","env":{"PATH":"tools/:x"}`, "tools/git", "docs/git"},
		{`"command":"ruby","env":{"RUBYOPT":"-I./tools -rfmt"}`, "tools/fmt.rb", "tools/x.rb"},
		{`"command":"bash","args":["-c","bash $'scripts/\\xc3\\xa4.sh'"]`, "scripts/ä.sh", "scripts/a.sh"},
		{`"command":"sh","args":["-c","bash scr\ \n  ipts/x.sh"]`, "ipts/x.sh", "scripts/y.sh"},
		{`"command":"npm","args":["run","lint","fmt"],"cwd":".","env":{"PYTHONPATH":"."}`, ".envrc", "fmt"},
		{`"command":"/usr/local/bin/run","args":["~/.claude/check.py"]`, ".envrc", "check.py"},
		{`"command":"/usr/local/bin/run"`, ".envrc", "bin/run"},
		{`"command":"sh","args":["-c","bash my\\ scripts/x.sh"]`, "'my scripts/x.sh'", "scripts/x.js"},
		{`"command":"x","env":{"VIRTUAL_ENV":".venv"}`, ".venv/x.py", "src/x.py"},
		{`"command":"perl","args":["-I.","-Mtools::Fmt","-e1"]`, "tools/Fmt.pm", "tools/Other.pm"},
		{`"command":"x","env":{"PATH":"./bin2:${PATH}"}`, "bin2/git", "bin3/git"},
		{`"command":"x","env":{"PATH":"/usr/bin:${PWD}/bin2"}`, "bin2/git", "bin3/git"},
		{`"command":"x","env":{"XDG_CONFIG_HOME":"conf"}`, "conf/git/config", "docs/git/config"},
		{`"command":"x","env":{"GIT_EXEC_PATH" : "tools"}`, "tools/git-remote-https", "docs/x"},
		{`"command":"x","args":["--path","docs"],"env":{"PYTHONPATH":"src","CARGO_HOME":"tools"}`, "tools/config.toml", "src/json.py"},
		{`"command":"go","args":["run","-mod=mod","-tags","x","./cmd/mcp"]`, "cmd/mcp/main.go", "cmd/x/main.go"},
		{`"command":"bash","args":["fmt"]`, "fmt", "fmt2"}, {`"command":"sh","args":["-c",". fmt"]`, "fmt", "other"},
		{`"command":"python3","args":["-u","srv"]`, "srv", "src/srv"},
		{`"command":"sh","args":["-c","PATH=.:$PATH fmt"]`, "fmt", "fmt2"},
		{`"command":"sh","args":["-c","cd tools && npm start"]`, "tools/package.json", "src/package.json"},
		{`"command":"make","args":["x","-C","tools"]`, "tools/Makefile", "src/Makefile"},
		{`"command":"npx","args":["./tools"]`, "tools/package.json", "tools/x.json"},
		{`"command":"npm","args":["--prefix","tools","run","mcp"]`, "tools/package.json", "src/package.json"},
		{`"command":"uvx","args":["--from","./tools","x"]`, "tools/pyproject.toml", "src/pyproject.toml"},
		{`"command":"make","args":["-C","tools"]`, "tools/Makefile", "src/Makefile"},
		{`"command":"cargo","args":["run","--manifest-path","tools/Cargo.toml"]`, "tools/Cargo.toml", "src/Cargo.toml"},
	} {
		p := newProject(t)
		p.write(".mcp.json", `{"mcpServers":{"srv":{`+row.server+`}}}`)
		t.Log(row.server)
		p.check(lost, "echo x > "+row.started)
		p.check(kept, "echo x > "+row.other)
	}
}

// Hooks and status lines are started where the session stands.
func TestHooksByARelativeName(t *testing.T) {
	p := newProject(t)
	p.write(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"command":"./scripts/x.sh && conf/z.sh && ./go"},`+
		`{"command":"$CLAUDE_PROJECT_DIR/tools/y.sh && npm test && node scripts/n"}]}]},"statusLine":{"command":"sh line.sh"}}`)
	p.check(lost, "echo x > src/scripts/x.sh", "echo x > src/conf/z.sh", "echo x > src/go", "echo x > src/scripts/n.js", "ln -s ../docs src/conf",
		"mkdir src/a && mv src/a src/scripts")
	p.check(lost, "echo x > src/line.sh")
	p.check(kept, "echo x > src/scripts/y.sh", "echo x > src/tools/y.sh", "echo x > src/line.js", "echo x > docs/src/a.js",
		"touch src/test", "mkdir src/src")
	for command, name := range map[string]string{"bash -e h.sh": "h.sh", "sh < h.sh": "h.sh", "python3 -m h": "h.py",
		"node h": "h.js", "PATH=.:$PATH h.sh": "h.sh", "env bash h.sh": "h.sh", "python3 -m tools.h": "tools/h.py",
		"node .":           "index.js",
		"PATH=:$PATH h.sh": "h.sh", "PATH=tools:$PATH h.sh": "tools/h.sh", "make -f h.mk": "h.mk",
		"make -C tools":   "tools/Makefile",
		"sed -nf h.sed x": "h.sed", "cat h.sh | sh": "h.sh", "bash $PWD/h.sh": "h.sh", "bash $(pwd)/h.sh": "h.sh",
		"bash ../h.sh":             "h.sh",
		"npm --prefix tools run x": "tools/package.json",
		"BASH_ENV=h.sh bash -c :":  "h.sh"} {
		p = newProject(t)
		p.write(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"command":"`+command+`"}]}]}}`)
		t.Log(command)
		p.check(lost, "mkdir -p src/tools && echo x > src/"+name)
		p.check(kept, "echo x > src/other.sh", "echo x > src/test.js", "echo x > src/lint.ts")
	}
	p = newProject(t)
	p.write(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"command":"bun test && npm run lint && bun run fmt"}]}]}}`)
	p.check(kept, "echo x > src/test.js", "echo x > src/lint.js", "echo x > src/fmt.ts")
}

// A directory in which programs look for others may be a link.
func TestSearchedDirectoriesBehindLinks(t *testing.T) {
	p := newProject(t)
	p.must(os.Symlink("tools", p.dir+"/bin"))
	p.write(".claude/settings.json", `{"env":{"PATH":"`+p.dir+`/bin:$PATH"}}`)
	p.check(lost, "echo x > tools/git", "echo x > bin/git")
	p.check(kept, "echo x > docs/git")

	p = newProject(t)
	p.write(".claude/settings.json", `{"env":{"XDG_CONFIG_HOME":"conf/a"}}`)
	p.check(lost, "ln -s docs conf", "mkdir -p conf && ln -s ../docs conf/a", "mv docs conf")
	p.check(kept, "ln -s docs conf2")
}

// Lines that go on, as TOML, YAML and shells read them; commands of several hosts.
func TestFilesThatNameWhatIsStarted(t *testing.T) {
	for file, text := range map[string]string{
		".codex/config.toml":              "[mcp_servers.x]\ncommand = \"sh\"\nargs = [\"-c\", \"\"\"bash scri\\\n   pts/x.sh\"\"\"]\n",
		".gemini/commands/a.toml":         "prompt = \"!{bash scripts/x.sh}\"\n",
		".claude/skills/a/SKILL.md":       "---\nname: a\nhooks:\n  Stop:\n    - command: \"./scri\\\n        pts/x.sh\"\n---\n",
		".claude/agents/a.md":             "---\nhooks:\n  Stop:\n    - command: |\n        bash scri\\\n        pts/x.sh\n---\n",
		".gemini/commands/b.toml":         "prompt = \"\"\"!{bash scr\\ \t\n\n \tipts/x.sh}\"\"\"\n",
		".claude/skills/b/SKILL.md":       "---\r\nname: a\r\nhooks:\r\n  Stop: \"./scri\\\r\n     pts/x.sh\"\r\n---\r\n",
		".claude/agents/b.md":             "---\nhooks:\n  Stop: \"bash scr\\\\\\\n   \\nipts/x.sh\"\n---\n",
		".qwen/commands/a.md":             "look\n!{bash scripts/x.sh}\n",
		".kiro/hooks/a.kiro.hook":         `{"then":{"type":"runCommand","command":"bash scripts/x.sh"}}`,
		"a.code-workspace":                `{"folders":[{"path":"docs"}],"tasks":{"tasks":[{"command":"scripts/x.sh","runOptions":{"runOn":"folderOpen"}}]}}`,
		".gemini/commands/c.toml":         "prompt = \"\"\"!\\\n{bash scripts/x.sh}\"\"\"\n",
		".vscode/tasks.json":              `{"tasks":[{"command":"bash scripts/x.sh","runOptions":{"runOn":"folder\u004fpen"}}]}`,
		"b.code-workspace":                `{"folders":[],"settings":{"python.defaultInterpreterPath":"scripts/x.sh"}}`,
		".gemini/commands/git/a.toml":     "prompt = \"!{bash scripts/x.sh}\"\n",
		"~/.copilot/hooks/a.json":         `{"hooks":{"sessionStart":[{"bash":"scripts/x.sh"}]}}`,
		"~/.kiro/agents/a.json":           `{"hooks":{"stop":[{"command":"scripts/x.sh"}]}}`,
		"~/.gemini/commands/a.toml":       "prompt = \"!{bash scripts/x.sh}\"\n",
		"~/.config/opencode/command/a.md": "---\nx: y\n---\n!`bash scripts/x.sh`\n",
		"~/.qwen/commands/a.md":           "!{bash scripts/x.sh}",
		"~/.openhands/hooks.json":         `{"stop":"scripts/x.sh"}`,
	} {
		p := newProject(t)
		p.write(strings.Replace(file, "~", p.home, 1), text)
		t.Log(file)
		p.check(lost, "echo x > scripts/x.sh")
		p.check(kept, "echo x > scripts/y.sh", "echo x > docs/a.md")
	}
}

// The person's own settings start files of a workspace, as do those that lie above it or
// behind a link.
func TestSettingsThatLieElsewhere(t *testing.T) {
	for _, file := range []string{".claude.json", ".cursor/mcp.json", ".config/opencode/opencode.json",
		".copilot/mcp-config.json", ".claude/settings.json"} {
		p := newProject(t)
		p.write(p.home+"/"+file, `{"history":["look at docs/a.sh"],"projects":{"`+p.dir+`":{"mcpServers":{"x":{"command":"`+
			p.dir+`/scripts/fmt.sh"}}}}}`)
		p.check(lost, "echo x > scripts/fmt.sh", "ln -s docs scripts")
		p.check(kept, "echo x > scripts/other.sh")
		if file == ".claude.json" {
			p.check(kept, "echo x > docs/a.sh")
		}
	}
	p := newProject(t)
	p.write("real/settings.json", `{"hooks":{"Stop":[{"hooks":[{"command":"scripts/fmt.sh"}]}]}}`)
	p.must(os.Symlink("real", p.dir+"/.claude"))
	p.write("sub/.claude/settings.json", `{"statusLine":{"command":"./run"}}`)
	p.must(os.Symlink("../tools/line.sh", p.dir+"/sub/run"))
	p.write(".git/info/exclude", "")
	p.git("add", ".")
	p.git("commit", "-qm", "settings")
	p.check(lost, "echo x > scripts/fmt.sh", "echo x > tools/line.sh")
	p.check(kept, "echo x > scripts/other.sh", "echo x > tools/other.sh")

	p = newProject(t)
	p.write(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"command":"src/in/fmt.sh"}]}]}}`)
	p.write("src/in/a.txt", "x\n")
	p.dir += "/src"
	p.check(lost, "echo x > in/fmt.sh")
	p.check(kept, "echo x > in/other.sh")
}

// What settings name as data is no file that is started.
func TestSettingsThatNameData(t *testing.T) {
	p := newProject(t)
	p.write(".vscode/settings.json", `{"files.exclude":{"src/gen.ts":true}, // a "comment"
		"explorer.fileNesting.patterns":{"package.json":"package-lock.json, tsconfig.json"},
		"json.schemas":[{"fileMatch":["conf/a.json"],"url":"https://x.example/docs/a.md"}],
		"python.defaultInterpreterPath":"tools/py.sh"}`)
	p.write(".mcp.json", `{"mcpServers":{"x":{"command":"npx","args":["-y","@scope/src/index.ts"],
		"url":"https://x.example/docs/b.md"},"deep":{"command":"npx","args":["eslint","lib"]}}}`)
	p.write(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[`+
		`{"command":"[ -f package.json ] && npm run lint; test ! -e src/old.ts && date"}]}]},`+
		`"permissions":{"additionalDirectories":["web/index.js"]}}`)
	p.check(kept, "echo x > package.json", "echo x > src/gen.ts", "echo x > conf/a.json", "echo x > docs/a.md",
		"echo x > docs/b.md", "echo x > src/index.ts", "touch lib/deep", "echo x > src/old.ts", "echo x > web/index.js")
	p.check(lost, "echo x > tools/py.sh")
}

// x/.. behind a link leads to what the link's directory lies in.
func TestDetoursThroughLinks(t *testing.T) {
	p := newProject(t)
	p.write("deep/er/a.txt", "x\n")
	p.must(os.Symlink("deep/er", p.dir+"/l"))
	p.write(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"command":"sh $CLAUDE_PROJECT_DIR/l/../x.sh"}]}]}}`)
	p.check(lost, "echo x > deep/x.sh", "echo x > x.sh")
	p.check(kept, "echo x > deep/y.sh")
}

// What a person's settings start below their own directory may lie in the workspace, by a
// link at any level.
func TestPersonsHooksBehindLinks(t *testing.T) {
	for link, to := range map[string]string{".claude": "shop", ".claude/hooks": "../shop/hooks",
		".claude/hooks/check.py": "../../shop/hooks/check.py"} {
		p := newProject(t)
		p.write("hooks/check.py", "x\n")
		settings := p.home + "/.claude/settings.json"
		if link == ".claude" {
			settings = "settings.json"
		}
		p.write(settings, `{"hooks":{"Stop":[{"hooks":[{"command":"python3 ~/.claude/hooks/check.py"}]}]}}`)
		p.must(os.MkdirAll(filepath.Dir(p.home+"/"+link), 0o755))
		p.must(os.Symlink(to, p.home+"/"+link))
		t.Log(link)
		p.check(lost, "echo x > hooks/check.py")
		if link != ".claude" { // else the agent's own directory is no workspace
			p.check(kept, "echo x > src/check.py")
		}
	}
}
