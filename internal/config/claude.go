package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/view"
)

// ClaudeRules says what of Claude Code's own settings nod reads. The zero
// value reads what tightens.
type ClaudeRules string

// The values of claude_rules.
const (
	ClaudeTighten ClaudeRules = "tighten" // deny, ask, soft_deny, hard_deny
	ClaudeAll     ClaudeRules = "all"     // also allow and environment, for Claude Code's calls
	ClaudeOff     ClaudeRules = "off"     // nothing; the files are not opened
)

// NotHeld is a rule of Claude Code's settings that nod does not hold as it was
// meant.
type NotHeld struct {
	List   string // as Claude Code names it: "deny", "ask", "allow", "hard_deny"
	Text   string
	Origin string // FILE:LINE
	Why    string
}

// claudeUser is the file of the user's whose settings file is at the usual
// place, "" for any other. No variable has a say in it.
func claudeUser(user string) string {
	if home, ok := strings.CutSuffix(user, "/.config/nod/nod.toml"); ok && home != "" {
		return home + "/.claude/settings.json"
	}
	return ""
}

// claudeManaged is the organisation's file.
func claudeManaged() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	}
	return "/etc/claude-code/managed-settings.json"
}

// WithClaude names the settings of Claude Code that go with nod's own: the
// organisation's where nod's managed file is at its usual place, and the user's
// beside the user's. Where that one is elsewhere, home says where, and what is
// found there may only tighten.
func (p Places) WithClaude() Places {
	p.ClaudeManaged, p.ClaudeUser = "", claudeUser(p.User)
	if p.Managed == managedName {
		p.ClaudeManaged = claudeManaged()
	}
	if p.ClaudeUser == "" && p.User != "" && path.IsAbs(p.Home) {
		p.ClaudeUser = path.Join(p.Home, ".claude/settings.json")
	}
	return p
}

// ClaudeFiles are the settings of Claude Code that rules are read from, there
// or not.
func (p Places) ClaudeFiles(how ClaudeRules) []string {
	if how == ClaudeOff {
		return nil
	}
	return slices.DeleteFunc([]string{p.ClaudeManaged, p.ClaudeUser}, func(name string) bool { return name == "" })
}

// claude reads the rules of Claude Code's settings. Whatever keeps a file from
// being read is an error, since it may hold a rule that denies.
func (p Places) claude(how ClaudeRules, roots []string) (layers []layer, notHeld []NotHeld, err error) {
	if how == ClaudeOff {
		return nil, nil, nil
	}
	for _, f := range []struct {
		name  string
		level Level
	}{{p.ClaudeManaged, Managed}, {p.ClaudeUser, User}} {
		for _, name := range p.parts(f.name, f.level) {
			l, left, err := p.claudeLayer(name, f.level, how, roots)
			if err != nil {
				return nil, nil, failure(shown(name) + ":" + err.Error() + ` (or set claude_rules = "off" in nod.toml)`)
			}
			notHeld = append(notHeld, left...)
			if l.source.Path != "" {
				layers = append(layers, l)
			}
		}
	}
	return append(layers, p.claudeOfRepository()...), notHeld, nil
}

// claudeOfRepository are Claude Code's settings in the workspace, which the repository may
// have brought: what they deny or ask about, as patterns, and nothing else of them. A file
// that Claude Code passes over as well counts for nothing.
func (p Places) claudeOfRepository() (layers []layer) {
	if p.Root == "" {
		return nil
	}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		l, _, err := p.claudeLayer(path.Join(p.Root, ".claude", name), Repository, ClaudeTighten, nil)
		if err != nil || l.source.Path == "" {
			continue
		}
		taken := 0
		for list := range l.added {
			l.added[list] = slices.DeleteFunc(l.added[list], func(i Item) bool {
				taken++
				tightens := (list == listHardDeny || list == listAsk) && !i.Rule.Prose
				return !tightens || taken > maxUntrustedRules || len(i.Text) > maxUntrustedRule
			})
			for i := range l.added[list] {
				l.added[list][i].Rule.Untrusted = true
			}
		}
		layers = append(layers, l)
	}
	return layers
}

// parts are a file and, of the organisation's, what lies in the directory
// beside it.
func (p Places) parts(name string, level Level) []string {
	if name == "" || level != Managed {
		return slices.DeleteFunc([]string{name}, func(n string) bool { return n == "" })
	}
	names := []string{name}
	dir := path.Join(path.Dir(name), "managed-settings.d")
	entries, _ := p.Files.List(dir, 1000)
	slices.Sort(entries)
	for _, e := range entries {
		if strings.HasSuffix(e, ".json") && !strings.HasPrefix(e, ".") {
			names = append(names, dir+"/"+e)
		}
	}
	return names
}

