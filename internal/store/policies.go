package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/team"
)

// PolicyDocument is a document of an organisation's policy.
type PolicyDocument struct {
	team.Document
	Team string `json:"team,omitempty"` // the id of the team that it holds for
}

// Draft is a document as it may become.
type Draft struct {
	ID       string         `json:"id"`
	Document PolicyDocument `json:"document"`
	Removes  bool           `json:"removes"` // the document of this name goes
	Author   string         `json:"author"`
	Made     time.Time      `json:"made"`
	Reviewer string         `json:"reviewer"` // "" for none yet
	Version  int64          `json:"version"`  // with which it was published; 0: not yet
	base     int64          // the version that held when it was made; -1: none
}

// Policy is a version of an organisation's policy. Versions are only added: to go back publishes an old one again.
type Policy struct {
	Version   int64            `json:"version"`
	Made      time.Time        `json:"made"`
	Who       string           `json:"who"`
	What      string           `json:"what"`
	Documents []PolicyDocument `json:"documents"` // by what they hold for, and then by name
}

// ErrUnfit is wrapped by the refusals of a change of the policy.
var (
	ErrUnfit      = errors.New("the policy was not changed")
	ErrUnreviewed = fmt.Errorf("%w: another person than its author must review the draft first", ErrUnfit)
	ErrPublished  = fmt.Errorf("%w: the draft was published before", ErrUnfit)
	ErrChanged    = fmt.Errorf("%w: the document has changed since; draft it again", ErrUnfit)
)

// Policies is the topic of an organisation's policy.
func Policies(org string) string { return "policy " + org }

// who is by what an [Event] and a draft name somebody.
func (i Identity) who() string { return cmp.Or(i.Person, i.Name) }

// MakeDraft keeps a draft. Whether its text is settings, and its team the organisation's, is the caller's to check. A
// name is of one document: a document that holds for something else is not replaced.
func (tx *Tx) MakeDraft(ctx context.Context, by Identity, d PolicyDocument, removes bool) (Draft, error) {
	text, err := json.Marshal(d)
	if err = errors.Join(err, d.Check()); err != nil {
		return Draft{}, err
	}
	last, err := tx.policy(ctx, by.Org, 0)
	if err == nil {
		err = d.fits(last.Document(d.Name))
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Draft{}, err
	}
	made := Draft{ID: NewID(), Document: d, Removes: removes, Author: by.who(), Made: tx.store.Now().UTC()}
	_, err = tx.ExecContext(ctx, `INSERT INTO drafts (id, org, document, removes, author, made, base)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, made.ID, by.Org, string(text), removes, made.Author, Micro(made.Made),
		cmp.Or(last.Version, -1))
	return made, errors.Join(err, tx.Audit(ctx, Event{Org: by.Org, Who: made.Author, What: "policy drafted",
		About: made.ID, Detail: d.Name}))
}

// Document returns the document of a name, the zero value for none.
func (p Policy) Document(name string) (found PolicyDocument) {
	for _, d := range p.Documents {
		if d.Name == name {
			found = d
		}
	}
	return found
}

// fits refuses a document whose name an old one has that holds for something else.
func (d PolicyDocument) fits(old PolicyDocument) error {
	if d.Text = old.Text; old.Name == "" || old == d {
		return nil
	}
	holds := map[string]string{team.ForOrg: "the organisation", team.ForTeam: "a team"}[old.For]
	return fmt.Errorf("%w: the name is taken by a document for %s; take another, or remove that one first", ErrUnfit,
		cmp.Or(holds, old.Repository))
}

const draftColumns = `SELECT id, document, removes, author, made, reviewer, version, base FROM drafts `

func scanDraft(row scanner) (d Draft, err error) {
	var text string
	var made int64
	if err = row.Scan(&d.ID, &text, &d.Removes, &d.Author, &made, &d.Reviewer, &d.Version, &d.base); err == nil {
		err = json.Unmarshal([]byte(text), &d.Document)
	}
	d.Made = Time(made)
	return d, err
}

// Drafts returns a page of an organisation's drafts, the newest first: those before an id, "" for the newest of all.
func (s *Store) Drafts(ctx context.Context, org, before string, most int) ([]Draft, error) {
	return list(ctx, s.DB, scanDraft, draftColumns+`WHERE org = $1 AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT $3`,
		org, before, most)
}

// Draft returns one draft.
func (s *Store) Draft(ctx context.Context, org, id string) (Draft, error) {
	d, err := scanDraft(s.DB.QueryRowContext(ctx, draftColumns+`WHERE org = $1 AND id = $2`, org, id))
	return d, missing(err)
}

// Review says that somebody else than its author finds a draft good. A token is nobody: its holder may be the author.
func (tx *Tx) Review(ctx context.Context, by Identity, id string) error {
	if by.Person == "" {
		return ErrUnreviewed
	}
	result, err := tx.ExecContext(ctx, `UPDATE drafts SET reviewer = $1 WHERE org = $2 AND id = $3 AND version = 0
		AND author <> $1`, by.Person, by.Org, id)
	if err = one(result, err); errors.Is(err, ErrNotFound) {
		return ErrUnreviewed
	}
	return errors.Join(err, tx.Audit(ctx, Event{Org: by.Org, Who: by.who(), What: "policy reviewed", About: id}))
}

// Publish makes the next version of the policy with a draft in it, and signs it for each team.
func (tx *Tx) Publish(ctx context.Context, by Identity, id string) (Policy, error) {
	d, err := scanDraft(tx.QueryRowContext(ctx, draftColumns+`WHERE org = $1 AND id = $2`, by.Org, id))
	if err != nil {
		return Policy{}, missing(err)
	}
	org, err := tx.org(ctx, by.Org)
	switch {
	case err != nil:
		return Policy{}, err
	case d.Version != 0:
		return Policy{}, ErrPublished
	case org.Settings.TwoPeople && (d.Reviewer == "" || strings.HasPrefix(d.Author, "token ")):
		return Policy{}, ErrUnreviewed // whoever holds the token of its author may be its reviewer
	}
	last, err := tx.policy(ctx, by.Org, 0)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Policy{}, err
	}
	base, err := tx.policy(ctx, by.Org, d.base)
	switch name := d.Document.Name; {
	case err != nil && !errors.Is(err, ErrNotFound):
		return Policy{}, err
	case base.Document(name) != last.Document(name):
		return Policy{}, ErrChanged
	}
	p, err := tx.next(ctx, by, last.Version, d.Applied(last.Documents), "draft "+id)
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE drafts SET version = $1 WHERE org = $2 AND id = $3`, p.Version, by.Org, id)
	}
	return p, err
}

