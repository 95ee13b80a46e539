package recipe

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
)

// Justfile is what is read of a justfile: a plain subset of the language of
// just. Anything else outside the recipes makes it unreadable as a whole, since
// a line anywhere can change what a recipe runs.
type Justfile struct {
	Dir     string // of the file, where recipes run
	Vars    []JustVariable
	recipes []JustRecipe
	aliases []justAlias
	First   string // the recipe that just takes by itself
	shell   []string
	Silent  bool // lines that begin with # are not run
	steps   int  // values looked up so far
}

type JustVariable struct {
	Name     string
	Value    []justToken
	Exported bool
}

type justAlias struct{ name, target string }

type JustRecipe struct {
	Name   string
	Params []justParam
	Before []JustNeed
	After  []JustNeed
	Body   []Line
	Stays  bool // [no-cd]: runs where just was called
	Odd    bool // what it runs is not read
}

type justParam struct {
	name  string
	value []justToken // its default, nil where it has none
	Many  byte        // '+' or '*' where it takes all that is left
}

// JustNeed is a recipe that another one needs, with arguments.
type JustNeed struct {
	Name string
	Args [][]justToken
}

// JustCall is a call of just.
type JustCall struct {
	Words []string
	Lists bool // prints of the justfile, and runs nothing
	Odd   bool // options or arguments that are not followed
	Far   bool // even the justfile is not known
}

// JustArguments reads the arguments. Behind the first that is no option, all
// are the recipes' own.
func JustArguments(args []Arg) (c JustCall) {
	for i, w := range args {
		switch {
		case !w.Known:
			c.Odd, c.Far = true, c.Far || len(c.Words) == 0
		case len(c.Words) > 0:
			c.Odd = c.Odd || w.Text == "--"
			c.Words = append(c.Words, w.Text)
		case slices.Contains([]string{"-l", "--list", "--summary", "--dump", "--variables", "--groups", "-s", "--show"},
			w.Text):
			c.Lists = true
		case slices.Contains([]string{"-q", "--quiet", "-v", "-vv", "--verbose", "--yes", "--one", "--unstable", "-u",
			"--unsorted"}, w.Text):
		case strings.HasPrefix(w.Text, "-") || w.Text == "":
			c.Odd = true
			c.Far = c.Far || !strings.HasPrefix(w.Text, "--") || justPlaces(w.Text)
		case w.Text == "." || w.Text == ".." || strings.ContainsAny(w.Text, "/:="):
			c.Odd, c.Far = true, true // another justfile, a module, a variable
		default:
			c.Words = append(c.Words, args[i].Text)
		}
	}
	return c
}

// justPlaces recognises options after which another justfile counts, or
// something besides recipes runs.
func justPlaces(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	switch name {
	case "--dry-run", "--no-dotenv", "--no-highlight", "--highlight", "--timestamp", "--time", "--explain", "--no-deps",
		"--clear-shell-args", "--evaluate":
		return false
	}
	return true
}

// TakenIn lists the names of files that a justfile may take in by import and
// mod.
func TakenIn(text string) (names []string) {
	for line := range strings.Lines(text) {
		verb, rest, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(line), "?", " "), " ")
		if verb != "import" && verb != "mod" {
			continue
		}
		name, quoted, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if verb == "import" {
			name, quoted = "", rest
		}
		list := []string{name + ".just", name + "/mod.just", name + "/justfile", name + "/.justfile"}
		if at := strings.IndexAny(quoted, `'"`); at >= 0 {
			named, _, _ := strings.Cut(quoted[at+1:], quoted[at:at+1])
			list = []string{named, named + "/mod.just", named + "/justfile", named + "/.justfile"}
		}
		names = append(names, list...)
	}
	return names
}

// Bind gives the parameters of a recipe their values.
func (j *Justfile) Bind(p *JustRecipe, args []string) (bound []JustVariable, ok bool) {
	for _, param := range p.Params {
		v := JustVariable{Name: param.name}
		switch {
		case len(args) > 0 && param.Many != 0:
			v.Value, args = justText(strings.Join(args, " ")), nil
		case len(args) > 0:
			v.Value, args = justText(args[0]), args[1:]
		case param.value != nil:
			text, known, ok := j.Evaluate(param.value, bound, 0)
			if !ok || !known {
				return nil, false
			}
			v.Value = justText(text)
		case param.Many == '*':
			v.Value = justText("")
		default:
			return nil, false
		}
		bound = append(bound, v)
	}
	return bound, len(args) == 0
}

func justText(s string) []justToken { return []justToken{{kind: justString, text: s}} }

func (j *Justfile) Find(name string) *JustRecipe {
	for _, al := range j.aliases {
		if al.name == name {
			name = al.target
			break
		}
	}
	for i := range j.recipes {
		if j.recipes[i].Name == name {
			return &j.recipes[i]
		}
	}
	return nil
}

// Runner is the program that runs the lines of recipes. ok is false where it is
// started with options that matter.
func (j *Justfile) Runner() (name string, ok bool) {
	if j.shell == nil {
		return "sh", true
	}
	name, flags := j.shell[0], j.shell[1:]
	if name == "/usr/bin/env" && len(flags) > 0 && grammar.Identifier(flags[0]) {
		name, flags = flags[0], flags[1:]
	}
	switch strings.Join(flags, " ") {
	case "-c", "-cu", "-uc", "-ec", "-ce", "-euc", "-ceu", "-cue", "-eu -c", "-e -c", "-u -c", "-e -u -c",
		"-euo pipefail -c", "-eu -o pipefail -c", "-eo pipefail -c", "-o pipefail -c", "-e -u -o pipefail -c",
		"-uo pipefail -c":
		return name, true
	}
	return "", false
}

// Joined is one command of a body: a line, and those that it goes on in. n says
// how many they are.
func (j *Justfile) Joined(lines []Line, bound []JustVariable) (text string, n int, ok bool) {
	for n < len(lines) {
		line := lines[n].Text
		if n > 0 {
			if line = strings.TrimLeft(line, " \t"); line != "" && (line[0] < ' ' || line[0] >= 0x80) {
				return "", 1, false // more kinds of blanks are taken off
			}
		}
		piece, ok := j.Interpolate(line, bound)
		if !ok {
			return "", 1, false
		}
		text += piece
		if n++; !strings.HasSuffix(line, `\`) {
			break
		}
		text = text[:len(text)-1]
	}
	return text[justSigils(lines[0].Text):], n, true
}

// justSigils is how many bytes before a line only say how it is run: one @ and
// one - at most.
func justSigils(line string) (n int) {
	for n < len(line) && n < 2 && (line[n] == '@' || line[n] == '-') && (n == 0 || line[n] != line[0]) {
		n++
	}
	return n
}

// Interpolate replaces what stands in double braces. Four open braces stand
// for two.
func (j *Justfile) Interpolate(line string, bound []JustVariable) (string, bool) {
	var b strings.Builder
	for line != "" {
		at := strings.Index(line, "{{")
		if at < 0 {
			b.WriteString(line)
			break
		}
		b.WriteString(line[:at])
		if line = line[at:]; strings.HasPrefix(line, "{{{{") {
			b.WriteString("{{")
			line = line[4:]
			continue
		}
		tokens, rest, ok := justTokens(line[2:], true)
		if !ok {
			return "", false
		}
		text, known, ok := j.Evaluate(tokens, bound, 0)
		if !ok || !known || b.Len()+len(text) > grammar.MaxBytes {
			return "", false
		}
		b.WriteString(text)
		line = rest
	}
	return b.String(), true
}