// claudeLayer reads one file; source.Path is "" where there is none.
func (p Places) claudeLayer(name string, level Level, how ClaudeRules,
	roots []string) (l layer, notHeld []NotHeld, err error) {
	real, err := view.Resolve(p.Files, name)
	if err != nil {
		return l, nil, fmt.Errorf(" cannot be followed (%v)", plain(err))
	}
	info, err := p.Files.Lstat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l, nil, nil
	case err != nil:
		return l, nil, fmt.Errorf(" cannot be looked at (%v)", plain(err))
	case !info.Mode.IsRegular():
		return l, nil, errors.New(" not a regular file")
	case info.Size > maxSettings:
		return l, nil, fmt.Errorf(" %d bytes, more than the %d that are read", info.Size, maxSettings)
	}
	text, err := p.Files.Read(real, maxSettings)
	if err != nil {
		return l, nil, fmt.Errorf(" cannot be read (%v)", plain(err))
	}
	root, err := parseJSON(text)
	if err != nil {
		return l, nil, err
	}
	l.source, l.real = Source{Path: name, Level: level, SHA256: hash(text), Trusted: true, Used: true}, real
	r := claudeReader{layer: &l, dir: path.Dir(name), widens: how == ClaudeAll}
	if level == Repository { // where /x is x of the project
		r.dir = path.Dir(r.dir)
	}
	if r.widens {
		r.doubt = p.claudeDoubt(name, level, real, info, roots)
	}
	r.read(root)
	return l, r.notHeld, r.err
}

// claudeDoubt says why a file may not widen what is allowed, "" if it may: an
// agent might have written it.
func (p Places) claudeDoubt(name string, level Level, real string, info view.Info, roots []string) string {
	if level == User && name != claudeUser(p.User) {
		return "the file is not beside your own nod.toml at ~/.config/nod"
	}
	if err := p.checkOwner(real, info); err != nil {
		return err.Error()
	}
	if root, ok := p.inside(roots, real); ok {
		return "the file lies in the workspace " + shown(root)
	}
	return ""
}

// claudeReader takes the rules out of one file. It keeps the first problem.
type claudeReader struct {
	layer   *layer
	dir     string
	widens  bool
	doubt   string // why nothing may widen all the same
	shells  bool   // autoMode.classifyAllShell: no allow rule for Bash holds
	notHeld []NotHeld
	err     error
}

func (r *claudeReader) fail(at position, format string, args ...any) {
	if r.err == nil {
		r.err = problemf(at, format, args...)
	}
}

// child is a member that nod reads: at most one, and null is none.
func (r *claudeReader) child(n *node, key string) *node {
	var found *node
	for _, c := range n.children {
		switch {
		case c.key != key:
		case found != nil:
			r.fail(c.at, "%q stands twice, first on line %d; keep one", key, found.at.line)
		default:
			found = c
		}
	}
	if found != nil && found.form == isValue && found.kind == unstable.Invalid {
		return nil
	}
	return found
}

// object is a member that holds members.
func (r *claudeReader) object(n *node, key string) *node {
	c := r.child(n, key)
	if c == nil {
		return &node{form: isTable}
	}
	if c.form != isTable {
		r.fail(c.valueAt, "%s needs an object", key)
	}
	return c
}

// texts are the entries of a list.
func (r *claudeReader) texts(n *node, key string, each func(text string, line int)) {
	list := r.child(n, key)
	switch {
	case list == nil:
		return
	case list.form != isList:
		r.fail(list.valueAt, "%s needs a list", key)
		return
	}
	for _, item := range list.items {
		if item.form != isValue || item.kind != unstable.String {
			r.fail(item.valueAt, "%s: an entry is no text", key)
			return
		}
		if text := strings.Join(strings.Fields(item.text), " "); text != "" {
			each(text, item.valueAt.line)
		}
	}
}

func (r *claudeReader) read(root *node) {
	mode, permissions := r.object(root, "autoMode"), r.object(root, "permissions")
	if c := r.child(mode, "classifyAllShell"); c != nil {
		r.shells = c.text != "false"
	}
	r.prose(mode, "soft_deny", listSoftDeny)
	r.prose(mode, "hard_deny", listHardDeny)
	r.permissions(permissions, "deny", listHardDeny)
	r.permissions(permissions, "ask", listAsk)
	if !r.widens {
		r.overridden(permissions)
		return
	}
	r.prose(mode, "allow", listAllow)
	r.prose(mode, "environment", listEnvironment)
	r.permissions(permissions, "allow", listAllow)
}

