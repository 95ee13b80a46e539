package shell

import (
	"io/fs"
	"path"
	"strings"

	"github.com/nodgate/nod/internal/shell/code"
	"github.com/nodgate/nod/internal/view"
)

// inlined is code given as an argument to an interpreter.
type inlined struct {
	code word
	args int // how many positional arguments came before it
}

// finishInline reports the code that an interpreter was given, once all its
// options and arguments are known.
func (u *use) finishInline() {
	for _, c := range u.inline {
		switch {
		case !c.code.known:
			u.ran(u.inv, "code that is not known")
			u.unknown(PartWords, u.inv.raw, "code that is not known")
		case len(u.inline) > 1 || u.fault:
			u.ran(u.inv, "")
		default:
			u.runs(u.inv, languageOf(u.inv.name), c.code.text, u.pos[min(c.args, len(u.pos)):])
		}
	}
}

// ran reports code of which nothing is proven.
func (a *analysis) ran(inv *invocation, note string) {
	a.effect(Effect{Kind: Run, Target: "inline code", Words: inv.raw, Part: PartWords, Note: note})
}

// runs reports what a program does that an interpreter is told to run here:
// its effects, and that it runs unread code where it is not proven to do
// nothing else.
func (a *analysis) runs(inv *invocation, language, source string, args []word) {
	if !a.program(inv, language, source, args) {
		return
	}
	if why := a.disturbed(inv, language); why != "" {
		a.ran(inv, why)
		return
	}
	if language == "python" {
		a.proven = append(a.proven, provenCode{dir: inv.st.dir, command: a.command, raw: inv.raw})
	}
}

// program states what the source of a program does in the state of inv, and
// reports whether that is all it does. Where it is not, an effect Run says so.
func (a *analysis) program(inv *invocation, language, source string, args []word) (proven bool) {
	env := code.Env{Args: plainArgs(args), Home: a.env.Home, Old: !strings.Contains(inv.name, "3")}
	switch language {
	case "perl":
		if o, ok := perlOptions(inv.args); ok {
			env.Perl = o.Perl
		}
	case "ruby":
		o, ok := rubyOptions(inv.args)
		env.RubyTold, env.RubyUse = ok, o.use
	}
	facts := code.Prove(language, source, env)
	switch {
	case !facts.Proven:
	case a.away != "" || !a.asWritten():
		facts.Proven, facts.Why = false, "it may run elsewhere, or as somebody else"
	case language == "perl", language == "ruby": // what is certain was taken before
		facts.Proven, facts.Why = false, "the names that it reads, or its environment, may run something"
	}
	if !facts.Proven {
		a.ran(inv, noteOf(facts))
	}
	a.codeEffects(inv, facts)
	return facts.Proven
}

// codeEffects reports the effects of a program.
func (a *analysis) codeEffects(inv *invocation, facts code.Facts) {
	a.depth++
	if a.depth > maxTexts {
		a.unknown(PartWords, inv.raw, "more than 8 texts inside each other")
	} else {
		for _, e := range facts.Effects {
			a.codeEffect(inv, e)
		}
	}
	a.depth--
}

func noteOf(facts code.Facts) string {
	note := facts.Why
	if len(facts.Mentions) > 0 {
		note += "; mentions " + strings.Join(facts.Mentions, ", ")
	}
	return shorten(note)
}

// plainArgs are the arguments up to the first of which the number is not
// known.
func plainArgs(args []word) []code.Arg {
	var out []code.Arg
	for _, w := range args {
		if w.many || w.glob > 0 {
			break
		}
		out = append(out, code.Arg{Text: w.text, Known: w.known})
	}
	return out
}

// codeEffect reports one effect of a program.
func (a *analysis) codeEffect(inv *invocation, e code.Effect) {
	w := word{raw: inv.raw}
	if e.Known {
		w.value = constant(e.Name)
	}
	switch e.Kind {
	case code.Read:
		a.path(Read, w, inv.st, 0)
	case code.Tree:
		a.path(Read, w, inv.st, recursive)
	case code.Load:
		a.path(Read, w, inv.st, 0)
		name, ok := a.absolute(w, inv.st)
		if info, err := a.lstat(name); !ok || err != nil || !info.Mode.IsRegular() || a.touched(path.Clean(name)) {
			a.ran(inv, "whether there is a file "+escaped(e.Name)+" is not known")
		}
	case code.Write, code.MakeDir:
		a.path(Write, w, inv.st, 0)
	case code.Delete:
		a.path(Delete, w, inv.st, forced)
	case code.DelTree:
		a.path(Delete, w, inv.st, recursive|forced)
	case code.Secret:
		if e.Name == "environment" || secretName(e.Name) {
			a.does(Secret, e.Name, inv.raw)
		}
	case code.Fetch:
		a.does(Fetch, e.Name, inv.raw)
	case code.Command, code.Shell:
		a.codeCommand(inv, e)
	}
}

