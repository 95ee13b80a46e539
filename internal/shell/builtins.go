package shell

import (
	"io/fs"
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/variables"
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

// builtins looks at the arguments of what the shell itself does, for what is
// more than nod follows.
type builtins struct {
	out *draft
	now *reading
}

// builtin analyses what the shell itself does. ok is false for a program.
// Builtins that only print (echo, printf, test ...) stand in the data. What
// changes the shell beyond its directory is outside of what nod follows; what
// it would run is looked at all the same.
func (a *analysis) builtin(inv *invocation) (after state, ok bool) {
	st := inv.st
	switch inv.name {
	case "cd", "chdir":
		return a.cd(inv), true
	case "command":
		return a.precommand(inv), true
	case "read":
		a.builtins.read(inv)
		for _, w := range inv.args {
			a.vars.shellVariable(w.text, value{}, inv.raw)
		}
	case "set":
		a.builtins.set(inv)
	case "exit", "break", "continue", "wait":
		a.builtins.numbered(inv)
	case "printf":
		return st, a.builtins.printfTo(inv)
	case "eval", "trap":
		a.builtins.beyondShell(inv)
		if text, ok := joinedText(inv.args); ok && inv.name == "eval" {
			a.texts.nested(text, st, inv.name)
		} else if len(inv.args) > 0 && inv.args[0].known {
			a.texts.nested(inv.args[0].text, st, inv.name)
		}
		a.out.does(Run, "", inv.raw)
		return st.in(""), true
	case "source", ".":
		a.builtins.beyondShell(inv)
		a.sourced(inv)
		return st.in(""), true
	case "exec", "builtin", "noglob", "nocorrect", "-":
		a.builtins.beyondShell(inv)
		return a.precommand(inv), true
	case "pushd", "popd":
		a.builtins.beyondShell(inv)
		return st.in(""), true
	case "export", "readonly", "declare", "typeset", "local", "alias", "unalias", "unset", "mapfile", "readarray",
		"getopts", "vared", "shift", "shopt", "setopt", "unsetopt", "enable", "bind", "complete", "compopt", "fc",
		"zmodload", "autoload", "emulate", "zle", "bindkey", "functions", "hash", "ulimit", "umask", "history",
		"compgen", "disown", "return", "jobs", "fg", "bg", "times", "caller", "logout", "suspend", "dirs", "help",
		"let", "coproc", "integer", "float", "zparseopts", "zstyle", "zformat", "rehash", "unhash", "unfunction",
		"sched", "limit", "unlimit", "zcompile", "zsystem", "sysopen", "sysread", "syswrite", "ztcp", "zsocket",
		"zpty", "zselect", "getln", "print", "log", "bye", "r", "ttyctl", "vcs_info", "whence", "where", "zprof",
		"private":
		if !a.now.shellWord(inv.name) {
			return st, false
		}
		a.builtins.beyondShell(inv)
	default:
		return st, false
	}
	return st, true
}

// shellWord reports whether the shell itself takes a name, rather than PATH:
// some of zsh's are names of programs in other shells.
func (rd *reading) shellWord(name string) bool {
	return shellOwns(name) || rd.zsh()
}

// beyondShell reports a builtin that changes the shell itself.
func (b *builtins) beyondShell(inv *invocation) {
	b.out.beyond = true
	name := inv.name
	if name == "." {
		name = "source" // as people say it
	}
	b.out.unknown(PartOther, inv.raw, notFollowed(grammar.Escaped(name)))
}

// numbered reports arguments of a builtin that are not plain numbers: zsh
// evaluates them.
func (b *builtins) numbered(inv *invocation) {
	for _, w := range inv.args {
		if w.known && !w.many && w.glob == 0 && grammar.Decimal(w.text) || onlyStatus(w.raw) {
			continue
		}
		b.beyondShell(inv)
		return
	}
}

func onlyStatus(raw string) bool {
	raw = strings.Trim(raw, `"`)
	return raw == "$?" || raw == "$#" || raw == "$!" || raw == "$$"
}

// cd returns the state after success.
func (a *analysis) cd(inv *invocation) (yes state) {
	yes = inv.st
	args := inv.args
	for len(args) > 0 && args[0].known && len(args[0].text) > 1 && args[0].text[0] == '-' {
		option := args[0].text
		args = args[1:]
		if option == "--" {
			break
		}
		if option != "-L" { // behind -P, $PWD has another name
			yes.dir = ""
			return yes
		}
	}
	yes.dir = ""
	switch {
	case len(args) == 0 && !yes.homeless:
		yes.dir = a.machine.env.Home
	case len(args) == 0: // dash stays where it is, bash goes to another home
	case len(args) > 1, !args[0].known, args[0].many, args[0].glob > 0, args[0].text == "-", args[0].text == "",
		args[0].text[0] == '+',                // zsh: an entry of the stack of directories
		strings.HasPrefix(args[0].text, "//"): // $PWD keeps both slashes, or not
		return yes
	case strings.Contains(args[0].text, "..") && namedOtherwise(a.machine):
		return yes
	case a.machine.inheritedSet("CDPATH") && !strings.HasPrefix(args[0].text, "/"):
		return yes
	default:
		if grammar.Disguise(args[0].text) != "" {
			a.out.unknown(PartWords, inv.raw,
				"this uses a path with "+grammar.Disguise(args[0].text)+": "+grammar.Escaped(args[0].text))
		}
		yes.dir = a.out.enterDir(args[0], inv.st)
	}
	return yes
}

// sourced reports a file that runs in this shell.
func (a *analysis) sourced(inv *invocation) {
	if len(inv.args) == 0 {
		return
	}
	a.texts.script(inv.args[0], inv)
}

// namedOtherwise reports whether the shell inherits another name for its directory, by a
// link: cd .. goes up from there.
func namedOtherwise(m *machine) bool {
	pwd, _ := m.inherits("PWD")
	if !path.IsAbs(pwd) || m.env.Files == nil || pwd == m.env.Dir {
		return false
	}
	there, err := view.Resolve(m.env.Files, pwd)
	here, err2 := view.Resolve(m.env.Files, m.env.Dir)
	return err != nil || err2 != nil || there == here
}

func (m *machine) inheritedSet(name string) bool {
	v, ok := m.inherits(name)
	return ok && v != ""
}

// enterDir is where cd leads. The shell resolves ".." on the text, the kernel
// by links; where the two differ the directory is not known.
func (d *draft) enterDir(w word, st state) string {
	abs, ok := absolute(w, st)
	if !ok {
		return ""
	}
	clean := path.Clean(abs)
	if real, _ := d.machine.place(abs); openDirectory(abs, real, true) {
		return ""
	}
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
	st, args := inv.st, inv.args
	for len(args) > 0 && args[0].dashed() {
		switch option := args[0]; {
		case inv.name == "command" && option.known && (option.text == "-v" || option.text == "-V"):
			return st
		case option.known && option.text == "--":
		default:
			a.builtins.beyondShell(inv)
		}
		args = args[1:]
	}
	if len(args) == 0 || !a.limits.spend() {
		return st
	}
	a.out.wrappers = append(a.out.wrappers, inv.name)
	cmd := &a.out.report.Commands[a.out.command]
	cmd.Words, cmd.Wrappers = exposed(args), append([]string(nil), a.out.wrappers...)
	after := a.run(args, strings.TrimLeft(strings.TrimPrefix(inv.raw, inv.name), " "), st, inv.in, false)
	a.out.wrappers = a.out.wrappers[:len(a.out.wrappers)-1]
	return after
}

// read reports a read that does more than fill variables by their names.
func (b *builtins) read(inv *invocation) {
	args := inv.args
	for len(args) > 0 && args[0].known && strings.HasPrefix(args[0].text, "-") {
		switch option := args[0].text; {
		case option == "-r" || option == "-s" || option == "-rs" || option == "-sr":
		case (option == "-d" || option == "-rd" || option == "-n" || option == "-t") && len(args) > 1 &&
			args[1].known &&
			(strings.HasSuffix(option, "d") || grammar.Decimal(args[1].text)):
			args = args[1:]
		default:
			b.beyondShell(inv)
		}
		args = args[1:]
	}
	for _, w := range args { // a name in quotes, or out of a variable, is none that the survey of the text has seen
		if !w.known || w.many || w.raw != w.text || !grammar.Identifier(w.text) || variables.ShellsOwn(w.text) ||
			variables.Of(w.text) != variables.Unknown {
			b.beyondShell(inv)
		}
	}
}

// set reports options that do more than decide whether a command runs, or
// than print what runs.
func (b *builtins) set(inv *invocation) {
	if len(inv.args) == 0 {
		b.out.does(Secret, "environment", inv.raw)
	}
	for i := 0; i < len(inv.args); i++ {
		w := inv.args[i]
		letters := strings.TrimLeft(w.text, "-+")
		if !w.known || len(w.text) != len(letters)+1 || letters == "" || strings.Trim(letters, "euxo") != "" {
			b.beyondShell(inv)
			return
		}
		if strings.Contains(letters, "o") {
			if i++; !strings.HasSuffix(letters, "o") || strings.Count(letters, "o") > 1 || i == len(inv.args) ||
				!quietOption(inv.args[i]) {
				b.beyondShell(inv)
				return
			}
		}
	}
}

func quietOption(w word) bool {
	switch w.text {
	case "pipefail", "errexit", "nounset", "xtrace":
		return w.known
	}
	return false
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
	named := false
	for _, as := range c.Args {
		named = named || as.Name != nil
	}
	if !named || c.Variant.Value != "export" {
		a.words.unfollowed(c, grammar.Escaped(c.Variant.Value))
		a.within(c, st, input{})
	}
	if !named { // it prints what there is
		a.out.does(Secret, "environment", raw)
		return
	}
	for _, as := range c.Args {
		a.export(as, raw, st)
		a.out.command = index
	}
	a.out.command = -1
}

func (a *analysis) export(as *syntax.Assign, raw string, st state) {
	if as.Name != nil && as.Naked && as.Value == nil && as.Array == nil {
		a.words.ownName(as.Name.Value, as)
		a.vars.handedOn(as.Name.Value, value{}, raw)
		return
	}
	before := len(a.out.report.Unknowns)
	w := a.words.assignment(as, st)
	if len(a.out.report.Unknowns) > before || as.Name == nil {
		return
	}
	if strings.ContainsRune(w.raw, '~') {
		w.value = value{} // not every shell expands it here
	}
	a.vars.handedOn(as.Name.Value, w.value, raw)
}

// handedOn reports a variable that every program gets, unless it depends on the
// program what the variable does (external).
func (e *environment) handedOn(name string, v value, raw string) {
	if variables.Of(name) != variables.Unknown {
		e.exported(name, v, raw, nil)
	}
}

// printfTo reports a printf that fills a variable. ok is false where it only
// prints, which the data knows.
func (b *builtins) printfTo(inv *invocation) (done bool) {
	if len(inv.args) > 0 && inv.args[0].dashed() && inv.args[0].text != "--" {
		b.beyondShell(inv)
		return true
	}
	b.formatted(inv)
	return false
}

// plainNumber reports whether a text is a number and no expression: to zsh a name is the
// expression that a variable holds.
func plainNumber(text string) bool {
	whole, part, _ := strings.Cut(strings.TrimLeft(text, "+-"), ".")
	return len(text) > 0 && strings.Trim(whole+part, "0123456789") == ""
}

// formatted reports a format of printf that sets a variable (%n), and numbers
// that zsh evaluates.
func (b *builtins) formatted(inv *invocation) {
	args := inv.args
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) < 2 {
		return
	}
	verbs := grammar.FormatVerbs(args[0].text)
	if args[0].known && strings.Contains(verbs, "n") {
		b.out.unknown(PartWords, inv.raw, "this prints with a format that sets a variable")
	}
	zsh, numbers := b.now.zsh(), strings.ContainsAny(verbs, "diouxXeEfFgG*") || !args[0].known || args[0].glob > 0
	for _, w := range args[1:] {
		switch {
		case !args[0].known && w.known && variables.Of(w.text) >= variables.RunsValue:
			b.out.unknown(PartWords, inv.raw, "this prints with a format that may set a variable")
		case zsh && numbers && !(w.known && w.glob == 0 && plainNumber(w.text)) && !w.numeric && !onlyStatus(w.raw):
			b.out.unknown(PartWords, inv.raw, "this calculates with a value that nod does not know")
		}
	}
}
