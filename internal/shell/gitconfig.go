package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// maxConfig bounds how much of a git configuration file is read.
const maxConfig = 256 << 10

// gitConfig collects the settings of one file that can run something. Those of
// the user's own files count only if they lead to where the agent can write.
func (g *repositories) gitConfig(r *repository, name string, own bool, depth int) {
	data, err := g.machine.env.Files.Read(name, maxConfig)
	if err != nil {
		if real, rerr := view.Resolve(g.machine.env.Files, name); rerr == nil && real != name {
			data, err = g.machine.env.Files.Read(real, maxConfig)
		}
	}
	if err != nil {
		if g.machine.exists(name) {
			r.fault = grammar.Escaped(name) + " cannot be read"
		}
		return
	}
	g.defs.rests(name, data)
	settings, ok := repo.Settings(string(data))
	if !ok {
		r.fault = grammar.Escaped(name) + " cannot be read"
		return
	}
	for _, s := range settings {
		g.gitSetting(r, s, name, own, depth)
	}
}

func (g *repositories) gitSetting(r *repository, s repo.Setting, file string, own bool, depth int) {
	name, text := s.Name, s.Text
	r.note(name, text, file, own)
	if value := strings.Trim(text, `"`); own || !path.IsAbs(value) && !strings.HasPrefix(value, "~") {
		g.notesFile(r, name, text, file) // .git-blame-ignore-revs, say, which the repository has
	}
	r.secret = r.secret || secretSetting(name, text)
	r.namesLogin = r.namesLogin || namesRemote(name, text)
	r.smudges = r.smudges || strings.HasPrefix(name, "filter.") &&
		(strings.HasSuffix(name, ".smudge") || strings.HasSuffix(name, ".process"))
	r.merges = r.merges || name == "log.diffmerges" && strings.HasPrefix(strings.Trim(text, `"`), "r")
	if !runsFromGit(name, text) && !(strings.HasPrefix(name, "pretty.") && strings.Contains(text, "G")) {
		return
	}
	if strings.HasPrefix(name, "include") {
		if !own && strings.HasSuffix(name, ".path") {
			g.gitInclude(r, s.Value(), file, depth)
			return
		}
	}
	if !own && ownCommand(g.machine, text, r.top, r.from, g.machine.env.Dir) {
		if strings.HasPrefix(name, "alias.") {
			r.keys = append(r.keys, gitKey{name, text, "", own})
		}
		return
	}
	r.keys = append(r.keys, gitKey{name, text, file, own})
}

// gitInclude follows an include of the user's own configuration.
func (g *repositories) gitInclude(r *repository, target, file string, depth int) {
	switch {
	case strings.HasPrefix(target, "~/") && g.machine.env.Home != "":
		target = g.machine.env.Home + target[1:]
	case !path.IsAbs(target):
		target = path.Join(path.Dir(file), target)
	}
	real, err := view.Resolve(g.machine.env.Files, target)
	if err != nil || depth > 4 {
		r.fault = grammar.Escaped(file) + " includes what cannot be read"
		return
	}
	place := g.machine.placeOf(real)
	g.gitConfig(r, real, place == Workspace || place == Temporary, depth+1)
}

// ownCommand reports whether a command in the user's own configuration leads
// nowhere that the agent can write.
func ownCommand(m *machine, text string, dirs ...string) bool {
	for _, piece := range strings.FieldsFunc(text,
		func(r rune) bool { return strings.ContainsRune(" \t\"';|&()=", r) }) {
		for _, home := range [...]string{"$HOME/", "${HOME}/"} {
			if below, ok := strings.CutPrefix(piece, home); ok {
				piece = m.env.Home + "/" + below
			}
		}
		if m.pathFault(piece) != "" && !strings.HasPrefix(piece, "refs/") {
			return false
		}
	}
	return !runsHere(m, repo.Setting{Text: text}.Value(), dirs...)
}

// runsHere reports whether a command may take code from the directory that it runs in:
// python3 -m nbstripout takes nbstripout.py there, make -s clean its Makefile, and a program
// that nobody knows a file that it names and that is there.
func runsHere(m *machine, text string, dirs ...string) bool {
	if m.ofGit {
		return false // git in a setting of git
	}
	first, _, _ := strings.Cut(text, " ")
	if setsVariable(text) || namesOneOf(m, text, dirs) || loadsByItself(path.Base(first)) ||
		strings.Contains(first, "/") && !path.IsAbs(first) && !strings.ContainsAny(first, "$~") {
		return true
	}
	if !strings.ContainsAny(text, "\n;|&()<>{}`$\"'\\*?[") && !Known(path.Base(first)) && !shellOwns(first) {
		return false // git-lfs clean -- %f: a program of the person's, and nothing else
	}
	inner := *m
	inner.ofGit = true
	r := read(text, &inner, syntax.LangBash)
	if r.Possible != nil {
		r.Effects = append(r.Effects, r.Possible.Effects...)
	}
	return slices.ContainsFunc(r.Definitions, func(d Definition) bool { return m.fromHere(DefinitionFile(d.Path)) }) ||
		slices.ContainsFunc(r.Effects, func(e Effect) bool { return e.Kind == Run && m.fromHere(e.Target) }) ||
		slices.ContainsFunc(r.Unknowns, func(u Unknown) bool { return mayLoad(m, r, u) })
}

