package shell

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// shellOwns reports whether bash and zsh have a builtin of that name, so that
// PATH is not asked. Those that only one of them has are looked up.
func shellOwns(name string) bool {
	switch name {
	case ":", ".", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete",
		"compopt", "continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export",
		"false", "fc", "fg", "getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout",
		"mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly", "return", "set", "shift",
		"shopt", "source", "suspend", "test", "times", "trap", "true", "type", "typeset", "ulimit", "umask",
		"unalias", "unset", "wait":
		return true
	}
	return false
}

// builtin analyses what the shell itself does. ok is false for a program, and for
// builtins that only print or compare, which stand in the data. What changes the shell
// beyond its directory is not followed; what it would run is looked at all the same.
func (a *analysis) builtin(inv *invocation) (after state, ok bool) {
	st := inv.st
	switch inv.name {
	case "cd":
		return a.out.cd(inv), true
	case "command", "exec", "builtin", "noglob", "nocorrect", "-":
		return a.precommand(inv), true
	case "set":
		a.out.sets = true
		a.out.set(inv)
		return st, true
	case "exit", "break", "continue", "wait":
		zshEvaluates := func(w word) bool { return !(w.known && grammar.Decimal(w.text)) && w.raw != "$?" }
		if slices.ContainsFunc(inv.args, zshEvaluates) {
			a.out.beyondShell(inv)
		}
		return st, true
	case "eval", "trap":
		a.out.beyondShell(inv)
		if text, ok := joinedText(inv.args); ok && inv.name == "eval" {
			a.nested(text, st, inv.name)
		} else if len(inv.args) > 0 && inv.args[0].known {
			a.nested(inv.args[0].text, st, inv.name)
		}
		a.out.does(Run, "", inv.raw)
		return st.in(""), true
	case "source", ".":
		a.out.beyondShell(inv)
		if len(inv.args) > 0 {
			a.script(inv.args[0], inv)
		}
		return st.in(""), true
	case "printf", "test", "[", "echo", ":", "true", "false", "pwd", "type", "kill":
		return st, false
	}
	if !shellOwns(inv.name) {
		return st, false
	}
	a.out.beyondShell(inv)
	return st.in(""), true
}

// beyondShell reports a builtin that changes the shell itself.
func (d *draft) beyondShell(inv *invocation) {
	d.beyond, d.sets = true, true
	name := inv.name
	if name == "." {
		name = "source" // as people say it
	}
	d.unknown(PartOther, inv.raw, notFollowed(grammar.Escaped(name)))
}

// cd returns the state after success.
func (d *draft) cd(inv *invocation) state {
	args := inv.args
	if len(args) > 0 && args[0].known && (args[0].text == "--" || args[0].text == "-L") {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return inv.st.in(d.machine.env.Home)
	case len(args) > 1, !args[0].known, args[0].many, args[0].glob > 0, args[0].text == "",
		strings.ContainsAny(args[0].text[:1], "-+"), // an option, or an entry of the stack of directories
		strings.HasPrefix(args[0].text, "//"):       // $PWD keeps both slashes, or not
		return inv.st.in("")
	}
	if text, set := d.machine.inherits("CDPATH"); set && text != "" && !strings.HasPrefix(args[0].text, "/") {
		return inv.st.in("")
	}
	return inv.st.in(d.enterDir(args[0], inv.st))
}

// enterDir is where cd leads. The shell resolves ".." on the text, the kernel
// by links; where the two differ the directory is not known.
func (d *draft) enterDir(w word, st state) string {
	abs, ok := d.machine.absolute(w, st)
	if !ok {
		return ""
	}
	if what := grammar.Disguise(abs); what != "" {
		d.unknown(PartWords, w.raw, "this uses a path with "+what+": "+grammar.Escaped(abs))
	}
	clean := path.Clean(abs)
	if d.machine.env.Files != nil && strings.Contains(abs, "..") {
		x, err1 := view.Resolve(d.machine.env.Files, abs)
		y, err2 := view.Resolve(d.machine.env.Files, clean)
		if err1 != nil && err2 != nil || err1 == nil && err2 == nil && x != y {
			return ""
		}
	}
	return clean
}

func (m *machine) isDir(name string) bool {
	if m.env.Files == nil {
		return false
	}
	real, err := view.Resolve(m.env.Files, name)
	if err != nil {
		return false
	}
	info, err := m.env.Files.Lstat(real)
	return err == nil && info.Mode&fs.ModeDir != 0
}

