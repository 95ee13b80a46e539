package shell

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// environment judges what the line assigns and hands to the programs that it
// starts, and what those inherit.
type environment struct {
	machine *machine
	out     *draft
	exports []string // variables that the text hands to the programs that it starts

	given    map[string]value // what the text assigns, wherever that stands
	missed   []string         // variables that were used and not known
	supposed map[string]value // what variables hold where it is only supposed that all runs
}

// gives notes what an assignment gives a variable. A name that is also given
// what nobody knows is not known.
func (e *environment) gives(name string, v value) {
	if old, ok := e.given[name]; ok && !old.known {
		return
	}
	if e.given == nil {
		e.given = map[string]value{}
	}
	e.given[name] = v
}

// supposes is what the variables that were not known hold if what assigns them
// ran: which of it runs, and when, is not followed.
func (e *environment) supposes() (held map[string]value) {
	for _, name := range e.missed {
		if v := e.given[name]; v.known {
			if held == nil {
				held = map[string]value{}
			}
			held[name] = v
		}
	}
	return held
}

// inherits returns an inherited variable.
func (m *machine) inherits(name string) (string, bool) {
	if m.env.Lookup == nil {
		return "", false
	}
	return m.env.Lookup(name)
}

// localeOf is what says in which characters the commands of a line read, and whether they
// are those in which nod reads.
func localeOf(m *machine) (name string, plain bool) {
	if value, _ := m.inherits("LOCPATH"); value != "" {
		return "LOCPATH", false // locales of that name from there
	}
	for _, variable := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value, _ := m.inherits(variable); value != "" {
			return value, variables.PlainLocale(variable, value)
		}
	}
	return "", true
}

// inItsCharacters says so where a text is read in other characters than nod reads it in.
func (d *draft) inItsCharacters(text string) {
	if name, plain := localeOf(d.machine); !plain &&
		strings.ContainsFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) {
		d.unknown(PartAssignment, "", "this is read in the characters of "+grammar.Escaped(name)+
			", in which a byte may mean something else; write it without them")
	}
}

// inherited judges the environment that the command starts with: what a value
// would run, if it lies where the agent or anyone can write.
func (e *environment) inherited() {
	for _, name := range e.machine.env.Ambient {
		text, _ := e.machine.inherits(name)
		what := ""
		if matters(name) {
			what = e.machine.ambientFault(name, text)
		} else if name != "_" && !strings.HasPrefix(name, "npm_") { // what was called last, and what npm calls
			what = programHere(e.machine, text)
		}
		if what != "" {
			e.out.unknown(PartAssignment, "", "this runs with an inherited "+grammar.Escaped(name)+" that "+what)
		}
	}
}

// matters reports whether an inherited variable can make the commands of this
// package's data run something. The first byte settles most names.
func matters(name string) bool {
	if name == "" || name == "PATH" || name == "HOME" {
		return false
	}
	switch variables.Of(name) {
	case variables.RunsValue:
		return true
	case variables.BreaksShell:
		switch name {
		case "IFS", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4", "CDPATH", "GLOBIGNORE", "BASH_XTRACEFD",
			"BASH_LOADABLES_PATH", "NULLCMD", "READNULLCMD", "ZDOTDIR", "EXECIGNORE":
			return true
		}
	}
	return false
}