// mayLoad reports whether what is not known of a command may be that it takes code from
// the directory: of an interpreter (awk -i x).
func mayLoad(m *machine, r Report, u Unknown) bool {
	if u.Command < 0 || u.Command >= len(r.Commands) || len(r.Commands[u.Command].Words) == 0 {
		return false
	}
	program := path.Base(r.Commands[u.Command].Words[0].Value)
	s, ok := m.sheet(program)
	if !ok {
		return loadsByItself(program)
	}
	first, _, _ := strings.Cut(s.args, " ")
	return s.interprets || s.hands != "" || codeRole(first)
}

// loadsByItself knows programs that nod knows nothing else of and that take code from the
// directory that they run in: lua -l x, irb with its .irbrc, inv with its tasks.py (read:
// their manuals).
func loadsByItself(program string) bool {
	switch strings.TrimRight(program, "0123456789.-") {
	case "lua", "luajit", "irb", "pry", "tclsh", "wish", "expect", "guile", "R", "Rscript", "octave", "julia", "ghci",
		"clojure", "clj", "bb", "racket", "sbcl", "clisp", "erl", "escript", "swipl", "gforth", "pypy", "php", "raku",
		"inv", "invoke", "doit", "latexmk", "mage", "gdb", "emacs", "pwsh", "nu", "fish",
		"tcsh", "csh", "ksh", "mksh":
		return true
	}
	return false
}

// fromHere reports whether code may be the agent's: all but a file that lies elsewhere.
func (m *machine) fromHere(file string) bool {
	place := m.placeOf(file)
	return !path.IsAbs(file) || place == Workspace || place == Temporary
}

// setsVariable reports whether a command sets a variable of the environment, many of which
// name what a program runs, or an alias, or speaks of the directory that it stands in.
func setsVariable(text string) bool {
	for i := 1; i < len(text); i++ {
		if c := text[i-1]; text[i] == '=' && ('A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_') {
			return true
		}
	}
	return strings.Contains(text, "alias.") || strings.Contains(text, "PWD")
}

// namesOneOf reports whether a command names a file that lies in one of the directories,
// but for its first word, which is looked for in PATH.
func namesOneOf(m *machine, text string, dirs []string) bool {
	pieces := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\"';|&()=@+,:<", r) })
	for _, piece := range pieces[min(1, len(pieces)):] {
		if strings.ContainsAny(piece, "*?[") && !strings.ContainsAny(text, "'\"") {
			return true // which file that is the shell says
		}
		if len(piece) > 2 && piece[0] == '-' && piece[1] != '-' { // -Px.cmake
			piece = piece[2:]
		}
		for _, dir := range dirs {
			if !path.IsAbs(piece) && dir != "" && m.exists(dir+"/"+piece) && !m.isDir(dir+"/"+piece) {
				return true
			}
		}
	}
	return false
}

// runsFromGit reports whether a setting can make git run something, or read
// its settings elsewhere.
func runsFromGit(name, text string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	first, _, _ := strings.Cut(name, ".")
	off := text == "false" || text == "true" || text == "0" || text == "1" || text == ""
	switch first {
	case "alias", "include", "includeif", "credential":
		return true
	case "commit", "tag", "push", "log":
		switch last {
		case "gpgsign", "showsignature", "forcesignannotated": // gpg signs as the person, and its agent stays
			return !falsy(text)
		}
		return last == "template"
	case "mailmap":
		return last == "blob" // of any commit, and lines of it are printed
	case "hook":
		return last == "command"
	case "gc":
		return last == "recentobjectshook"
	case "format":
		return last == "signaturefile" // any file, printed behind each patch
	case "blame":
		return last == "ignorerevsfile" && strings.Trim(path.Base(text), ".abcdefghijklmnopqrstuvwxyz_-") != "" ||
			last == "ignorerevsfile" && !strings.Contains(text, "ignore") // a line that is no revision is printed
	case "core":
		switch last {
		case "fsmonitor":
			return !off
		case "hookspath", "pager", "editor", "sshcommand", "gitproxy", "askpass", "alternaterefscommand":
			return true
		}
	case "diff", "merge", "filter", "difftool", "mergetool", "gpg", "trailer", "man", "browser", "guitool", "tar",
		"submodule", "sequence", "interactive", "pager", "uploadpack", "protocol", "remote", "url", "web", "ssh",
		"receive", "instaweb", "sendemail", "imap", "help", "http", "transfer", "lfs", "extensions":
		switch last {
		case "external", "command", "textconv", "driver", "clean", "smudge", "process", "cmd", "path", "program",
			"editor", "difffilter", "packobjectshook", "uploadpack", "receivepack", "vcs", "proxy", "browser",
			"smtpserver", "tool", "defaultkeycommand", "template", "cookiefile", "customtransfer", "storage":
			return last != "tool"
		case "update":
			return strings.HasPrefix(text, "!")
		case "insteadof", "pushinsteadof":
			return strings.Contains(name, "ext::")
		case "url", "pushurl":
			return strings.Contains(text, "::")
		}
		return first == "pager" && !off
	}
	return false
}
