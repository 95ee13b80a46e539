package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
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
	if err := d.Check(); err != nil {
		return err
	}
	all := standard()
	layers, err := readDocuments(p.onDisk(), []team.Document{d}, Source{}, &all)
	if err == nil && len(layers[0].broad) > 0 {
		rule := layers[0].broad[0]
		err = errors.New(rule.Origin + ": " + rule.Text + ": " + rule.Why)
	}
	return err
}

// team reads the documents that hold here, lowest first, over what the files below say.
func (p Places) team(below *scalars) (layers []layer, holds *Policy, err error) {
	if p.policy != nil {
		layers, err = readDocuments(p, p.policy, Source{}, below)
		return layers, nil, err
	}
	dir, trust, err := p.member()
	if err != nil || dir == "" {
		return nil, nil, err
	}
	var policy team.Policy
	var heard team.Heard
	name := dir + "/" + team.PolicyFile
	real, err := p.teamFile(name, p.checkOwner, func(text []byte) (err error) {
		if policy, err = team.Open(text, trust); err != nil {
			err = fmt.Errorf("%w; nod-serve daemon fetches it anew", err)
		}
		return err
	})
	if err == nil {
		_, err = p.teamFile(dir+"/"+team.HeardFile, p.checkOwner, func(text []byte) error {
			return json.Unmarshal(text, &heard)
		})
	}
	if err == nil && policy.Version < heard.Version {
		err = located(name, fmt.Errorf("version %d was here before and is gone; nod-serve daemon fetches it anew",
			heard.Version))
	}
	if err != nil {
		return nil, nil, err
	}
	holding := slices.DeleteFunc(policy.Documents, func(d team.Document) bool { return !p.fits(d) })
	layers, err = readDocuments(p, holding, Source{Path: fmt.Sprintf("policy %d/", policy.Version)}, below)
	for i := range layers {
		layers[i].real = real
	}
	return layers, &Policy{policy.Version, heard.At, policy.Stale(heard, p.Now())}, err
}

// member is the membership that holds on this machine; dir is "" for none. Root's wins.
func (p Places) member() (dir string, trust team.Trust, err error) {
	mine := func(real string, info view.Info) error { return checkPrivate(real, info, p.UID) }
	read := func(text []byte) (err error) {
		trust, err = team.ReadTrust(text)
		return err
	}
	if dir = team.Managed(p.Managed); p.Managed != "" {
		if real, err := p.teamFile(dir+"/"+team.TrustFile, p.checkOwner, read); err != nil || real != "" {
			return dir, trust, err
		}
	}
	state, unknown := view.Resolve(p.Files, p.State)
	info, missing := p.Files.Lstat(state)
	isFile := unknown == nil && missing == nil && !info.Mode.IsDir() // nothing can be in it
	if dir = filepath.ToSlash(p.State) + "/team"; p.State != "" && !isFile {
		if real, err := p.teamFile(dir+"/"+team.MemberFile, mine, read); err != nil || real != "" {
			return dir, trust, err
		}
	}
	return "", trust, nil
}

// teamFile reads a file in a team's directory. real is "" where there is none.
func (p Places) teamFile(name string, check func(string, view.Info) error, take func(text []byte) error) (real string,
	err error) {
	real, text, err := p.read(path.Clean(name), team.MaxPolicy, check)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil {
		err = take(text)
	}
	return real, located(name, err)
}

// fits reports whether a document holds in the workspace. Where its repository cannot be read, it does.
func (p Places) fits(d team.Document) bool {
	if d.For != team.ForRepository {
		return true
	}
	if p.Root == "" {
		return false
	}
	r := repo.Around(p.Files, p.Root)
	if r == nil {
		_, fault := repo.Find(p.Files, p.Root)
		return fault != ""
	}
	remotes, known := r.Remotes()
	return !known || d.Fits(remotes)
}

// readDocuments reads documents, what holds for fewer over what holds for more. The names begin as that of the source.
func readDocuments(p Places, list []team.Document, from Source, below *scalars) (layers []layer, err error) {
	for _, d := range list {
		source := Source{Path: from.Path + d.Name, Level: Managed}
		var l layer
		if d.For == team.ForRepository {
			l, err = readTightening(p, source, []byte(d.Text))
		} else if l, err = readLayer(p, source, []byte(d.Text), below); err == nil {
			p.apply(&l)
		}
		if err != nil {
			return nil, located(source.Path, err)
		}
		layers = append([]layer{l}, layers...)
	}
	return layers, nil
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
	held := maps.Clone(s.held)
	for _, w := range s.words() {
		if r.layer.source.Level != Managed || r.err != nil || !r.doc.has(w.path) {
			continue
		}
		before, said := held[w.path]
		if said && slices.Index(w.order, before) < slices.Index(w.order, *w.value) {
			*w.value = before
			if w.path == "mode" {
				r.layer.modeLine = 0
			}
		}
		held = with(held, w.path, *w.value)
	}
	s.held = held
}

// String says it for a person.
func (p Policy) String() string {
	heard := "the server was never heard"
	if !p.Heard.IsZero() {
		heard = "the server was last heard " + p.Heard.Local().Format(time.DateTime)
	}
	switch {
	case p.Version == 0:
		return "none has come yet, so only the settings files hold; " + heard
	case p.Stale:
		heard += ", longer ago than the policy allows"
	}
	return fmt.Sprintf("version %d; %s", p.Version, heard)
}
