package shell

import (
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// inherits returns an inherited variable.
func (m *machine) inherits(name string) (string, bool) {
	if m.env.Lookup == nil {
		return "", false
	}
	return m.env.Lookup(name)
}

// exported reports a variable that a command inherits from the line, unless what it
// changes is known: what is printed, at most.
func (d *draft) exported(name string, v value, raw string) {
	if plainVariable(name, v) {
		return
	}
	d.unknown(PartAssignment, raw,
		"this sets "+grammar.Escaped(name)+", and nod does not know what that makes the command do")
}

// assignment reads one assignment, and reports what it changes beyond a variable: names
// in capitals may be those of the shell or of programs, and zsh has some others.
func (a *analysis) assignment(as *syntax.Assign, st state) {
	if !grammar.PlainAssign(as) {
		a.unfollowed(as, "an assignment of this kind")
		a.within(as, st, input{})
		return
	}
	name, v := as.Name.Value, a.assigned(as, st)
	if _, exported := a.machine.inherits(name); plainVariable(name, v) ||
		!exported && name[0] != '_' && strings.ToLower(name) == name && !ofZsh(name) {
		return
	}
	a.out.unknown(PartAssignment, a.now.raw(as),
		"this sets "+grammar.Escaped(name)+", and nod does not know what that changes")
}

// assigned is the value of an assignment: no splitting, no globs, and a
// tilde after a colon is expanded (such a value is left unknown).
func (a *analysis) assigned(as *syntax.Assign, st state) value {
	if as.Value == nil {
		return value{known: true}
	}
	w := a.single(as.Value, st)
	if w.glob = 0; strings.Contains(w.raw, "~") {
		return value{}
	}
	return w.value
}

// plainVariable reports whether a variable with this value changes what programs print,
// at most.
func plainVariable(name string, v value) bool {
	switch name {
	case "TZ", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI", "COLUMNS", "LINES",
		"DEBUG", "VERBOSE", "NODE_ENV", "RUST_LOG", "RUST_BACKTRACE", "GOOS", "GOARCH", "CGO_ENABLED",
		"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONIOENCODING", "PYTHONUTF8", "DEBIAN_FRONTEND",
		"GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE",
		"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GH_NO_UPDATE_NOTIFIER",
		"GH_PROMPT_DISABLED", "NO_UPDATE_NOTIFIER", "TIME_STYLE", "GREP_COLOR", "GREP_COLORS", "LS_COLORS",
		"ENVIRONMENT", "APP_ENV", "SOURCE_DATE_EPOCH", "HOMEBREW_NO_AUTO_UPDATE", "DO_NOT_TRACK":
		return true
	case "LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_NUMERIC", "LC_TIME", "LC_MESSAGES":
		return v.known && plainLocale(v.text)
	case "PAGER", "GIT_PAGER", "GH_PAGER", "MANPAGER", "SYSTEMD_PAGER", "PSQL_PAGER":
		return v.known && (v.text == "" || v.text == "cat")
	case "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR":
		return v.known && (v.text == "true" || v.text == ":")
	}
	return false
}

// plainLocale reports whether a locale has the characters in which nod reads. In those of
// others a byte below 0x80 may be part of a letter: of GBK, Shift_JIS and Big5 a backslash
// (bash 5.2 and 3.2, GNU sed 4.9).
func plainLocale(text string) bool {
	text = strings.ToLower(text)
	return text == "c" || text == "posix" || !strings.Contains(text, "/") &&
		(strings.HasSuffix(text, ".utf-8") || strings.HasSuffix(text, ".utf8"))
}

// ofZsh lists the variables without capitals that zsh or bash write, tie or heed (zsh 5.9,
// bash 5.2, their manuals).
func ofZsh(name string) bool {
	switch name {
	case "path", "cdpath", "fpath", "module_path", "manpath", "mailpath", "fignore", "ignoreeof", "histchars",
		"auto_resume", "prompt", "psvar", "argv", "aliases", "galiases", "saliases", "functions", "commands", "status",
		"pipestatus", "signals", "watch", "options", "parameters", "modules", "dirstack", "history", "historywords",
		"jobdirs", "jobtexts", "jobstates", "nameddirs", "userdirs", "usergroups", "builtins", "reswords", "patchars",
		"funcstack", "funcfiletrace", "funcsourcetrace", "functrace", "errnos", "sysparams", "mapfile", "termcap",
		"terminfo", "widgets", "keymaps", "match", "mbegin", "mend", "reply", "langinfo", "region_highlight",
		"precmd_functions", "preexec_functions", "chpwd_functions", "epochtime":
		return true
	}
	return strings.HasPrefix(name, "zle_") || strings.HasPrefix(name, "zsh_") || strings.HasPrefix(name, "dis_")
}

// secretVariable reports whether a variable of that name usually holds a secret.
func secretVariable(name string) bool {
	upper := strings.ToUpper(name)
	for _, part := range [...]string{"SECRET", "PASSW", "TOKEN", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY",
		"CREDENTIAL", "WEBHOOK", "CONNECTION_STRING", "DATABASE_UR", "DB_UR", "MONGO_UR", "MONGODB_UR", "REDIS_UR",
		"POSTGRES_UR", "POSTGRESQL_UR", "PG_UR", "MYSQL_UR", "AMQP_UR", "RABBITMQ_UR", "BROKER_UR", "SMTP_UR",
		"MAIL_UR", "SENTRY_UR"} {
		if strings.Contains(upper, part) {
			return true
		}
	}
	last := upper[strings.LastIndexByte(upper, '_')+1:]
	switch last {
	case "KEY", "PWD": // but PWD itself, and OLDPWD
		return last != upper
	case "PAT", "CREDS", "CRED", "AUTH", "JWT", "COOKIE", "COOKIES", "DSN", "OTP", "BEARER", "SAS", "PSK":
		return true
	}
	return strings.HasSuffix(last, "PASS")
}
