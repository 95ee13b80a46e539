package shell

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// shellOwns reports whether bash and zsh have a builtin of that name, so that
// PATH is not asked. Those that only one of them has are looked up.
func shellOwns(name string) bool {
	switch name {
	case ":", ".", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen", "complete", "compopt",
		"continue", "declare", "dirs", "disown", "echo", "enable", "eval", "exec", "exit", "export", "false", "fc", "fg",
		"getopts", "hash", "help", "history", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "printf", "pushd",
		"pwd", "read", "readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend", "test", "times",
		"trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait":
		return true
	}
	return false
}

// builtin analyses what the shell itself does. ok is false for a program.
// Builtins that only print (echo, printf, test ...) stand in the data.
func (a *analysis) builtin(inv *invocation) (yes, no state, ok bool) {
	st := inv.st
	switch inv.name {
	case "cd", "chdir":
		yes, no = a.cd(inv)
		return yes, no, true
	case "pushd", "popd":
		st.dir = ""
	case "eval":
		yes, no = a.eval(inv)
		return yes, no, true
	case "source", ".":
		st = a.sourced(inv)
	case "command", "builtin", "exec", "noglob", "nocorrect", "-":
		return a.precommand(inv)
	case "trap":
		a.trap(inv)
	case "alias":
		a.alias(inv)
	case "unset":
		st = a.unset(inv)
	case "read", "mapfile", "readarray", "getopts", "vared":
		st = a.reads(inv)
	case "shift":
		a.constantArgs(inv)
		st = shifted(inv)
	case "exit":
		a.constantArgs(inv)
		st.gone = len(inv.args) == 0 || len(inv.args) == 1 && !inv.args[0].many && inv.args[0].isNumber()
	case "set":
		st = a.set(inv)
	case "export", "readonly", "declare", "typeset", "local":
		st = a.declared(inv)
	case "shopt", "setopt", "unsetopt", "enable", "bind", "complete", "compopt", "fc", "zmodload", "autoload", "emulate", "zle", "bindkey", "functions", "hash", "ulimit", "umask", "history", "compgen", "disown":
		if !a.quiet(inv) {
			a.unknown(PartWords, inv.raw, "what "+escaped(inv.name)+" changes in the shell is not known")
		}
	case "printf":
		st = a.printfTo(inv)
		if _, found := a.sheet("printf"); found {
			sh, _ := a.sheet("printf")
			a.apply(sh, inv)
		}
	case "return", "break", "continue", "wait", "jobs", "fg", "bg", "times", "caller", "logout", "suspend", "unalias", "dirs", "help", "let":
		a.constantArgs(inv)
	default:
		return st, st, false
	}
	return st, st, true
}

// shifted is the state after shift.
func shifted(inv *invocation) state {
	st := inv.st
	n := 1
	if len(inv.args) == 1 && inv.args[0].known && len(inv.args[0].text) == 1 && inv.args[0].isNumber() {
		n = int(inv.args[0].text[0] - '0')
	} else if len(inv.args) > 0 {
		n = len(st.args) + 1
	}
	if !st.argsKnown || n > len(st.args) {
		st.args, st.argsKnown = nil, false
		return st
	}
	st.args = st.args[n:]
	return st
}

// quiet reports whether a builtin that can change the shell only prints or
// sets something that cannot matter here.
func (a *analysis) quiet(inv *invocation) bool {
	for _, w := range inv.args {
		if !w.known {
			return false
		}
	}
	switch inv.name {
	case "shopt":
		for _, w := range inv.args {
			switch w.text {
			case "-s", "-u", "-q", "-p", "nullglob", "globstar", "failglob", "extglob", "nocaseglob", "inherit_errexit", "nocasematch":
			default:
				return false
			}
		}
		return true
	case "setopt", "unsetopt":
		for _, w := range inv.args {
			switch strings.ToLower(strings.ReplaceAll(w.text, "_", "")) {
			case "nullglob", "nonomatch", "nomatch", "errexit", "pipefail", "nounset", "extendedglob", "shwordsplit":
				if strings.EqualFold(w.text, "shwordsplit") || strings.EqualFold(w.text, "sh_word_split") {
					return false
				}
			default:
				return false
			}
		}
		return true
	case "ulimit", "umask", "hash":
		for _, w := range inv.args {
			if strings.HasPrefix(w.text, "-p") {
				return false
			}
		}
		return inv.name != "hash" || len(inv.args) == 0 || inv.args[0].text == "-r"
	case "history":
		return len(inv.args) == 0 || len(inv.args) == 1 && constant(inv.args[0].text).isNumber()
	case "compgen":
		return len(inv.args) > 0 && (inv.args[0].text == "-c" || inv.args[0].text == "-b" || inv.args[0].text == "-k" || inv.args[0].text == "-v") && len(inv.args) <= 2
	case "disown":
		return true
	}
	return false
}

