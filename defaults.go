package nod

import "github.com/nodgate/nod/internal/hosts"

// DefaultRules returns the built-in lists, what "$defaults" stands for. Each
// call returns fresh slices.
func DefaultRules() Rules {
	return Rules{
		Allow:     defaultAllow(),
		SoftDeny:  defaultSoftDeny(),
		Allowlist: defaultAllowlist(),
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

// defaultGuarded changes what runs later or what the agent may do: whatever an
// agent or a tool runs or obeys by itself. An edit of one leaves layer 2 and
// goes to the model. docs/design.md argues each group.
func defaultGuarded() []string { return hosts.Guarded() }
