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

// runsWords lists builtins that run their arguments, or a file that these name.
func runsWords(name string) bool {
	switch name {
	case "source", "eval", "trap", "exec", "command", "builtin", "noglob", "nocorrect":
		return true
	}
	return false
}

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
// beyond its directory is outside of what nod follows; what it would run is looked at
// all the same.
func (a *analysis) builtin(inv *invocation) (after state, ok bool) {
	st := inv.st
	switch inv.name {
	case "cd":
		return a.cd(inv), true
	case "command", "exec", "builtin", "noglob", "nocorrect", "-":
		return a.precommand(inv), true
	case "set":
		a.set(inv)
		return st, true
	case "exit", "break", "continue", "wait":
		zshEvaluates := func(w word) bool { return !(w.known && grammar.Decimal(w.text)) && !w.numeric }
		if slices.ContainsFunc(inv.args, zshEvaluates) {
			a.beyondShell(inv)
		}
		return st, true
	case "eval", "trap":
		a.beyondShell(inv)
		if text, ok := joinedText(inv.args); ok && inv.name == "eval" {
			a.texts.nested(text, st, inv.name)
		} else if len(inv.args) > 0 && inv.args[0].known {
			a.texts.nested(inv.args[0].text, st, inv.name)
		}
		a.out.does(Run, "", inv.raw)
		return st.in(""), true
	case "source", ".":
		a.beyondShell(inv)
		if len(inv.args) > 0 {
			a.texts.script(inv.args[0], inv)
		}
		return st.in(""), true
	case "printf", "test", "[", "echo", ":", "true", "false", "pwd", "type", "kill":
		return st, false
	}
	if !shellOwns(inv.name) {
		return st, false
	}
	if n := len(inv.args); inv.name == "read" && n > 0 && inv.in.kind == piped { // a line of what it is fed
		a.words.gives(inv.args[n-1].text, value{from: inv.in.from, to: inv.in.to})
	}
	a.beyondShell(inv)
	return st.in(""), true
}

// beyondShell reports a builtin that changes the shell itself.
func (a *analysis) beyondShell(inv *invocation) {
	a.out.beyond = true
	name := inv.name
	if name == "." {
		name = "source" // as people say it
	}
	a.out.unknown(PartOther, inv.raw, notFollowed(grammar.Escaped(name)))
}

// cd returns the state after success.
func (a *analysis) cd(inv *invocation) state {
	args := inv.args
	if len(args) > 0 && args[0].known && (args[0].text == "--" || args[0].text == "-L") {
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return inv.st.in(a.machine.env.Home)
	case len(args) > 1, !args[0].known, args[0].many, args[0].glob > 0, args[0].text == "",
		strings.ContainsAny(args[0].text[:1], "-+"), // an option, or an entry of the stack of directories
		strings.HasPrefix(args[0].text, "//"):       // $PWD keeps both slashes, or not
		return inv.st.in("")
	}
	if text, set := a.machine.inherits("CDPATH"); set && text != "" && !strings.HasPrefix(args[0].text, "/") {
		return inv.st.in("")
	}
	return inv.st.in(a.out.enterDir(args[0], inv.st))
}

