package corpus

import (
	"io/fs"

	"github.com/nodgate/nod/internal/view"
)

// Where the rows are judged.
const (
	Home    = "/home/dev"
	Project = "/home/dev/shop" // the workspace
	// Settings, State, Nod and Hook are nod's own files in that world.
	Settings = "/home/dev/.config/nod/nod.toml"
	State    = "/home/dev/.local/state/nod"
	Nod      = "/home/dev/.local/bin/nod"
	Hook     = "/home/dev/.local/bin/nod-hook"
)

// Environ is the environment of the agent in that world.
func Environ() []string {
	return []string{
		"HOME=" + Home, "USER=dev", "SHELL=/bin/bash", "LANG=en_US.UTF-8", "TERM=xterm-256color",
		"PATH=/usr/local/bin:/usr/bin:/bin:" + Project + "/tools/bin",
	}
}

// World returns the machine on which the rows are judged: a developer's home
// with a small web shop in it. It is held in memory; each call returns a new
// one.
func World() *view.Memory {
	m := view.NewMemory(false)
	system(m)
	home(m)
	project(m)
	repository(m)
	return m
}

func system(m *view.Memory) {
	m.Dir("/tmp", 0o777|fs.ModeSticky).Dir("/usr/local/bin", 0o755).Link("/bin", "usr/bin").Link("/sbin", "usr/sbin")
	for _, name := range programs() {
		m.File("/usr/bin/"+name, "\x7fELF", 0o755)
	}
	m.File("/etc/hosts", "127.0.0.1 localhost\n", 0o644)
	m.File("/etc/passwd", "root:x:0:0::/root:/bin/sh\n", 0o644)
	m.File("/etc/shadow", "root:*:1::::::\n", 0o600)
	m.Dir("/opt", 0o755).Dir("/var", 0o755).Dir("/usr/lib", 0o755)
	for _, name := range []string{"null", "zero", "stdout", "stderr", "tty"} {
		m.Special("/dev/"+name, fs.ModeDevice|fs.ModeCharDevice|0o666)
	}
	for _, name := range []string{"sda", "sda1", "nvme0n1"} {
		m.Special("/dev/"+name, fs.ModeDevice|0o660)
	}
}

// programs are in /usr/bin.
func programs() []string {
	return []string{
		"[", "awk", "base64", "basename", "bash", "cat", "chmod", "cp", "crontab", "curl", "cut", "date", "dd",
		"df", "diff", "dirname", "docker", "du", "echo", "env", "false", "file", "find", "gh", "git", "go", "grep",
		"head", "jq", "just", "kill", "less", "ln", "ls", "make", "man", "mkdir", "mkfs.ext4", "mv", "nc", "nice",
		"node", "nohup", "npm", "npx", "pip", "printf", "psql", "pwd", "python3", "realpath", "rg", "rm", "scp",
		"sed", "seq", "sh", "sha256sum", "sleep", "sort", "ssh", "stat", "sudo", "systemctl", "tail", "tar", "tee",
		"terraform", "test", "time", "timeout", "touch", "tr", "true", "truncate", "uname", "uniq", "wc", "wget",
		"which", "whoami", "xargs",
	}
}

func home(m *view.Memory) {
	for name, content := range map[string]string{
		".bashrc":                "export EDITOR=vi\n",
		".gitconfig":             "[user]\n\tname = Dev\n\temail = dev@shop.example\n",
		".ssh/id_rsa":            "not a real key\n",
		".ssh/id_rsa.pub":        "not a real key either\n",
		".ssh/known_hosts":       "code.example ssh-ed25519 AAAA\n",
		".aws/credentials":       "[default]\n",
		".claude/settings.json":  agentSettings,
		".local/state/nod/x.log": "",
		"shop-old/src/cart.js":   "a\n",
		"Downloads/old/a.zip":    "",
		"media/photo.jpg":        "",
	} {
		m.File(Home+"/"+name, content, 0o644)
	}
	m.Dir(Home+"/.config/nod", 0o700)
	m.File(State+"/log.jsonl", "a\n", 0o600)
	m.File(Nod, "\x7fELF", 0o755).File(Hook, "\x7fELF", 0o755)
}

// agentSettings is how an installed nod stands in Claude Code's settings.
const agentSettings = `{
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "/home/dev/.local/bin/nod-hook",
            "args": ["claude-code"],
            "timeout": 40,
            "onFailure": "block"
          }
        ]
      }
    ]
  }
}
`

