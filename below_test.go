package nod_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/testworld"
	"github.com/nodgate/nod/internal/view"
)

// A project with an ignored .env, which holds SHOP_KEY and nothing of vat.
func withSecret(t *testing.T) project {
	p := newProject(t)
	p.write(".gitignore", "dist/\n.env\n*.log\n")
	p.write("src/price.go", "vat\n")
	p.write("docs/a.md", "vat SHOP\n")
	p.git("add", ".")
	p.git("commit", "-q", "-m", "two")
	p.write(".env", "SHOP_KEY=abcdef\n")
	p.write("node_modules/x/server.pem", "vat SHOP_KEY\n")
	return p
}

// rg leaves out hidden files and what git ignores.
func TestSecretsThatRipgrepSees(t *testing.T) {
	p := withSecret(t)
	p.write("prod.env", "SHOP_KEY=x\n")
	ask := func(allowed bool, commands ...string) {
		t.Helper()
		o := options(nod.DefaultRules())
		o.Files = p.inMemory("rg", "fd", "xargs", "cat")
		for _, command := range commands {
			if d := verdictOf(o, bash(command)); (d.Verdict == nod.Allow) != allowed {
				t.Errorf("%s: %s (%s)", command, d.Verdict, d.Reason)
			}
		}
	}
	ask(lost, "rg SHOP_KEY", "rg SHOP_KEY .", "rg -uu SHOP_KEY", "rg --hidden --no-ignore SHOP_KEY",
		"rg -g '*' SHOP_KEY", "rg -g '*.env' SHOP_KEY", "rg -v vat", "rg --files | xargs cat", "rg -f a.txt",
		"rg -tgo --type-add 'go:*.env' KEY", "fd . | xargs cat", "fd -e env | xargs cat")
	ask(kept, "rg vat", "rg -l SHOP_KEY", "rg -g '*.go' SHOP_KEY", "rg -tgo SHOP_KEY", "rg -g '!*.env' SHOP_KEY",
		"rg --files", "rg SHOP_KEY src")
	p.must(os.Remove(p.dir + "/prod.env"))
	ask(kept, "rg SHOP_KEY", "rg --hidden SHOP_KEY")
	ask(lost, "rg --hidden --no-ignore SHOP_KEY", "rg -uu SHOP_KEY", "fd -HI . | xargs cat", "fd -u . | xargs cat")
	ask(lost, "rg --type-add 'e:.env' --no-ignore-vcs -te SHOP_KEY")
	p.write(".ignore", "!.env\n")
	ask(lost, "rg --hidden SHOP_KEY")
	p.must(os.Remove(p.dir + "/.ignore"))
	p.write("sub/.env", "SHOP_KEY=x\n")
	p.write("sub/.gitignore", "!.env.example\n")
	ask(kept, "rg SHOP_KEY")
	for _, shown := range []string{"!.env", "!.*", "!*", "!**/.env"} {
		p.write("sub/.gitignore", shown+"\n")
		ask(lost, "rg SHOP_KEY", "cd sub && rg SHOP_KEY", "rg --files | xargs cat", "fd . | xargs cat")
	}
}

