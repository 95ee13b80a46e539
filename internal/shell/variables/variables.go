// Package variables says what a variable of the environment can do, by its name
// and its value alone: change how a shell reads a line, name what a program
// runs, hold a secret.
package variables

import "strings"

// Influence is what a variable can make a program do.
type Influence uint8

const (
	Unknown     Influence = iota // nothing is known of it
	Plain                        // changes what is printed, at most
	RunsValue                    // its value is run, or names what is loaded
	BreaksShell                  // changes how the shell itself reads or runs the line
)

// Influences reports whether a variable of the environment can change what
// programs run, or what a shell makes of a text.
func Influences(name string) bool {
	is := Of(name)
	return is == BreaksShell || is == RunsValue
}

// IsLocale reports whether a variable says how programs read and print: the language,
// the characters.
func IsLocale(name string) bool {
	return strings.HasPrefix(name, "LANG") || strings.HasPrefix(name, "LC_")
}

// PlainLocale reports whether a locale has the characters in which nod reads, and loads
// nothing from a path. In the characters of others a byte below 0x80 may be part of a
// letter: of GBK, Shift_JIS and Big5 (zh_TW) a backslash (bash 5.2 and 3.2, GNU sed 4.9
// and gawk 5.2, which then run what nod takes for a text).
func PlainLocale(name, value string) bool {
	if name == "LANGUAGE" {
		return !strings.Contains(value, "/")
	}
	place, characters, _ := strings.Cut(strings.ToLower(value), ".")
	characters, _, _ = strings.Cut(characters, "@")
	switch characters {
	case "":
		return place == "" || place == "c" || place == "posix" || place == "utf-8" || place == "utf8" // macOS
	case "utf-8", "utf8":
		return !strings.Contains(value, "/")
	}
	return false
}