// ambientFault says why an inherited value cannot be vouched for, or "".
func (m *machine) ambientFault(name, text string) string {
	switch {
	case strings.HasPrefix(name, "BASH_FUNC_"):
		return "replaces a command by a function"
	case name == "POSIXLY_CORRECT":
		return "makes files of options that stand behind one"
	case name == "SHELLOPTS" || name == "BASHOPTS":
		for option := range strings.SplitSeq(text, ":") {
			if !quietOptionOf(option) {
				return "sets " + option
			}
		}
		return ""
	case name == "IFS":
		if text == " \t\n" {
			return ""
		}
		return "changes how words are split"
	case name == "CDPATH":
		return "changes where cd goes"
	case strings.HasPrefix(name, "GIT_TRACE"):
		if quietTrace(text) {
			return ""
		}
		return "makes git write to " + grammar.Escaped(text)
	case text != "" && (name == "LD_DEBUG_OUTPUT" || strings.HasPrefix(name, "LD_PROFILE")):
		return "makes the loader write a file for each program"
	case strings.HasPrefix(name, "GIT_CONFIG"), name == "GIT_DIR", name == "GIT_WORK_TREE", name == "GIT_INDEX_FILE":
		if name == "GIT_CONFIG_NOSYSTEM" || text == "0" || text == "/dev/null" {
			return ""
		}
		return "changes what git reads"
	case text == "":
		return ""
	case emptyElement(name, text) && codeOfLibraries(m):
		return "has an empty element, which is the directory where the line runs"
	case name == "TAR_OPTIONS" || strings.HasPrefix(name, "XZ_"):
		for word := range strings.FieldsSeq(text) {
			if !quietPacking(word) {
				return "gives the option " + grammar.Escaped(word)
			}
		}
		return ""
	case strings.ContainsAny(text, "`") || strings.Contains(text, "$("):
		return "holds a command substitution"
	case strings.HasPrefix(name, "LD_") && strings.Contains(text, "$"):
		return "holds $ORIGIN or another name that the loader puts something in the place of"
	}
	if name == "BASH_ENV" && (!path.IsAbs(text) && text[0] != '~' && text[0] != '$' ||
		strings.Contains(strings.ReplaceAll(text, "$HOME", ""), "$")) {
		return "may run something relative: " + grammar.Escaped(text) // no search in PATH
	}
	for i := 0; i < len(text); {
		n := strings.IndexAny(text[i:], " \t\n:;|&'\"=,<>()%")
		if n < 0 {
			n = len(text) - i
		}
		piece := strings.TrimPrefix(text[i:i+n], "-I")
		if what := m.pathFault(piece); what != "" {
			return what
		}
		if program := i == 0 && variables.HoldsCommand(name); !program && liesHere(m, name, piece) {
			return "may run something relative: " + grammar.Escaped(piece)
		}
		i += n + 1
	}
	if first, _, _ := strings.Cut(text, " "); variables.HoldsCommand(name) && !path.IsAbs(first) &&
		!strings.ContainsAny(first, "/|") {
		p := m.find(first, state{dir: m.env.Dir})
		if p.foreign {
			return "runs " + grammar.Escaped(first) + " from where the agent can write"
		}
	}
	return ""
}

// quietTrace reports whether a value of GIT_TRACE and its like makes git write to no
// file: only to its standard error, or nowhere.
func quietTrace(text string) bool {
	switch strings.ToLower(text) {
	case "", "0", "1", "2", "true", "false", "no", "on", "off":
		return true
	}
	return false
}

// quietPacking reports whether an option that tar or xz always gets names no file and no
// program: how much to say, whose the files are, how hard to press.
func quietPacking(word string) bool {
	for _, prefix := range [...]string{"--no-", "--warning=", "--exclude=", "--owner=", "--group=", "--sort=",
		"--format=", "--threads=", "--memlimit"} {
		if strings.HasPrefix(word, prefix) {
			return true
		}
	}
	letters := strings.TrimPrefix(word, "-T")
	return word == "-v" || word == "--verbose" || word == "--numeric-owner" || word == "--xattrs" || word == "--acls" ||
		word == "-e" || word == "--extreme" || strings.HasPrefix(word, "-") && len(word) > 1 &&
		strings.Trim(strings.TrimPrefix(letters, "-"), "0123456789") == ""
}

// quietOptionOf reports whether an option of bash that every shell inherits leaves the
// meaning of a line alone: those that bash sets by itself, and few besides.
func quietOptionOf(option string) bool {
	switch option {
	case "braceexpand", "hashall", "interactive-comments", "emacs", "monitor", "pipefail",
		"errexit", "nounset", "checkwinsize", "cmdhist", "complete_fullquote", "expand_aliases", "extquote",
		"force_fignore", "globasciiranges", "globskipdots", "hostcomplete", "interactive_comments", "progcomp",
		"promptvars", "sourcepath", "histappend", "patsub_replacement", "lithist", "mailwarn", "checkhash",
		"checkjobs", "huponexit", "login_shell":
		return true
	}
	return false
}

