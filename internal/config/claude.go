package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/nodgate/nod"
)

// ClaudeRules says whether nod reads what Claude Code's own settings deny and ask about. The zero value reads it.
type ClaudeRules string

// The values of claude_rules.
const (
	ClaudeTighten ClaudeRules = "tighten"
	ClaudeOff     ClaudeRules = "off" // the files are not opened
)

// NotHeld is a rule that nod does not hold as it was meant.
type NotHeld struct {
	List   string // "deny", "ask" and "hard_deny" of Claude Code's settings, "allow" of nod's own
	Text   string
	Origin string // FILE:LINE
	Why    string
}

func claudeManaged() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return "C:/Program Files/ClaudeCode/managed-settings.json"
	}
	return "/etc/claude-code/managed-settings.json"
}

// WithClaude names the settings of Claude Code that go with nod's own: the organisation's
// where nod's managed file is at its usual place, and the user's beside nod's user file, or
// in Home where nod's user file lies elsewhere. No variable has a say in it.
func (p Places) WithClaude() Places {
	p.ClaudeManaged, p.ClaudeUser = "", ""
	if p.Managed == managedName() {
		p.ClaudeManaged = claudeManaged()
	}
	home, usual := strings.CutSuffix(p.User, "/.config/nod/nod.toml")
	if !usual {
		home = p.Home
	}
	if p.User != "" && isAbs(home) {
		p.ClaudeUser = path.Join(home, ".claude/settings.json")
	}
	return p
}

// ClaudeFiles are the settings of Claude Code that rules are read from, there or not.
func (p Places) ClaudeFiles(how ClaudeRules) []string {
	if how == ClaudeOff {
		return nil
	}
	return slices.DeleteFunc([]string{p.ClaudeManaged, p.ClaudeUser}, func(name string) bool { return name == "" })
}

// claude reads Claude Code's settings. What cannot be read is an error: it may hold a rule that denies.
func (p Places) claude(how ClaudeRules) (layers []layer, notHeld []NotHeld, err error) {
	if how == ClaudeOff {
		return nil, nil, nil
	}
	files := p.claudeTeam()
	if p.ClaudeUser != "" {
		files = append(files, Source{p.ClaudeUser, User})
	}
	for _, f := range files {
		l, left, err := p.claudeLayer(f)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, nil, failure(located(f.Path, err).Error() + ` (or set claude_rules = "off" in nod.toml)`)
		}
		layers, notHeld = append(layers, l), append(notHeld, left...)
	}
	return append(layers, p.claudeOfRepository()...), notHeld, nil
}

// claudeTeam are the organisation's files: one, and what lies in the directory beside it.
func (p Places) claudeTeam() (files []Source) {
	if p.ClaudeManaged == "" {
		return nil
	}
	files = append(files, Source{p.ClaudeManaged, Managed})
	dir := path.Join(path.Dir(p.ClaudeManaged), "managed-settings.d")
	entries, _ := p.Files.List(dir, 1000)
	slices.Sort(entries)
	for _, e := range entries {
		if strings.HasSuffix(e, ".json") && !strings.HasPrefix(e, ".") {
			files = append(files, Source{dir + "/" + e, Managed})
		}
	}
	return files
}

// claudeOfRepository is what the workspace's settings, which the repository may have brought,
// deny or ask about as patterns. A file that Claude Code passes over as well counts for nothing.
func (p Places) claudeOfRepository() (layers []layer) {
	if p.Root == "" {
		return nil
	}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		file := Source{path.Join(p.Root, ".claude", name), Repository}
		if l, _, err := p.claudeLayer(file); err == nil {
			l.onlyPatterns()
			layers = append(layers, l)
		}
	}
	return layers
}

// onlyPatterns leaves of what a layer adds the patterns that deny or ask.
func (l *layer) onlyPatterns() {
	taken := 0
	for i := range l.added {
		l.added[i] = slices.DeleteFunc(l.added[i], func(item Item) bool {
			taken++
			tightens := (i == listHardDeny || i == listAsk) && !item.Rule.Prose
			return !tightens || taken > maxUntrustedRules || len(item.Text) > maxUntrustedRule
		})
		for n := range l.added[i] {
			l.added[i][n].Rule.Untrusted = true
		}
	}
}

// claudeLayer reads one file. The error is fs.ErrNotExist for a missing file.
func (p Places) claudeLayer(f Source) (l layer, notHeld []NotHeld, err error) {
	real, text, err := p.read(f.Path, maxSettings, nil)
	if err != nil {
		return l, nil, err
	}
	l.source, l.real = f, real
	r := claudeReader{layer: &l, text: text, dir: path.Dir(f.Path)}
	if f.Level == Repository { // where /x is x of the project
		r.dir = path.Dir(r.dir)
	}
	r.read()
	return l, r.notHeld, r.err
}

// claudeReader takes the rules out of one file. It keeps the first problem.
type claudeReader struct {
	layer   *layer
	text    []byte
	dir     string // where a pattern that starts with / may start
	notHeld []NotHeld
	err     error
}