// constantArgs reports arguments that arithmetic would evaluate.
func (a *analysis) constantArgs(inv *invocation) {
	for _, w := range inv.args {
		if w.known && (inv.name == "jobs" && strings.HasPrefix(w.text, "-x") || inv.name == "wait" && strings.HasPrefix(w.text, "-") && strings.Contains(w.text, "p")) {
			a.unknown(PartWords, inv.raw, "an option of "+inv.name+" that runs a command or sets a variable")
		}
		if w.known && strings.ContainsAny(w.text, "[$`(") && inv.name != "help" && inv.name != "unalias" {
			a.unknown(PartWords, inv.raw, "arithmetic with an index that is not known")
		}
		if !w.known && !w.numeric && inv.name != "unalias" && inv.name != "wait" && inv.name != "help" {
			if onlyStatus(w.raw) {
				continue
			}
			a.unknown(PartWords, inv.raw, "arithmetic on a value that is not known")
		}
	}
}

func onlyStatus(raw string) bool {
	raw = strings.Trim(raw, `"`)
	return raw == "$?" || raw == "$#" || raw == "$!" || raw == "$$"
}

// cd returns the state after success and after failure.
func (a *analysis) cd(inv *invocation) (yes, no state) {
	yes, no = inv.st, inv.st
	args := inv.args
	for len(args) > 0 && args[0].known && len(args[0].text) > 1 && args[0].text[0] == '-' {
		option := args[0].text
		args = args[1:]
		if option == "--" {
			break
		}
		if option != "-P" && option != "-L" {
			yes.dir = ""
			return yes, no
		}
	}
	yes.dir = ""
	switch {
	case len(args) == 0:
		yes.dir = a.env.Home
	case len(args) > 1, !args[0].known, args[0].many, args[0].glob > 0, args[0].text == "-", args[0].text == "":
		return yes, no
	case a.pathVariable("CDPATH", inv.st) && !strings.HasPrefix(args[0].text, "/"):
		return yes, no
	default:
		if disguise(args[0].text) != "" {
			a.unknown(PartWords, inv.raw, "a path with "+disguise(args[0].text)+": "+escaped(args[0].text))
		}
		yes.dir = a.enterDir(args[0], inv.st)
	}
	if yes.dir != "" && a.isDir(yes.dir) {
		no = yes // it will not fail
	}
	return yes, no
}

func (a *analysis) pathVariable(name string, st state) bool {
	if st.lookup(name) != nil {
		return true
	}
	v, ok := a.inherits(name)
	return ok && v != ""
}

// enterDir is where cd leads. The shell resolves ".." on the text, the kernel
// by links; where the two differ the directory is not known.
func (a *analysis) enterDir(w word, st state) string {
	abs, ok := a.absolute(w, st)
	if !ok {
		return ""
	}
	clean := path.Clean(abs)
	for _, link := range a.links {
		if link == "" || view.Below(link, clean) {
			return ""
		}
	}
	if a.env.Files != nil && strings.Contains(abs, "..") {
		x, err1 := view.Resolve(a.env.Files, abs)
		y, err2 := view.Resolve(a.env.Files, clean)
		if err1 != nil && err2 != nil || err1 == nil && err2 == nil && x != y {
			return ""
		}
	}
	return clean
}

func (a *analysis) isDir(name string) bool {
	if a.env.Files == nil {
		return false
	}
	real, err := view.Resolve(a.env.Files, name)
	if err != nil {
		return false
	}
	info, err := a.env.Files.Lstat(real)
	return err == nil && info.Mode&fs.ModeDir != 0
}

// eval joins its arguments and walks the text in this shell.
func (a *analysis) eval(inv *invocation) (yes, no state) {
	text, ok := joinedText(inv.args)
	if !ok {
		a.unknown(PartWords, inv.raw, "what eval runs is not known")
		a.does(Run, "", inv.raw)
		return inv.st.lost(), inv.st.lost()
	}
	st := a.nested(text, inv.st, "eval")
	return st, st
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

// sourced reports the script that source runs in this shell.
func (a *analysis) sourced(inv *invocation) state {
	args := inv.args
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		a.unknown(PartWords, inv.raw, "what source runs is not known")
		return inv.st
	}
	if st, ok := a.sourceFile(args, inv); ok {
		return st
	}
	a.script(args[0], inv)
	st := inv.st.lost()
	st.funcs = nil
	a.unknown(PartWords, inv.raw, "what a sourced script changes in the shell is not known")
	return st
}

