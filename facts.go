package nod

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
)

// Facts is what a model is told about a call besides its words. It is data
// from reading, never from running.
type Facts struct {
	Open     string       `json:"open,omitempty"` // why layers 1 to 3 did not settle it
	Effects  []EffectFact `json:"effects,omitempty"`
	Unknowns []string     `json:"unknowns,omitempty"`
	Matched  []string     `json:"matched,omitempty"`
	Runs     []RunFact    `json:"runs,omitempty"`
	NewHosts []string     `json:"new_hosts,omitempty"`
	// Tainted says why what the agent has read in this session may be orders
	// to it, Session what the session did before that weighs.
	Git     *GitFact `json:"git,omitempty"`
	Tainted string   `json:"tainted,omitempty"`
	Session []string `json:"session,omitempty"`
	// SpeaksToJudge quotes what in the call looks as if it were written for
	// the model. It can only make an answer stricter.
	SpeaksToJudge []string `json:"speaks_to_judge,omitempty"`
}

// EffectFact is one thing that a command does.
type EffectFact struct {
	Kind      string `json:"kind"`
	Target    string `json:"target,omitempty"` // "" is one that nobody knows
	Place     string `json:"place,omitempty"`
	Recursive bool   `json:"recursive,omitempty"`
	Forced    bool   `json:"forced,omitempty"`
	Moved     bool   `json:"moved,omitempty"`
}

// RunFact is code that the call would execute: a script, or the file or entry of
// one that says what a name runs.
type RunFact struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256,omitempty"`
	Content string `json:"content,omitempty"` // "" where it is too long to show
	// Withheld says why a content that would fit is not shown.
	Withheld string `json:"content_withheld,omitempty"`
	Origin   string `json:"origin,omitempty"` // written or downloaded in this session
}

// GitFact is where a command that speaks to a repository speaks to.
type GitFact struct {
	Branch  string   `json:"branch,omitempty"`  // the one that is checked out
	Default string   `json:"default,omitempty"` // the remote's, where it is known
	Remotes []string `json:"remotes,omitempty"` // name and address
	Made    bool     `json:"branch_made_in_session,omitempty"`
}

const (
	factLimit     = 40     // effects, unknowns
	wordLimit     = 300    // bytes of one target or unknown
	contentLimit  = 4_000  // bytes of one file that would be run
	contentsLimit = 12_000 // of all of them
	runLimit      = 12     // how many are listed
)

// facts puts together what is known of the call, with hosts and files.
func (t *trial) facts(session ledger) Facts {
	store := t.interpreted()
	f := Facts{Open: t.gate.shown(t.reasonOf(t.open))}
	for _, e := range t.withheldEffects(t.report.Effects, store)[:min(len(t.report.Effects), factLimit)] {
		f.Effects = append(f.Effects, EffectFact{
			Kind: kindName(e.Kind), Target: t.gate.shown(middleCut(e.Target, wordLimit)), Place: placeName(e.Place),
			Recursive: e.Recursive, Forced: e.Forced, Moved: e.Moved,
		})
	}
	f.Unknowns = t.unknowns(store)
	if n := max(len(t.report.Effects), len(t.report.Unknowns)); n > factLimit {
		f.Unknowns = append(f.Unknowns, "there is more than is listed here")
	}
	if t.soft.Text != "" && !t.soft.Untrusted {
		f.Matched = []string{"soft_deny: " + t.soft.Text}
	}
	f.Runs, f.Git = t.runs(), t.git(session)
	f.NewHosts = t.newHosts(session.said, f.Git, store)
	f.SpeaksToJudge = speaksToJudge(string(t.call.Input))
	for _, r := range f.Runs {
		f.SpeaksToJudge = append(f.SpeaksToJudge, speaksToJudge(r.Content)...)
	}
	f.Tainted, f.Session = t.tainted(), append(t.history(), t.letRun()...)
	return f
}

// unknowns are what could not be resolved. Where a secret store has a part in
// that, only what the call itself says of them is told.
func (t *trial) unknowns(store string) (said []string) {
	hidden := 0
	for _, u := range t.report.Unknowns[:min(len(t.report.Unknowns), factLimit)] {
		switch {
		case store == "":
			said = append(said, t.gate.shown(middleCut(u.What, wordLimit)))
		case t.spoken(u.Words) && u.Words != "":
			said = append(said, t.gate.shown(middleCut("what this does is not known: "+u.Words, wordLimit)))
		default:
			hidden++
		}
	}
	if hidden > 0 {
		said = append(said, strconv.Itoa(hidden)+" more, which stand in "+store+" and are withheld")
	}
	return said
}