func joinedText(args []word) (string, bool) {
	if len(args) == 1 {
		return args[0].text, args[0].known && args[0].glob == 0
	}
	parts := make([]string, len(args))
	for i, w := range args {
		if !w.known || w.many || w.glob > 0 {
			return "", false
		}
		parts[i] = w.text
	}
	return strings.Join(parts, " "), true
}

// precommand analyses the words behind command, and behind what nod does not follow but what runs a command too.
func (a *analysis) precommand(inv *invocation) state {
	args := inv.args
	if inv.name != "command" {
		a.out.beyondShell(inv)
	}
	for len(args) > 0 && args[0].dashed() {
		switch option := args[0]; {
		case inv.name == "command" && option.known && (option.text == "-v" || option.text == "-V"):
			return inv.st
		case option.known && option.text == "--":
		default:
			a.out.beyondShell(inv)
		}
		args = args[1:]
	}
	if len(args) == 0 || !a.limits.spend() {
		return inv.st
	}
	a.out.wrappers = append(a.out.wrappers, inv.name)
	cmd := &a.out.report.Commands[a.out.command]
	cmd.Words, cmd.Wrappers = exposed(args), append([]string(nil), a.out.wrappers...)
	after := a.run(args, strings.TrimLeft(strings.TrimPrefix(inv.raw, inv.name), " "), inv.st, inv.in, false)
	a.out.wrappers = a.out.wrappers[:len(a.out.wrappers)-1]
	return after
}

// set reports options that do more than decide whether a command runs, or than print what runs.
func (d *draft) set(inv *invocation) {
	line, known := joinedText(inv.args)
	switch {
	case len(inv.args) == 0:
		d.does(Secret, "environment", inv.raw)
	case !known || !slices.Contains([]string{"-e", "+e", "-u", "-x", "-eu", "-eux", "-o pipefail", "-euo pipefail",
		"-eo pipefail", "-euxo pipefail"}, line):
		d.beyondShell(inv)
	}
}

// declaration walks export and its kin, which nod does not follow.
func (a *analysis) declaration(c *syntax.DeclClause, st state) {
	raw := a.now.raw(c)
	a.out.report.Commands[a.out.enter(raw)].Words = []Word{{Value: c.Variant.Value, Known: true}}
	a.unfollowed(c, grammar.Escaped(c.Variant.Value))
	if !slices.ContainsFunc(c.Args, func(as *syntax.Assign) bool { return as.Name != nil }) { // it prints what there is
		a.out.does(Secret, "environment", raw)
	}
	a.within(c, st, input{})
	a.out.command, a.out.sets = -1, true
}

// printfArgs reports a printf that is not plain: of %s alone, since zsh evaluates numbers
// and some formats fill a variable.
func (d *draft) printfArgs(inv *invocation) {
	format := word{value: constant("")}
	if len(inv.args) > 0 {
		format = inv.args[0]
	}
	pieces := strings.Split(strings.ReplaceAll(format.text, "%%", ""), "%")
	other := func(piece string) bool { return !strings.HasPrefix(piece, "s") }
	if !format.known || format.dashed() || slices.ContainsFunc(pieces[1:], other) ||
		strings.Contains(format.text, `\u`) || strings.Contains(format.text, `\U`) || // zsh 5.9 takes \u0025 for a %
		strings.Contains(format.text, `\x`) {
		d.unknown(PartWords, inv.raw, "this prints with a format that sets a variable, or calculates")
	}
}

// testArgs reports a test that is not plain. Shells evaluate the name after -v and -R, the number after -t and both
// sides of a comparison of numbers: an index in them runs commands. So there is one test, of a file or of text.
func (d *draft) testArgs(inv *invocation) {
	args := inv.args
	if n := len(args); inv.name == "[" && n > 0 && args[n-1].text == "]" {
		args = args[:n-1]
	}
	if len(args) > 0 && args[0].known && args[0].text == "!" {
		args = args[1:]
	}
	is := func(i int, ops string) bool { return args[i].known && strings.Contains(ops, " "+args[i].text+" ") }
	plain := len(args) == 2 && is(0, " -d -e -f -h -L -n -r -s -w -x -z ") || len(args) == 3 && is(1, " = == != ")
	if !plain || slices.ContainsFunc(args, func(w word) bool { return w.many || w.glob > 0 }) {
		d.unknown(PartWords, inv.raw, "nod does not read this "+inv.name)
	}
}