// precommand analyses command, builtin and exec.
func (a *analysis) precommand(inv *invocation) (yes, no state, ok bool) {
	st, args := inv.st, inv.args
	for len(args) > 0 && args[0].dashed() {
		switch option := args[0]; {
		case !option.known:
			a.unknown(PartWords, inv.raw, "an option that is not known")
		case option.text == "--":
		case inv.name == "command" && (option.text == "-v" || option.text == "-V"):
			return st, st, true
		case inv.name == "command" && option.text == "-p":
			st = st.assign("PATH", constant("/usr/bin:/bin:/usr/sbin:/sbin"))
		case inv.name == "exec" && option.text == "-a" && len(args) > 1:
			args = args[1:]
		case inv.name == "exec" && (option.text == "-c" || option.text == "-l" || option.text == "-cl"):
		case inv.name == "-":
		default:
			a.unknown(PartWords, inv.raw, "option "+escaped(option.text)+" of "+inv.name+" is not known")
		}
		stop := args[0].text == "--"
		args = args[1:]
		if stop {
			break
		}
	}
	inner := *inv
	inner.st, inner.args = st, args
	if len(args) == 0 {
		return st, st, true
	}
	yes, no = a.precommanded(&inner, args)
	return yes, no, true
}

// precommanded runs args without functions; builtins still apply but for exec.
func (a *analysis) precommanded(inv *invocation, args []word) (yes, no state) {
	if inv.name == "exec" {
		return a.inside(inv, args)
	}
	st := inv.st
	st.funcs = nil
	name := inv.name
	if !a.spend() {
		return st, st
	}
	a.wrappers = append(a.wrappers, name)
	cmd := &a.report.Commands[a.command]
	cmd.Words, cmd.Wrappers = exposed(args), append([]string(nil), a.wrappers...)
	yes, no = a.run(args, strings.TrimLeft(strings.TrimPrefix(inv.raw, name), " "), st, inv.in, false)
	a.wrappers = a.wrappers[:len(a.wrappers)-1]
	yes.funcs, no.funcs = inv.st.funcs, inv.st.funcs
	return yes, no
}

// trap walks the text that runs on a signal or at the end.
func (a *analysis) trap(inv *invocation) {
	args := inv.args
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	switch {
	case len(args) < 2, args[0].known && (args[0].text == "-" || args[0].text == "" || args[0].text == "-p" || args[0].text == "-l"):
	case !args[0].known:
		a.unknown(PartWords, inv.raw, "what trap runs is not known")
	default:
		if slices.ContainsFunc(args[1:], func(w word) bool { return !w.known || strings.EqualFold(w.text, "DEBUG") }) {
			a.unknown(PartWords, inv.raw, "a trap that runs before every command")
		}
		a.nested(args[0].text, inv.st.lost(), "trap")
	}
}

func (a *analysis) alias(inv *invocation) {
	for _, w := range inv.args {
		if !w.known || strings.Contains(w.text, "=") {
			a.unknown(PartWords, inv.raw, "an alias changes what later words mean")
			return
		}
	}
}

func (a *analysis) unset(inv *invocation) state {
	st := inv.st
	for _, w := range inv.args {
		switch {
		case !w.known || !plainIdentifier(strings.TrimPrefix(w.text, "-")):
			a.unknown(PartWords, inv.raw, "a variable name that is not known")
		case w.text[0] == '-':
			if w.text == "-f" {
				st.funcs = maybes(st.funcs, nil)
			}
		default:
			if influenceOf(w.text) == breaksShell {
				a.unknown(PartAssignment, inv.raw, "what unsetting "+escaped(w.text)+" changes is not known")
			}
			st = st.set(binding{name: w.text, value: constant(""), unset: true})
			if f := st.function(w.text); f != nil {
				st.funcs = maybes(st.funcs, nil)
			}
		}
	}
	return st
}