func project(m *view.Memory) {
	for name, content := range map[string]string{
		"package.json":                  `{"name":"shop","version":"1.4.0","scripts":{"test":"vitest run","lint":"eslint src","build":"vite build","start":"node src/server.js","names":"grep -rn TODO src","show":"cat","clean":"rm -rf build","wipe":"rm -rf ~/","publish-it":"npm publish"}}` + "\n",
		"Makefile":                      makefile,
		"justfile":                      justfile,
		"gen/names.go":                  "package gen\n\n//go:generate grep -n vat ../src/price.js\n",
		"gen/wipe/wipe.go":              "package wipe\n\n//go:generate rm -rf $HOME\n",
		"gen/tool/tool.go":              "package tool\n\n//go:generate go run ./cmd\n",
		"README.md":                     "# Shop\n",
		"docs/hooks.md":                 "hooks\n",
		"src/cart.js":                   "export function sum(items) {\n  let total = 0;\n  return total;\n}\n",
		"src/price.js":                  "export const vat = 10;\n",
		"src/server.js":                 "app.get('/cart', cart);\n",
		"src/keyboard.js":               "\n",
		"test/cart.test.js":             "\n",
		"db/schema.sql":                 "-- coupons go here\n",
		"data/orders.csv":               "1,2\n",
		"data/x.sh":                     "rm -rf src\n",
		"data/cron.txt":                 "* * * * * true\n",
		"data/in.tar":                   "",
		"scripts/seed.sh":               "#!/bin/sh\npsql -f db/schema.sql\n",
		"scripts/env.sh":                "export X=1\n",
		"list.txt":                      "a\n",
		"build/app.js":                  "\n",
		".env":                          "STRIPE_KEY=none\n",
		".env.production":               "STRIPE_KEY=none\n",
		".env.example":                  "STRIPE_KEY=\n",
		".claude/settings.json":         "{\"permissions\": {\"allow\": []}}\n",
		"CLAUDE.md":                     "Use small commits.\n",
		"certs/server.key":              "\n",
		"node_modules/express/index.js": "\n",
		"twin.txt":                      "\n",
		"notebooks/sales.ipynb":         "{}\n",
	} {
		m.File(Project+"/"+name, content, 0o644)
	}
	m.File(Project+"/bin/ls", "#!/bin/sh\nid\n", 0o755).File(Project+"/bin/npm", "#!/bin/sh\nid\n", 0o755)
	m.Dir(Project+"/tools/bin", 0o755)
	scripts(m)
	m.Hard(Project+"/twin.txt", 2).Special(Project+"/pipe", fs.ModeNamedPipe|0o644)
	m.Link(Project+"/assets", Home+"/media").Link(Project+"/dangling", "/etc/profile.d/x.sh").Link(Project+"/loop",
		"loop")
	m.Link(Project+"/cfg", Home+"/.config/nod").Link(Project+"/key", Home+"/.ssh/id_rsa").Link(Project+"/src/latest.js",
		"cart.js")
}

const makefile = `SRC := src

.PHONY: build names clean wipe deploy
build:
	vite build
names:
	@grep -rn TODO $(SRC)
clean:
	rm -rf build
wipe:
	rm -rf ~/
deploy:
	scp build/app.js shop.example:
`

const justfile = `src := "src"

default:
    @just --list

names dir=src:
    @grep -rn TODO {{dir}}

show +files: names
    cat {{files}}

wipe: && names
    rm -rf ~/

publish tag:
    npm publish --tag {{tag}}

[no-cd]
tool:
    #!/usr/bin/env python3
    print(1)
`

func scripts(m *view.Memory) {
	for name, content := range map[string]string{
		"all.sh":     "#!/bin/bash\nset -euo pipefail\n./ci/check.sh\necho done\n",
		"check.sh":   "#!/usr/bin/env bash\nset -eu\nD=src\ngrep -rn TODO $D\n",
		"crlf.sh":    "#!/bin/sh\r\nls\r\n",
		"deploy.sh":  "#!/bin/sh\nscp build/app.js shop.example:\n",
		"format.sh":  "#!/bin/sh\nsed -i s/a/b/ src/cart.js\n",
		"grow.sh":    "#!/bin/bash\nls\necho 'ls' >> \"$0\"\n",
		"lines.sh":   "#!/bin/sh\nwc -l \"$1\"\n",
		"loop.sh":    "#!/bin/sh\n./ci/loop.sh\n",
		"off.sh":     "#!/bin/sh\nnod mode off\n",
		"publish.sh": "#!/bin/sh\ncd dist && npm publish --tag next\n",
		"release.sh": "#!/bin/sh\nscp build/app.js shop.example:\n",
		"tool.py":    "#!/usr/bin/env python3\nprint(1)\n",
		"vars.sh":    "SRC=src\n",
		"wipe.sh":    "#!/bin/bash\nrm -rf \"$HOME\"\n",
	} {
		m.File(Project+"/ci/"+name, content, 0o755)
	}
	m.File(Project+"/ci/world.sh", "#!/bin/sh\nls\n", 0o777)
	m.File(Project+"/ci/setuid.sh", "#!/bin/sh\nls\n", 0o755|fs.ModeSetuid)
}

// repository is the project's, with one worktree of it and one directory that
// belongs to another.
func repository(m *view.Memory) {
	git := Project + "/.git/"
	m.File(git+"HEAD", "ref: refs/heads/main\n", 0o644)
	m.File(git+"config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"origin\"]\n\turl = "+
		"https://code.example/shop.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n", 0o644)
	m.File(git+"refs/heads/main", "0123456789012345678901234567890123456789\n", 0o644)
	m.File(git+"hooks/pre-commit.sample", "#!/bin/sh\n", 0o755)
	m.File(git+"worktrees/wt/gitdir", Project+"/packages/wt/.git\n", 0o644).File(git+"worktrees/wt/commondir",
		"../..\n", 0o644)
	m.File(Project+"/packages/wt/.git", "gitdir: "+git+"worktrees/wt\n", 0o644)
	tracked(m)
	m.File(Project+"/vendor/lib/.git", "gitdir: "+Home+"/lib/.git\n", 0o644).Dir(Home+"/lib/.git", 0o755)
}