func (r *claudeReader) fail(offset int, format string, args ...any) {
	if r.err == nil {
		r.err = problemf(positionIn(r.text, offset), format, args...)
	}
}

// maxJSONParts bounds lists and objects, which could be nested.
const maxJSONParts = 5000

// parse reads JSON with the comments and trailing commas that people leave in such files: reading too much of a file
// loses no rule of it. A text that holds nothing is an empty object.
func (r *claudeReader) parse() hujson.Value {
	r.text = bytes.TrimPrefix(r.text, []byte("\xef\xbb\xbf"))
	empty := hujson.Value{Value: &hujson.Object{}}
	switch {
	case len(bytes.TrimSpace(r.text)) == 0:
		return empty
	case !utf8.Valid(r.text):
		r.fail(0, "not UTF-8 text; save the file as UTF-8")
		return empty
	case bytes.Count(r.text, []byte("["))+bytes.Count(r.text, []byte("{")) > maxJSONParts:
		r.fail(0, "more than %d lists and objects; remove some", maxJSONParts)
		return empty
	}
	root, err := hujson.Parse(r.text)
	if err == nil {
		return root
	}
	at := position{1, 1}
	said := strings.TrimPrefix(err.Error(), "hujson: ")
	if n, _ := fmt.Sscanf(said, "line %d, column %d:", &at.line, &at.col); n == 2 {
		said = said[strings.IndexByte(said, ':')+2:]
	}
	r.err = problemf(at, "not JSON: %s; correct it", said)
	return empty
}

// member returns the value of a key, which may stand only once; nil without the key or for null.
func (r *claudeReader) member(o *hujson.Object, key string) (found *hujson.Value) {
	for i, m := range o.Members {
		switch {
		case m.Name.Value.(hujson.Literal).String() != key:
		case found != nil:
			r.fail(m.Name.StartOffset, "%q stands twice, first on line %d; keep one", key,
				positionIn(r.text, found.StartOffset).line)
		default:
			found = &o.Members[i].Value
		}
	}
	if found != nil && found.Value.Kind() == 'n' {
		return nil
	}
	return found
}

func (r *claudeReader) object(v *hujson.Value, what string) *hujson.Object {
	if v == nil {
		return &hujson.Object{}
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		r.fail(v.StartOffset, "%s needs an object", what)
		return &hujson.Object{}
	}
	return o
}

func (r *claudeReader) texts(o *hujson.Object, key string, each func(text, origin string)) {
	v := r.member(o, key)
	if v == nil {
		return
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		r.fail(v.StartOffset, "%s needs a list", key)
		return
	}
	for _, item := range list.Elements {
		if item.Value.Kind() != '"' {
			r.fail(item.StartOffset, "%s: an entry is not a string", key)
			return
		}
		text := strings.Join(strings.Fields(item.Value.(hujson.Literal).String()), " ")
		if text != "" {
			each(text, originOf(r.layer.source, positionIn(r.text, item.StartOffset).line))
		}
	}
}

func (r *claudeReader) read() {
	value := r.parse()
	root := r.object(&value, "the file")
	mode := r.object(r.member(root, "autoMode"), "autoMode")
	permissions := r.object(r.member(root, "permissions"), "permissions")
	r.prose(mode, "soft_deny", listSoftDeny)
	r.prose(mode, "hard_deny", listHardDeny)
	r.permissions(permissions, "deny", listHardDeny)
	r.permissions(permissions, "ask", listAsk)
}

func (r *claudeReader) add(list int, rule nod.Rule) {
	source := r.layer.source
	rule.Team = source.Level == Managed
	r.layer.added[list] = append(r.layer.added[list],
		Item{List: lists()[list].name, Text: rule.Text, Origin: rule.Origin, Level: source.Level, Rule: rule})
}

func (r *claudeReader) leave(list, text, origin, why string) {
	r.notHeld = append(r.notHeld, NotHeld{List: list, Text: text, Origin: origin, Why: why})
}

// prose reads a list of autoMode: text for the model. nod has its own list for "$defaults".
func (r *claudeReader) prose(mode *hujson.Object, key string, list int) {
	r.texts(mode, key, func(text, origin string) {
		if text == defaultsMark {
			return
		}
		if list == listHardDeny {
			r.leave(key, text, origin, "only a model holds it: it is no pattern")
		}
		r.add(list, nod.Rule{Text: text, Origin: origin, Prose: true})
	})
}

// permissions reads permission rules. A rule that nod cannot hold stays as text for the model.
func (r *claudeReader) permissions(permissions *hujson.Object, key string, list int) {
	r.texts(permissions, key, func(text, origin string) {
		rule, err := nod.ParsePermission(text, origin, r.dir)
		into := list
		if err != nil {
			r.leave(key, text, origin, "only a model holds it: "+err.Error())
			if list == listAsk { // advice, which asks the model and no person
				into = listSoftDeny
			}
			rule = nod.Rule{Text: text, Origin: origin, Prose: true}
		}
		r.add(into, rule)
	})
}
