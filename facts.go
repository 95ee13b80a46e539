package nod

import (
	"slices"
	"strings"

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

// RunFact is a file that the call would execute.
type RunFact struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Content string `json:"content,omitempty"` // "" where it is too long to show
	Origin  string `json:"origin,omitempty"`  // written or downloaded in this session
}

const (
	factLimit    = 40    // effects, unknowns
	wordLimit    = 300   // bytes of one target or unknown
	contentLimit = 4_000 // bytes of one file that would be run
)

// facts puts together what is known of the call, with hosts and files.
func (t *trial) facts(said string) Facts {
	f := Facts{Open: t.open, SpeaksToJudge: speaksToJudge(string(t.call.Input))}
	for _, e := range t.report.Effects[:min(len(t.report.Effects), factLimit)] {
		f.Effects = append(f.Effects, EffectFact{
			Kind: kindName(e.Kind), Target: middleCut(e.Target, wordLimit), Place: placeName(e.Place),
			Recursive: e.Recursive, Forced: e.Forced, Moved: e.Moved,
		})
	}
	for _, u := range t.report.Unknowns[:min(len(t.report.Unknowns), factLimit)] {
		f.Unknowns = append(f.Unknowns, middleCut(u.What, wordLimit))
	}
	if n := max(len(t.report.Effects), len(t.report.Unknowns)); n > factLimit {
		f.Unknowns = append(f.Unknowns, "there is more than is listed here")
	}
	if t.soft.Text != "" && !t.soft.Untrusted {
		f.Matched = []string{"soft_deny: " + t.soft.Text}
	}
	f.Runs, f.NewHosts = t.runs(), t.newHosts(said)
	f.Tainted, f.Session = t.tainted(), append(t.history(), t.letRun()...)
	return f
}

// runs are the files of the report's evidence that are code which the call
// would execute, as it was read.
func (t *trial) runs() []RunFact {
	var runs []RunFact
	for _, e := range t.report.Read {
		if !slices.ContainsFunc(t.report.Effects, func(r shell.Effect) bool { return r.Kind == shell.Run && r.Target == e.Path }) {
			continue
		}
		r := RunFact{Path: e.Path, SHA256: e.SHA256, Origin: t.origin(e.Path)}
		if text, err := t.gate.files.Read(e.Path, contentLimit+1); err == nil && len(text) <= contentLimit {
			r.Content = strings.ToValidUTF8(string(text), "\uFFFD")
		}
		runs = append(runs, r)
	}
	return runs
}

// newHosts are hosts that neither the rules nor the person named.
func (t *trial) newHosts(said string) []string {
	var hosts []string
	for _, e := range t.report.Effects {
		if e.Place != shell.Network && e.Kind != shell.Fetch && e.Kind != shell.Send || e.Target == "" {
			continue
		}
		host := hostOf(e.Target)
		if !strings.Contains(host, ".") || hostAllowed(t.gate.rules.Hosts, e.Target) || strings.Contains(said, host) || slices.Contains(hosts, host) {
			continue
		}
		hosts = append(hosts, host)
	}
	if host := hostOf(t.call.URL); host != "" && !hostAllowed(t.gate.rules.Hosts, t.call.URL) && !strings.Contains(said, host) {
		hosts = append(hosts, host)
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
