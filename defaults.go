package nod

import (
	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/judge"
)

// DefaultRules returns the built-in lists, what "$defaults" stands for. Each
// call returns fresh slices.
func DefaultRules() Rules {
	return Rules{
		Allow:     defaultRules(judge.DefaultAllow()),
		SoftDeny:  defaultRules(judge.DefaultSoftDeny()),
		Allowlist: defaultAllowlist(),
		Secrets:   defaultSecrets(),
		Guarded:   defaultGuarded(),
	}
}

// defaultRules are texts as rules that everybody shares.
func defaultRules(texts []string) []Rule {
	rules := make([]Rule, 0, len(texts))
	for _, text := range texts {
		rules = append(rules, Rule{Text: text, Origin: "default", Prose: true})
	}
	return rules
}

// defaultAllowlist is the twenty of the description (docs/design.md, section 9), by
// canonical name, and what else of a host's own tools changes nothing and starts no
// code, or is for the person alone. agent is among them only where each call of the agent that it starts is
// decided here. A tool on it can never be blocked by a soft_deny rule, so adding
// to it is a decision.
func defaultAllowlist() []string {
	return []string{
		"read_file", "grep", "glob", "lsp",
		"tool_search", "list_mcp_resources", "read_mcp_resource",
		"todo_write", "task_create", "task_get", "task_update", "task_list", "task_stop",
		"ask_user_question", "enter_plan_mode", "exit_plan_mode",
		"team_create", "team_delete", "send_message",
		"sleep",
		"agent", "list_agents", "read_agent", "wait_agent", "close_agent", "resume_agent", "subagent_handback",
		"get_goal", "create_goal", "update_goal", "cron_list", "schedule_wakeup",
		"structured_output", "report_findings", "read_notifications", "wait_for_mcp_servers", "host_docs",
		"propose_goal", "propose_skills", "offer_chrome_setup", "show_onboarding_role_picker",
	}
}