// codeCommand walks a command that a program starts.
func (a *analysis) codeCommand(inv *invocation, e code.Effect) {
	inner := *inv
	inner.in = input{kind: piped}
	u := use{analysis: a, inv: &inner}
	if e.Kind == code.Shell {
		u.shellText(word{value: constant(e.Name), raw: inv.raw})
		return
	}
	words := make([]word, len(e.Words))
	for i, text := range e.Words {
		words[i] = word{value: constant(text), raw: text}
	}
	command := a.command
	a.enter(inv.raw)
	a.inside(&inner, words)
	a.command = command
}

// languageOf is the language of an interpreter, "" where its programs are not
// read.
func languageOf(name string) string {
	switch {
	case name == "python", name == "python2", name == "pypy", name == "pypy3", strings.HasPrefix(name, "python3"):
		return "python"
	case name == "node", name == "nodejs":
		return "javascript"
	case name == "perl", name == "ruby":
		return name
	}
	return ""
}

// provenCode is a program that does what is stated of it, if nothing in the
// line puts a module in its way.
type provenCode struct {
	dir     string
	command int
	raw     string
	opens   bool // in place of modules: it opens the names of dir as Perl does
}

// disturbed says what else takes part in running a program that is proven by
// itself: options of the interpreter, and modules of the directory.
func (a *analysis) disturbed(inv *invocation, language string) (why string) {
	if language != "python" {
		return otherOption(inv)
	}
	for i := 0; i < len(inv.args); i++ {
		w := inv.args[i]
		if !w.known || !strings.HasPrefix(w.text, "-") || w.text == "-" {
			break
		}
		if w.text == "-W" && i+1 < len(inv.args) && inv.args[i+1].text == "ignore" {
			i++
			continue
		}
		if strings.Trim(w.text[1:], "BdEIOPqsSubvcm") != "" && w.text != "-Wignore" {
			return "option " + escaped(w.text)
		}
		if strings.ContainsAny(w.text, "cm") {
			break
		}
	}
	return a.shadowed(inv.st.dir)
}

// otherOption is an option of an interpreter besides those that hold the code.
func otherOption(inv *invocation) string {
	for _, w := range inv.args {
		switch w.text {
		case "-e", "-p", "-pe", "--eval", "--print", "--no-warnings", "-":
		default:
			if w.known && strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--eval=") && !strings.HasPrefix(w.text, "--print=") {
				return "option " + escaped(shorten(w.text))
			}
		}
	}
	return ""
}

// maxNames bounds how many names of a directory are looked at for modules.
const maxNames = 4096

// shadowed says which module of Python's own a directory replaces: Python
// looks there first.
func (a *analysis) shadowed(dir string) (why string) {
	if dir == "" || a.env.Files == nil {
		return "where it looks for modules is not known"
	}
	real, err := view.Resolve(a.env.Files, dir)
	if err != nil {
		return "where it looks for modules is not known"
	}
	names, err := a.env.Files.List(real, maxNames)
	if err != nil {
		if _, missing := a.env.Files.Lstat(real); missing != nil && !a.exists(real) {
			return "" // it cannot start there; what the line makes is looked at later
		}
		return "where it looks for modules is not known"
	}
	for _, name := range names {
		if shadows(name) && (strings.Contains(name, ".") || a.isPackage(real+"/"+name)) {
			return escaped(name) + " takes the place of a module"
		}
	}
	return ""
}

// shadows reports whether a file or directory of that name may be imported in
// place of a module that comes with Python.
func shadows(name string) bool {
	stem, rest, dotted := strings.Cut(name, ".")
	if dotted && !strings.HasSuffix(rest, "py") && !strings.HasSuffix(rest, "pyc") && !strings.HasSuffix(rest, "so") && !strings.HasSuffix(rest, "pyd") {
		return false
	}
	return stem != "" && strings.Contains(code.PythonModules, " "+strings.ToLower(stem)+" ")
}

