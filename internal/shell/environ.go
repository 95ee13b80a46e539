package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// inherits returns an inherited variable.
func (a *analysis) inherits(name string) (string, bool) {
	if a.env.Lookup == nil {
		return "", false
	}
	return a.env.Lookup(name)
}

// role of a variable, by what it can make a program do.
type influence uint8

const (
	unknownVariable influence = iota
	plainVariable             // changes what is printed, at most
	runsValue                 // its value is run, or names what is loaded
	breaksShell               // changes how the shell itself reads or runs the line
)

// Influences reports whether a variable of the environment can change what
// programs run, or what a shell makes of a text.
func Influences(name string) bool {
	is := influenceOf(name)
	return is == breaksShell || is == runsValue
}

// influenceOf says what a variable can do.
func influenceOf(name string) influence {
	switch name {
	case "LANG", "LANGUAGE", "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
		"CI", "COLUMNS", "LINES", "DEBUG", "VERBOSE", "NODE_ENV", "RUST_LOG", "RUST_BACKTRACE", "GOOS", "GOARCH",
		"CGO_ENABLED", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8",
		"DEBIAN_FRONTEND", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL",
		"GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GIT_LITERAL_PATHSPECS",
		"GH_NO_UPDATE_NOTIFIER", "GH_PROMPT_DISABLED", "GH_FORCE_TTY", "GH_REPO", "NO_UPDATE_NOTIFIER", "POSIXLY_CORRECT", "QUOTING_STYLE",
		"BLOCKSIZE", "BLOCK_SIZE", "TIME_STYLE", "GREP_COLOR", "GREP_COLORS", "LS_COLORS", "LSCOLORS", "HISTCONTROL",
		"HISTSIZE", "SHLVL", "LOGNAME", "USER", "HOSTNAME", "LESSCHARSET", "MANWIDTH", "TEST", "ENVIRONMENT", "APP_ENV",
		"SOURCE_DATE_EPOCH", "PIP_DISABLE_PIP_VERSION_CHECK", "HOMEBREW_NO_AUTO_UPDATE", "DO_NOT_TRACK", "TEMPORARY":
		return plainVariable
	case "PATH", "IFS", "CDPATH", "PWD", "OLDPWD", "HOME", "SHELLOPTS", "BASHOPTS", "GLOBIGNORE", "POSIX_PEDANTIC",
		"path", "cdpath", "fpath", "FPATH", "module_path", "MODULE_PATH", "PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS3", "PS4",
		"BASH_XTRACEFD", "FUNCNEST", "EXECIGNORE", "HISTFILE", "TMOUT", "precmd_functions", "preexec_functions", "chpwd_functions",
		"NULLCMD", "READNULLCMD", "BASH_COMPAT", "BASH_LOADABLES_PATH", "argv", "aliases", "galiases", "functions", "commands",
		"MAIL", "MAILPATH", "ZDOTDIR", "BASH_ALIASES", "BASH_CMDS", "INPUTRC", "prompt", "PROMPT", "RPROMPT", "psvar":
		return breaksShell
	case "BASH_ENV", "ENV", "PAGER", "GIT_PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE", "EDITOR", "VISUAL", "BROWSER",
		"NODE_OPTIONS", "NODE_PATH", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT", "PYTHONBREAKPOINT", "PYTHONWARNINGS",
		"PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
		"CLASSPATH", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS", "LESS", "MORE", "SHELL", "TAR_OPTIONS", "XZ_OPT", "GZIP", "ZIPOPT", "UNZIP",
		"RSYNC_RSH", "CVS_RSH", "SSH_ASKPASS", "SUDO_ASKPASS", "GIT_ASKPASS", "GCONV_PATH", "HOSTALIASES", "LUA_INIT", "LUA_PATH",
		"GOFLAGS", "GOTOOLCHAIN", "GOROOT", "GOPATH", "GOENV", "CC", "CXX", "LD", "AR", "MAKEFLAGS", "MFLAGS", "MAKEFILES", "RUSTC_WRAPPER", "RUSTC", "RUSTFLAGS",
		"CARGO_HOME", "NPM_CONFIG_PREFIX", "NPM_CONFIG_USERCONFIG", "NPM_CONFIG_SCRIPT_SHELL", "npm_config_script_shell",
		"FZF_DEFAULT_COMMAND", "FZF_DEFAULT_OPTS", "BAT_PAGER", "BAT_CONFIG_PATH", "DELTA_PAGER", "AWKPATH", "AWKLIBPATH", "GAWK_READ_TIMEOUT",
		"DOCKER_HOST", "DOCKER_CONFIG", "KUBECONFIG", "KUBE_EDITOR", "AWS_CONFIG_FILE", "SYSTEMD_PAGER", "SYSTEMD_EDITOR",
		"PSQL_PAGER", "PSQLRC", "MYSQL_HOME", "TERMINFO", "TERMCAP", "INFOPATH", "MANPATH", "MANOPT", "CURL_HOME", "WGETRC", "GH_PAGER", "GH_EDITOR",
		"GH_BROWSER", "GH_CONFIG_DIR", "GH_HOST", "HOSTFILE", "LIBPATH", "SHLIB_PATH", "OPENSSL_CONF", "OPENSSL_MODULES", "SSLKEYLOGFILE", "GHCRTS",
		"DOTNET_STARTUP_HOOKS", "COMPlus_EnableDiagnostics", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE", "R_PROFILE_USER", "JULIA_LOAD_PATH",
		"PIP_CONFIG_FILE", "PIP_INDEX_URL", "UV_INDEX_URL", "BUNDLE_GEMFILE", "GEM_PATH", "GEM_HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS", "ANSIBLE_CONFIG", "VIMINIT", "EXINIT", "VIM", "VIMRUNTIME", "NVIM_APPNAME", "TMUX":
		return runsValue
	}
	switch {
	case strings.HasPrefix(name, "LC_"):
		return plainVariable
	case strings.HasPrefix(name, "LD_"), strings.HasPrefix(name, "DYLD_"), strings.HasPrefix(name, "GIT_"),
		strings.HasPrefix(name, "BASH_FUNC_"), strings.HasPrefix(name, "MALLOC_"), strings.HasPrefix(name, "GLIBC_"):
		return runsValue
	}
	return unknownVariable
}