// Asked begins what is said of an allow rule that nod's asks override.
const Asked = "nod asks all the same"

// overridden names the allow rules that nod's asks override, and what to write
// to have each count.
func (r *claudeReader) overridden(permissions *node) {
	r.texts(permissions, "allow", func(text string, line int) {
		why := Asked
		rule, err := nod.ParsePermission(nod.ListAllow, text, "", r.dir)
		switch {
		case err == nil && slices.Contains(nod.DefaultRules().Allowlist, match.CanonicalTool(rule.Text)):
			return // nod leaves these to the host, so that its rule counts
		case err != nil:
			why += ", and has no rule that means the same: " + err.Error()
		case rule.IsCommand() || strings.HasPrefix(rule.Text, "mcp__"):
			why += fmt.Sprintf("; to have it count: allow = [%q], or claude_rules = \"all\"", rule.Text)
		default:
			why += fmt.Sprintf("; to have it count: allowlist = [%q, %q], or claude_rules = \"all\"", defaultsMark,
				match.CanonicalTool(rule.Text))
		}
		r.leave("allow", text, originOf(r.layer.source, line), why)
	})
}

// Overridden lists the allow rules in a workspace's own settings of Claude Code,
// where the host writes "don't ask again": nod reads none of them, since the
// repository may have brought them.
func (p Places) Overridden() (list []NotHeld) {
	if p.Files == nil {
		p.Files = view.Disk{}
	}
	if p.Root == "" {
		return nil
	}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		_, notHeld, err := p.claudeLayer(path.Join(p.Root, ".claude", name), Repository, ClaudeTighten, nil)
		if err != nil {
			continue // a file that Claude Code passes over as well
		}
		for _, rule := range notHeld {
			if rule.List == "allow" {
				rule.Why = strings.TrimSuffix(rule.Why, `, or claude_rules = "all"`)
				list = append(list, rule)
			}
		}
	}
	return list
}

// add puts a rule into a list. What speaks for calls speaks for Claude Code's.
func (r *claudeReader) add(list int, rule nod.Rule) {
	source := r.layer.source
	rule.Team = source.Level == Managed
	if list == listAllow || list == listEnvironment {
		rule.Agent = nod.ClaudeCode
	}
	r.layer.added[list] = append(r.layer.added[list],
		Item{List: listNames()[list], Text: rule.Text, Origin: rule.Origin, Level: source.Level, Rule: rule})
}

// leave notes a rule that is not held as it was meant.
func (r *claudeReader) leave(list, text, origin, why string) {
	r.notHeld = append(r.notHeld, NotHeld{List: list, Text: text, Origin: origin, Why: why})
}

// prose reads a list of autoMode: text for the model, whatever it begins with.
// "$defaults" stands for Claude Code's own list, and nod has its own.
func (r *claudeReader) prose(n *node, key string, list int) {
	r.texts(n, key, func(text string, line int) {
		origin := originOf(r.layer.source, line)
		switch {
		case text == defaultsMark:
			return
		case list != listSoftDeny && list != listHardDeny && r.doubt != "":
			r.leave(key, text, origin, "left out: "+r.doubt)
			return
		case list == listHardDeny:
			r.leave(key, text, origin, "only a model holds it: it is no pattern")
		}
		r.add(list, nod.Rule{Text: text, Origin: origin, Prose: true})
	})
}

// permissions reads permission rules. One that denies or asks and that nod
// cannot hold stays as text for the model.
func (r *claudeReader) permissions(n *node, key string, list int) {
	r.texts(n, key, func(text string, line int) {
		origin := originOf(r.layer.source, line)
		rule, err := nod.ParsePermission(nod.RuleList(listNames()[list]), text, origin, r.dir)
		switch {
		case list == listAllow && r.doubt != "":
			r.leave(key, text, origin, "left out: "+r.doubt)
		case list == listAllow && r.shells:
			r.leave(key, text, origin, "left out: autoMode.classifyAllShell suspends it")
		case err == nil:
			r.add(list, rule)
		case list == listAllow:
			r.leave(key, text, origin, "left out: "+err.Error())
		case list == listAsk:
			r.leave(key, text, origin, "only a model holds it: "+err.Error())
			r.add(listSoftDeny, nod.Rule{Text: text, Origin: origin, Prose: true})
		default:
			r.leave(key, text, origin, "only a model holds it: "+err.Error())
			r.add(list, nod.Rule{Text: text, Origin: origin, Prose: true})
		}
	})
}