// runs are the files that hold code which the call would execute, as they were
// read: scripts, and what says what a name runs.
func (t *trial) runs() []RunFact {
	var runs []RunFact
	left := contentsLimit
	add := func(name, sum string, command int) {
		if len(runs) == runLimit || slices.ContainsFunc(runs, func(r RunFact) bool { return r.Path == name || DefinitionFile(r.Path) == name }) {
			return
		}
		r := t.run(name, sum, command, left)
		left -= len(r.Content)
		runs = append(runs, r)
	}
	for _, e := range t.report.Read {
		if i := slices.IndexFunc(t.report.Effects, func(r shell.Effect) bool { return r.Kind == shell.Run && r.Target == e.Path }); i >= 0 {
			add(e.Path, e.SHA256, t.report.Effects[i].Command)
		}
	}
	for _, d := range t.report.Definitions {
		if d.SHA256 != shell.Absent {
			add(d.Path, d.SHA256, d.Command)
		}
	}
	return runs
}

// run is one of them.
func (t *trial) run(name, sum string, command, left int) RunFact {
	file := DefinitionFile(name)
	r := RunFact{Path: name, SHA256: sum, Origin: t.origin(file)}
	if t.gate.isStore(file) {
		r.Withheld = secretStore
		return r
	}
	text, err := t.gate.files.Read(file, readLimit)
	if err != nil || len(text) == readLimit {
		return r
	}
	content := strings.ToValidUTF8(string(text), "\uFFFD")
	if file != name {
		content = packageEntry(content, name[len(file)+1:])
	} else if len(content) > contentLimit {
		content = t.recipe(content, command)
	}
	if len(content) <= min(contentLimit, left) {
		r.Content = t.gate.shown(content)
	}
	return r
}

// readLimit bounds a file in which a recipe is looked for.
const readLimit = 256 << 10

// packageEntry is one script of a package.json, with what runs before and after.
func packageEntry(text, name string) string {
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal([]byte(text), &manifest) != nil {
		return ""
	}
	var lines []string
	for _, entry := range [...]string{"pre" + name, name, "post" + name} {
		if script, ok := manifest.Scripts[entry]; ok {
			lines = append(lines, entry+": "+script)
		}
	}
	return strings.Join(lines, "\n")
}

// recipe is the part of a long file of recipes that stands under a name which
// the command gives: a target, a recipe, a task.
func (t *trial) recipe(text string, command int) string {
	if command < 0 || command >= len(t.report.Commands) {
		return ""
	}
	lines := strings.Split(text, "\n")
	for _, w := range t.report.Commands[command].Words {
		i := slices.IndexFunc(lines, func(line string) bool { return w.Known && len(w.Value) > 1 && beginsRecipe(line, w.Value) })
		if i < 0 {
			continue
		}
		end := i + 1
		for end < len(lines) && end < i+40 && (lines[end] == "" || strings.HasPrefix(lines[end], " ") || strings.HasPrefix(lines[end], "\t") || !strings.ContainsAny(lines[end][:1], "[#") && strings.Contains(lines[i], "[")) {
			end++
		}
		return "[...]\n" + strings.TrimRight(strings.Join(lines[i:end], "\n"), "\n") + "\n[...]"
	}
	return ""
}

// beginsRecipe reports whether a line of a Makefile, a justfile or a task file
// begins what a name runs.
func beginsRecipe(line, name string) bool {
	rest, ok := strings.CutPrefix(line, name)
	return ok && rest != "" && strings.ContainsAny(rest[:1], ": =") && strings.Contains(rest, ":") ||
		line == "[tasks."+name+"]" || line == `[tasks."`+name+`"]` || strings.HasPrefix(line, "#MISE ") && strings.Contains(line, name)
}

// git is the repository that a command speaks to; nil for any other command.
func (t *trial) git(session ledger) *GitFact {
	speaks := func(c shell.Command) bool {
		return len(c.Words) > 0 && slices.Contains([]string{"git", "gh", "hub", "glab", "tea"}, path.Base(c.Words[0].Value))
	}
	i := slices.IndexFunc(t.report.Commands, speaks)
	if i < 0 {
		return nil
	}
	r, ok := repo.Around(t.gate.files, orText(t.report.Commands[i].Dir, t.call.Dir)+"/.git-is-looked-for")
	if !ok {
		return nil
	}
	f := &GitFact{Branch: t.refOf(r.Dir+"/HEAD", "refs/heads/"), Default: t.refOf(r.Common+"/refs/remotes/origin/HEAD", "refs/remotes/origin/")}
	if text, err := t.gate.files.Read(r.Common+"/config", 64<<10); err == nil {
		f.Remotes = remotesOf(string(text))
	}
	for _, made := range [...]string{"checkout -b ", "checkout -B ", "switch -c ", "switch -C ", "branch "} {
		f.Made = f.Made || f.Branch != "" && strings.Contains(session.calls+" ", made+f.Branch)
	}
	return f
}

