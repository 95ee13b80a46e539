package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/view"
)

// Policy says under which policy of a team's server the settings stand.
type Policy struct {
	Version int64     // 0: none has come yet
	Heard   time.Time // when the server was last heard; zero for never
	Stale   bool      // none has come, or the server was not heard for longer than the policy allows
}

// WithPolicy returns places where documents hold, those for a repository in any, in the place of what a team's server
// says: for those who try them.
func (p Places) WithPolicy(documents []team.Document) Places {
	p.policy = append([]team.Document{}, documents...)
	return p
}

// CheckDocument says what is wrong with a document of a policy, as "NAME:LINE:COL: what; next step".
func CheckDocument(p Places, d team.Document) error {
	err := d.Check()
	if err != nil {
		return err
	}
	all := standard()
	l, err := readDocument(p.onDisk(), d, "", &all)
	if err == nil && len(l.broad) > 0 {
		err = errors.New(l.broad[0].Origin + ": " + l.broad[0].Text + ": " + l.broad[0].Why)
	}
	return err
}

// team reads the documents that hold here, lowest first, over what the files below say.
func (p Places) team(below *scalars) (layers []layer, holds *Policy, err error) {
	if p.policy != nil {
		layers, err = readDocuments(p, p.policy, "", below)
		return layers, nil, err
	}
	dir, trust, err := p.member()
	if err != nil || dir == "" {
		return nil, nil, err
	}
	real, policy, err := p.kept(dir, trust)
	if err != nil {
		return nil, nil, err
	}
	heard, err := p.heard(dir)
	if err != nil {
		return nil, nil, err
	}
	holding := slices.DeleteFunc(policy.Documents, func(d team.Document) bool { return !p.fits(d) })
	layers, err = readDocuments(p, holding, fmt.Sprintf("policy %d/", policy.Version), below)
	for i := range layers {
		layers[i].real = real
	}
	return layers, &Policy{policy.Version, heard.At, policy.Stale(heard, p.Now())}, err
}

// member is the membership that holds on this machine; dir is "" for none. Root's wins.
func (p Places) member() (dir string, trust team.Trust, err error) {
	mine := func(real string, info view.Info) error { return checkPrivate(real, info, p.UID) }
	for _, seat := range []struct {
		at, dir, file string
		check         func(string, view.Info) error
	}{
		{p.Managed, team.Managed(p.Managed), team.TrustFile, p.checkOwner},
		{p.State, p.State + "/team", team.MemberFile, mine},
	} {
		if seat.at == "" {
			continue
		}
		text, err := p.teamFile(seat.dir, seat.file, seat.check)
		if text == nil && err == nil {
			continue
		}
		if err == nil {
			trust, err = team.ReadTrust(text)
		}
		return seat.dir, trust, located(seat.dir+"/"+seat.file, err)
	}
	return "", trust, nil
}

// teamFile reads a file in a team's directory, nil for none.
func (p Places) teamFile(dir, name string, check func(string, view.Info) error) (text []byte, err error) {
	_, text, err = p.read(path.Clean(dir+"/"+name), team.MaxPolicy, check)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// kept is the policy that the daemon kept. It is the zero value where none has come yet.
func (p Places) kept(dir string, trust team.Trust) (real string, policy team.Policy, err error) {
	name := path.Clean(dir + "/" + team.PolicyFile)
	real, text, err := p.read(name, team.MaxPolicy, p.checkOwner)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", policy, nil
	case err == nil:
		policy, err = team.Open(text, trust)
	}
	if err != nil {
		err = fmt.Errorf("%w; nod-serve daemon fetches it again once it is removed", err)
	}
	return real, policy, located(name, err)
}

// heard is the last word of the server. Without a file it is none.
func (p Places) heard(dir string) (h team.Heard, err error) {
	text, err := p.teamFile(dir, team.HeardFile, p.checkOwner)
	if err == nil && text != nil {
		h, err = team.ReadHeard(text)
	}
	return h, located(dir+"/"+team.HeardFile, err)
}