// pathFault says what is wrong with a piece of an inherited value if it names
// something that the agent or anyone can write, or "".
func (m *machine) pathFault(piece string) string {
	if below, ok := strings.CutPrefix(piece, "~/"); ok && m.env.Home != "" {
		piece = m.env.Home + "/" + below
	}
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
	if ofProcess(piece) {
		return "may run " + grammar.Escaped(piece) + ", which is another file for each process"
	}
	if m.env.Files != nil {
		if r, err := view.Resolve(m.env.Files, piece); err == nil {
			real = r
		}
	}
	if temporary(real) {
		return "may run " + grammar.Escaped(piece) + ", where anyone can write"
	}
	for _, root := range m.env.Roots {
		if root != "" && view.Below(root, real) {
			return "may run " + grammar.Escaped(piece) + " of the workspace"
		}
	}
	if m.env.Files != nil {
		if info, err := m.env.Files.Lstat(real); err == nil && info.Mode.Perm()&0o002 != 0 && !harmlessDevice(real) {
			return "may run " + grammar.Escaped(piece) + ", which anyone can write"
		}
	}
	return ""
}

// ofProcess reports whether a path leads elsewhere for each process: /proc/self/cwd, or
// /dev/fd/../cwd, since /dev/fd is a link into it.
func ofProcess(name string) bool {
	clean := path.Clean(name)
	return view.Below("/proc", clean) || view.Below("/dev/fd", clean) ||
		strings.Contains(name, "..") && (strings.Contains(name, "/proc") || strings.Contains(name, "/dev/"))
}

// emptyElement reports whether a list of directories that code is loaded from has an
// empty element (glibc parts them at ; too), as in $OLD:/usr/lib where OLD was not set.
func emptyElement(name, text string) bool {
	switch name {
	case "LD_LIBRARY_PATH", "PYTHONPATH", "CLASSPATH", "PERL5LIB", "RUBYLIB":
		return slices.Contains(strings.Split(strings.ReplaceAll(text, ";", ":"), ":"), "")
	}
	return false
}

// codeOfLibraries reports whether code lies where the call starts that a program would
// load by itself from a directory in such a list.
func codeOfLibraries(m *machine) bool {
	if m.env.Files == nil {
		return true
	}
	names, err := m.env.Files.List(m.env.Dir, maxMatched)
	return err != nil || len(names) >= maxMatched || slices.ContainsFunc(names, func(name string) bool {
		return strings.HasSuffix(name, ".so") || strings.Contains(name, ".so.") || strings.HasSuffix(name, ".jar") ||
			name == "sitecustomize.py" || name == "usercustomize.py"
	})
}

// programHere says so where a value of a variable of which nothing is known names a
// program that lies in a workspace, or where the call starts: GOCACHEPROG=./run.sh.
func programHere(m *machine, text string) string {
	if m.env.Files == nil || !strings.Contains(text, "/") {
		return ""
	}
	between := func(r rune) bool { return strings.ContainsRune(" \t\n:;|&'\"=,", r) }
	for piece := range strings.FieldsFuncSeq(text, between) {
		name := piece
		switch {
		case strings.HasPrefix(piece, "./"), strings.HasPrefix(piece, "../"):
			name = path.Join(m.env.Dir, piece)
		case ofProcess(piece):
			return "may run " + grammar.Escaped(piece) + " of the workspace"
		case !slices.ContainsFunc(m.env.Roots, func(root string) bool { return root != "" && view.Below(root, piece) }):
			continue
		}
		if real, err := view.Resolve(m.env.Files, name); err == nil {
			name = real
		}
		info, err := m.env.Files.Lstat(name)
		if err == nil && info.Mode.IsRegular() && info.Mode.Perm()&0o111 != 0 {
			return "may run " + grammar.Escaped(piece) + " of the workspace"
		}
	}
	return ""
}

