package shell

import (
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
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
			a.unknown(PartAssignment, "", "inherited "+grammar.Escaped(name)+" "+what)
		}
	}
}

// matters reports whether an inherited variable can make the commands of this
// package's data run something. The first byte settles most names.
func matters(name string) bool {
	if name == "" || name == "PATH" || name == "HOME" || name == "SHELL" {
		return false
	}
	switch variables.Of(name) {
	case variables.RunsValue:
		return true
	case variables.BreaksShell:
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
		return "may run something relative: " + grammar.Escaped(text) // no search in PATH
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
	if first, _, _ := strings.Cut(text, " "); variables.HoldsCommand(name) && !path.IsAbs(first) && !strings.ContainsAny(first, "/|") {
		p := a.find(first, state{dir: a.env.Dir})
		if p.foreign {
			return "runs " + grammar.Escaped(first) + " from where the agent can write"
		}
	}
	return ""
}

// pathFault says what is wrong with a piece of an inherited value if it names
// something that the agent or anyone can write, or "".
func (a *analysis) pathFault(piece string) string {
	switch {
	case piece == "." || piece == ".." || strings.HasPrefix(piece, "./") || strings.HasPrefix(piece, "../"):
		return "may run something relative: " + grammar.Escaped(piece)
	case strings.HasPrefix(piece, "~/"):
		return ""
	case !path.IsAbs(piece):
		if strings.Contains(piece, "/") && !strings.Contains(piece, "//") && !strings.HasPrefix(piece, "$") {
			return "may run something relative: " + grammar.Escaped(piece)
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
		return "may run " + grammar.Escaped(piece) + ", where anyone can write"
	}
	for _, root := range a.env.Roots {
		if root != "" && view.Below(root, real) {
			return "may run " + grammar.Escaped(piece) + " of the workspace"
		}
	}
	if a.env.Files != nil {
		if info, err := a.env.Files.Lstat(real); err == nil && info.Mode.Perm()&0o002 != 0 && !harmlessDevice(real) {
			return "may run " + grammar.Escaped(piece) + ", which anyone can write"
		}
	}
	return ""
}

// shellVariable reports an assignment that changes more than a variable.
func (a *analysis) shellVariable(name string, v value, raw string) {
	switch variables.Of(name) {
	case variables.Plain:
		return
	case variables.Unknown:
		if _, exported := a.inherits(name); !exported || name == "_" {
			return
		}
	case variables.RunsValue:
		if v.known && variables.Harmless(name, v.text) {
			return
		}
	}
	a.unknown(PartAssignment, raw, "what assigning "+grammar.Escaped(name)+" changes is not known")
}

// assignment reads one assignment, reports what it changes beyond a variable,
// and returns what it assigns.
func (a *analysis) assignment(as *syntax.Assign, st state) word {
	if !grammar.PlainAssign(as) {
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
	if len(words) == 0 || !words[0].known || words[0].many || variables.Of(name) != variables.Unknown || variables.ShellsOwn(name) || strings.HasPrefix(name, "PERL") {
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
	switch variables.Of(name) {
	case variables.Plain:
		// A path makes libraries load catalogues from there.
		if !(strings.HasPrefix(name, "LANG") || strings.HasPrefix(name, "LC_")) || v.known && !strings.Contains(v.text, "/") {
			return
		}
	case variables.RunsValue:
		if v.known && variables.Harmless(name, v.text) {
			return
		}
	}
	a.unknown(PartAssignment, raw, "what "+grammar.Escaped(name)+" makes the command do is not known")
}
