package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unfollowed reports a construct that nod does not follow. The line stays open,
// whatever the rest of it does; what stands in the construct is read all the
// same, for what is looked for wherever it stands.
func (a *analysis) unfollowed(n syntax.Node, what string) {
	a.beyond = true
	parts := a.parts
	a.parts = 0
	a.unknown(PartOther, a.raw(n), what+" is more shell than nod follows")
	a.parts = parts
}

// within walks every command that stands in a construct that nod does not
// follow, as if each ran.
func (a *analysis) within(n syntax.Node, st state, in input) state {
	syntax.Walk(n, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Stmt)
		if !ok || a.over != "" {
			return a.over == ""
		}
		_, st = a.andOr(s, st, in, false)
		return false
	})
	return st
}

// constructs names what a node is, for a person.
func constructs(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.FuncDecl:
		return "a function"
	case *syntax.CaseClause:
		return "case"
	case *syntax.ArithmCmd:
		return "(( ))"
	case *syntax.LetClause:
		return "let"
	case *syntax.TestClause:
		return "[[ ]]"
	case *syntax.CoprocClause:
		return "a coprocess"
	case *syntax.ForClause:
		if n.Select {
			return "select"
		}
		return "a loop over no list of words"
	}
	return "this"
}

// survey is what a text assigns, wherever in it that stands.
type survey struct {
	names  []string
	writes map[string]int
}

// surveyed lists what a text assigns. A name that is written once, by an
// assignment, has 1.
func (a *analysis) surveyed(list []*syntax.Stmt) survey {
	s := survey{writes: writesOf(list)}
	for name := range s.writes {
		s.names = append(s.names, name)
	}
	for _, stmt := range list {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			if d, ok := n.(*syntax.DeclClause); ok && d.Variant.Value == "export" {
				a.exports = append(a.exports, exportedNames(d)...)
			}
			return true
		})
	}
	return s
}

// exportedNames are what an export hands to every program of the text, before
// it too: a loop comes round.
func exportedNames(d *syntax.DeclClause) (names []string) {
	for _, as := range d.Args {
		if as.Name != nil && influenceOf(as.Name.Value) == unknownVariable {
			names = append(names, as.Name.Value)
		}
	}
	return names
}

// many is the count of a name that a text writes in a way of which the value
// does not follow.
const many = 2

// writesOf counts for each name how often commands write it.
func writesOf(list []*syntax.Stmt) map[string]int {
	var writes map[string]int
	write := func(name string, times int) {
		if writes == nil {
			writes = map[string]int{}
		}
		writes[name] += times
	}
	for _, s := range list {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				switch {
				case n.Name == nil:
				case n.Append || n.Index != nil || n.Array != nil || n.Naked:
					write(n.Name.Value, many)
				default:
					write(n.Name.Value, 1)
				}
			case *syntax.WordIter:
				write(n.Name.Value, 1)
			case *syntax.ParamExp:
				if n.Param != nil && n.Exp != nil {
					write(n.Param.Value, many)
				}
			case *syntax.CallExpr:
				for _, name := range filled(n) {
					write(name, many)
				}
			}
			return true
		})
	}
	return writes
}

// filled lists the variables that a builtin may fill: each word of it that
// could be a name.
func filled(c *syntax.CallExpr) (names []string) {
	for i, w := range c.Args {
		switch w.Lit() {
		case "read", "mapfile", "readarray", "printf", "getopts", "unset", "export", "local", "declare", "typeset", "readonly",
			"vared", "wait", "let", "zparseopts", "integer", "float":
			for _, arg := range c.Args[i+1:] {
				name, _, _ := strings.Cut(arg.Lit(), "=")
				if plainIdentifier(name) {
					names = append(names, name)
				}
			}
			return append(names, "REPLY", "MAPFILE")
		}
	}
	return nil
}

// assignsOnly returns the assignments of a statement that does nothing else;
// nil where it does, or where an assignment is more than NAME=word.
func assignsOnly(s *syntax.Stmt) []*syntax.Assign {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) > 0 || !plainStmt(s) {
		return nil
	}
	for _, as := range call.Assigns {
		if !plainAssign(as) {
			return nil
		}
	}
	return call.Assigns
}