// Applied are documents with the draft among them, in order.
func (d Draft) Applied(to []PolicyDocument) []PolicyDocument {
	all := slices.DeleteFunc(slices.Clone(to), func(o PolicyDocument) bool { return o.Name == d.Document.Name })
	if !d.Removes {
		all = append(all, d.Document)
	}
	order := []string{team.ForOrg, team.ForTeam, team.ForRepository}
	slices.SortFunc(all, func(a, b PolicyDocument) int {
		return cmp.Or(slices.Index(order, a.For)-slices.Index(order, b.For), strings.Compare(a.Name, b.Name))
	})
	return all
}

// RollBack publishes the documents of an old version as a new one. With TwoPeople it is refused: nobody reviews that.
func (tx *Tx) RollBack(ctx context.Context, by Identity, to int64) (Policy, error) {
	old, err := tx.policy(ctx, by.Org, to)
	if err != nil {
		return Policy{}, err
	}
	org, err := tx.org(ctx, by.Org)
	if err == nil && org.Settings.TwoPeople {
		err = fmt.Errorf("%w; to go back, draft the old text anew", ErrUnreviewed)
	}
	last, wrong := tx.policy(ctx, by.Org, 0)
	if err = errors.Join(err, wrong); err != nil {
		return Policy{}, err
	}
	return tx.next(ctx, by, last.Version, old.Documents, fmt.Sprint("back to version ", to))
}