// liesHere reports whether a piece of a variable's value is the name of a file where the
// call starts, of a package that node would find there, or, in a list of directories, of
// a directory there.
func liesHere(m *machine, variable, piece string) bool {
	if piece == "" || path.IsAbs(piece) || m.env.Files == nil || m.env.Dir == "" {
		return false
	}
	info, err := m.env.Files.Lstat(m.env.Dir + "/" + piece)
	list := slices.ContainsFunc([]string{"LIB", "PATH", "HOME", "DIR", "DIRS", "CONFIG", "PREFIX", "MANOPT"},
		func(end string) bool { return strings.HasSuffix(variable, end) })
	return err == nil && (list || !info.Mode.IsDir()) || m.exists(m.env.Dir+"/node_modules/"+piece)
}

// shellVariable reports an assignment that changes more than a variable.
func (e *environment) shellVariable(name string, v value, raw string) {
	switch variables.Of(name) {
	case variables.Plain:
		return
	case variables.Unknown:
		if _, exported := e.machine.inherits(name); !exported || name == "_" {
			return
		}
	case variables.RunsValue:
		if v.known && variables.Harmless(name, v.text) {
			return
		}
	}
	e.out.unknown(PartAssignment, raw, "this sets "+grammar.Escaped(name)+", and nod does not know what that changes")
}

// assignment reads one assignment, reports what it changes beyond a variable,
// and returns what it assigns.
func (e *expander) assignment(as *syntax.Assign, st state) word {
	if !grammar.PlainAssign(as) {
		e.unfollowed(as, "an assignment of this kind")
		e.run.within(as, st, input{})
		return word{}
	}
	w := e.assignedWord(as, st)
	e.ownName(as.Name.Value, as)
	e.vars.shellVariable(as.Name.Value, w.value, e.now.raw(as))
	e.vars.gives(as.Name.Value, w.value)
	return w
}

// assignedWord is the value of an assignment: no splitting, no globs, and a
// tilde after a colon is expanded (such a value is left unknown).
func (e *expander) assignedWord(as *syntax.Assign, st state) word {
	if as.Value == nil {
		return word{value: value{known: true}}
	}
	w := e.single(as.Value, st)
	w.glob = 0
	if w.known && strings.Contains(w.raw, ":~") {
		w.value = value{}
	}
	return w
}

// unheard reports whether a variable of which nothing is known changes nothing
// of a program: the data says that it heeds none but those of the C library.
func (e *environment) unheard(name string, words []word) bool {
	if len(words) == 0 || !words[0].known || words[0].many || variables.Of(name) != variables.Unknown ||
		variables.ShellsOwn(name) || strings.HasPrefix(name, "PERL") {
		return false
	}
	switch name {
	case "LOCPATH", "NLSPATH", "TZDIR", "RES_OPTIONS", "LOCALDOMAIN", "TMPDIR", "TMP", "TEMP", "GETCONF_DIR",
		"NIS_PATH", "MAGIC", "LIBC_FATAL_STDERR_", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
		"GMON_OUT_PREFIX", "OLDTERM", "_":
		return false
	}
	program := words[0].text
	if shellOwns(program) || strings.Contains(program, "/") {
		return false
	}
	s, ok := e.machine.sheet(program)
	if !ok || !s.deaf {
		return false
	}
	p := e.machine.find(program, state{dir: e.machine.env.Dir})
	return p.fault == "" && !p.foreign
}

// exported reports a variable that a command inherits from the line.
func (e *environment) exported(name string, v value, raw string, words []word) {
	if e.unheard(name, words) {
		return
	}
	switch variables.Of(name) {
	case variables.Plain:
		if variables.Integer(name) && !(v.known && v.isNumber()) {
			break // zsh calculates it, and an index in it runs commands
		}
		if !variables.IsLocale(name) || v.known && variables.PlainLocale(name, v.text) {
			return
		}
	case variables.RunsValue:
		if v.known && variables.Harmless(name, v.text) {
			return
		}
	}
	e.out.unknown(PartAssignment, raw,
		"this sets "+grammar.Escaped(name)+", and nod does not know what that makes the command do")
}