func plainAssign(as *syntax.Assign) bool {
	return as.Name != nil && as.Index == nil && as.Array == nil && !as.Append && !as.Naked
}

// ownName reports a variable that a shell fills, ties to something else or
// reads itself: what assigning it does does not follow from its value.
func (a *analysis) ownName(name string, n syntax.Node) {
	if shellsOwn(name) {
		a.unfollowed(n, "assigning "+escaped(name)+", which is the shell's own,")
	}
}

// shellsOwn reports whether a variable is one of those that bash, zsh or dash
// write, tie or heed (bash 5.2, zsh 5.9 and dash 0.5.12, their manuals), those
// that influenceOf knows to break a shell among them.
func shellsOwn(name string) bool {
	switch name {
	case "_", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "EPOCHSECONDS", "EPOCHREALTIME", "UID", "EUID", "GID", "EGID", "GROUPS", "PPID",
		"BASHPID", "OPTIND", "OPTARG", "OPTERR", "REPLY", "MAPFILE", "COPROC", "DIRSTACK", "FUNCNAME", "PIPESTATUS", "READLINE_LINE",
		"READLINE_POINT", "READLINE_MARK", "READLINE_ARGUMENT", "COMP_CWORD", "COMP_LINE", "COMP_POINT", "COMP_TYPE", "COMP_KEY", "COMP_WORDBREAKS", "COMP_WORDS", "COMPREPLY",
		"TIMEFORMAT", "TIMEFMT", "POSIXLY_CORRECT", "IGNOREEOF", "ignoreeof", "FIGNORE", "fignore", "HOSTTYPE", "MACHTYPE", "OSTYPE", "CPUTYPE", "VENDOR",
		"HOSTNAME", "HOST", "HISTCMD", "HISTCHARS", "histchars", "HISTCONTROL", "HISTIGNORE", "HISTSIZE", "HISTFILESIZE", "HISTTIMEFORMAT", "SAVEHIST", "FCEDIT", "CHILD_MAX",
		"auto_resume", "INSIDE_EMACS", "EMACS", "TEXTDOMAIN", "TEXTDOMAINDIR", "PROMPT_DIRTRIM", "SHLVL", "COLUMNS", "LINES", "PSVAR", "SPROMPT", "PROMPT2", "PROMPT3", "PROMPT4", "RPROMPT2", "RPS1", "RPS2",
		"ARGC", "status", "pipestatus", "signals", "ERRNO", "LOGNAME", "USERNAME", "TTY", "TTYIDLE", "ZSH_EVAL_CONTEXT", "zsh_eval_context",
		"manpath", "mailpath", "module_path", "watch", "WATCH", "WATCHFMT", "LOGCHECK", "MAILCHECK", "KEYTIMEOUT", "BAUD", "DIRSTACKSIZE", "LISTMAX", "LOGOUT",
		"REPORTTIME", "REPORTMEMORY", "STTY", "WORDCHARS", "ZLS_COLORS", "ZLS_COLOURS", "ZBEEP", "CORRECT_IGNORE", "CORRECT_IGNORE_FILE", "TRY_BLOCK_ERROR", "TRY_BLOCK_INTERRUPT",
		"options", "parameters", "modules", "dirstack", "history", "historywords", "jobdirs", "jobtexts", "jobstates", "nameddirs", "userdirs", "usergroups",
		"builtins", "reswords", "patchars", "funcstack", "funcfiletrace", "funcsourcetrace", "functrace", "dis_builtins", "dis_functions", "dis_aliases", "dis_galiases", "saliases", "dis_saliases", "dis_reswords", "dis_patchars",
		"errnos", "sysparams", "mapfile", "termcap", "terminfo", "widgets", "keymaps", "match", "mbegin", "mend", "MATCH", "MBEGIN", "MEND", "reply", "commands", "langinfo", "region_highlight",
		"LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TMPPREFIX", "TMPSUFFIX", "KSH_VERSION", "ZSH_NAME", "ZSH_VERSION", "ZSH_SUBSHELL", "ZSH_PATCHLEVEL", "ZSH_SCRIPT", "ZSH_ARGZERO", "ZSH_EXECUTION_STRING":
		return true
	}
	return influenceOf(name) == breaksShell || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "BASH")
}