// inherited judges the environment that the command starts with: what a value
// would run, if it lies where the agent or anyone can write.
func (a *analysis) inherited() {
	for _, name := range a.env.Ambient {
		if !matters(name) {
			continue
		}
		text, ok := a.inherits(name)
		if !ok {
			text = ""
		}
		if what := a.ambientFault(name, text); what != "" {
			a.unknown(PartAssignment, "", "inherited "+escaped(name)+" "+what)
		}
	}
}

// matters reports whether an inherited variable can make the commands of this
// package's data run something. The first byte settles most names.
func matters(name string) bool {
	if name == "" || name == "PATH" || name == "HOME" || name == "SHELL" {
		return false
	}
	switch influenceOf(name) {
	case runsValue:
		return true
	case breaksShell:
		switch name {
		case "IFS", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4", "CDPATH", "GLOBIGNORE", "BASH_XTRACEFD", "BASH_LOADABLES_PATH", "NULLCMD", "READNULLCMD", "ZDOTDIR", "EXECIGNORE":
			return true
		}
	}
	return false
}

// ambientFault says why an inherited value cannot be vouched for, or "".
func (a *analysis) ambientFault(name, text string) string {
	switch {
	case strings.HasPrefix(name, "BASH_FUNC_"):
		return "replaces a command by a function"
	case name == "SHELLOPTS" || name == "BASHOPTS":
		if strings.Contains(text, "xtrace") {
			return "traces commands"
		}
		return ""
	case name == "IFS":
		if text == " \t\n" {
			return ""
		}
		return "changes how words are split"
	case name == "CDPATH":
		return "changes where cd goes"
	case strings.HasPrefix(name, "GIT_CONFIG"), name == "GIT_DIR", name == "GIT_WORK_TREE", name == "GIT_INDEX_FILE":
		if name == "GIT_CONFIG_NOSYSTEM" || text == "0" || text == "/dev/null" {
			return ""
		}
		return "changes what git reads"
	case text == "":
		return ""
	case strings.ContainsAny(text, "`") || strings.Contains(text, "$("):
		return "holds a command substitution"
	}
	if name == "BASH_ENV" && !path.IsAbs(text) && text[0] != '~' && text[0] != '$' {
		return "may run something relative: " + escaped(text) // no search in PATH
	}
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], " \t\n:;|&'\"=,<>()%")
		if n < 0 {
			n = len(text) - i
		}
		if what := a.pathFault(text[i : i+n]); what != "" {
			return what
		}
		i += n + 1
	}
	if first, _, _ := strings.Cut(text, " "); commandVariable(name) && !path.IsAbs(first) && !strings.ContainsAny(first, "/|") {
		p := a.find(first, state{dir: a.env.Dir})
		if p.foreign {
			return "runs " + escaped(first) + " from where the agent can write"
		}
	}
	return ""
}

// commandVariable reports whether a value is a command line.
func commandVariable(name string) bool {
	return strings.HasSuffix(name, "PAGER") || strings.HasSuffix(name, "EDITOR") || name == "VISUAL" || name == "BROWSER" ||
		name == "GIT_SSH" || name == "GIT_SSH_COMMAND" || name == "GIT_EXTERNAL_DIFF" || strings.HasSuffix(name, "ASKPASS")
}