// reads forgets the variables that a builtin fills.
func (a *analysis) reads(inv *invocation) state {
	st := inv.st.assign("REPLY", value{}).assign("MAPFILE", value{})
	takes := "adinNptu" // letters with an argument
	switch inv.name {
	case "mapfile", "readarray":
		takes = "dnOsucC"
	case "getopts", "vared":
		takes = ""
	}
	line := inv.line()
	for i := 0; i < len(inv.args); i++ {
		w := inv.args[i]
		switch {
		case w.known && strings.HasPrefix(w.text, "-"):
			if strings.Contains(w.text, "C") && inv.name != "read" {
				a.unknown(PartWords, inv.raw, "a callback runs code")
			}
			// What the argument means differs between shells; a name in it may
			// be assigned.
			n := strings.IndexAny(w.text, takes)
			if n < 0 {
				continue
			}
			argument := w.text[n+1:]
			if i++; argument == "" && i < len(inv.args) {
				argument = inv.args[i].text
			} else {
				i--
			}
			if plainIdentifier(argument) {
				st = a.assigned(argument, value{}, inv.raw, st)
			}
		case inv.name == "getopts" && i == 0: // its options
		case !w.known || !plainIdentifier(w.text):
			a.unknown(PartWords, inv.raw, "a variable name that is not known")
		default:
			st = a.assigned(w.text, line, inv.raw, st)
		}
	}
	return st
}

// line is what read puts into its variable: whole lines of what feeds it, if
// it has one variable and does not read elsewhere.
func (inv *invocation) line() value {
	names := 0
	for i := 0; i < len(inv.args); i++ {
		switch w := inv.args[i]; {
		case !w.known:
			return value{}
		case w.text == "-r" || w.text == "-d" || w.text == "-rd":
			if strings.HasSuffix(w.text, "d") {
				i++
			}
		case strings.HasPrefix(w.text, "-"):
			return value{}
		default:
			names++
		}
	}
	if inv.name != "read" || names != 1 || inv.in.kind != piped {
		return value{}
	}
	return value{from: inv.in.from, to: inv.in.to}
}

// set returns the state after set: positional parameters, or options.
func (a *analysis) set(inv *invocation) state {
	st := inv.st
	if len(inv.args) == 0 {
		a.does(Secret, "environment", inv.raw)
	}
	for i := 0; i < len(inv.args); i++ {
		w := inv.args[i]
		switch {
		case !w.known:
			a.unknown(PartWords, inv.raw, "an option of set that is not known")
			return st
		case w.text == "--":
			st.args, st.argsKnown = inv.args[i+1:], allConstant(inv.args[i+1:])
			return st
		case len(w.text) > 1 && (w.text[0] == '-' || w.text[0] == '+'):
			if w.text[0] == '-' && strings.Trim(w.text[1:], "euxvhfobBm") != "" {
				a.unknown(PartWords, inv.raw, "option "+escaped(w.text)+" of set is not known")
			}
			if strings.HasSuffix(w.text, "o") && i+1 < len(inv.args) {
				i++
				if !quietOption(inv.args[i].text) {
					a.unknown(PartWords, inv.raw, "option "+escaped(inv.args[i].text)+" of set is not known")
				}
			}
		default:
			st.args, st.argsKnown = inv.args[i:], allConstant(inv.args[i:])
			return st
		}
	}
	return st
}

func quietOption(name string) bool {
	switch name {
	case "pipefail", "errexit", "nounset", "xtrace", "verbose", "noglob", "noclobber", "errtrace", "functrace", "posix":
		return true
	}
	return false
}

// declared analyses export and its kin where the grammar did not take them for
// a declaration (through command, builtin, or with words that are not
// assignments).
func (a *analysis) declared(inv *invocation) state {
	st := inv.st
	if len(inv.args) == 0 || len(inv.args) == 1 && inv.args[0].text == "-p" {
		a.does(Secret, "environment", inv.raw)
	}
	for _, w := range inv.args {
		name, text, ok := strings.Cut(w.text, "=")
		switch {
		case w.known && strings.HasPrefix(w.text, "-"):
			st = a.declareOption(w.text, inv.raw, st)
			if strings.ContainsAny(w.text, "fF") && (inv.name == "export" || strings.Contains(w.text, "x")) {
				a.exportsFunctions(inv.raw)
			}
		case !w.known && !ok, !plainIdentifier(name):
			a.unknown(PartAssignment, inv.raw, "an assignment that is not known")
		case ok:
			v := value{}
			if w.known {
				v = constant(text)
			}
			a.exported(name, v, w.raw, nil)
			st = a.assigned(name, v, w.raw, st)
		}
	}
	return st
}

