package hosts

import "path"

// DirectoryPrograms are the programs that take a file of such a name from a directory that
// they are given, or by its name without the ending, without the digits of their versions:
// node srv runs srv/index.js or srv.js, python3 srv runs srv/__main__.py, go run ./srv what
// lies there (measured: Node 22, Python 3.12, Go 1.26). npm and its kin, uvx, pipx and make look
// for a definition there (read: their manuals).
func DirectoryPrograms(base string) []string {
	switch {
	case base == "package.json":
		return []string{"node", "nodejs", "bun", "deno", "tsx", "ts-node", "npx", "npm", "pnpm", "yarn", "bunx"}
	case IsScriptOfNode(base):
		return []string{"node", "nodejs", "bun", "deno", "tsx", "ts-node"}
	case base == "pyproject.toml", base == "setup.py":
		return []string{"uvx", "uv", "pipx"}
	case base == "makefile", base == "gnumakefile":
		return []string{"make", "gmake"}
	case base == "__main__.py":
		return []string{"python", "pypy", "uv"}
	case path.Ext(base) == ".go":
		return []string{"go"}
	}
	return nil
}

// IsScriptOfNode reports whether a file has the ending of what Node and its kin run.
func IsScriptOfNode(base string) bool {
	switch path.Ext(base) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts":
		return true
	}
	return false
}

// StartedOfDirectories are names of which DirectoryPrograms knows, a file for each kind of
// program.
func StartedOfDirectories() []string {
	return []string{"index.js", "__main__.py", "main.go", "package.json", "pyproject.toml", "makefile"}
}

// IsDefinition reports whether programs of DirectoryPrograms look for a file of that name by
// themselves where they are started.
func IsDefinition(base string) bool {
	switch base {
	case "package.json", "pyproject.toml", "setup.py", "makefile", "gnumakefile":
		return true
	}
	return false
}

// RunFiles are programs that run the file which they are given.
func RunFiles() []string {
	return []string{"sh", "bash", "zsh", "dash", "ksh", "fish", "source", ".", "python", "pypy", "node", "bun", "deno",
		"ruby", "perl", "php", "lua", "awk", "gawk", "expect", "osascript"}
}

// AddEnding are those of RunFiles that run a file by its name without the ending, and take
// no such word for a task.
func AddEnding() []string { return []string{"node"} }

// FileOptions are programs that take a file of what they do behind -f.
func FileOptions() []string { return []string{"make", "gmake", "sed", "gsed", "just"} }

// LeavesOutEnding reports whether programs that start such a file add its ending: Node's
// require, Ruby's, Perl's -M, Lua's -l, Java's class path, gawk's -i.
func LeavesOutEnding(ext string) bool {
	switch ext {
	case ".rb", ".pm", ".lua", ".class", ".awk":
		return true
	}
	return IsScriptOfNode(ext)
}

// IsModule reports whether programs start such a file by a name with other signs for slashes.
func IsModule(ext string) bool {
	return ext == ".py" || ext == ".lua" || ext == ".class" || ext == ".pm"
}

// ModuleSign is what stands for the slashes of such a name.
func ModuleSign(ext string) string {
	if ext == ".pm" {
		return "::"
	}
	return "."
}

// Tests are the programs that look at a file and do not start it.
func Tests() []string { return []string{"[", "test"} }

// PersonsSettings are files below a home in which agents and editors keep what they start
// in any workspace: hooks, servers, a status line (read: their documentation).
func PersonsSettings() []string {
	return []string{".claude/settings.json", ".claude/settings.local.json", ".codex/hooks.json", ".codex/config.toml",
		".gemini/settings.json", ".qwen/settings.json", ".copilot/settings.json", ".copilot/mcp-config.json",
		".copilot/config.json", ".cursor/hooks.json", ".cursor/mcp.json", ".config/opencode/opencode.json",
		".config/opencode/opencode.jsonc", ".config/crush/crush.json", ".factory/mcp.json", ".factory/settings.json",
		".factory/hooks.json", ".kiro/settings/mcp.json", ".codeium/windsurf/mcp_config.json",
		".codeium/windsurf/hooks.json", ".config/Code/User/mcp.json", ".config/Code/User/settings.json",
		"Library/Application Support/Code/User/mcp.json", "Library/Application Support/Code/User/settings.json",
		".config/Claude/claude_desktop_config.json",
		"Library/Application Support/Claude/claude_desktop_config.json", ".config/zed/settings.json",
		".config/goose/config.yaml", ".continue/config.yaml", ".continue/config.json", ".aider.conf.yml",
		".pi/agent/settings.json", ".config/amp/settings.json", ".augment/settings.json",
		".opencode/opencode.json", ".openhands/mcp.json", ".aws/amazonq/mcp.json", ".config/Code/User/tasks.json",
		".openhands/hooks.json", ".pi/agent/models.json"}
}

// PersonsDirectories are directories below a home whose files say as much (read: the
// documentation of Copilot CLI and Kiro).
func PersonsDirectories() []string { return []string{".copilot/hooks", ".kiro/agents", ".kiro/hooks"} }

// PersonsCommands are directories below a home, beside those that repositories have too, in
// which commands stand that start something.
func PersonsCommands() []string {
	return []string{".config/opencode/command", ".config/opencode/commands"}
}

// SearchVariables are those that say in which directories programs look for what they start
// by themselves (run: git with XDG_CONFIG_HOME and GIT_EXEC_PATH, PATH; the others read).
// Where a language looks for modules (PYTHONPATH, PERL5LIB) often is the source of a
// project: of what lies there only the modules that a text names are started by it.
func SearchVariables() []string {
	return []string{"PATH", "HOME", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS",
		"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "GCC_EXEC_PREFIX", "JAVA_HOME", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR",
		"GIT_DIR", "DOCKER_CONFIG", "GNUPGHOME", "GEM_HOME", "PYTHONHOME", "PYTHONUSERBASE", "VIRTUAL_ENV",
		"CONDA_PREFIX", "NPM_CONFIG_PREFIX", "npm_config_prefix", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR",
		"COMPOSER_HOME", "PHPRC", "PHP_INI_SCAN_DIR", "CARGO_HOME", "RUSTUP_HOME", "GOROOT", "GOBIN",
		"CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME"}
}

// DataKeys are the keys in settings of agents and editors whose lists and objects name
// files that nobody starts for it.
func DataKeys() []string {
	return []string{"allow", "ask", "deny", "permission", "additionalDirectories", "sparsePaths",
		"companyAnnouncements", "files.exclude", "files.associations", "files.watcherExclude", "search.exclude",
		"explorer.fileNesting.patterns", "json.schemas", "yaml.schemas", "eslint.workingDirectories",
		"cSpell.words", "cSpell.ignorePaths"}
}
