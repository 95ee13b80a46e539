package variables

import "strings"

// ShellsOwn reports whether a variable is one of those that bash, zsh or dash
// write, tie or heed (bash 5.2, zsh 5.9 and dash 0.5.12, their manuals), those
// that Of knows to break a shell among them.
func ShellsOwn(name string) bool {
	switch name {
	case "_", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "EPOCHREALTIME", "UID", "EUID", "GID",
		"EGID", "GROUPS", "PPID", "BASHPID", "OPTIND", "OPTARG", "OPTERR", "REPLY", "MAPFILE", "COPROC", "DIRSTACK",
		"FUNCNAME", "PIPESTATUS", "READLINE_LINE", "READLINE_POINT", "READLINE_MARK", "READLINE_ARGUMENT",
		"COMP_CWORD", "COMP_LINE", "COMP_POINT", "COMP_TYPE", "COMP_KEY", "COMP_WORDBREAKS", "COMP_WORDS",
		"COMPREPLY", "TIMEFORMAT", "TIMEFMT", "POSIXLY_CORRECT", "IGNOREEOF", "ignoreeof", "FIGNORE", "fignore",
		"HOSTTYPE", "MACHTYPE", "OSTYPE", "CPUTYPE", "VENDOR", "HOSTNAME", "HOST", "HISTCMD", "HISTCHARS",
		"histchars", "HISTCONTROL", "HISTIGNORE", "HISTSIZE", "HISTFILESIZE", "HISTTIMEFORMAT", "SAVEHIST",
		"FCEDIT", "CHILD_MAX", "auto_resume", "INSIDE_EMACS", "EMACS", "TEXTDOMAIN", "TEXTDOMAINDIR",
		"PROMPT_DIRTRIM", "SHLVL", "COLUMNS", "LINES", "PSVAR", "SPROMPT", "PROMPT2", "PROMPT3", "PROMPT4",
		"RPROMPT2", "RPS1", "RPS2", "ARGC", "status", "pipestatus", "signals", "ERRNO", "LOGNAME", "USERNAME",
		"TTY", "TTYIDLE", "ZSH_EVAL_CONTEXT", "zsh_eval_context", "manpath", "mailpath", "module_path", "watch",
		"WATCH", "WATCHFMT", "LOGCHECK", "MAILCHECK", "KEYTIMEOUT", "BAUD", "DIRSTACKSIZE", "LISTMAX", "LOGOUT",
		"REPORTTIME", "REPORTMEMORY", "STTY", "WORDCHARS", "ZLS_COLORS", "ZLS_COLOURS", "ZBEEP", "CORRECT_IGNORE",
		"CORRECT_IGNORE_FILE", "TRY_BLOCK_ERROR", "TRY_BLOCK_INTERRUPT", "options", "parameters", "modules",
		"dirstack", "history", "historywords", "jobdirs", "jobtexts", "jobstates", "nameddirs", "userdirs",
		"usergroups", "builtins", "reswords", "patchars", "funcstack", "funcfiletrace", "funcsourcetrace",
		"functrace", "dis_builtins", "dis_functions", "dis_aliases", "dis_galiases", "saliases", "dis_saliases",
		"dis_reswords", "dis_patchars", "errnos", "sysparams", "mapfile", "termcap", "terminfo", "widgets",
		"keymaps", "match", "mbegin", "mend", "MATCH", "MBEGIN", "MEND", "reply", "commands", "langinfo",
		"region_highlight", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TMPPREFIX", "TMPSUFFIX", "KSH_VERSION",
		"ZSH_NAME", "ZSH_VERSION", "ZSH_SUBSHELL", "ZSH_PATCHLEVEL", "ZSH_SCRIPT", "ZSH_ARGZERO",
		"ZSH_EXECUTION_STRING", "KEYBOARD_HACK", "HISTORY_IGNORE", "PROMPT_EOL_MARK", "POSTEDIT", "TERMINFO_DIRS",
		"LISTPROMPT", "MENUMODE", "MENUPROMPT", "MENUSCROLL", "MENUSELECT", "ZPCRE_OP", "GLOBSORT", "epochtime",
		"SSH_CLIENT", "SSH2_CLIENT":
		return true
	}
	for _, prefix := range [...]string{"LC_", "BASH", "ZLE_", "zle_", "ZSH_", "zsh_", "ZFTP_", "ZCURSES_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return Of(name) == BreaksShell
}