// The agent's own search of a tree is looked through like that of a command.
func TestSecretsThatTheSearchToolSees(t *testing.T) {
	p := withSecret(t)
	for _, c := range []struct {
		input, path string
		allowed     bool
	}{
		{`{"pattern":"SHOP_KEY","output_mode":"content"}`, "", false}, {`{"pattern":"shop_"}`, "", false},
		{`{"pattern":"S.*K|x"}`, "", false}, {`{"pattern":"."}`, ".", false},
		{`{"pattern":"vat","output_mode":"content"}`, "", true},
		{`{"pattern":"SHOP_KEY","output_mode":"files_with_matches"}`, "", true},
		{`{"pattern":"SHOP_KEY"}`, "src", true},
		{`{"pattern":"SHOP_KEY"}`, "*.go", true}, {`{"pattern":"SHOP_KEY"}`, "**/*.{go,ts}", true},
		{`{}`, ".", false}, {`{"Query":"SHOP_KEY"}`, ".", false}, {`{"Query":"SHOP_KEY"}`, "src", true},
		{`{"pattern":"SHOP_KEY","output_mode":"content","Output_Mode":"count"}`, "", false},
	} {
		paths := []string{p.dir}
		switch {
		case strings.Contains(c.path, "*"):
			paths = append(paths, p.dir+"/"+c.path)
		case c.path != "":
			paths = []string{c.path}
		}
		call := nod.Call{Agent: "copilot", Tool: "grep", RawTool: "grep", Input: []byte(c.input), Dir: p.dir,
			Roots: []string{p.dir}, Paths: paths}
		d := p.gate().Check(t.Context(), call)
		if (d.Verdict == nod.Allow) != c.allowed {
			t.Errorf("%s in %q: %s (%s)", c.input, paths, d.Verdict, d.Reason)
		}
	}
}

// inMemory is the project on a machine with these programs.
func (p project) inMemory(programs ...string) nod.Files {
	w := view.NewMemory(false)
	for _, name := range programs {
		w.File("/usr/bin/"+name, "", 0o755)
	}
	p.must(filepath.WalkDir(p.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		w.File(shop+strings.TrimPrefix(name, p.dir), string(data), 0o644)
		return err
	}))
	return w
}

// The lists, by the end of a path and below any home.
func TestStoresOfSecrets(t *testing.T) {
	p := newProject(t)
	secret := strings.Fields(`~/.config/nod/key ~/.local/state/nod/decisions.jsonl /home/other/.aws/credentials /Users/x/.ssh/id /root/.kube/config /var/root/.netrc /mnt/c/Users/x/.npmrc
		backup/alice/.aws/credentials backup/.ssh/config x/.docker/config.json ~/.claude.json /home/x/.claude.json ~/.pi/agent/auth.json ~/.factory/auth.json ~/.grok/user-settings.json
		~/.config/github-copilot/hosts.json ~/.local/share/opencode/mcp-auth.json ~/.gemini/mcp-oauth-tokens.json ~/.copilot/mcp-config.json ~/.local/share/amp/secrets.json
		~/.claude/settings.json.nod-backup-20260101T000000Z terraform.tfstate.backup x.tfvars.json server.pem privkey.pem localhost-key.pem prod.env .envrc .dev.vars secrets.json secrets.toml secrets.yml
		/etc/shadow- /etc/letsencrypt/live/x/privkey.pem ~/.config/rclone/rclone.conf ~/.huggingface/token kubeconfig .netrc .pgpass .env.production src/.env
		~/.codex/.credentials.json ~/.gemini/gemini-credentials.json ~/.gemini/a2a-oauth-tokens.json ~/.config/Cursor/User/globalStorage/state.vscdb x/Windsurf/state.vscdb.backup
		~/.factory/config.json ~/.factory/mcp-oauth.json ~/.pi/agent/models.json ~/.openhands/.jwt_secret ~/.vercel/auth.json ~/.config/composer/auth.json ~/.msmtprc ~/.authinfo
		~/.ssh/root.pem ~/.ssh/work-bundle.pem ~/.aws/cert.pem backup/.ssh/public.pem ~/.kube/ca.pem ~/.cloudflared/cert.pem /root/.ssh/chain.pem ~/.gnupg/.env.example
		/run/user/1000/containers/auth.json ~/.config/turso/settings.json ~/.config/tea/config.yml ~/.config/Slack/Cookies ~/.local/share/opencode/opencode.db ~/.local/share/opencode/opencode.db-wal
		~/.local/share/kilo/auth.json ~/.kilocode/cli/config.json ~/.augment/session.json ~/.continue/auth.json ~/.kimi/credentials/kimi-code.json ~/.iflow/oauth_creds.json x/oauth_creds.json
		~/.config/solana/id.json .env~ .env-prod .env_local .flaskenv .vault_pass .vault_pass.txt deploy_key id_rsa.bak local.settings.json`)
	for _, name := range secret {
		for _, line := range []string{"cat " + name, "head -3 < " + name, "grep x " + name} {
			if d := p.decide(p.dir, line); d.Verdict == nod.Allow {
				t.Errorf("%s: allowed", line)
			}
		}
		if d := p.gate().Check(t.Context(),
			nod.Call{Agent: "claude-code", Tool: "read_file", RawTool: "Read", Dir: p.dir, Roots: []string{p.dir},
				Paths: []string{name}}); d.Verdict == nod.Allow {
			t.Errorf("Read %s: allowed", name)
		}
	}
	for _, name := range strings.Fields(`.env-example .env_sample .env.example .env.sample .env.template prod.env.example .env.local.example fullchain.pem cert.pem ca.pem chain.pem cacert.pem x-ca.pem public.pem /etc/ssl/certs/a.pem
		src/env.go .ssh/known_hosts ~/.ssh/id_rsa.pub secrets.go x.tfvars.example environment.ts keys.go .npmrc tokens.css`) {
		if d := p.decide(p.dir, "cat "+name); d.Verdict != nod.Allow {
			t.Errorf("cat %s: %s", name, d.Reason)
		}
	}
	p.check(kept, "cat .git/config", "cat .npmrc")
	p.write(".npmrc", "//registry.npmjs.org/:_authToken=abc\n")
	p.git("remote", "add", "origin", "https://x:ghp_0123456789@code.example/x.git")
	p.check(lost, "cat .git/config", "cat .npmrc", "grep -rn url .git/config", "grep -rn url .")
	p.write(".npmrc", "//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n")
	p.check(kept, "cat .npmrc")
	// The user's own settings of git, wherever they stand.
	for _, name := range []string{"../.gitconfig", "../.config/git/config", "x/.gitconfig"} {
		p.write(name, "[user]\n\tname = a\n")
		p.check(kept, "cat "+name)
		p.write(name, "[http]\n\textraheader = AUTHORIZATION: bearer abc\n")
		p.check(lost, "cat "+name, "grep a "+name, "head < "+name)
	}
}

