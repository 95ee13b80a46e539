package nod

// DefaultRules returns the built-in lists, what "$defaults" stands for. Each
// call returns fresh slices.
func DefaultRules() Rules {
	return Rules{
		Allow:     defaultAllow(),
		SoftDeny:  defaultSoftDeny(),
		Allowlist: defaultAllowlist(),
		Hosts:     []string{"localhost", "127.0.0.1", "::1"}, // this machine
		Secrets:   defaultSecrets(),
		Guarded:   defaultGuarded(),
	}
}

// defaultAllowlist is the seed's twenty, by canonical name. A tool on it can
// never be blocked by a soft_deny rule, so adding to it is a decision.
func defaultAllowlist() []string {
	return []string{
		"read_file", "grep", "glob", "lsp",
		"tool_search", "list_mcp_resources", "read_mcp_resource",
		"todo_write", "task_create", "task_get", "task_update", "task_list", "task_stop",
		"ask_user_question", "enter_plan_mode", "exit_plan_mode",
		"team_create", "team_delete", "send_message",
		"sleep",
	}
}

// defaultSecrets are stores of keys and cloud logins. Whatever touches one
// goes to the model, by any tool.
func defaultSecrets() []string {
	return []string{
		"~/.ssh", "!~/.ssh/known_hosts", "!~/.ssh/*.pub",
		"~/.gnupg", "~/.aws", "~/.azure", "~/.oci", "~/.kube", "~/.docker/config.json",
		"~/.config/gcloud", "~/.config/gh", "~/.config/glab-cli", "~/.config/op", "~/.config/doctl", "~/.config/hub",
		"~/.netrc", "~/.git-credentials", "~/.config/git/credentials", "~/.npmrc", "~/.yarnrc.yml", "~/.pypirc",
		"~/.cargo/credentials", "~/.cargo/credentials.toml", "~/.gem/credentials", "~/.m2/settings.xml", "~/.gradle/gradle.properties",
		"~/.vault-token", "~/.terraform.d", "~/.terraformrc", "~/.pgpass", "~/.my.cnf", "~/.mylogin.cnf",
		"~/.password-store", "~/.local/share/keyrings", "~/Library/Keychains", "~/.config/age", "~/.config/sops",
		"~/.mozilla", "~/.config/google-chrome", "~/.config/chromium", "~/.config/BraveSoftware",
		"~/Library/Application Support/Google/Chrome", "~/Library/Application Support/Firefox", "~/Library/Cookies",
		"~/.claude/.credentials.json", "~/.codex/auth.json", "~/.gemini/oauth_creds.json", "~/.qwen/oauth_creds.json",
		"~/.local/share/opencode/auth.json", "~/.copilot/config.json",
		"~/.bash_history", "~/.zsh_history", "~/.psql_history", "~/.mysql_history", "~/.python_history", "~/.node_repl_history",
		"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh/ssh_host_*_key", "/etc/krb5.keytab",
		"/etc/ssl/private", "/var/run/secrets", "/run/secrets",
		"/proc/*/environ", "/proc/*/task/*/environ", "/proc/*/root", "/proc/*/cwd", "/proc/*/mem", "/proc/*/auxv", "/proc/kcore", "/dev/mem", "/dev/kmem",
		".env", ".env.*", "!.env.example", "!.env.sample", "!.env.template", "!.env.dist", "!.env.defaults",
		"id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
		".netrc", ".git-credentials", ".pypirc", ".pgpass", ".htpasswd",
		"credentials.json", "client_secret*.json", "service-account*.json", "service_account*.json", "secrets.yml", "secrets.yaml", "*.tfstate", "*.tfvars",
	}
}

// defaultGuarded changes what runs later or what the agent may do. An edit of
// one leaves layer 2 and goes to the model. docs/design.md argues each group.
func defaultGuarded() []string {
	return []string{
		// version control: hooks, filters, other repositories
		".git", ".gitattributes", ".gitmodules", ".gitconfig", ".config/git", ".hg", ".svn", ".jj",
		".husky", ".githooks", "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", ".pre-commit-config.yaml", ".overcommit.yml",
		// agents: settings, hooks, instructions, MCP servers
		".claude", ".claude.json", "CLAUDE.md", "CLAUDE.local.md", "managed-settings.json",
		"AGENTS.md", "AGENTS.override.md", ".agents", ".codex", ".copilot", ".github/hooks", ".github/agents", ".github/copilot-instructions.md", ".github/instructions",
		".opencode", "opencode.json", "opencode.jsonc", ".gemini", "GEMINI.md", ".qwen", "QWEN.md",
		".cursor", ".cursorrules", ".crush", "crush.json", ".crush.json", "CRUSH.md", ".pi", ".goose", ".goosehints", ".factory",
		".cline", ".clinerules", ".windsurf", ".windsurfrules", ".kiro", ".openhands", ".amp", ".grok", ".aider.conf.yml", ".continue", ".roo", ".junie",
		".mcp.json", "mcp.json", ".nod.toml",
		// shells
		".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
		".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".config/fish", ".inputrc", ".envrc", ".direnvrc", ".config/direnv",
		// package managers and build tools: what they run or where they fetch
		".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnp.cjs", ".pnp.loader.mjs", ".pnpmfile.cjs", ".pnpmfile.mjs", "bunfig.toml", ".bunfig.toml",
		".cargo", ".mvn", ".bazelrc", ".bazelversion", ".bazeliskrc", "gradle-wrapper.properties", "gradle-wrapper.jar", "maven-wrapper.properties",
		"pip.conf", ".pip", ".condarc", ".bundle", ".gemrc", ".mise.toml", "mise.toml", ".config/mise", ".tool-versions",
		"sitecustomize.py", "usercustomize.py", "*.pth", ".ripgreprc",
		// installed code
		"node_modules", ".venv", "venv", "site-packages", ".direnv", ".tox",
		// editors: tasks, launchers, local variables
		".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".devcontainer.json", "*.code-workspace", "*.sublime-project",
		".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".dir-locals.el", "pyrightconfig.json",
		// whatever the system starts by itself
		".config/autostart", ".config/systemd", "Library/LaunchAgents", "crontab",
	}
}
