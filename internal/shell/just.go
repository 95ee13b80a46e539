package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/shell/recipe"
	"github.com/nodgate/nod/internal/shell/variables"
	"github.com/nodgate/nod/internal/view"
	"mvdan.cc/sh/v3/syntax"
)

// justRecipes walks the recipes that just would run.
func (ts *tasks) justRecipes(inv *invocation) (done bool) {
	c := recipe.JustArguments(plainArgs(inv.args))
	if c.Far || slices.ContainsFunc(ts.machine.env.Ambient, func(name string) bool {
		return strings.HasPrefix(name, "JUST_")
	}) {
		ts.defs.define("just", "")
		return false
	}
	file, ok := ts.findJustfile(inv.st.dir)
	if !ok {
		return false
	}
	real, data, ok := ts.defs.defined(file)
	if !ok {
		return false
	}
	if c.Lists && !ts.out.throughLinks(file) {
		ts.out.path(Read, word{value: constant(file), raw: inv.raw}, inv.st, 0)
		return true
	}
	dir := path.Dir(file)
	plain := !c.Odd && !ts.out.throughLinks(file) && ts.machine.settledFile(real) && len(data) <= grammar.MaxBytes &&
		ts.limits.afford(string(data))
	var j recipe.Justfile
	if plain {
		j, plain = recipe.ParseJustfile(string(data), dir)
	}
	mark := ts.defs.mark()
	if r := (justRun{tasks: ts, file: &j, name: file, inv: inv}); plain && r.all(c.Words) {
		return true
	}
	ts.defs.rollback(mark)
	ts.justNames(dir, string(data))
	ts.defs.namedFiles(dir, []string{string(data)}, 0)
	return false
}

// findJustfile finds the file that just reads: in the directory or the
// nearest above, whatever the case of its name. Several are an error.
func (ts *tasks) findJustfile(dir string) (file string, ok bool) {
	dir, err := view.Resolve(ts.machine.env.Files, dir)
	if err != nil {
		return "", false
	}
	for range maxClimbed {
		names, err := ts.machine.env.Files.List(dir, 4096)
		if err != nil {
			ts.defs.define(recipe.Below(dir, "justfile"), "")
			return "", false
		}
		for _, name := range [...]string{"justfile", ".justfile"} {
			ts.defs.watches(watched{path: recipe.Below(dir, name), command: ts.out.command, folded: true})
		}
		found := slices.DeleteFunc(names, func(n string) bool {
			return !strings.EqualFold(n, "justfile") && !strings.EqualFold(n, ".justfile")
		})
		for _, name := range found {
			file = recipe.Below(dir, name)
			if len(found) > 1 {
				ts.defs.defined(file)
			}
		}
		if len(found) > 0 {
			return file, len(found) == 1
		}
		if dir == "/" {
			break
		}
		dir = path.Dir(dir)
	}
	return "", false
}

// justNames records the files that a justfile takes in by import and mod.
func (ts *tasks) justNames(dir, text string) {
	for _, n := range recipe.TakenIn(text) {
		if file := recipe.Below(dir, n); ts.machine.isFile(file) {
			ts.defs.defined(file)
		}
	}
}

// justRun is one call of just, on one file.
type justRun struct {
	*tasks
	file *recipe.Justfile
	name string
	inv  *invocation
	ran  []string
}

// all runs the recipes that the words name, each with as many arguments as it
// takes.
func (r *justRun) all(words []string) bool {
	for _, v := range r.file.Vars {
		text, known, ok := r.file.Evaluate(v.Value, nil, 0)
		if !ok {
			return false
		}
		if v.Exported {
			if variables.Of(v.Name) == variables.BreaksShell {
				return false
			}
			r.vars.exported(v.Name, value{text: text, known: known}, v.Name, nil)
		}
	}
	if len(words) == 0 {
		words = []string{r.file.First}
	}
	for len(words) > 0 {
		p := r.file.Find(words[0])
		if p == nil {
			return false
		}
		n := min(len(p.Params), len(words)-1)
		if k := len(p.Params); k > 0 && p.Params[k-1].Many != 0 {
			n = len(words) - 1
		}
		if !r.recipe(p, words[1:1+n], 0) {
			return false
		}
		words = words[1+n:]
	}
	return true
}

// recipe runs one recipe: what it needs, its body, what comes after it. The
// same with the same arguments runs once.
func (r *justRun) recipe(p *recipe.JustRecipe, args []string, depth int) bool {
	key := strings.Join(append([]string{p.Name}, args...), "\x00")
	if slices.Contains(r.ran, key) {
		return true
	}
	if r.ran = append(r.ran, key); p.Odd || depth > maxScripts*4 || len(r.ran) > 256 {
		return false
	}
	bound, ok := r.file.Bind(p, args)
	return ok && r.needs(p.Before, bound, depth) && r.body(p, bound) && r.needs(p.After, bound, depth)
}

func (r *justRun) needs(list []recipe.JustNeed, bound []recipe.JustVariable, depth int) bool {
	for _, n := range list {
		p := r.file.Find(n.Name)
		if p == nil {
			return false
		}
		var args []string
		for _, tokens := range n.Args {
			text, known, ok := r.file.Evaluate(tokens, bound, 0)
			if !ok || !known {
				return false
			}
			args = append(args, text)
		}
		if !r.recipe(p, args, depth+1) {
			return false
		}
	}
	return true
}

// body runs the lines of a recipe: each in a shell of its own, or all of them
// as a script if the first says by what.
func (r *justRun) body(p *recipe.JustRecipe, bound []recipe.JustVariable) bool {
	dir := r.file.Dir
	if p.Stays {
		dir = r.inv.st.dir
	}
	st := state{dir: dir}
	if b := r.inv.st.lookup("PATH"); b != nil {
		st = st.assign("PATH", b.value)
	}
	if len(p.Body) > 0 && strings.HasPrefix(p.Body[0].Text, "#!") {
		return r.script(p, bound, st)
	}
	langs := r.justShell(st)
	for i := 0; i < len(p.Body); i++ {
		number := p.Body[i].Line
		if r.file.Silent && strings.HasPrefix(p.Body[i].Text, "#") {
			continue
		}
		text, n, ok := r.file.Joined(p.Body[i:], bound)
		if i += n - 1; !ok || langs == nil {
			return false
		}
		if text == "" {
			continue
		}
		if !r.run.readText(passage{file: r.name, key: r.name + "#" + p.Name, text: text, langs: langs, line: number},
			st,
			r.inv) {
			return false
		}
	}
	return true
}

// script runs a body that begins with #! as a file of its own.
func (r *justRun) script(p *recipe.JustRecipe, bound []recipe.JustVariable, st state) bool {
	var b strings.Builder
	for _, l := range p.Body {
		text, ok := r.file.Interpolate(l.Text, bound)
		if !ok {
			return false
		}
		b.WriteString(text + "\n")
	}
	langs := r.machine.shebang(b.String(), st)
	above := strings.Repeat("\n", p.Body[0].Line-1) // so that lines are counted as in the file
	return langs != nil && r.run.readText(passage{file: r.name, key: r.name + "#" + p.Name, text: above + b.String(),
		langs: langs}, st, r.inv)
}

// justShell returns the grammars of the shell that runs lines, nil where it is
// none that is read.
func (r *justRun) justShell(st state) []syntax.LangVariant {
	name, ok := r.file.Runner()
	if !ok || strings.Contains(name, "/") && !path.IsAbs(name) || r.machine.suspect(name, st) {
		return nil
	}
	return grammar.Shells(path.Base(name))
}