// An allow rule that names a server's tool does not open the secret stores to it.
func TestServersToolsAndSecrets(t *testing.T) {
	p := withSecret(t)
	p.write("../.ssh/id_rsa", "KEY\n")
	rules := nod.DefaultRules()
	rule, err := nod.ParseRule(nod.ListAllow, "mcp__db", "")
	p.must(err)
	rules.Allow = []nod.Rule{rule}
	gate := nod.New(nod.Options{Rules: rules, Files: testworld.Disk(), Home: p.home})
	for input, allowed := range map[string]bool{
		`{"p":"` + p.home + `/.ssh/id_rsa"}`:        false,
		`{"u":"file://` + p.home + `/.ssh/id_rsa"}`: false,
		`{"p":[{"a":".env"}]}`:                      false,
		`{"p":"~/.ssh/id_rsa\n"}`:                   false,
		`{"q":"select 1","repo":"owner/name"}`:      true,
		`{"path":"a.txt"}`:                          true,
		`{"text":"see https://x.example/.env"}`:     true,
	} {
		d := gate.Check(t.Context(), nod.Call{Agent: "claude-code", Session: "s", Tool: "mcp__db__read",
			RawTool: "mcp__db__read",
			MCP: &nod.MCP{Server: "db", Tool: "read",
				Named: true}, Input: []byte(input), Dir: p.dir, Roots: []string{p.dir}})
		if (d.Verdict == nod.Allow) != allowed {
			t.Errorf("%s: %s (%s)", input, d.Verdict, d.Reason)
		}
	}
}
