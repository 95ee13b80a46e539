package judge

import (
	"cmp"
	_ "embed"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/match"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/withheld"
)

// Facts is what a model is told about a call besides its words. It is data from reading, never from running.
type Facts struct {
	Open     string   `json:"open,omitempty"` // why layers 1 to 3 did not settle it
	Effects  []Effect `json:"effects,omitempty"`
	Unknowns []string `json:"unknowns,omitempty"`
	Matched  []string `json:"matched,omitempty"`
	Runs     []Run    `json:"runs,omitempty"`
	NewHosts []string `json:"new_hosts,omitempty"`
	Git      *Git     `json:"git,omitempty"`
	Session  []string `json:"session,omitempty"` // what the session did before that weighs
	// SpeaksToJudge quotes what in the call looks as if it were written for
	// the model. It can only make an answer stricter.
	SpeaksToJudge []string `json:"speaks_to_judge,omitempty"`
}

// Effect is one thing that a command does.
type Effect struct {
	Kind      string `json:"kind"`
	Target    string `json:"target,omitempty"` // "" means unknown
	Place     string `json:"place,omitempty"`
	Recursive bool   `json:"recursive,omitempty"`
	Forced    bool   `json:"forced,omitempty"`
	Moved     bool   `json:"moved,omitempty"`
}

// Run is code that the call would execute: a script, or the file or the entry in a file that says what a name runs.
type Run struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256,omitempty"`
	Content string `json:"content,omitempty"` // "" where it is too long to show
	// Withheld says why a content that would fit is not shown.
	Withheld string `json:"content_withheld,omitempty"`
	Origin   string `json:"origin,omitempty"` // whether this session wrote it
}