// enterDir is where cd leads. The shell resolves ".." on the text, the kernel
// by links; where the two differ the directory is not known.
func (d *draft) enterDir(w word, st state) string {
	abs, ok := absolute(w, st)
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

// precommand analyses the words behind command, and behind what nod does not
// follow but what runs a command too.
func (a *analysis) precommand(inv *invocation) state {
	args := inv.args
	if inv.name != "command" {
		a.beyondShell(inv)
	}
	for len(args) > 0 && args[0].dashed() {
		switch option := args[0]; {
		case inv.name == "command" && option.known && (option.text == "-v" || option.text == "-V"):
			return inv.st
		case option.known && option.text == "--":
		default:
			a.beyondShell(inv)
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

// set reports options that do more than decide whether a command runs, or
// than print what runs.
func (a *analysis) set(inv *invocation) {
	if len(inv.args) == 0 {
		a.out.does(Secret, "environment", inv.raw)
	}
	for _, w := range inv.args {
		letters := strings.TrimLeft(w.text, "-+")
		quiet := slices.Contains([]string{"pipefail", "errexit", "nounset", "xtrace"}, letters) ||
			len(w.text) == len(letters)+1 && letters != "" && strings.Trim(letters, "euxo") == ""
		if !w.known || !quiet {
			a.beyondShell(inv)
			return
		}
	}
}

// declaration walks export NAME=word. Every other declaration gives names a
// meaning that nod does not follow.
func (a *analysis) declaration(c *syntax.DeclClause, st state) {
	if !a.limits.spend() {
		return
	}
	raw := a.now.raw(c)
	index := a.out.enter(raw)
	a.out.report.Commands[index].Words = []Word{{Value: c.Variant.Value, Known: true}}
	named := slices.ContainsFunc(c.Args, func(as *syntax.Assign) bool { return as.Name != nil })
	if !named || c.Variant.Value != "export" {
		a.words.unfollowed(c, grammar.Escaped(c.Variant.Value))
		a.within(c, st, input{})
	}
	if !named { // it prints what there is
		a.out.does(Secret, "environment", raw)
		return
	}
	for _, as := range c.Args {
		a.words.assignment(as, st)
		if a.out.command = index; as.Name != nil && grammar.PlainAssign(as) {
			a.vars.exported(as.Name.Value, a.words.assignedWord(as, st).value, raw, nil)
		}
	}
	a.out.command = -1
}

// plainNumber reports whether a text is a number and no expression: to zsh a name is the
// expression that a variable holds.
func plainNumber(w word) bool {
	whole, part, _ := strings.Cut(strings.TrimLeft(w.text, "+-"), ".")
	return w.numeric || w.known && w.glob == 0 && w.text != "" && strings.Trim(whole+part, "0123456789") == ""
}

// printfArgs reports a printf that fills a variable, or numbers that zsh evaluates.
func (a *analysis) printfArgs(inv *invocation) {
	args := inv.args
	if len(args) > 0 && args[0].known && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	numbers, plain := formatVerbs(args[0].text)
	calculates := func(w word) bool { return !plainNumber(w) }
	if !args[0].known || args[0].dashed() || !plain ||
		numbers && slices.ContainsFunc(args[1:], calculates) {
		a.out.unknown(PartWords, inv.raw, "this prints with a format that sets a variable, or calculates")
	}
}

// formatVerbs reports whether conversions of a format print numbers, and whether all of
// them are plain: %s and its kin, or numbers.
func formatVerbs(format string) (numbers, plain bool) {
	if strings.Contains(format, `\u`) || strings.Contains(format, `\U`) || strings.Contains(format, `\x`) {
		return false, false // zsh 5.9 takes \u0025 for a %
	}
	pieces := strings.Split(strings.ReplaceAll(format, "%%", ""), "%")
	for _, piece := range pieces[1:] {
		verb := strings.TrimLeft(piece, "-+ #0123456789.")
		switch {
		case verb == "" || strings.IndexByte("sqbcdiouxXeEfFgG", verb[0]) < 0:
			return false, false
		case strings.IndexByte("sqbc", verb[0]) < 0:
			numbers = true
		}
	}
	return numbers, true
}

// testArgs checks the arguments of test and [. Shells evaluate the name after -v and -R,
// the number after -t and both sides of a comparison of numbers: an index in them runs
// commands. So all words are known, but for one that is looked at or compared as text.
func (a *analysis) testArgs(inv *invocation) {
	args := inv.args
	if n := len(args); inv.name == "[" && n > 0 && args[n-1].text == "]" {
		args = args[:n-1]
	}
	for len(args) > 1 && args[0].known && args[0].text == "!" {
		args = args[1:]
	}
	is := func(i int, ops ...string) bool {
		return i >= 0 && i < len(args) && args[i].known && slices.Contains(ops, args[i].text)
	}
	text := len(args) == 2 && args[0].known || len(args) == 3 && is(1, "=", "==", "!=")
	for i, w := range args {
		number := is(i-1, "-t", "-eq", "-ne", "-lt", "-le", "-gt", "-ge") ||
			is(i+1, "-eq", "-ne", "-lt", "-le", "-gt", "-ge")
		switch {
		case w.many && !w.numeric, w.glob > 0, !w.known && !w.numeric && !text, is(i, "-v", "-R"):
			a.out.unknown(PartWords, inv.raw, grammar.Escaped(w.raw)+" may be an operator of "+inv.name)
		case number && !plainNumber(w):
			a.out.unknown(PartWords, inv.raw, "this calculates with a value that nod does not know")
		}
	}
}

// special dispatches to the readers of programs whose arguments need more than
// the data can say. done is false where the data goes on.
func (a *analysis) special(s *sheet, inv *invocation) (done bool) {
	switch s.code {
	case "git":
		a.git(s, inv)
		return true
	case "test":
		a.testArgs(inv)
		return true
	case "printf":
		a.printfArgs(inv)
	case "tmux":
		for _, w := range inv.args {
			if !w.known || strings.HasSuffix(w.text, ";") {
				a.out.unknown(PartWords, inv.raw, "this may give tmux a further command")
			}
		}
	}
	return false
}
