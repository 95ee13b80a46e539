package nod

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// secret reports which secret store the call would touch, "" if none.
func (t *trial) secret() (why string) {
	if name := t.secretPath(); name != "" {
		return printable.Text(name) + " holds or may hold secrets"
	}
	for _, e := range t.report.Effects {
		if e.Kind == shell.Secret {
			return "this uses or prints a secret: " + printable.Text(e.Words)
		}
		if e.Kind > shell.Run {
			continue
		}
		if !e.Names && (e.Pattern != "" || e.Recursive) && view.Below("/proc", e.Target) {
			return "what /proc says of a process may hold secrets: " + printable.Text(e.Words)
		}
		names, all := t.gate.machine.Names(e)
		if e.Pattern != "" && !t.report.Fed(e) { // what find hands over is looked at with its tests (secretBelow)
			names = t.gate.machine.ThroughLinks(names)
		}
		tree := !e.Names && e.Recursive && (e.Pattern == "" || !all || t.report.Fed(e)) // what find hands over lies at any depth
		for _, name := range names {
			if t.touches(name, tree) && !(e.Names && e.Kind == shell.Read && t.isLoneSecret(name, e.Recursive)) {
				return printable.Text(name) + " holds or may hold secrets"
			}
		}
		if word := t.aimsAtSecret(e); word != "" {
			return "this may search secrets: " + printable.Text(word)
		}
		if t.searches(e) {
			if word := t.seeksSecret(); word != "" {
				return "this looks for secrets: " + printable.Text(word)
			}
		}
		if all && !t.report.Fed(e) {
			continue
		}
		if word := t.picksSecret(); word != "" && !e.Names {
			return "this may pick out secrets: " + printable.Text(word)
		}
		if name := t.maySecret(); name != "" {
			return printable.Text(name) + " holds or may hold secrets"
		}
	}
	if word := t.gitAims(); word != "" {
		return "this may print secrets that git has: " + printable.Text(word)
	}
	if name := t.gitPrints(); name != "" {
		return "this prints what git has of " + printable.Text(name) + ", which holds or may hold secrets"
	}
	if name := t.secretBelow(); name != "" {
		return printable.Text(name) + " would be read along, which holds or may hold secrets"
	}
	return ""
}

// isLoneSecret reports whether a name is that of a secret file, or may become
// one in the workspace, in a directory that is no store: its name, size and
// date tell nothing.
func (t *trial) isLoneSecret(name string, tree bool) bool {
	info, err := t.gate.machine.Files.Lstat(name)
	dir := path.Dir(name)
	return (err == nil && info.Mode.IsRegular() || errors.Is(err, fs.ErrNotExist) && !tree && t.gate.machine.Inside(t.at.Roots, name)) && !t.touches(dir, false)
}

func (t *trial) secretPath() string {
	for _, name := range append(t.call.resources(), t.call.Paths...) {
		if t.call.Tool == "grep" && strings.ContainsAny(name, "*?[{") && t.gate.maySelectSecret(name) {
			return name
		}
		reals, err := t.at.Readings(name)
		if err != nil {
			return name // nobody can say that it is none
		}
		for _, real := range reals {
			if t.touches(real, t.call.Tool == "grep") {
				return real
			}
			if found := t.searchedBy(real); found != "" && found != tooLarge {
				return found
			}
		}
	}
	return ""
}

// searches reports whether a command lists names where secrets lie. A name is
// none, but to look for theirs is to look for them.
func (t *trial) searches(e shell.Effect) bool {
	return e.Names && e.Recursive && (e.Target == "" || t.gate.machine.Secrets.HoldsAny(e.Target))
}

// seeksSecret returns the first word of the commands that speaks of keys,
// passwords and the like.
func (t *trial) seeksSecret() string {
	for _, c := range t.report.Commands {
		for i, w := range c.Words {
			if i > 0 && speaksOfSecrets(strings.ToLower(w.Value)) {
				return w.Value
			}
		}
	}
	return t.maySecret()
}

func speaksOfSecrets(text string) bool {
	for _, piece := range [...]string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "credential", "secret", "passw", "token", "wallet",
		"keychain", "keystore", "private", "shadow", "htpasswd", "netrc", "authorized_keys", ".ssh", ".aws", ".gnupg", ".kube",
		".pem", ".key", ".p12", ".pfx", ".jks", ".ppk", ".kdbx", ".gpg", ".env", "_history", "cookies", "login data"} {
		if strings.Contains(text, piece) {
			return true
		}
	}
	return false
}

// maySecret reports whether some word of the commands names a secret, for
// reads of which nobody can say where they lead. Every effect of the line gets
// the same answer.
func (t *trial) maySecret() string {
	if t.may == nil {
		found := ""
		for _, c := range t.report.Commands {
			if found == "" {
				found = t.gate.wordOfSecrets(c.Words)
			}
		}
		t.may = &found
	}
	return *t.may
}

// maxEnds bounds how many ends of one word are looked at: each is a path.
const maxEnds = 256

// wordOfSecrets returns the first word that names a secret if it starts at
// home or, with a slash in it, at the root, or if one of its ends does.
func (g *Gate) wordOfSecrets(words []shell.Word) string {
	for _, w := range words {
		text := unquoted(w.Value)
		if strings.Count(text, "/") > maxEnds {
			return text // it may
		}
		parts, rooted, short := paths.Fold(text), strings.Contains(text, "/"), strings.Contains(text, "~")
		for ; len(parts) > 0; parts = parts[1:] {
			if g.machine.Secrets.MatchAtHome(parts, short) || rooted && g.machine.Secrets.MatchParts(parts, short) {
				return text
			}
		}
	}
	return ""
}