// defaultSecrets are stores of keys and logins. Whatever touches one goes to
// the model, by any tool. An entry below home holds below any home; what is
// unmistakable by the end of its path stands without one, and holds in copies,
// images and backups too. Of entries that match, the last holds.
func defaultSecrets() []string {
	return []string{
		// files of projects: what deploys and runs them
		".env", ".env.*", "*.env", "!*.env.example", "!*.env.sample", "!*.env.template", "!*.env.dist",
		"!*.env.defaults", "!.env.*.example", "!.env.*.sample", "!.env.*.template",
		"!.env.example.*", "!example.env", "!sample.env", "!template.env", "!*.example.env", "!*.sample.env",
		".envrc", ".envrc.local", ".dev.vars", ".dev.vars.*", "!.dev.vars.example", ".secrets", ".secrets.toml",
		"id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "id_ed25519_sk", "id_ecdsa_sk", "*.key", "*.p12", "*.pfx", "*.p8",
		"*.pk8", "*.jks", "*.keystore", "*.keytab", "*.kdbx", "*.kdb", "*.ppk", "*.ovpn",
		// certificates and public keys are for everybody to read
		"*.pem", "!ca.pem", "!*-ca.pem", "!*_ca.pem", "!ca-*.pem", "!ca_*.pem", "!cacert*.pem", "!cert*.pem",
		"!*cert.pem", "!*certs.pem", "!*-crt.pem", "!chain*.pem", "!fullchain*.pem",
		"!*bundle*.pem", "!*root*.pem", "!dhparam*.pem", "*key*.pem", "*priv*.pem", "!*pub.pem", "!*public*.pem",
		"!/etc/ssl/certs", "!/etc/pki/tls/certs", "!/usr/share/ca-certificates",
		".env~", ".env-*", ".env_*", "!.env-example", "!.env_example", "!.env-sample", "!.env_sample", "!.env-template",
		"!.env_template", ".flaskenv", ".Renviron", ".terraformrc", "local.settings.json", ".vault_pass*",
		".vault-pass*", ".sentryclirc",
		"id_rsa_*", "id_ed25519_*", "id_ecdsa_*", "!id_*.pub", "ssh_host_*_key", ".secret", ".token", ".credentials",
		"deploy_key", "id_rsa.bak", "id_rsa.old", "id_ed25519.bak", "id_ed25519.old", "id_rsa~", "id_ed25519~",
		".git/git-crypt/keys", ".git/annex/creds", ".gitcookies", "~/.gitcookies",
		"*.key.old", "*.pem.old", "*.key.txt", "*.pem.txt", "id_rsa.txt", "id_ed25519.txt", ".pgpass~", ".pgpass.bak",
		"*.pem~", "*.pem.bak", "*.pem.orig", "*.key~", "*.key.bak", "*.key.orig", ".netrc~", ".netrc.bak",
		"credentials.json~", "credentials.json.bak", ".git-credentials~", ".git-credentials.bak",
		".netrc", "_netrc", ".git-credentials", ".pypirc", ".pgpass", "pgpass.conf", ".htpasswd", ".my.cnf",
		".mylogin.cnf", ".vault-token", ".s3cfg", ".dockercfg", "rclone.conf", "kubeconfig", "*.kubeconfig",
		"huggingface/token", ".huggingface/token", ".cargo/credentials.toml", ".m2/settings.xml",
		"credentials.json", "client_secret*.json", "service-account*.json", "service_account*.json",
		"*serviceaccount*.json", "*firebase-adminsdk*.json", "kaggle.json",
		"secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.ini", "secrets.env", "secret.json",
		"secret.yml", "secret.yaml", "secrets.*.yml", "secrets.*.yaml",
		"*.tfstate", "*.tfstate.*", "*.tfvars", "*.tfvars.json",
		"rootkey.csv", "*accessKeys.csv", "gha-creds-*.json", "deploy-key", "kubeconfig.yaml", "kubeconfig.yml",
		"k3s.yaml", "*.pkcs12", "*.bks", "*.agekey", "secring.gpg", "wallet.dat", ".databrickscfg", "vault_pass.txt",
		".rbenv-vars", ".idea/dataSources.local.xml", ".vscode/sftp.json", "sftp-config.json", ".ftpconfig",
		".dvc/config.local",
		// what programs and consoles hand out is saved under these names
		"key.json", "token.json", "auth.json", "!src/auth.json", "private_key.json", "private-key.json",
		"credentials.csv", "token.txt", "secret.txt", "secrets.txt", "password.txt", "passwords.txt", "api_key.txt",
		"api-key.txt", "apikey.txt", "api_keys.txt", "cookies.txt", ".openai_api_key", ".*_api_key",
		"secret_key", "secret.key", "private_key", "wp-config.php", "appsettings.Production.json",
		"config/database.yml",
		"secrets/*.yaml", "secrets/*.yml", "secrets/*.json", "secrets/*.txt", "secrets/*.toml",
		// keys, and what programs log in with; behind the names of files, so that
		// no name is harmless in a store
		".ssh", "!.ssh/known_hosts", "!.ssh/known_hosts.old", "!.ssh/*.pub", "~/.ssh", "!~/.ssh/known_hosts",
		"!~/.ssh/known_hosts.old", "!~/.ssh/*.pub",
		".gnupg", ".aws", ".azure", ".oci", ".kube", ".password-store", ".docker/config.json", ".config/gcloud",
		".config/gh", ".config/op", ".config/sops", ".config/age",
		"~/.gnupg", "~/.aws", "~/.azure", "~/.oci", "~/.kube", "~/.docker/config.json", "~/.dockercfg",
		"~/.config/containers/auth.json", "/run/user/*/containers/auth.json", "~/.config/turso", "~/.config/tea",
		"~/.config/lab", "~/.config/snowflake", "~/.bluemix", "~/.config/code-server", "~/.rclone.conf",
		"~/.local/share/jupyter/runtime", "~/.config/*/Cookies", "~/.config/*/Local Storage",
		"~/.config/gcloud", "~/.config/gh", "~/.config/glab-cli", "~/.config/op", "~/.config/doctl", "~/.config/hub",
		"~/.config/heroku", "~/.config/hcloud", "~/.config/linode-cli",
		"~/.config/stripe", "~/.config/rclone", "~/.config/ngrok", "~/.ngrok2", "~/.config/.wrangler", "~/.wrangler",
		"~/.netlify", "~/.fly", "~/.railway", "~/.supabase", "~/.pulumi",
		"~/.config/helm/registry", "~/.local/share/com.vercel.cli", "~/.config/configstore", "~/.databrickscfg",
		"~/.snowflake", "~/.dbt/profiles.yml", "~/.kaggle",
		"~/.netrc", "~/_netrc", "~/.git-credentials", "~/.config/git/credentials", "~/.npmrc", "~/.yarnrc.yml",
		"~/.pypirc", "~/.config/pip/pip.conf", "~/.pip/pip.conf",
		"~/.vercel", "~/.config/netlify", "~/.config/composer/auth.json", "~/.config/pypoetry/auth.toml",
		"~/.config/pnpm/rc", "~/.bundle/config", "~/.bunfig.toml",
		"~/.local/share/uv/credentials", "~/.config/NuGet", "~/.config/argocd", "~/.talos", "~/.config/scw",
		"~/.cloudflared", "~/.config/planetscale", "~/.render", "~/.expo", "~/.snowsql",
		"~/.davfs2/secrets", "~/.offlineimaprc", "~/.Xauthority", "~/.sbt/credentials", "~/.sbt/.credentials",
		"~/.ivy2/.credentials", "~/.tsh", "~/.mc/config.json", "~/.travis/config.yml", "~/.circleci/cli.yml",
		"~/.1password", "~/.config/Signal", ".gem/credentials", ".local/share/keyrings", ".composer/auth.json",
		".terraform.d/credentials.tfrc.json", ".boto", ".msmtprc",
		"~/.msmtprc", "~/.mbsyncrc", "~/.authinfo", "~/.authinfo.gpg", "~/.vnc/passwd", "~/.smbcredentials",
		"~/.config/borg", "~/.config/Bitwarden", "~/.electrum", "~/.bitcoin/wallet.dat",
		"~/.bitcoin/wallets", "~/.ethereum/keystore", "~/.config/solana", "~/.foundry/keystores", "~/.near-credentials",
		"~/.step/secrets", "~/.local/share/atuin/key", "~/.config/fish/fish_variables",
		"~/.pam_environment", "~/.sentryclirc", "~/.openai", "~/.config/anthropic", "~/.config/io.datasette.llm",
		"~/.cargo/credentials", "~/.cargo/credentials.toml", "~/.gem/credentials", "~/.m2/settings.xml",
		"~/.m2/settings-security.xml", "~/.gradle/gradle.properties", "~/.composer/auth.json", "~/.nuget",
		"~/.vault-token", "~/.terraform.d", "~/.terraformrc", "~/.pgpass", "~/.my.cnf", "~/.mylogin.cnf", "~/.boto",
		"~/.s3cfg", "~/.passwd-s3fs", "~/.huggingface", "~/.cache/huggingface/token",
		"~/.password-store", "~/.local/share/keyrings", "~/Library/Keychains", "~/.config/age", "~/.config/sops",
		"~/.config/Bitwarden CLI", "~/.config/1Password",
		"~/.mozilla", "~/.thunderbird", "~/.config/google-chrome", "~/.config/chromium", "~/.config/BraveSoftware",
		"~/.config/microsoft-edge",
		"~/Library/Application Support/Google/Chrome", "~/Library/Application Support/Firefox", "~/Library/Cookies",
		"~/.bash_history", "~/.zsh_history", "~/.local/share/fish/fish_history", "~/.psql_history", "~/.mysql_history",
		"~/.sqlite_history", "~/.rediscli_history", "~/.mongorc.js",
		"~/.python_history", "~/.node_repl_history", "~/.irb_history", "~/.lesshst", ".bash_history*", ".zsh_history*",
		"~/.sh_history", "~/.zhistory", "~/.histfile", "~/.history", "~/.bash_sessions", "~/.zsh_sessions",
		"~/.viminfo", "~/.irb-history", "~/.pry_history", "~/.claude/history.jsonl", "~/.codex/history.jsonl",
		"~/.local/state/*/history", "~/.local/share/*/history", "~/.cache/*/history", "~/.zsh/history",
		"~/.config/nushell/history.*", "~/.local/share/atuin/history.db", "~/.ksh_history", "~/.mongodb/mongosh",
		"~/snap/*/common/.mozilla", "~/snap/*/common/chromium", "~/.var/app", "~/.librewolf", "~/.zen",
		"~/.config/vivaldi", "~/.pki/nssdb", "~/.local/share/kwalletd", "~/.cache/huggingface/stored_tokens",
		"~/.nomad-token", "~/.consul-token", "~/.config/supabase", "~/.mcp-auth",
		"~/.config/hex", "~/.hex/hex.config", "~/.config/dart/pub-credentials.json", "~/.local/share/gem/credentials",
		"~/.chef", "~/.cassandra/credentials", "~/.edgerc", "~/.ovh.conf", "~/.modal.toml", "~/.doppler",
		"~/.okteto", "~/.config/dnscontrol", "~/.acme.sh/account.conf", "~/.config/wandb", "~/.clasprc.json",
		"~/.vultr-cli.yaml", "~/.aliyun", "~/.tccli", "~/.argocd", "~/.rancher", "~/.config/replicate",
		"~/.anthropic", "~/.vast_api_key", "~/.jfrog", "~/.semgrep/settings.yml", "~/.config/infracost/credentials.yml",
		"~/.passage/identities", "~/.config/gopass/age", "~/.age", "~/.config/wireguard",
		"~/.config/msmtp", "~/.config/isyncrc", "~/.fetchmailrc", "~/.mutt/passwords", "~/.config/aerc/accounts.conf",
		"~/.config/filezilla", "~/.weechat/sec.conf", "~/.local/share/TelegramDesktop", "~/.config/lftp",
		"~/.influxdbv2/configs", "~/.config/Exodus",
		// agents: logins, and settings that hold the keys of models and MCP servers
		"~/.claude.json", ".claude/.credentials.json", ".codex/auth.json", ".gemini/oauth_creds.json",
		".gemini/mcp-oauth-tokens*.json", ".qwen/oauth_creds.json", ".qwen/mcp-oauth-tokens*.json",
		"~/.claude/.credentials.json", "~/.codex/auth.json", "~/.gemini/oauth_creds.json",
		"~/.gemini/mcp-oauth-tokens*.json", "~/.qwen/oauth_creds.json", "~/.qwen/mcp-oauth-tokens*.json",
		"~/.copilot/config.json", "~/.copilot/mcp-config.json", "~/.copilot/mcp-oauth*", "~/.config/github-copilot",
		"github-copilot/hosts.json", "github-copilot/apps.json",
		"opencode/auth.json", "opencode/mcp-auth.json", "~/.local/share/opencode/auth.json",
		"~/.local/share/opencode/mcp-auth.json", "~/.config/crush/crush.json", "crush/crush.json",
		".pi/agent/auth.json", "~/.pi/agent/auth.json",
		".factory/auth*", "~/.factory/auth*", ".grok/user-settings.json", "~/.grok/user-settings.json", ".grok/auth*",
		"amp/secrets.json", "~/.local/share/amp/secrets.json", "~/.cursor/mcp.json",
		"~/.cursor/auth.json", "~/.config/cursor/auth.json", "~/.codeium/config.json",
		"~/.codeium/windsurf/mcp_config.json", "goose/secrets.yaml", "~/.config/goose/secrets.yaml",
		"~/.cline/data/secrets.json", "~/.cline/data/settings", "~/.openhands/agent_settings.json",
		"~/.openhands/settings.json", "~/.local/share/kiro-cli", "~/.local/share/amazon-q",
		"~/.local/share/opencode/opencode*.db*", "opencode/opencode.db*", "~/.local/share/kilo", "kilo/auth.json",
		"~/.kilocode/cli/config.json", ".augment/session.json", "~/.augment/session.json", "~/.continue/auth.json",
		"~/.aider.conf.yml", "~/.continue/config.json", "~/.continue/config.yaml", "~/.antigravity/oauth_creds.json",
		".codex/.credentials.json", ".gemini/gemini-credentials.json", ".gemini/a2a-oauth-tokens*.json",
		"gemini-credentials.json", "a2a-oauth-tokens.json",
		"state.vscdb", "state.vscdb.backup", ".factory/config.json", ".factory/mcp-oauth*.json",
		".pi/agent/models.json", ".pi/agent/oauth.json", ".openhands/.jwt_secret",
		"oauth_creds.json", ".credentials.json", "~/.kimi/credentials", "~/.kimi/config.toml", "~/.iflow/settings.json",
		"nod/key", "~/.config/nod/key", "~/.config/nod/*key*", "~/.local/state/nod", "~/.local/share/nod",
		"*.nod-backup-*",
		// the system
		"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
		"/etc/ssh/ssh_host_*_key", "/etc/krb5.keytab", "/etc/wireguard", "/etc/ppp/chap-secrets",
		"/etc/ssl/private", "/etc/pki/tls/private", "/etc/letsencrypt/accounts", "/etc/letsencrypt/archive",
		"/etc/kubernetes/admin.conf", "/var/run/secrets", "/run/secrets", "/etc/rancher/k3s/k3s.yaml",
		"etc/shadow", "etc/shadow-", "etc/gshadow",
		"/proc/*/environ", "/proc/*/task/*/environ", "/proc/*/root", "/proc/*/cwd", "/proc/*/mem", "/proc/*/auxv",
		"/proc/kcore", "/dev/mem", "/dev/kmem",
	}
}

// defaultGuarded changes what runs later or what the agent may do: whatever an
// agent or a tool runs or obeys by itself. An edit of one leaves layer 2 and
// goes to the model. docs/design.md argues each group.
func defaultGuarded() []string { return hosts.Guarded() }