func orText(first, second string) string {
	if first != "" {
		return first
	}
	return second
}

// refOf is the branch that a symbolic reference names, "" where it names none.
func (t *trial) refOf(file, under string) string {
	text, err := t.gate.files.Read(file, 1024)
	name, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: "+under)
	if err != nil || !ok {
		return ""
	}
	return middleCut(name, wordLimit)
}

// remotesOf are the remotes of a git configuration, without names and passwords
// in their addresses.
func remotesOf(config string) (remotes []string) {
	name := ""
	for line := range strings.Lines(config) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, _ = strings.CutPrefix(line, `[remote "`)
			if name == line {
				name = ""
			}
			name = strings.TrimSuffix(name, `"]`)
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); ok && name != "" && (key == "url" || key == "pushurl") && len(remotes) < 10 {
			remotes = append(remotes, middleCut(name+" "+withoutUser(strings.TrimSpace(value)), wordLimit))
		}
	}
	return remotes
}

// withoutUser takes user and password out of a URL.
func withoutUser(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	host, tail, _ := strings.Cut(rest, "/")
	if i := strings.LastIndex(host, "@"); i >= 0 {
		host = host[i+1:]
	}
	return strings.TrimSuffix(scheme+"://"+host+"/"+tail, "/")
}

// newHosts are hosts that the call's own words name, and neither the rules nor
// the person nor the repository's remotes. A host that a program asks by itself
// is no news.
func (t *trial) newHosts(said string, git *GitFact, store string) []string {
	var hosts []string
	add := func(target, words string) {
		host := hostOf(target)
		switch {
		case !strings.Contains(host, "."), hostAllowed(t.gate.rules.Hosts, target), strings.Contains(said, host), slices.Contains(hosts, host):
		case !strings.Contains(words, host), store != "" && !t.spoken(host):
		case git != nil && slices.ContainsFunc(git.Remotes, func(r string) bool { return strings.Contains(r, host) }):
		default:
			hosts = append(hosts, host)
		}
	}
	for _, e := range t.report.Effects {
		if (e.Place == shell.Network || e.Kind == shell.Fetch || e.Kind == shell.Send) && e.Target != "" {
			add(e.Target, e.Words+" "+t.call.Command)
		}
	}
	if t.call.URL != "" {
		add(t.call.URL, t.call.URL)
	}
	return hosts
}

func kindName(k shell.Kind) string {
	names := [...]string{"unknown", "read", "write", "delete", "run", "fetch", "send", "remote change", "kill", "persist", "secret", "privilege", "exhaust"}
	if int(k) < len(names) {
		return names[k]
	}
	return names[0]
}

func placeName(p shell.Place) string {
	names := [...]string{"elsewhere", "workspace", "temporary", "home", "home", "system", "device", "nowhere", "network"}
	if int(p) < len(names) {
		return names[p]
	}
	return names[0]
}

// speaksToJudge quotes lines that hold words which make sense to a judge and
// hardly in honest work: a verdict in the judge's own terms, an approval that
// the call claims for itself, a change of roles. It is a fact for the model
// and decides nothing, so it errs towards finding.
func speaksToJudge(input string) []string {
	folded := strings.Join(strings.Fields(strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, `"`, "_", " ", "-", " ").Replace(strings.ToLower(input))), " ")
	var found []string
	for _, phrase := range [...]string{
		"should block", "classify result", "to the classifier", "dear classifier", "security classifier", "note to the judge", "the judge should", "permission judge",
		"approved by the user", "user has approved", "user approved this", "user already approved", "pre approved", "preapproved", "authorized by the user", "authorised by the user",
		"this is safe to run", "this command is safe", "safe to allow", "must be allowed", "please allow this", "do not block", "don't block",
		"ignore previous", "ignore your", "ignore the rules", "ignore all rules", "disregard your", "disregard the", "override the policy", "policy override",
		"allow rule:", "hard deny", "soft deny", "verdict: allow", "verdict is allow", "system prompt", "you are now", "as an ai",
	} {
		if i := strings.Index(folded, phrase); i >= 0 && len(found) < 5 {
			found = append(found, middleCut(folded[max(0, i-20):min(len(folded), i+len(phrase)+40)], 120))
		}
	}
	return found
}