// Of says what a variable can do.
func Of(name string) Influence {
	switch name {
	case "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
		"CI", "COLUMNS", "LINES", "DEBUG", "VERBOSE", "NODE_ENV", "RUST_LOG", "RUST_BACKTRACE", "GOOS", "GOARCH",
		"CGO_ENABLED", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8",
		"DEBIAN_FRONTEND", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL",
		"GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
		"GIT_LITERAL_PATHSPECS", "GH_NO_UPDATE_NOTIFIER", "GH_PROMPT_DISABLED", "GH_FORCE_TTY",
		"NO_UPDATE_NOTIFIER", "QUOTING_STYLE", "BLOCKSIZE", "BLOCK_SIZE", "TIME_STYLE",
		"GREP_COLOR", "GREP_COLORS", "LS_COLORS", "LSCOLORS", "HISTCONTROL", "HISTSIZE", "SHLVL", "LOGNAME", "USER",
		"HOSTNAME", "LESSCHARSET", "MANWIDTH", "TEST", "ENVIRONMENT", "APP_ENV", "SOURCE_DATE_EPOCH",
		"PIP_DISABLE_PIP_VERSION_CHECK", "HOMEBREW_NO_AUTO_UPDATE", "DO_NOT_TRACK", "TEMPORARY":
		return Plain
	case "PATH", "IFS", "CDPATH", "PWD", "OLDPWD", "HOME", "SHELLOPTS", "BASHOPTS", "GLOBIGNORE", "POSIX_PEDANTIC",
		"path", "cdpath", "fpath", "FPATH", "module_path", "MODULE_PATH", "PROMPT_COMMAND", "PS0", "PS1", "PS2",
		"PS3", "PS4", "BASH_XTRACEFD", "FUNCNEST", "EXECIGNORE", "HISTFILE", "TMOUT", "precmd_functions",
		"preexec_functions", "chpwd_functions", "NULLCMD", "READNULLCMD", "BASH_COMPAT", "BASH_LOADABLES_PATH",
		"argv", "aliases", "galiases", "functions", "commands", "MAIL", "MAILPATH", "ZDOTDIR", "BASH_ALIASES",
		"BASH_CMDS", "INPUTRC", "ARGV0", "prompt", "PROMPT", "RPROMPT", "psvar",
		"_bgpids_file": // Gemini CLI (0.61.0) writes to what it names when the line ends
		return BreaksShell
	case "BASH_ENV", "ENV", "PAGER", "GIT_PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE", "EDITOR", "VISUAL",
		"BROWSER", "NODE_OPTIONS", "NODE_PATH", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT",
		"PYTHONBREAKPOINT", "PYTHONWARNINGS", "PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "RUBYOPT", "RUBYLIB",
		"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "RIPGREP_CONFIG_PATH",
		"GREP_OPTIONS", "LESS", "MORE", "SHELL", "TAR_OPTIONS", "XZ_OPT", "GZIP", "ZIPOPT", "UNZIP", "RSYNC_RSH",
		"CVS_RSH", "SSH_ASKPASS", "SUDO_ASKPASS", "GIT_ASKPASS", "GCONV_PATH", "HOSTALIASES", "LUA_INIT",
		"LUA_PATH", "GOFLAGS", "GOTOOLCHAIN", "GOROOT", "GOPATH", "GOENV", "CC", "CXX", "LD", "AR", "MAKEFLAGS",
		"MFLAGS", "MAKEFILES", "RUSTC_WRAPPER", "RUSTC", "RUSTFLAGS", "CARGO_HOME", "FZF_DEFAULT_COMMAND",
		"FZF_DEFAULT_OPTS", "BAT_PAGER", "BAT_CONFIG_PATH", "DELTA_PAGER", "AWKPATH", "AWKLIBPATH",
		"GAWK_READ_TIMEOUT", "DOCKER_HOST", "DOCKER_CONFIG", "KUBECONFIG", "KUBE_EDITOR", "AWS_CONFIG_FILE",
		"SYSTEMD_PAGER", "SYSTEMD_EDITOR", "PSQL_PAGER", "PSQLRC", "MYSQL_HOME", "TERMINFO", "TERMCAP", "INFOPATH",
		"MANPATH", "MANOPT", "CURL_HOME", "WGETRC", "GH_PAGER", "GH_EDITOR", "GH_BROWSER", "GH_CONFIG_DIR",
		"GH_HOST", "HOSTFILE", "LIBPATH", "SHLIB_PATH", "OPENSSL_CONF", "OPENSSL_MODULES", "SSLKEYLOGFILE",
		"GHCRTS", "DOTNET_STARTUP_HOOKS", "COMPlus_EnableDiagnostics", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE",
		"R_PROFILE_USER", "JULIA_LOAD_PATH", "PIP_CONFIG_FILE", "PIP_INDEX_URL", "UV_INDEX_URL", "BUNDLE_GEMFILE",
		"GEM_PATH", "GEM_HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS", "XDG_CACHE_HOME",
		"ANSIBLE_CONFIG", "VIMINIT",
		"EXINIT", "VIM", "VIMRUNTIME", "NVIM_APPNAME", "TMUX", "PYTHONUSERBASE", "PIP_PYTHON", "PYENV_HOOK_PATH",
		"GETCONF_DIR", "LESSKEYIN", "LESSKEY", "LESSKEYIN_SYSTEM", "LESSKEY_SYSTEM", "COMPILER_PATH", "GCC_EXEC_PREFIX",
		"CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_LDFLAGS", "CGO_FFLAGS", "SUNPRO_DEPENDENCIES",
		"DEPENDENCIES_OUTPUT", "MTR_OPTIONS", "TERMINFO_DIRS", "DPKG_ADMINDIR", "DPKG_ROOT",
		"GROFF_TMAC_PATH", "GROFF_BIN_PATH", "GROFF_FONT_PATH", "GROFF_COMMAND_PREFIX", "LSB_OS_RELEASE",
		"PYTHONPYCACHEPREFIX", "BLACK_CACHE_DIR", "RUSTUP_HOME", "NODE_COMPILE_CACHE",
		"SASL_PATH", "OPENSSL_ENGINES", "EXPECT_LIBRARY", "MAGIC", "RUBYGEMS_GEMDEPS", "GEMRC",
		"RESOLV_HOST_CONF", "APT_CONFIG", "PYTHONPLATLIBDIR", "TCLLIBPATH", "TCL_LIBRARY",
		"SHELLCHECK_OPTS", "XZ_DEFAULTS", "TAPE", "GNUPGHOME", "POSIXLY_CORRECT":
		return RunsValue
	}
	switch {
	case strings.HasPrefix(name, "LC_"):
		return Plain
	case len(name) > 11 && strings.EqualFold(name[:11], "npm_config_"):
		return ofNpm(strings.ToLower(name[11:]))
	case strings.HasPrefix(name, "LD_"), strings.HasPrefix(name, "DYLD_"), strings.HasPrefix(name, "GIT_"),
		strings.HasPrefix(name, "BASH_FUNC_"), strings.HasPrefix(name, "MALLOC_"), strings.HasPrefix(name, "GLIBC_"),
		strings.HasPrefix(name, "Malloc"), strings.HasPrefix(name, "MUSL_"): // of macOS and of musl
		return RunsValue
	}
	return Unknown
}

// ofNpm is for a setting of npm that a variable holds. npm gives most of them to what it
// runs, among them which npm and which node that is (npm 11.19, npm run env).
func ofNpm(setting string) Influence {
	switch setting {
	case "userconfig", "globalconfig", "prefix", "script_shell", "shell", "node_options", "git", "editor", "viewer",
		"browser", "cache", "logs_dir":
		return RunsValue
	}
	return Unknown
}

// Harmless reports whether a value of a variable that can run programs
// runs none.
func Harmless(name, text string) bool {
	switch name {
	case "PAGER", "GIT_PAGER", "GH_PAGER", "MANPAGER", "SYSTEMD_PAGER", "BAT_PAGER", "DELTA_PAGER", "PSQL_PAGER":
		return text == "" || text == "cat"
	case "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR":
		return text == "true" || text == ":"
	case "LESS":
		return !strings.ContainsAny(text, "+oOkK-") || text == "-R" || text == "-FRX"
	case "GOFLAGS":
		return text == ""
	}
	return false
}
