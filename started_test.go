package nod_test

import "testing"

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
		"h":{"command":"bash","args":["-c","cd deep/er; ./go.sh && PATH=bin2:$PATH mine"]}}}`)
	p.write(".claude/settings.json", `{"hooks":{"Stop":[{"hooks":[{"command":"node tools/x.js && npx eslint src && prettier lib"}]}]}}`)
	p.check(lost, "echo x > tools/mcp/server.js", "echo x > py/serve.py", "echo x > shop/server.py",
		"echo x > src/shop/server.py", "echo x > shop/__init__.py", "echo x > lone.py", "echo x > lone/__main__.py",
		"echo x > nsrv/index.js", "echo x > nsrv/package.json", "echo x > cmd/srv/main.go", "echo x > psrv/__main__.py",
		"echo x > deep/er/go.sh", "echo x > bin2/mine", "ln -s /tmp psrv", "ln -s lib nsrv")
	p.check(kept, "echo x > src/index.js", "echo x > lib/index.ts", "echo x > tools/server.js",
		"echo x > tools/mcp/other.js", "echo x > shop/views.py", "echo x > cmd/other/main.go", "echo x > src/run.py",
		"echo x > cmd/srv.go", "echo x > mine", "echo x > nsrv/lib.js")
}