// Git is where a command that speaks to a repository speaks to.
type Git struct {
	Branch  string   `json:"branch,omitempty"`  // the branch that is checked out
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

// Case is a call as layers 0 to 3 left it, and what a model may be told of it.
type Case struct {
	*withheld.Call
	Hosts   []string // which the rules name
	Open    string   // why the call is open, without secrets
	Matched string   // the soft_deny rule that matched; "" if none
	Session []string // what came before that weighs
}

// Facts puts together what is known of the call, with hosts and files.
func (c Case) Facts(session Ledger) Facts {
	f := Facts{Open: c.Open, Session: c.Session}
	for _, e := range c.withheldEffects()[:min(len(c.Report.Effects), factLimit)] {
		f.Effects = append(f.Effects, Effect{
			Kind: e.Kind.Name(), Target: withheld.ShownFact(Cut(e.Target, wordLimit)), Place: e.Place.Name(),
			Recursive: e.Recursive, Forced: e.Forced, Moved: e.Moved,
		})
	}
	f.Unknowns = c.unknowns()
	if n := max(len(c.Report.Effects), len(c.Report.Unknowns)); n > factLimit {
		f.Unknowns = append(f.Unknowns, "there is more than is listed here")
	}
	if c.Matched != "" {
		f.Matched = []string{"soft_deny: " + c.Matched}
	}
	f.Runs, f.Git = c.runs(), c.git(session)
	f.NewHosts = c.newHosts(session.Said, f.Git)
	f.SpeaksToJudge = speaksToJudge(string(c.Call.Call.Input))
	for _, r := range f.Runs {
		f.SpeaksToJudge = append(f.SpeaksToJudge, speaksToJudge(r.Content)...)
	}
	return f
}

// withheldEffects are the effects without what a secret store may have put into them.
func (c Case) withheldEffects() []shell.Effect {
	store := c.Interpreted()
	if store == "" {
		return c.Report.Effects
	}
	effects := slices.Clone(c.Report.Effects)
	for i, e := range effects {
		if e.Target != store && !c.Spoken(e.Target) && e.Target != "project-code" && e.Target != "environment" &&
			e.Target != "standard input" {
			effects[i].Target = "[withheld]"
		}
	}
	return effects
}

// unknowns are what could not be resolved. Where a secret store has a part in
// that, only what the call itself says of them is told.
func (c Case) unknowns() (said []string) {
	hidden, store := 0, c.Interpreted()
	for _, u := range c.Report.Unknowns[:min(len(c.Report.Unknowns), factLimit)] {
		switch {
		case store == "":
			said = append(said, withheld.ShownFact(Cut(u.What, wordLimit)))
		case c.Spoken(u.Words) && u.Words != "":
			said = append(said, withheld.ShownFact(Cut("what this does is not known: "+u.Words, wordLimit)))
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
func (c Case) runs() []Run {
	var runs []Run
	left := contentsLimit
	for _, d := range c.Report.Definitions {
		known := slices.ContainsFunc(runs, func(r Run) bool { return r.Path == d.Path })
		if d.SHA256 == shell.Absent || known || len(runs) == runLimit {
			continue
		}
		r := c.run(d, left)
		left -= len(r.Content)
		runs = append(runs, r)
	}
	return runs
}

// run is one of them.
func (c Case) run(d shell.Definition, left int) Run {
	r := Run{Path: d.Path, SHA256: d.SHA256}
	if c.At.Wrote != nil && c.At.Wrote(d.Path) {
		r.Origin = "written in this session"
	}
	if c.IsStore(d.Path) {
		r.Withheld = withheld.SecretStore
		return r
	}
	text, err := c.At.Machine.Files.Read(d.Path, readLimit)
	if err != nil || len(text) == readLimit {
		return r
	}
	content := strings.ToValidUTF8(string(text), "\uFFFD")
	if len(content) > contentLimit {
		content = c.recipe(content, d.Command)
	}
	if len(content) <= min(contentLimit, left) {
		r.Content = withheld.ShownFact(content)
	}
	return r
}

// readLimit bounds a file in which a recipe is looked for.
const readLimit = 256 << 10

// recipe is the part of a long file of recipes that stands under a name which the command gives: a target, a task.
func (c Case) recipe(text string, command int) string {
	if command < 0 || command >= len(c.Report.Commands) {
		return ""
	}
	for _, w := range c.Report.Commands[command].Words {
		for _, begin := range [...]string{"\n" + w.Value + ":", "\n" + w.Value + " ", "\n[tasks." + w.Value + "]"} {
			if at := strings.Index(text, begin); w.Known && at >= 0 {
				return "[...]" + printable.Head(text[at:], contentLimit/2) + "\n[...]"
			}
		}
	}
	return ""
}

// git is the repository that a command speaks to; nil for any other command.
func (c Case) git(session Ledger) *Git {
	speaks := func(cmd shell.Command) bool {
		return len(cmd.Words) > 0 &&
			slices.Contains([]string{"git", "gh", "hub", "glab", "tea"}, path.Base(cmd.Words[0].Value))
	}
	i := slices.IndexFunc(c.Report.Commands, speaks)
	if i < 0 {
		return nil
	}
	r := repo.Around(c.At.Machine.Files, cmp.Or(c.Report.Commands[i].Dir, c.At.Dir))
	if r == nil {
		return nil
	}
	f := &Git{Branch: c.refOf(r.Dir+"/HEAD", "refs/heads/"),
		Default: c.refOf(r.Common+"/refs/remotes/origin/HEAD", "refs/remotes/origin/")}
	if text, err := c.At.Machine.Files.Read(r.Common+"/config", 64<<10); err == nil {
		for _, remote := range remotesOf(string(text)) {
			f.Remotes = append(f.Remotes, withheld.ShownFact(remote))
		}
	}
	for _, made := range [...]string{"checkout -b ", "checkout -B ", "switch -c ", "switch -C ", "branch "} {
		f.Made = f.Made || f.Branch != "" && strings.Contains(session.Calls+" ", made+f.Branch)
	}
	return f
}

// refOf is the branch that a symbolic reference names, "" where it names none.
func (c Case) refOf(file, under string) string {
	text, err := c.At.Machine.Files.Read(file, 1024)
	name, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: "+under)
	if err != nil || !ok {
		return ""
	}
	return Cut(name, wordLimit)
}

// remotesOf are the remotes of a git configuration, without names and passwords in their addresses.
func remotesOf(config string) (remotes []string) {
	settings, _ := repo.Settings(config)
	for _, setting := range settings {
		name, ok := strings.CutPrefix(setting.Name, "remote.")
		at := strings.LastIndex(name, ".")
		if ok && (strings.HasSuffix(name, ".url") || strings.HasSuffix(name, ".pushurl")) && len(remotes) < 10 {
			remotes = append(remotes, Cut(name[:at]+" "+withoutUser(setting.Value()), wordLimit))
		}
	}
	return remotes
}

// withoutUser takes user, password and query out of an address: a token may stand in each.
func withoutUser(address string) string {
	address, _, _ = strings.Cut(strings.ReplaceAll(address, `"`, ""), "?")
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	host, tail, _ := strings.Cut(rest, "/")
	host = host[strings.LastIndex(host, "@")+1:]
	return strings.TrimSuffix(scheme+"://"+host+"/"+tail, "/")
}

// newHosts are hosts that the call's own words name, and neither the rules nor the person nor the
// repository's remotes. A host that a program asks by itself does not count.
func (c Case) newHosts(said string, git *Git) []string {
	var hosts []string
	store := c.Interpreted()
	add := func(target, words string) {
		host := match.HostOf(target)
		switch {
		case !strings.Contains(host, "."), match.HostAllowed(c.Hosts, target),
			strings.Contains(said, host), slices.Contains(hosts, host):
		case !strings.Contains(words, host), store != "" && !c.Spoken(host):
		case git != nil && slices.ContainsFunc(git.Remotes, func(r string) bool { return strings.Contains(r, host) }):
		default:
			hosts = append(hosts, host)
		}
	}
	for _, e := range c.Report.Effects {
		if (e.Place == shell.Network || e.Kind == shell.Fetch || e.Kind == shell.Send) && e.Target != "" {
			add(e.Target, e.Words+" "+c.Command)
		}
	}
	if c.URL != "" {
		add(c.URL, c.URL)
	}
	return hosts
}

// phrases are what is looked for, one a line.
//
//go:embed phrases.txt
var phrases string

// speaksToJudge quotes lines that hold words which make sense to a judge and hardly in honest work: a
// verdict in the judge's own terms, an approval that the call claims for itself, a change of roles.
// It is a fact for the model and decides nothing, so it errs towards finding.
func speaksToJudge(input string) []string {
	folded := strings.Join(strings.Fields(strings.NewReplacer(`\n`, " ", `\t`, " ", `\"`, `"`, "_", " ", "-",
		" ").Replace(strings.ToLower(input))), " ")
	var found []string
	for phrase := range strings.Lines(phrases) {
		phrase = strings.TrimSuffix(phrase, "\n")
		if i := strings.Index(folded, phrase); i >= 0 && len(found) < 5 {
			found = append(found, Cut(folded[max(0, i-20):min(len(folded), i+len(phrase)+40)], 120))
		}
	}
	return found
}