// fits reports whether a document holds in the workspace. Where its repository cannot be read, it does.
func (p Places) fits(d team.Document) bool {
	if d.For != team.ForRepository {
		return true
	}
	r := repo.Around(p.Files, p.Root)
	if p.Root == "" || r == nil {
		return false
	}
	remotes, known := r.Remotes()
	return !known || d.Fits(remotes)
}

// readDocuments reads documents, what holds for fewer over what holds for more.
func readDocuments(p Places, list []team.Document, under string, below *scalars) (layers []layer, err error) {
	for _, d := range list {
		l, err := readDocument(p, d, under, below)
		if err != nil {
			return nil, err
		}
		layers = append([]layer{l}, layers...)
	}
	return layers, nil
}

func readDocument(p Places, d team.Document, under string, below *scalars) (l layer, err error) {
	source := Source{Path: under + d.Name, Level: Managed}
	if d.For == team.ForRepository {
		l, err = readTightening(p, source, []byte(d.Text))
	} else {
		l, err = readLayer(p, source, []byte(d.Text), below)
		p.apply(&l)
	}
	return l, located(source.Path, err)
}

// readTightening reads a document for repositories of a pattern. Rules of environment may talk a model into allowing.
func readTightening(p Places, source Source, text []byte) (layer, error) {
	var t listTexts
	doc, err := decode(text, &t)
	if err != nil {
		return layer{}, err
	}
	r := &reader{places: p, doc: doc, layer: layer{source: source}}
	for i := range listCount {
		if name := lists()[i].name; i == listHardDeny || i == listSoftDeny || i == listAsk {
			r.layer.added[i] = r.addedList(i, "", &t, "").items
		} else if t.all()[i] != nil {
			r.fail(name, "%s may loosen; a document for a repository has hard_deny, ask and soft_deny", name)
		}
	}
	return r.layer, r.err
}

// word is a key at the managed level of which the strictest word holds, whichever file says it.
type word struct {
	path  string
	value *string
	order []string // strictest first
}

func (s *scalars) words() []word {
	return []word{{"mode", &s.Mode, modes()}, {"unknown", &s.Unknown, []string{"ask", "host"}},
		{"profile", &s.Profile, []string{string(Reinforce), string(Replace), ""}},
		{"claude_rules", &s.ClaudeRules, []string{string(ClaudeTighten), string(ClaudeOff)}},
		{"approvals", &s.Approvals, []string{"off", "on"}},
		{"log.on_failure", &s.Log.OnFailure, []string{"block", "continue"}},
		{"model.on_block", &s.Model.OnBlock, []string{"deny", "ask"}},
		{"model.on_unavailable", &s.Model.OnUnavailable, []string{"deny", "ask"}}}
}

// hold keeps a word that another managed text has said where this one says a looser word.
func (r *reader) hold(s *scalars) {
	if r.layer.source.Level != Managed || r.err != nil {
		return
	}
	held := map[string]string{}
	for _, w := range s.words() {
		before, said := s.held[w.path]
		if !r.doc.has(w.path) {
			if said {
				held[w.path] = before
			}
			continue
		}
		if said && slices.Index(w.order, before) < slices.Index(w.order, *w.value) {
			*w.value = before
			if w.path == "mode" {
				r.layer.modeLine = 0
			}
		}
		held[w.path] = *w.value
	}
	s.held = held
}

// String says it for a person.
func (p Policy) String() string {
	age := "the server was never heard"
	if !p.Heard.IsZero() {
		age = "the server was last heard " + p.Heard.Local().Format(time.DateTime)
	}
	switch {
	case p.Version == 0:
		return "none has come yet, so only the settings files hold; " + age
	case p.Stale:
		age += ", longer ago than the policy allows"
	}
	return strings.Join([]string{fmt.Sprint("version ", p.Version), age}, "; ")
}