// next keeps the next version, signs it, and wakes the machines once all of that is kept.
func (tx *Tx) next(ctx context.Context, by Identity, last int64, documents []PolicyDocument, what string) (Policy,
	error) {
	p := Policy{last + 1, tx.store.Now().UTC(), by.who(), what, documents}
	text, err := json.Marshal(p.Documents)
	if err != nil {
		return p, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO policies (org, version, made, who, what, documents)
		VALUES ($1, $2, $3, $4, $5, $6)`, by.Org, p.Version, Micro(p.Made), p.Who, p.What, string(text))
	if err != nil {
		return p, err
	}
	teams, err := list(ctx, tx, func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT id FROM teams WHERE org = $1 ORDER BY id`, by.Org)
	for _, id := range teams {
		if err == nil {
			_, err = tx.bundle(ctx, by.Org, p, id)
		}
	}
	return p, errors.Join(err, tx.Notify(ctx, Policies(by.Org)), tx.Audit(ctx, Event{Org: by.Org, Who: p.Who,
		What: "policy published", About: fmt.Sprint("version ", p.Version), Detail: what}))
}

// bundle signs a version for a team, and keeps that.
func (tx *Tx) bundle(ctx context.Context, org string, p Policy, of string) ([]byte, error) {
	o, err := tx.org(ctx, org)
	if err != nil {
		return nil, err
	}
	key, err := tx.SigningKey(ctx, org)
	if err != nil {
		return nil, err
	}
	const week = 7 * 24
	sent := team.Policy{Org: org, Team: of, Version: p.Version, Made: p.Made.Truncate(time.Microsecond),
		MaxAge: int64(cmp.Or(o.Settings.PolicyHours, week)) * 3600, Documents: []team.Document{}}
	for _, d := range p.Documents {
		if d.Team == "" || d.Team == of {
			sent.Documents = append(sent.Documents, d.Document)
		}
	}
	signed, err := team.Seal(sent, key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnfit, err)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO bundles (org, version, team, body) VALUES ($1, $2, $3, $4)
			ON CONFLICT DO NOTHING`, org, p.Version, of, string(signed)) // the same bytes
	return signed, err
}

// Bundle returns what a team's machines get now, or [ErrNotFound] where nothing was published. For a team that was made
// after the publication it is signed now.
func (s *Store) Bundle(ctx context.Context, org, of string) (signed []byte, err error) {
	err = s.DB.QueryRowContext(ctx, `SELECT body FROM bundles WHERE org = $1 AND team = $2
		AND version = (SELECT MAX(version) FROM policies WHERE org = $1)`, org, of).Scan(&signed)
	if err = missing(err); !errors.Is(err, ErrNotFound) {
		return signed, err
	}
	return signed, s.Tx(ctx, func(tx *Tx) error {
		p, err := tx.policy(ctx, org, 0)
		if err == nil {
			signed, err = tx.bundle(ctx, org, p, of)
		}
		return err
	})
}

const policyColumns = `SELECT version, made, who, what, documents FROM policies `

func scanPolicy(row scanner) (p Policy, err error) {
	var text string
	var made int64
	if err = row.Scan(&p.Version, &made, &p.Who, &p.What, &text); err == nil {
		err = json.Unmarshal([]byte(text), &p.Documents)
	}
	p.Made = Time(made)
	return p, err
}

// policy returns a version, 0 for the newest.
func (tx *Tx) policy(ctx context.Context, org string, version int64) (Policy, error) {
	p, err := scanPolicy(tx.QueryRowContext(ctx, policyColumns+`WHERE org = $1 AND (CAST($2 AS BIGINT) = 0 OR version = $2)
		ORDER BY version DESC LIMIT 1`, org, version))
	return p, missing(err)
}

// Policies returns a page of an organisation's versions, the newest first: those before a version, 0 for the newest.
func (s *Store) Policies(ctx context.Context, org string, before int64, most int) ([]Policy, error) {
	return list(ctx, s.DB, scanPolicy, policyColumns+`WHERE org = $1 AND (CAST($2 AS BIGINT) = 0 OR version < $2)
		ORDER BY version DESC LIMIT $3`, org, before, most)
}

func (tx *Tx) org(ctx context.Context, id string) (o Org, err error) {
	var settings string
	row := tx.QueryRowContext(ctx, `SELECT id, name, settings FROM orgs WHERE id = $1`, id)
	err = row.Scan(&o.ID, &o.Name, &settings)
	if err == nil {
		err = json.Unmarshal([]byte(settings), &o.Settings)
	}
	return o, missing(err)
}