// isPackage reports whether a directory is a package that counts before those
// that come with Python.
func (a *analysis) isPackage(dir string) bool {
	real, err := view.Resolve(a.env.Files, dir)
	if err != nil {
		return true
	}
	info, err := a.env.Files.Lstat(real)
	if err != nil || !info.Mode.IsDir() {
		return err != nil
	}
	names, err := a.env.Files.List(real, maxNames)
	for _, name := range names {
		if strings.HasPrefix(name, "__init__.") {
			return true
		}
	}
	return err != nil
}

// recheckProven looks again at programs that were proven: nothing in the line,
// before or after, may write a module where they look for one.
func (a *analysis) recheckProven() {
	for _, p := range a.proven {
		for _, e := range a.report.Effects {
			if e.Kind == Write && e.Place != Null && (p.opens && e.Command != p.command && a.mayBeRun(e, p.dir) || !p.opens && a.mayShadow(e, p.dir)) {
				a.command = p.command
				a.ran(&invocation{raw: p.raw}, "the line may write what it runs")
				break
			}
		}
	}
}

func (a *analysis) mayShadow(e Effect, dir string) bool {
	real, _ := a.place(dir)
	switch {
	case e.Target == "", e.Target == real, view.Below(e.Target, real):
		return true
	case !view.Below(real, e.Target):
		return false
	}
	first, below, deeper := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(e.Target, real), "/"), "/")
	if e.Recursive || e.Pattern != "" {
		return !strings.HasPrefix(first, ".git")
	}
	if deeper {
		return shadows(first) && strings.HasPrefix(path.Base(below), "__init__")
	}
	return shadows(first)
}

// pythonModule reports python -m: a module that comes with Python and of which
// it is known what it does, or code. The working directory comes first in the
// search for modules, so even json.tool can be the project's code.
func (u *use) pythonModule(w word) {
	rest := u.pos[min(1, len(u.pos)):]
	if !w.known || !u.knownModule(w.text, rest) || !strings.Contains(u.inv.name, "3") {
		u.does(Run, w.shown(), u.inv.raw)
		return
	}
	if why := u.disturbed(u.inv, "python"); why != "" {
		u.effect(Effect{Kind: Run, Target: w.text, Words: u.inv.raw, Part: PartWords, Note: why})
		return
	}
	u.proven = append(u.proven, provenCode{dir: u.inv.st.dir, command: u.analysis.command, raw: u.inv.raw})
}

// knownModule reports the files that a module is told to read and write.
func (u *use) knownModule(name string, rest []word) bool {
	var files []word
	for _, w := range rest {
		if !w.known || w.many || w.glob > 0 {
			return false
		}
		if !strings.HasPrefix(w.text, "-") || w.text == "-" {
			files = append(files, w)
			continue
		}
		if !moduleOption(name, w.text) {
			return false
		}
	}
	switch {
	case name == "json.tool" && len(files) <= 2:
		for i, w := range files {
			if w.text == "-" {
				continue
			}
			u.path([...]Kind{Read, Write}[i], word{value: w.value, raw: u.inv.raw}, u.inv.st, 0)
		}
	case name == "calendar", name == "this" && len(files) == 0, name == "site" && len(files) == 0:
	case name == "base64" && len(files) <= 1, name == "tokenize" && len(files) == 1, name == "ast" && len(files) == 1:
		for _, w := range files {
			u.path(Read, word{value: w.value, raw: u.inv.raw}, u.inv.st, 0)
		}
	default:
		return false
	}
	return true
}

func moduleOption(name, option string) bool {
	switch name {
	case "json.tool":
		switch option {
		case "--sort-keys", "--no-ensure-ascii", "--json-lines", "--compact", "--tab", "--no-indent":
			return true
		}
	case "base64":
		return option == "-d" || option == "-e" || option == "-u"
	case "calendar":
		return option == "-t" || option == "text"
	}
	return false
}

// lstat describes a file; nothing is known of any without Files.
func (a *analysis) lstat(name string) (view.Info, error) {
	if a.env.Files == nil {
		return view.Info{}, fs.ErrNotExist
	}
	return a.env.Files.Lstat(name)
}

// touched reports whether the line writes or removes a file, or what it lies
// in.
func (a *analysis) touched(name string) bool {
	for _, e := range a.report.Effects {
		if e.Kind != Read && e.Place != Null && (e.Target == "" || view.Below(e.Target, name)) {
			return true
		}
	}
	return false
}
