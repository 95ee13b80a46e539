package shell

import (
	"path"
	"slices"
	"strings"
)

// What some commands of git print is known to be names of commits: no word of it is an
// option to whom it is given. Which commits they are is looked up where that matters.

// Revision is what is known of a word of which a command of git prints a part: the name
// of one commit. The rest stands in the line.
type Revision struct {
	Before, After string // what stands in the word beside it
	Command       int    // which prints it, an index of [Report.Commands]
}

// printed is what is known of the output of one command: names of commits or of the
// branch that is checked out, and one of them at most.
func printed(repos *repositories, c Command) (revisions, one bool) {
	if !c.Has(Git) || c.Told == nil || len(c.Told.Verbs) != 1 {
		return false, false
	}
	t := c.Told
	switch verb := t.Verbs[0]; {
	case c.Words[1].Value == verb:
	case c.Words[1].Value == "-C" && len(c.Words) > 3 && c.Words[3].Value == verb: // it may lead nowhere
		defer func() { one = false }()
	default:
		return false, false // -c may have git print more
	}
	switch t.Verbs[0] {
	case "merge-base":
		return true, len(t.Options) == 0 && len(t.Operands) == 2
	case "rev-parse":
		names := t.only("--short", "--verify", "-q", "--quiet", "--abbrev-ref") && len(t.Operands) == 1 &&
			t.plainOperand()
		if t.has("--abbrev-ref") {
			names = names && t.ofHead() && plainHead(repos, t.Dir)
		}
		return names, names
	case "branch":
		names := len(t.Options) == 1 && t.has("--show-current") && len(t.Operands) == 0 && plainHead(repos, t.Dir)
		return names, names
	case "rev-list":
		names := t.lists() && !t.has("--format") && !t.has("--pretty") // which print more beside
		return names, names && t.newest()
	case "log":
		return t.lists() && t.formatsNames(repos), t.lists() && t.newest()
	}
	return false, false
}

// has reports whether an option was given.
func (t *Told) has(name string) bool {
	return slices.ContainsFunc(t.Options, func(o Option) bool { return o.Name == name })
}

// only reports whether no other options were given than these.
func (t *Told) only(names ...string) bool {
	return !slices.ContainsFunc(t.Options, func(o Option) bool { return !slices.Contains(names, o.Name) })
}

// plainOperand reports whether the operand is the name of one object: git rev-parse prints
// what it cannot make anything of, and several for x^@.
func (t *Told) plainOperand() bool {
	w := t.Operands[0]
	name, steps := w.Value, ""
	if i := strings.IndexAny(name, "~^"); i >= 0 {
		name, steps = name[:i], name[i:]
	}
	name, ago, _ := strings.Cut(name, "@{")
	return w.Known && !w.Pattern && strings.Trim(steps, "~^0123456789") == "" && !strings.Contains(w.Value, "..") &&
		(isRevision(name) || name == "@" || name == "" && w.Value != "") && !strings.ContainsAny(ago, " \t\n*?[\\")
}

func (t *Told) ofHead() bool {
	return len(t.Operands) == 1 && (t.Operands[0].Value == "HEAD" || t.Operands[0].Value == "@")
}

// lists reports whether a walk of commits prints nothing beside them.
func (t *Told) lists() bool {
	return !slices.ContainsFunc(t.Options, func(o Option) bool {
		return strings.Trim(o.Name, "-0123456789") != "" && !slices.Contains([]string{"-n", "--max-count",
			"--format", "--pretty", "--all", "--reverse", "--merges", "--no-merges", "--first-parent", "--since",
			"--until", "--after", "--before", "--author", "--grep", "--skip", "--no-walk", "--branches", "--tags",
		}, o.Name)
	})
}

// newest reports whether one commit is asked for, by nothing but where to begin.
func (t *Told) newest() bool {
	one := false
	for _, o := range t.Options {
		number := strings.TrimPrefix(o.Name, "-")
		if o.Name == "-n" || o.Name == "--max-count" {
			number = o.Value.Value
		} else if o.Name == "--format" || o.Name == "--pretty" {
			continue
		}
		if number != "1" {
			return false
		}
		one = true
	}
	return one && len(t.Operands) <= 1 && t.Behind == 0
}

// formatsNames reports whether git log prints the names of commits alone.
func (t *Told) formatsNames(repos *repositories) bool {
	r := repos.repository(t.Dir)
	if r == nil || len(r.wider) > 0 || r.fault != "" {
		return false
	}
	given := 0
	for _, o := range t.Options {
		if o.Name != "--format" && o.Name != "--pretty" {
			continue
		}
		text := strings.TrimPrefix(strings.TrimPrefix(o.Value.Value, "t"), "format:")
		if !o.Value.Known || text != "%h" && text != "%H" {
			return false
		}
		given++
	}
	return given > 0
}

// plainHead reports whether the branch that is checked out at a directory has a name that
// is no option. git makes none that begins with a dash, but a file may say so.
func plainHead(repos *repositories, dir string) bool {
	r := repos.repository(dir)
	if r == nil || !r.found {
		return false
	}
	data, err := repos.machine.env.Files.Read(r.dir+"/HEAD", 4096)
	branch, _ := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: refs/heads/")
	return err == nil && branch != "" && branch[0] != '-' && !strings.ContainsAny(branch, " \t\n*?[\\")
}

// namesRevision reports whether a word names commits, one of them as git printed it, and
// is no option and no path, be that name empty.
func (w word) namesRevision() bool {
	steps, other, _ := strings.Cut(w.after, "..")
	other = strings.TrimPrefix(other, ".")
	return w.revision && strings.Trim(steps, "~^0123456789") == "" &&
		(other == "" || isRevision(other)) &&
		(w.text == "" || w.text == "^" || isRevision(strings.TrimPrefix(w.text, "^")))
}

// isRevision reports whether a text is a plain name of a commit, or begins one: main,
// origin/, HEAD~2.., but no path that leads up, and no file of a commit.
func isRevision(text string) bool {
	const bytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return text != "" && strings.Trim(text[:1], bytes) == "" && strings.Trim(text, bytes+"._/~^-") == "" &&
		!strings.Contains(text, "../")
}

// staysInside reports whether all that git is given lies in its repository. With two names
// of which one lies outside git diff takes both for files, also what may name a commit.
func staysInside(gl *gitLine) bool {
	return !slices.ContainsFunc(gl.inv.st.dirs(), func(dir string) bool {
		r := gl.repos.repository(dir)
		return r == nil || !r.found
	}) && !slices.ContainsFunc(gl.pos, func(w word) bool {
		return !w.namesRevision() && (!w.known || w.many || path.IsAbs(w.text) || strings.HasPrefix(w.text, ".."))
	})
}
