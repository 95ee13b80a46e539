package harm

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// uses and holds are said around the name of a secret.
const uses, holds = "this uses ", ", which holds or may hold secrets"

// objected puts words around what is named; "" where nothing is.
func objected(before, name, after string) Objection {
	if name == "" {
		return ""
	}
	return Objection(before + printable.Text(name) + after)
}

// Secret reports which secret store the call would touch, "" if none.
func (h *Secrets) Secret(named []string) (why Objection) {
	why = objected(uses, h.secretPath(named), holds)
	for _, e := range h.Report.Effects {
		if why == "" {
			why = h.effectsSecret(e)
		}
	}
	for _, look := range []func() Objection{
		func() Objection { return objected("this names ", h.givenToUnknown(), holds) },
		func() Objection { return objected("this may pick out files that hold secrets: ", h.handedOn(), "") },
		func() Objection { return objected("this may print secrets that git has: ", h.gitAims(), "") },
		h.gitDiffs,
		func() Objection { return objected("this would also read ", h.secretBelow(), holds) },
	} {
		if why == "" {
			why = look()
		}
	}
	return why
}

// effectsSecret reports which secret store one effect would touch, "" if none.
func (h *Secrets) effectsSecret(e shell.Effect) Objection {
	opens := !e.Names
	switch {
	case e.Kind == shell.Secret:
		return objected("this uses or prints a secret: ", e.Words, "")
	case e.Kind > shell.Run:
		return ""
	case opens && (e.Pattern != "" || e.Recursive) && view.Below("/proc", e.Target):
		return objected("this reads what /proc says of a process, which may hold secrets: ", e.Words, "")
	case opens && e.Pattern != "" && h.At.Machine.MatchesTooMuch(e.Pattern):
		return objected("this may use a secret below ", e.Target, ", which is too large to look through")
	}
	names, all := h.At.Machine.Names(e)
	if e.Pattern != "" {
		names = h.At.Machine.ThroughLinks(names)
	}
	why := cmp.Or(objected(uses, h.namedSecret(e, names, all), holds),
		objected("this may search files that hold secrets: ", h.aimsAtSecret(e), ""))
	// A name is no secret, but to look for the names of secrets is to look for secrets.
	if why == "" && e.Names && e.Recursive && (e.Target == "" || h.At.Machine.Secrets.HoldsAny(e.Target)) {
		why = objected("this looks for secrets: ", h.seeksSecret(), "")
	}
	if why == "" && !all && opens {
		why = objected("this may pick out files that hold secrets: ", h.picksSecret(), "")
	}
	if why == "" && !all {
		why = objected(uses, h.maySecret(), holds)
	}
	return why
}

// namedSecret is the first of the names that an effect has which is a secret
// store, "" if none. all says that the names are all that the effect has.
func (h *Secrets) namedSecret(e shell.Effect, names []string, all bool) string {
	tree := !e.Names && e.Recursive && (e.Pattern == "" || !all)
	for _, name := range names {
		if h.touches(name, tree) && !(e.Names && e.Kind == shell.Read && h.isLoneSecret(name, e.Recursive)) {
			return name
		}
	}
	return ""
}

// isLoneSecret reports whether a name is that of a secret file, or may become one in the workspace, in a
// directory that is no store: its name, size and date tell nothing.
func (h *Secrets) isLoneSecret(name string, tree bool) bool {
	info, err := h.At.Machine.Files.Lstat(name)
	dir := path.Dir(name)
	return (err == nil && info.Mode.IsRegular() ||
		errors.Is(err, fs.ErrNotExist) && !tree && h.At.Machine.Inside(h.At.Roots, name)) &&
		!h.touches(dir, false)
}

func (h *Secrets) secretPath(named []string) string {
	for _, name := range named {
		if h.Tool == "grep" && strings.ContainsAny(name, "*?[{") && h.maySelectSecret(name) {
			return name
		}
		reals, err := h.At.Readings(name)
		if err != nil {
			return name // it may be a secret
		}
		for _, real := range reals {
			if h.touches(real, h.Tool == "grep") {
				return real
			}
			if found := h.searchedBy(real); found != "" && found != tooLarge {
				return found
			}
		}
	}
	return ""
}

// seeksSecret returns the first word of the commands that speaks of keys, passwords and the like.
func (h *Secrets) seeksSecret() string {
	word := h.firstWord(func(_ shell.Command, w shell.Word) bool {
		text := strings.ReplaceAll(strings.ToLower(w.Value), "login data", "secret")
		return anyOf("speaks", func(piece string) bool { return strings.Contains(text, piece) })
	})
	return cmp.Or(word, h.maySecret())
}

// firstWord is the first argument in the commands for which is holds; "" for none.
func (h *Secrets) firstWord(is func(shell.Command, shell.Word) bool) string {
	for _, c := range h.Report.Commands {
		for _, w := range c.Words[min(1, len(c.Words)):] {
			if is(c, w) {
				return w.Value
			}
		}
	}
	return ""
}

// maySecret returns a word of the commands that names a secret. It is asked where nobody can say
// where a read leads. Every effect of the line gets the same answer.
func (h *Secrets) maySecret() string {
	if h.may == nil {
		found := ""
		for _, c := range h.Report.Commands {
			if found == "" {
				found = h.wordOfSecrets(c.Words)
			}
		}
		h.may = &found
	}
	return *h.may
}

