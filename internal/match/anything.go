package match

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell"
)

// RunsAnything says why an allow pattern says nothing of the code that it lets run:
// standard input decides, or further arguments are a command. "" where it does not.
func (p Pattern) RunsAnything() string {
	switch {
	case p.fed():
		return "what it is fed on standard input decides what runs"
	case p.Open && p.startsAny():
		return "what follows is a command of its own"
	}
	return ""
}

// fed reports whether standard input decides what runs.
func (p Pattern) fed() bool {
	if len(p.Words) == 0 {
		return false
	}
	program := path.Base(p.Words[0])
	isInput := func(w string) bool {
		return w == "-" || w == "/dev/stdin" || w == "-f-" || strings.HasSuffix(w, "=-")
	}
	if slices.ContainsFunc(p.Words[1:], isInput) && (!shell.Known(program) || shell.Runs(program, shell.MayRunWords) ||
		shell.Lists(program, "fed", p.Words[1])) {
		return true
	}
	switch program { // they have no sheets
	case "at", "batch":
		return true
	case "patch":
		return !slices.ContainsFunc(p.Words, func(w string) bool {
			return strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--input")
		})
	}
	if shell.Lists(program, "fed", "always") || shell.Lists(program, "fed", "bare") && len(p.Words) == 1 {
		return true
	}
	return slices.ContainsFunc(analyze(p.Words).Effects, func(e shell.Effect) bool {
		return e.Kind == shell.Run && e.Target == "standard input"
	})
}

// startsAny reports whether a command that stands behind the words is started.
func (p Pattern) startsAny() bool {
	const probe = "any-program-at-all"
	verbs := [][]string{nil, {"run"}, {"exec"}, {"x"}, {"develop", "-c"}, {"tool", "run"}, {"-c"}, {"exec", "."}}
	if len(p.Words) > 1 { // the verb is among them
		verbs = verbs[:1]
	}
	for _, between := range verbs {
		words := append(append(slices.Clone(p.Words), between...), probe)
		if handed := analyze(words).Handed; handed != nil && begins(handed.Commands, probe) {
			return true
		}
	}
	return false
}

// begins reports whether one of the commands is the program.
func begins(commands []shell.Command, program string) bool {
	return slices.ContainsFunc(commands, func(c shell.Command) bool {
		return len(c.Words) > 0 && c.Words[0].Value == program
	})
}

// analyze reads words as a command that runs nowhere.
func analyze(words []string) shell.Report {
	return shell.Analyze(shell.QuoteWords(words), shell.Env{Dir: "/"})
}

// leadsToCode reports whether the words that follow those of an open pattern make the
// program run a text, or another program, as its sheet lists them.
func (p Pattern) leadsToCode(c shell.Command) bool {
	program, verb := path.Base(p.Words[0]), ""
	for i, w := range c.Words[1:] {
		if verb == "" && !strings.HasPrefix(w.Value, "-") {
			verb = w.Value
		}
		if i+1 < len(p.Words) {
			continue
		}
		name, _, _ := strings.Cut(w.Value, "=")
		if shell.Lists(program, "leads-to-code", name) || shell.Lists(program, "leads-to-code", verb+":"+name) ||
			len(name) > 2 && shell.Lists(program, "leads-to-code", verb+":"+name[:2]) {
			return true
		}
		group, _, dotted := strings.Cut(name, ".")
		if verb == "config" && shell.Lists(program, "leads-to-code", "config") && dotted &&
			!shell.Lists(program, "harmless-settings", strings.ToLower(group)) {
			return true
		}
	}
	return false
}
