package eval

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/propose"
	"github.com/nodgate/nod/internal/view"
)

// Halves says what rules the first half of each repository's sessions would
// have proposed. The report that it belongs to is of the second half.
type Halves struct {
	Repositories []Repository `json:"repositories"`
	// NoSession counts rows without a session, which belong to no half.
	NoSession int `json:"no_session"`
}

// Repository is one repository of the rows.
type Repository struct {
	Path     string         `json:"path"`
	Sessions int            `json:"sessions"`
	Learned  int            `json:"learned_from"` // sessions of the first half
	Rows     int            `json:"rows"`         // of the second half
	Before   Share          `json:"before"`       // settled without the proposed rules
	After    Share          `json:"after"`
	Rules    []propose.Rule `json:"rules"`
}

// repositoryRows is a repository's rows, by half.
type repositoryRows struct {
	path          string
	sessions      []string // in the order of the file
	first, second []Row
}

// JudgeHalves proposes rules from the first half of each repository's sessions
// and judges the second half without and with them. Of an odd number of
// sessions the larger half is the second; a single session is measured, and
// nothing is learned from it. The first rule set of o counts.
func JudgeHalves(ctx context.Context, files []File, o Options, learn propose.Options) ([]Judged, Halves, error) {
	list, none := repositories(files, o)
	h := Halves{NoSession: none, Repositories: []Repository{}}
	var all []Judged
	for _, r := range list {
		judged, repository, err := o.half(ctx, r, learn)
		if err != nil {
			return nil, h, err
		}
		all = append(all, judged...)
		h.Repositories = append(h.Repositories, repository)
	}
	return all, h, nil
}

// HalvesSets names the two columns of the report.
func HalvesSets(base RuleSet) []RuleSet {
	return []RuleSet{base, {Name: base.Name + " and what the first half proposes", Rules: base.Rules}}
}

func (o Options) half(ctx context.Context, r *repositoryRows, learn propose.Options) ([]Judged, Repository, error) {
	base := o.Sets[0]
	o.Agent, o.Without, o.keep, o.Sets = "", nil, true, []RuleSet{base}
	seen, err := Judge(ctx, []File{{Rows: r.first}}, o)
	if err != nil {
		return nil, Repository{}, err
	}
	out := Repository{Path: r.path, Sessions: len(r.sessions), Learned: len(r.sessions) / 2, Rows: len(r.second),
		Rules: Propose(seen, learn)}
	grown, err := WithProposed(base, out.Rules, r.path)
	if err != nil {
		return nil, Repository{}, err
	}
	o.keep, o.Sets = false, []RuleSet{base, grown}
	judged, err := Judge(ctx, []File{{Rows: r.second}}, o)
	if err != nil {
		return nil, Repository{}, err
	}
	every, settled := func(*Row) bool { return true }, func(a Answer) bool { return a.Outcome != Open }
	out.Before, out.After = shareOf(judged, 0, every, settled), shareOf(judged, 1, every, settled)
	return judged, out, nil
}

// Propose learns rules from judged rows whose facts were kept.
func Propose(all []Judged, o propose.Options) []propose.Rule {
	var calls []propose.Call
	for _, j := range all {
		if j.Facts != nil {
			calls = append(calls, propose.Call{Session: j.Row.Session, Report: j.Facts.Report,
				Outcome: outcomeOf(j.Row.Outcome)})
		}
	}
	rules := propose.Learn(calls, o)
	if rules == nil {
		rules = []propose.Rule{}
	}
	return rules
}

func outcomeOf(word string) propose.Outcome {
	switch word {
	case "ok":
		return propose.Ran
	case "error":
		return propose.Failed
	case "user_rejected", "rule_denied":
		return propose.Refused
	}
	return propose.Unknown
}

// WithProposed adds proposed rules, confined to a directory.
func WithProposed(s RuleSet, rules []propose.Rule, within string) (RuleSet, error) {
	s.Name = HalvesSets(s)[1].Name
	for _, p := range rules {
		switch p.List {
		case "allow":
			r, err := nod.ParseRule(nod.ListAllow, p.Text, "proposed")
			if err != nil {
				return s, err
			}
			r.Within = within
			s.Rules.Allow = append(slices.Clip(s.Rules.Allow), r)
		case "hosts":
			s.Rules.Hosts = append(slices.Clip(s.Rules.Hosts), p.Text)
		case "allowlist":
			s.Rules.Allowlist = append(slices.Clip(s.Rules.Allowlist), p.Text)
		}
	}
	return s, nil
}

// repositories splits the rows of an agent. A session belongs where its first
// row stands.
func repositories(files []File, o Options) (list []*repositoryRows, none int) {
	var rows []Row
	for _, f := range files {
		for _, r := range f.Rows {
			if f.Own == nil && o.takes(&r) {
				rows = append(rows, r)
			}
		}
	}
	dirs := map[string]bool{}
	for i := range rows {
		dirs[rows[i].dir()] = true
	}
	byPath, home := map[string]*repositoryRows{}, map[string]*repositoryRows{}
	bySession := map[string][]Row{}
	for _, r := range rows {
		if r.Session == "" {
			none++
			continue
		}
		if home[r.Session] == nil {
			top := topOf(r.dir(), dirs)
			if byPath[top] == nil {
				byPath[top] = &repositoryRows{path: top}
				list = append(list, byPath[top])
			}
			home[r.Session] = byPath[top]
			byPath[top].sessions = append(byPath[top].sessions, r.Session)
		}
		bySession[r.Session] = append(bySession[r.Session], r)
	}
	for _, r := range list {
		for i, session := range r.sessions {
			if i < len(r.sessions)/2 {
				r.first = append(r.first, bySession[session]...)
			} else {
				r.second = append(r.second, bySession[session]...)
			}
		}
	}
	return list, none
}

// topOf is the repository of a directory: the outermost directory that it lies
// in and that another row stands in, since worktrees and subdirectories share
// what nod init writes. What holds a home directory is no repository.
func topOf(dir string, dirs map[string]bool) string {
	top, home := dir, HomeOf(dir)
	for d := path.Dir(dir); d != "/" && !view.Below(d, home); d = path.Dir(d) {
		if dirs[d] {
			top = d
		}
	}
	return top
}

// ProposeFor learns rules from the rows of one repository, judged by s.
func ProposeFor(ctx context.Context, file File, s RuleSet, root string, learn propose.Options) ([]propose.Rule, error) {
	list, _ := repositories([]File{file}, Options{})
	var names []string
	for _, r := range list {
		if r.path != root {
			names = append(names, r.path)
			continue
		}
		seen, err := Judge(ctx, []File{{Rows: append(r.first, r.second...)}}, Options{Sets: []RuleSet{s}, keep: true})
		if err != nil {
			return nil, err
		}
		return Propose(seen, learn), nil
	}
	return nil, fmt.Errorf("no session of %s stands in %s; there are %s", file.Name, root,
		cmp.Or(strings.Join(names, ", "), "none"))
}