// pathFault says what is wrong with a piece of an inherited value if it names
// something that the agent or anyone can write, or "".
func (a *analysis) pathFault(piece string) string {
	switch {
	case piece == "." || piece == ".." || strings.HasPrefix(piece, "./") || strings.HasPrefix(piece, "../"):
		return "may run something relative: " + escaped(piece)
	case strings.HasPrefix(piece, "~/"):
		return ""
	case !path.IsAbs(piece):
		if strings.Contains(piece, "/") && !strings.Contains(piece, "//") && !strings.HasPrefix(piece, "$") {
			return "may run something relative: " + escaped(piece)
		}
		return ""
	}
	real := path.Clean(piece)
	if a.env.Files != nil {
		if r, err := view.Resolve(a.env.Files, piece); err == nil {
			real = r
		}
	}
	if temporary(real) {
		return "may run " + escaped(piece) + ", where anyone can write"
	}
	for _, root := range a.env.Roots {
		if root != "" && view.Below(root, real) {
			return "may run " + escaped(piece) + " of the workspace"
		}
	}
	if a.env.Files != nil {
		if info, err := a.env.Files.Lstat(real); err == nil && info.Mode.Perm()&0o002 != 0 && !harmlessDevice(real) {
			return "may run " + escaped(piece) + ", which anyone can write"
		}
	}
	return ""
}

// shellVariable reports an assignment that changes more than a variable.
func (a *analysis) shellVariable(name string, v value, raw string) {
	switch influenceOf(name) {
	case plainVariable:
		return
	case unknownVariable:
		if _, exported := a.inherits(name); !exported || name == "_" {
			return
		}
	case runsValue:
		if v.known && plainSetting(name, v.text) {
			return
		}
	}
	a.unknown(PartAssignment, raw, "what assigning "+escaped(name)+" changes is not known")
}

// assignment reads one assignment, reports what it changes beyond a variable,
// and returns what it assigns.
func (a *analysis) assignment(as *syntax.Assign, st state) word {
	if !plainAssign(as) {
		a.unfollowed(as, "an assignment of this kind")
		a.within(as, st, input{})
		return word{}
	}
	w := a.assignedWord(as, st)
	a.ownName(as.Name.Value, as)
	a.shellVariable(as.Name.Value, w.value, a.raw(as))
	return w
}

// assignedWord is the value of an assignment: no splitting, no globs, and a
// tilde after a colon is expanded (such a value is left unknown).
func (a *analysis) assignedWord(as *syntax.Assign, st state) word {
	if as.Value == nil {
		return word{value: value{known: true}}
	}
	w := a.single(as.Value, st)
	w.glob = 0
	if w.known && strings.Contains(w.raw, ":~") {
		w.value = value{}
	}
	return w
}

// unheard reports whether a variable of which nothing is known changes nothing
// of a program: the data says that it heeds none but those of the C library.
func (a *analysis) unheard(name string, words []word) bool {
	if len(words) == 0 || !words[0].known || words[0].many || influenceOf(name) != unknownVariable || shellsOwn(name) || strings.HasPrefix(name, "PERL") {
		return false
	}
	switch name {
	case "LOCPATH", "NLSPATH", "TZDIR", "RES_OPTIONS", "LOCALDOMAIN", "TMPDIR", "TMP", "TEMP", "GETCONF_DIR", "NIS_PATH", "MAGIC", "LIBC_FATAL_STDERR_", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "GMON_OUT_PREFIX", "OLDTERM", "_":
		return false
	}
	program := words[0].text
	if shellOwns(program) || strings.Contains(program, "/") {
		return false
	}
	s, ok := a.sheet(program)
	if !ok || !s.deaf {
		return false
	}
	p := a.find(program, state{dir: a.env.Dir})
	return p.fault == "" && !p.foreign
}

// exported reports a variable that a command inherits from the line.
func (a *analysis) exported(name string, v value, raw string, words []word) {
	if a.unheard(name, words) {
		return
	}
	switch influenceOf(name) {
	case plainVariable:
		// A path makes libraries load catalogues from there.
		if !(strings.HasPrefix(name, "LANG") || strings.HasPrefix(name, "LC_")) || v.known && !strings.Contains(v.text, "/") {
			return
		}
	case runsValue:
		if v.known && plainSetting(name, v.text) {
			return
		}
	}
	a.unknown(PartAssignment, raw, "what "+escaped(name)+" makes the command do is not known")
}

// plainSetting reports whether a value of a variable that can run programs
// runs none.
func plainSetting(name, text string) bool {
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