// unquoted returns text without quotes and backslashes.
func unquoted(text string) string {
	const quotes = "\"'\\"
	if !strings.ContainsAny(text, quotes) {
		return text
	}
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(quotes, text[i]) < 0 {
			plain = append(plain, text[i])
		}
	}
	return string(plain)
}

// picksSecret returns the first word of the commands that might pick the name
// of a key or of a .env out of others: a glob, or a text that grep looks for.
func (t *trial) picksSecret() string {
	for _, c := range t.report.Commands {
		greps := picksLines(c) && !slices.ContainsFunc(c.Words, func(w shell.Word) bool {
			letters, short := shortOptions(w.Value)
			return short && strings.Contains(letters, "v") || strings.HasPrefix(w.Value, "--inv")
		})
		for i, w := range c.Words {
			if i > 0 && w.Known && (globsSecret(w.Value) || greps && namesSecret(w.Value)) {
				return w.Value
			}
		}
	}
	return ""
}

// aimsAtSecret returns the names that the search of a tree is held to, if they
// may be those of secrets: a search that comes upon a .env is none for it, one
// of nothing else is.
func (t *trial) aimsAtSecret(e shell.Effect) string {
	if !e.Recursive || e.Names || e.Command < 0 || e.Command >= len(t.report.Commands) {
		return ""
	}
	words := t.report.Commands[e.Command].Words
	if slices.ContainsFunc(words, func(w shell.Word) bool { return w.Value == "--files" }) {
		return "" // prints names
	}
	for i := range words {
		if glob := heldTo(words, i); t.gate.maySelectSecret(glob) {
			return glob
		}
	}
	return ""
}

// maySelectSecret reports whether a pattern of file names may be that of
// secrets, and of little else.
func (g *Gate) maySelectSecret(pattern string) bool {
	if strings.HasPrefix(pattern, "!") {
		return false
	}
	for _, glob := range alternatives(pattern) {
		if name := path.Base(glob); globsSecret(name) || g.machine.Secrets.Match("/"+name) {
			return true
		}
	}
	return false
}

// heldTo returns what the option of grep, ripgrep or ag at i says about the
// names of files to be searched.
func heldTo(words []shell.Word, i int) string {
	text, next := words[i].Value, ""
	if i+1 < len(words) {
		next = words[i+1].Value
	}
	name, value, equals := strings.Cut(text, "=")
	switch name {
	case "--include", "--glob", "--iglob", "--file-search-regex":
		if !equals {
			value = next
		}
	default:
		if letters, short := shortOptions(text); !short || !strings.ContainsAny(letters, "gG") || path.Base(words[0].Value) != "rg" && path.Base(words[0].Value) != "ag" {
			return ""
		}
		if value = text[strings.IndexAny(text, "gG")+1:]; value == "" {
			value = next
		}
	}
	return value
}

// alternatives are the globs that a list in braces stands for; those with more
// than one list stand for themselves.
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

// globsSecret reports whether a glob that does not match everything matches
// the name of a .env or of a key.
func globsSecret(glob string) bool {
	if !strings.ContainsAny(glob, "*?[") || strings.Trim(glob, "*.") == "" && glob != ".*" {
		return false
	}
	for _, name := range [...]string{".env", ".env.local", "prod.env", "id_rsa", "id_ed25519", "server.key", "server.pem", ".netrc", ".pgpass", "terraform.tfvars", "secrets.json"} {
		if ok, _ := path.Match(strings.ToLower(strings.ReplaceAll(glob, "[!", "[^")), name); ok {
			return true
		}
	}
	return false
}

// namesSecret reports whether a text that is looked for in names is a part of
// the name of a .env or of a key.
func namesSecret(text string) bool {
	text = strings.ToLower(strings.Trim(text, `^$\.*`))
	return len(text) > 2 && (strings.Contains(".env.local", text) && text != "local" || strings.Contains("id_rsa id_ed25519", text))
}

// touches is touchesSecret for a file that may be a second name of a secret at
// its usual place (a hard link).
func (t *trial) touches(real string, tree bool) bool {
	return t.gate.machine.TouchesSecret(real, tree) || t.isTwin(real)
}

// isTwin reports whether a file is a secret by another name.
func (t *trial) isTwin(real string) bool {
	info, err := t.gate.machine.Files.Lstat(real)
	return err == nil && info.Links > 1 && info.Mode.IsRegular() && slices.ContainsFunc(t.withTwins(), info.Same)
}

// withTwins are the secrets that have more names than one, looked up once.
func (t *trial) withTwins() []view.Info {
	if t.twins == nil {
		t.twins = t.gate.secretsWithTwins(t.at.Roots)
	}
	return t.twins
}

// secretsWithTwins are the secrets at home and at the top of the workspaces that
// have more names than one.
func (g *Gate) secretsWithTwins(roots []string) (twins []view.Info) {
	add := func(name string) (isDir bool) {
		info, err := g.machine.Files.Lstat(name)
		if err == nil && info.Links > 1 && info.Mode.IsRegular() {
			twins = append(twins, info)
		}
		return err == nil && info.Mode.IsDir()
	}
	addBelow := func(dir string, pick func(name string) bool) {
		names, _ := g.machine.Files.List(dir, place.MaxMatches)
		for _, n := range names {
			if pick(dir + "/" + n) {
				add(dir + "/" + n)
			}
		}
	}
	twins = []view.Info{}
	for _, entry := range g.machine.Secrets.Entries {
		if below, ok := strings.CutPrefix(entry, "~/"); ok && paths.GlobIndex(below) < 0 && add(g.machine.Home+"/"+below) {
			addBelow(g.machine.Home+"/"+below, func(string) bool { return true })
		}
	}
	for _, root := range roots {
		addBelow(root, g.machine.Secrets.Match)
	}
	return twins
}
