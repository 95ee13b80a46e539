package hosts

import "slices"

// Tools returns the programs that run something of a repository by themselves.
// The names were read in each program's own manual.
func Tools() []Tool { return slices.Clone(tools) }

var tools = []Tool{
	{"git", []Obeyed{
		{[]string{".git", ".gitattributes", ".gitmodules", ".gitconfig", ".lfsconfig", ".config/git"},
			"hooks, filters, other repositories", "read: gitattributes(5), git-config(1)"},
		{[]string{".hg", ".svn", ".jj", ".bzr", "_darcs"}, "the same of other systems", "read: their manuals"},
	}},
	{"git hooks", []Obeyed{
		{[]string{".husky", ".huskyrc*", ".githooks", ".git-hooks", "githooks", ".hooks", ".simple-git-hooks.*"},
			"run at a commit", "read: husky, simple-git-hooks"},
		{[]string{"lefthook.yml", "lefthook.yaml", "lefthook.json", "lefthook.toml", ".lefthook.yml", ".lefthook.yaml",
			".lefthook.json", ".lefthook.toml",
			"lefthook-local.*", ".lefthook-local.*", ".lefthook", ".lefthook-local", ".config/lefthook*"},
			"run at a commit", "read: lefthook.dev"},
		{[]string{".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml", "prek.toml",
			".overcommit.yml", ".local-overcommit.yml"}, "run at a commit", "read: pre-commit.com, overcommit"},
		{[]string{"hk.pkl", "hk.local.pkl", ".hk", ".config/hk*", "captainhook.json", "grumphp.yml",
			"grumphp.yml.dist", ".cargo-husky", ".rusty-hook.toml", "rusty-hook.toml"}, "run at a commit", "by name"},
	}},
	{"shells", []Obeyed{
		{[]string{".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
			".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".config/fish",
			".inputrc",
			".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment", ".ssh/config", ".ssh/rc",
			".ssh/authorized_keys", ".screenrc", ".forward", ".procmailrc",
			".config/zsh", ".oh-my-zsh", ".config/environment.d", ".config/tmux", ".tmux.conf"}, "read at each start",
			"read: their manuals"},
	}},
	{"direnv", []Obeyed{{[]string{".envrc", ".direnvrc", ".config/direnv", ".direnv"}, "run on entering the directory",
		"read: direnv.net"}}},
	{"nix", []Obeyed{{[]string{"flake.nix", "shell.nix", "devenv.nix", "devenv.yaml", "devenv.local.*", "devbox.json",
		".flox"}, "what direnv runs on entering the directory where .envrc uses them", "by name"}}},
	{"rvm and autoenv", []Obeyed{{[]string{".rvmrc", ".autoenv", ".autoenv.zsh", ".autoenv_leave.zsh", ".shadowenv.d",
		".prototools"}, "run on entering the directory", "by name"}}},
	{"consoles and debuggers", []Obeyed{
		{[]string{".gdbinit", ".lldbinit", ".pdbrc", ".rdbgrc", ".byebugrc", ".mongorc.js", ".Rprofile", ".irbrc",
			".pryrc", ".iex.exs", ".ghci", ".ocamlinit", ".psqlrc", ".sqliterc", ".curlrc", ".wgetrc", ".pythonrc",
			".perldb", ".octaverc", ".jdbrc", "jdb.ini",
			".pythonrc.py"}, "run when the program starts here", "by name"},
	}},
	{"workspaces in the cloud",
		[]Obeyed{{[]string{".gitpod.yml", ".gitpod.Dockerfile", ".gitpod", ".ona", ".idx", ".codesandbox",
			".stackblitzrc"},
			"run when the workspace is opened", "by name"}}},
	{"hermit", []Obeyed{{[]string{"bin/hermit.hcl"}, "variables on entering the directory",
		"read: cashapp.github.io/hermit"}}},
	{"agents that nod does not serve", []Obeyed{{[]string{"gptme.toml", ".mcphost.yml", ".mcphost",
		"fastagent.config.yaml", ".kode"}, "commands and servers that are started with a session", "by name"}}},
	{"replit", []Obeyed{{[]string{".replit"}, "what runs, and when", "by name"}}},
	{"mise", []Obeyed{
		{[]string{"mise.toml", ".mise.toml", "mise.*.toml", ".mise.*.toml", ".mise", ".miserc.toml", "mise/config*",
			"mise/conf.d", "mise/tasks", "mise-tasks", ".mise-tasks", ".config/mise*", ".rtx*.toml", ".tool-versions",
			".nvmrc", ".node-version", ".python-version", ".ruby-version", ".java-version", ".go-version"},
			"hooks and variables on entering the directory, tasks, which program a name means", "read: mise.jdx.dev"},
	}},
	{"package managers", []Obeyed{
		{[]string{".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnp.cjs", ".pnp.loader.mjs", ".pnpmfile.cjs",
			".pnpmfile.mjs", "bunfig.toml", ".bunfig.toml"}, "what they run, and where they fetch",
			"read: their manuals"},
		{[]string{".cargo", ".mvn", ".bazelrc", ".bazelversion", ".bazeliskrc", "gradle-wrapper.properties",
			"gradle-wrapper.jar", "maven-wrapper.properties"}, "the same", "read: their manuals"},
		{[]string{"pip.conf", ".pip", ".condarc", ".bundle", ".gemrc"}, "the same", "read: their manuals"},
		{[]string{"node_modules", ".venv", "venv", "site-packages", ".tox", ".nox", ".conda", ".pixi", ".eggs",
			"__pypackages__", ".terraform", "pyvenv.cfg", "vendor/composer"}, "installed code", "read: their manuals"},
		{[]string{".docker/cli-plugins", ".asdf", ".pyenv", ".rbenv", ".nvm"},
			"programs and plugins that are run by name", "by name"},
	}},
	{"python", []Obeyed{{[]string{"sitecustomize.py", "usercustomize.py", "*.pth"}, "run at each start",
		"read: docs.python.org, site"}}},
	{"ripgrep", []Obeyed{{[]string{".ripgreprc"}, "options, one of which runs a program", "read: its guide"}}},
	{"editors", []Obeyed{
		{[]string{"*.sublime-project", ".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".vs", ".dir-locals.el",
			".dir-locals-2.el", "pyrightconfig.json",
			".helix", ".nvim", ".lazy.lua", ".local.vimrc", ".luarc.json", ".luarc.jsonc", ".nova", ".bsp",
			"rust-analyzer.toml", ".factorypath", ".neoconf.json", ".vimspector.json", ".theia",
			".externalToolBuilders", ".merlin", ".solargraph.yml", ".lsp", "hie.yaml", ".hie-bios",
			".ycm_extra_conf.py", ".phpactor.json", ".phpactor.yml", ".ropeproject", ".tern-project", ".gvimrc",
			"buildServer.json", ".sourcekit-lsp", "rust-project.json", ".nlsp-settings", ".lapce", ".vimrc.local",
			".local_vimrc.vim", "_vimrc_local.vim", ".vimlocal", "tasks.vs.json", "launch.vs.json",
			".vim", ".emacs.d", ".config/nvim", "Code/User", "Cursor/User"}, "tasks, local variables, interpreters",
			"read: their manuals"},
	}},
	{"the system", []Obeyed{
		{[]string{".config/autostart", ".config/systemd", "Library/LaunchAgents", "crontab"}, "started by itself",
			"read: their manuals"},
	}},
}