// exportsFunctions reports functions that every bash started later takes for
// commands.
func (a *analysis) exportsFunctions(raw string) {
	a.unknown(PartAssignment, raw, "an exported function replaces a command elsewhere")
}

// declareOption reports an option of declare that changes what a value means.
func (a *analysis) declareOption(option, raw string, st state) state {
	if strings.ContainsAny(option[1:], "nT") {
		a.unknown(PartAssignment, raw, "a name that stands for another one")
	}
	if strings.IndexByte(option, 'i') > 0 {
		a.unknown(PartAssignment, raw, "arithmetic on assignment")
	}
	return st
}

// declaration walks declare, export, local ... as the grammar reads them.
func (a *analysis) declaration(c *syntax.DeclClause, st state) state {
	raw := a.raw(c)
	if !a.spend() {
		return st
	}
	index := a.enter(raw)
	a.report.Commands[index].Words = []Word{{Value: c.Variant.Value, Known: true}}
	exports := c.Variant.Value == "export"
	prints, functions, names := false, false, 0
	for _, as := range c.Args {
		if as.Naked && as.Name == nil && as.Value != nil {
			var w word
			w, st = a.single(as.Value, st)
			if w.known && strings.HasPrefix(w.text, "-") {
				exports = exports || strings.Contains(w.text, "x")
				prints = prints || strings.Contains(w.text, "p")
				functions = functions || strings.ContainsAny(w.text, "fF")
				st = a.declareOption(w.text, raw, st)
				continue
			}
			a.unknown(PartAssignment, raw, "an assignment that is not known")
			continue
		}
		before := len(a.report.Unknowns)
		st = a.assignment(as, st)
		a.command = index
		if as.Name == nil {
			continue
		}
		names++
		name := as.Name.Value
		if prints && secretName(name) {
			a.does(Secret, name, raw)
		}
		if exports && len(a.report.Unknowns) == before {
			v := value{}
			if b := st.lookup(name); b != nil {
				v = b.value
			}
			if !as.Naked || st.lookup(name) != nil {
				a.exported(name, v, raw, nil)
			}
		}
	}
	if names > 0 && functions && exports {
		a.exportsFunctions(raw)
	}
	if names == 0 && !functions { // it prints all there are
		a.does(Secret, "environment", raw)
	}
	return st
}

// printfTo forgets the variable that printf -v fills.
func (a *analysis) printfTo(inv *invocation) state {
	st := inv.st
	if len(inv.args) < 2 {
		return st
	}
	if !inv.args[0].dashed() || inv.args[0].text == "--" {
		a.formatted(inv)
		return st
	}
	name := inv.args[1]
	if inv.args[0].text != "-v" || !name.known || !plainIdentifier(name.text) {
		a.unknown(PartWords, inv.raw, "a variable name that is not known")
		return st
	}
	inner := *inv
	inner.args = inv.args[2:]
	a.formatted(&inner)
	return a.assigned(name.text, value{}, inv.raw, st)
}

// formatted reports a format of printf that sets a variable (%n), and numbers
// that zsh evaluates.
func (a *analysis) formatted(inv *invocation) {
	args := inv.args
	if len(args) > 0 && args[0].text == "--" {
		args = args[1:]
	}
	if len(args) < 2 {
		return
	}
	verbs := formatVerbs(args[0].text)
	if args[0].known && strings.Contains(verbs, "n") {
		a.unknown(PartWords, inv.raw, "a format that sets a variable")
	}
	zsh := a.both || a.lang == syntax.LangZsh
	for _, w := range args[1:] {
		switch {
		case !args[0].known && w.known && influenceOf(w.text) >= runsValue:
			a.unknown(PartWords, inv.raw, "a format that may set a variable")
		case zsh && strings.ContainsAny(verbs, "diouxXeEfFgG*") && (w.known && strings.ContainsAny(w.text, "[$`(") || !w.known && !w.numeric && !onlyStatus(w.raw)):
			a.unknown(PartWords, inv.raw, "arithmetic on a value that is not known")
		}
	}
}

// formatVerbs returns the conversions of a format, with * where a width is an
// argument.
func formatVerbs(format string) string {
	var verbs []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("-+ #0123456789.*'hlLjzt", format[i]) >= 0; i++ {
			if format[i] == '*' {
				verbs = append(verbs, '*')
			}
		}
		if i < len(format) {
			verbs = append(verbs, format[i])
		}
	}
	return string(verbs)
}