// unquoted returns text without quotes and backslashes.
func unquoted(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"'\\", r) {
			return -1
		}
		return r
	}, text)
}

// maxEnds bounds how many ends of one word are looked at: each is a path.
const maxEnds = 256

// wordOfSecrets returns the first word that names a secret if it starts at
// home or, with a slash in it, at the root, or if one of its ends does.
func (h *Secrets) wordOfSecrets(words []shell.Word) string {
	for _, w := range words {
		text := unquoted(w.Value)
		if strings.Count(text, "/") > maxEnds {
			return text // it may
		}
		parts, rooted := paths.Fold(text), strings.Contains(text, "/")
		for ; len(parts) > 0; parts = parts[1:] {
			if h.At.Machine.Secrets.MatchAtHome(parts) ||
				rooted && h.At.Machine.Secrets.MatchParts(parts) {
				return text
			}
		}
	}
	return ""
}

// picksSecret returns the first word of the commands that might pick the name
// of a key or of a .env out of others: a glob, or a text that grep looks for.
func (h *Secrets) picksSecret() string {
	return h.firstWord(func(c shell.Command, w shell.Word) bool {
		return w.Known && (globsSecret(w.Value) || picksLines(c) && !c.Has(shell.Inverted) && namesSecret(w.Value))
	})
}

// handedOn is the first word that may be a secret's name, where a command runs on what another command prints.
func (h *Secrets) handedOn() string {
	hands := func(e shell.Effect) bool {
		return e.Kind == shell.Run && strings.HasPrefix(e.Target, "a-command-") // in the words of the sheets
	}
	if !slices.ContainsFunc(h.Report.Effects, hands) {
		return ""
	}
	return h.firstWord(func(_ shell.Command, w shell.Word) bool { return w.Known && h.maySelectSecret(w.Value) })
}

// aimsAtSecret returns a glob that limits the search of a tree, if the glob may select secrets and little else.
// A wider search may come upon a .env, but does not aim at it.
func (h *Secrets) aimsAtSecret(e shell.Effect) string {
	if !e.Recursive || e.Names || e.Command < 0 || e.Command >= len(h.Report.Commands) {
		return ""
	}
	c := h.Report.Commands[e.Command]
	if c.Search == nil || c.Has(shell.PrintsFiles) && allKnown(c) && !c.Has(shell.Searches) {
		return ""
	}
	globs := slices.Concat(c.Search.Include, c.Search.Globs)
	if i := slices.IndexFunc(globs, h.maySelectSecret); i >= 0 {
		return globs[i]
	}
	return ""
}

// maySelectSecret reports whether a pattern of file names may be that of secrets, and of little else.
func (h *Secrets) maySelectSecret(pattern string) bool {
	if strings.HasPrefix(pattern, "!") {
		return false
	}
	return slices.ContainsFunc(alternatives(pattern), func(glob string) bool {
		name := path.Base(glob)
		return globsSecret(name) || h.At.Machine.Secrets.Match("/"+name)
	})
}

// alternatives are the globs that a list in braces stands for; those with more than one list stand for themselves.
func alternatives(glob string) (all []string) {
	before, rest, opens := strings.Cut(glob, "{")
	list, after, closes := strings.Cut(rest, "}")
	if !opens || !closes {
		return []string{glob}
	}
	for part := range strings.SplitSeq(list, ",") {
		all = append(all, before+part+after)
	}
	return all
}

// globsSecret reports whether a glob that does not match everything matches the name of a .env or of a key.
func globsSecret(glob string) bool {
	if !strings.ContainsAny(glob, "*?[") || strings.Trim(glob, "*.") == "" && glob != ".*" {
		return false
	}
	glob = strings.ToLower(strings.ReplaceAll(glob, "[!", "[^"))
	return anyOf("secret-names", func(name string) bool {
		ok, _ := path.Match(glob, name)
		return ok
	})
}

// namesSecret reports whether a text that is looked for in names is a part of the name of a .env or of a key.
func namesSecret(text string) bool {
	text = strings.ToLower(strings.Trim(text, `^$\.*`))
	return len(text) > 2 &&
		(strings.Contains(".env.local", text) && text != "local" || strings.Contains("id_rsa id_ed25519", text))
}

func (h *Secrets) touches(real string, tree bool) bool { return h.At.Machine.TouchesSecret(real, tree) }

// givenToUnknown names an existing secret that the line gives to an unknown program: an
// allow rule says what may run, not on what.
func (h *Secrets) givenToUnknown() string {
	for _, c := range h.Report.Commands {
		if len(c.Words) == 0 || c.Dir == "" || shell.Known(path.Base(c.Words[0].Value)) && !c.Foreign {
			continue
		}
		for _, w := range c.Words[1:] {
			_, value, _ := strings.Cut(w.Value, "=")
			for _, name := range [...]string{w.Value, value} {
				name = strings.TrimPrefix(name, "@")
				real, err := h.At.Machine.Locate(c.Dir, name)
				if w.Known && name != "" && err == nil && !h.At.Missing(real) && h.touches(real, false) {
					return name
				}
			}
		}
	}
	return ""
}

// picksLines reports whether a program passes some of its lines on unchanged.
func picksLines(c shell.Command) bool {
	return c.Has(shell.PrintsLines) && (!c.Has(shell.Searches) || allKnown(c)) // a word may be an option
}

func allKnown(c shell.Command) bool {
	return !slices.ContainsFunc(c.Words, func(w shell.Word) bool { return !w.Known })
}
