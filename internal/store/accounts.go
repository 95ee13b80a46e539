package store

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// OrgSettings are what an organisation has decided. The zero value keeps lines for ever and needs no second person.
type OrgSettings struct {
	RetentionDays int  `json:"retention_days,omitempty"` // older lines go; 0: none
	NoInputs      bool `json:"no_inputs,omitempty"`      // machines keep inputs to themselves and ship digests
	// TwoPeople says that another person than its author must review a policy before it is published.
	TwoPeople   bool   `json:"two_people,omitempty"`
	Approvals   bool   `json:"approvals,omitempty"`    // people here answer what machines ask
	PolicyHours int    `json:"policy_hours,omitempty"` // a machine's policy is old that much later; 0: a week
	Webhook     string `json:"webhook,omitempty"`      // is told that a question waits; "" for none
}

// Check refuses settings that cannot hold.
func (s OrgSettings) Check() error {
	const most = 36500
	hook, err := url.Parse(s.Webhook)
	switch {
	case s.RetentionDays < 0 || s.RetentionDays > most:
		return errors.New("lines are kept for 0 to 36500 days; 0 is for ever")
	case s.PolicyHours < 0 || s.PolicyHours > most:
		return errors.New("a policy is old after 0 to 36500 hours; 0 is a week")
	case s.Webhook != "" && (err != nil || hook.Host == "" || hook.Scheme != "https" && hook.Scheme != "http"):
		return errors.New("the webhook is an address such as https://chat.example/hook")
	}
	return nil
}

// Org is an organisation.
type Org struct {
	ID, Name string
	Settings OrgSettings
}

// MakeOrg makes an organisation.
func (tx *Tx) MakeOrg(ctx context.Context, name string) (Org, error) {
	o := Org{ID: NewID(), Name: name}
	_, err := tx.ExecContext(ctx, `INSERT INTO orgs (id, name, settings, made) VALUES ($1, $2, '{}', $3)`,
		o.ID, o.Name, Micro(tx.store.Now()))
	return o, err
}

// SetUp makes the first organisation, "default", with a team of that name, where there is none.
func (s *Store) SetUp(ctx context.Context) error {
	err := s.Tx(ctx, func(tx *Tx) error {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM orgs`).Scan(&n); err != nil || n > 0 {
			return err
		}
		o, err := tx.MakeOrg(ctx, "default")
		if err == nil {
			_, err = tx.MakeTeam(ctx, o.ID, "default")
		}
		return err
	})
	if orgs, again := s.Orgs(ctx); again == nil && len(orgs) > 0 {
		return nil // another was faster, perhaps
	}
	return err
}

// SetOrg changes what an organisation has decided.
func (tx *Tx) SetOrg(ctx context.Context, org string, s OrgSettings) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return one(tx.ExecContext(ctx, `UPDATE orgs SET settings = $1 WHERE id = $2`, string(text), org))
}

// ChangeOrg is [Tx.SetOrg] with an event. What a webhook's address says is a secret.
func (tx *Tx) ChangeOrg(ctx context.Context, by Identity, s OrgSettings) error {
	if err := errors.Join(s.Check(), tx.SetOrg(ctx, by.Org, s)); err != nil {
		return err
	}
	if s.Webhook != "" {
		s.Webhook = "(set)"
	}
	text, err := json.Marshal(s)
	e := Event{Org: by.Org, Who: by.who(), What: "settings changed", Detail: string(text)}
	return errors.Join(err, tx.Audit(ctx, e))
}

// Orgs returns all organisations, the oldest first.
func (s *Store) Orgs(ctx context.Context) ([]Org, error) {
	return list(ctx, s.DB, func(row scanner) (o Org, err error) {
		var settings string
		if err = row.Scan(&o.ID, &o.Name, &settings); err == nil {
			err = json.Unmarshal([]byte(settings), &o.Settings)
		}
		return o, err
	}, `SELECT id, name, settings FROM orgs ORDER BY id`)
}

// Org returns one organisation.
func (s *Store) Org(ctx context.Context, id string) (Org, error) {
	all, err := s.Orgs(ctx)
	if i := slices.IndexFunc(all, func(o Org) bool { return o.ID == id }); i >= 0 {
		return all[i], err
	}
	return Org{}, cmp.Or(err, ErrNotFound)
}

// SigningKey returns the key that an organisation signs by: that of [Options], else one in the database, as safe as the
// database, that its first use makes.
func (tx *Tx) SigningKey(ctx context.Context, org string) (ed25519.PrivateKey, error) {
	if tx.store.key != nil {
		return tx.store.key, nil
	}
	fresh := make([]byte, ed25519.SeedSize)
	rand.Read(fresh)
	var kept string
	_, err := tx.ExecContext(ctx, `INSERT INTO keys (org, seed) VALUES ($1, $2) ON CONFLICT (org) DO NOTHING`, org,
		base64.StdEncoding.EncodeToString(fresh))
	if err == nil {
		err = tx.QueryRowContext(ctx, `SELECT seed FROM keys WHERE org = $1`, org).Scan(&kept)
	}
	seed, wrong := base64.StdEncoding.DecodeString(kept)
	if err = errors.Join(err, wrong); err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("the organisation's key cannot be read: %w", err)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// Team is a part of an organisation that has policies of its own.
type Team struct{ ID, Org, Name string }

// ErrTaken says that something in the organisation has the name.
var ErrTaken = errors.New("that name is taken")

// inserted is [ErrTaken] where nothing was inserted.
func inserted(r sql.Result, err error) error {
	if err = one(r, err); errors.Is(err, ErrNotFound) {
		return ErrTaken
	}
	return err
}

// MakeTeam makes a team. Its name is taken once in an organisation.
func (tx *Tx) MakeTeam(ctx context.Context, org, name string) (Team, error) {
	t := Team{NewID(), org, name}
	return t, inserted(tx.ExecContext(ctx, `INSERT INTO teams (id, org, name, made) VALUES ($1, $2, $3, $4)
		ON CONFLICT (org, name) DO NOTHING`, t.ID, t.Org, t.Name, Micro(tx.store.Now())))
}

// hasTeam refuses a team that the organisation has not. "" is none.
func hasTeam(ctx context.Context, tx *Tx, org, team string) error {
	if team == "" {
		return nil
	}
	var there int
	return missing(tx.QueryRowContext(ctx, `SELECT 1 FROM teams WHERE org = $1 AND id = $2`, org, team).Scan(&there))
}

// Teams returns an organisation's teams by name.
func (s *Store) Teams(ctx context.Context, org string) ([]Team, error) {
	return list(ctx, s.DB, func(row scanner) (t Team, err error) { return t, row.Scan(&t.ID, &t.Org, &t.Name) },
		`SELECT id, org, name FROM teams WHERE org = $1 ORDER BY name`, org)
}

// Token is what a program shows to be let in. The token itself is kept nowhere, only its SHA-256.
type Token struct {
	ID, Org, Name string
	Scopes        []string
	Machine, Team string // whose it is; "" for a token that is no machine's
	Made, Expires time.Time
}

// Identity is who was let in. All of it but Org may be empty.
type Identity struct {
	Org, Team, Machine string // ids; Team is the machine's, or the one that the person's role is for
	Person             string // an id
	Name               string // as an [Event] names it: the token's name, or the person's
	Scopes             []string
}

// Identity is whom a token lets in.
func (t Token) Identity() Identity {
	return Identity{Org: t.Org, Team: t.Team, Machine: t.Machine, Name: "token " + t.Name, Scopes: t.Scopes}
}

// Scopes are what tokens can be good for. None holds another.
func Scopes() []string { return []string{"check", "ship", "read", "approve", "admin"} }

const tokenPrefix = "nod_"

// secret returns 256 random bits as text, and what the database keeps of them.
func secret(prefix string) (text, hash string) {
	random := make([]byte, 32)
	rand.Read(random)
	text = prefix + base64.RawURLEncoding.EncodeToString(random)
	return text, Hash(text)
}

// Hash is how a secret is kept: hexadecimal SHA-256. A secret is looked up by it, so that no time tells of the secret.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// MakeToken makes a token and returns it, the only time. A name is taken once in an organisation.
func (tx *Tx) MakeToken(ctx context.Context, t Token) (text string, err error) {
	text, hash := secret(tokenPrefix)
	err = inserted(tx.ExecContext(ctx, `INSERT INTO tokens (id, org, name, hash, scopes, machine, made, expires)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (org, name) DO NOTHING`, NewID(), t.Org, t.Name, hash,
		strings.Join(t.Scopes, ","), t.Machine, Micro(tx.store.Now()), Micro(t.Expires)))
	return text, errors.Join(err, tx.Notify(ctx, Accounts))
}

// Accounts is the topic of tokens and machines that came or went.
const Accounts = "accounts"

const tokenColumns = `SELECT t.id, t.org, t.name, t.scopes, t.machine, COALESCE(m.team, ''), t.made, t.expires
	FROM tokens t LEFT JOIN machines m ON m.id = t.machine `

func scanToken(row scanner) (t Token, err error) {
	var scopes string
	var made, expires int64
	err = row.Scan(&t.ID, &t.Org, &t.Name, &scopes, &t.Machine, &t.Team, &made, &expires)
	t.Scopes, t.Made, t.Expires = strings.Split(scopes, ","), Time(made), Time(expires)
	return t, err
}

// Token returns the token of a hash, or [ErrNotFound]. Whether it has ended is the caller's to see.
func (s *Store) Token(ctx context.Context, hash string) (Token, error) {
	t, err := scanToken(s.DB.QueryRowContext(ctx, tokenColumns+`WHERE t.hash = $1`, hash))
	return t, missing(err)
}

// Tokens returns an organisation's tokens by name.
func (s *Store) Tokens(ctx context.Context, org string) ([]Token, error) {
	return list(ctx, s.DB, scanToken, tokenColumns+`WHERE t.org = $1 ORDER BY t.name`, org)
}

// RevokeToken removes a token.
func (tx *Tx) RevokeToken(ctx context.Context, org, name string) error {
	err := one(tx.ExecContext(ctx, `DELETE FROM tokens WHERE org = $1 AND name = $2`, org, name))
	return errors.Join(err, tx.Notify(ctx, Accounts))
}

// Code is good for one use: to join a machine to a team, to set the server up, or to begin a session.
type Code struct {
	Org, Kind, Team, Person string // Team or Person is the id of whom it is for
	Expires                 time.Time
}

// The kinds of codes.
const (
	MachineCode = "machine"
	SetUpCode   = "setup"
	PersonCode  = "person" // begins a session
)

// MakeCode makes a code and returns it, the only time.
func (tx *Tx) MakeCode(ctx context.Context, c Code) (text string, err error) {
	text, hash := secret("")
	_, err = tx.ExecContext(ctx, `INSERT INTO codes (hash, org, kind, team, person, made, expires)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, hash, c.Org, c.Kind, c.Team, c.Person, Micro(tx.store.Now()), Micro(c.Expires))
	return text, err
}

// UseCode uses a code up. One that was used, has ended or is of another kind is [ErrNotFound].
func (tx *Tx) UseCode(ctx context.Context, text, kind string) (c Code, err error) {
	now, hash := Micro(tx.store.Now()), Hash(text)
	if err = one(tx.ExecContext(ctx, `UPDATE codes SET used = $1
		WHERE hash = $2 AND kind = $3 AND used = 0 AND expires > $1`, now, hash, kind)); err != nil {
		return c, err
	}
	err = tx.QueryRowContext(ctx, `SELECT org, kind, team, person FROM codes WHERE hash = $1`, hash).
		Scan(&c.Org, &c.Kind, &c.Team, &c.Person)
	return c, err
}

// Report is what a machine says of itself, all of it untrusted.
type Report struct {
	Version string    `json:"version,omitempty"` // of nod
	Policy  int64     `json:"policy,omitempty"`  // the version that holds there
	Heard   time.Time `json:"heard,omitzero"`    // when it last got a policy, or heard that there is no newer one
	Doctor  string    `json:"doctor,omitempty"`  // what nod doctor says, one line: a time, a word, ":" and the rest
}

// Machine is a member of a team.
type Machine struct {
	ID, Org, Team, Name string
	Made, Gone, Seen    time.Time
	Report              Report
}

// Join makes a machine of a team and its token.
func (tx *Tx) Join(ctx context.Context, org, team, name string, scopes []string) (m Machine, token string, err error) {
	m = Machine{ID: NewID(), Org: org, Team: team, Name: name, Made: tx.store.Now()}
	_, err = tx.ExecContext(ctx, `INSERT INTO machines (id, org, team, name, made) VALUES ($1, $2, $3, $4, $5)`,
		m.ID, m.Org, m.Team, m.Name, Micro(m.Made))
	if err == nil {
		token, err = tx.MakeToken(ctx, Token{Org: org, Name: "machine " + m.ID, Scopes: scopes, Machine: m.ID})
	}
	return m, token, err
}

// Leave ends a machine's membership: its token goes.
func (tx *Tx) Leave(ctx context.Context, org, machine string) error {
	err := one(tx.ExecContext(ctx, `UPDATE machines SET gone = $1 WHERE org = $2 AND id = $3 AND gone = 0`,
		Micro(tx.store.Now()), org, machine))
	if err != nil {
		return err
	}
	return tx.RevokeToken(ctx, org, "machine "+machine)
}

// Seen keeps what a machine says of itself, and that it was here.
func (s *Store) Seen(ctx context.Context, org, machine string, r Report) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return one(s.DB.ExecContext(ctx, `UPDATE machines SET seen = $1, report = $2 WHERE org = $3 AND id = $4`,
		Micro(s.Now()), string(text), org, machine))
}

// Machines returns a page of an organisation's machines by id, those after an id.
func (s *Store) Machines(ctx context.Context, org, after string, most int) ([]Machine, error) {
	return list(ctx, s.DB, scanMachine, machineColumns+`WHERE org = $1 AND id > $2 ORDER BY id LIMIT $3`, org, after,
		most)
}

const machineColumns = `SELECT id, org, team, name, made, gone, seen, report FROM machines `

func scanMachine(row scanner) (m Machine, err error) {
	var made, gone, seen int64
	var report string
	if err = row.Scan(&m.ID, &m.Org, &m.Team, &m.Name, &made, &gone, &seen, &report); err == nil {
		err = json.Unmarshal([]byte(report), &m.Report)
	}
	m.Made, m.Gone, m.Seen = Time(made), Time(gone), Time(seen)
	return m, err
}

// Event is one change that somebody made. Events are only added.
type Event struct {
	ID, Org string
	At      time.Time
	Who     string // a person's id, "token NAME", "machine ID" or "nod-serve"
	What    string // what was done, such as "token made"
	About   string // to what: an id or a name
	Detail  string
}

// Audit adds an event, in the transaction of what it tells of.
func (tx *Tx) Audit(ctx context.Context, e Event) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO events (id, org, at, who, what, about, detail)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, NewID(), e.Org, Micro(tx.store.Now()), e.Who, e.What, e.About, e.Detail)
	return err
}

// Events returns a page of an organisation's events, the newest first: those before an id, "" for the newest of all.
func (s *Store) Events(ctx context.Context, org, before string, most int) ([]Event, error) {
	return list(ctx, s.DB, func(row scanner) (e Event, err error) {
		var at int64
		err = row.Scan(&e.ID, &e.Org, &at, &e.Who, &e.What, &e.About, &e.Detail)
		e.At = Time(at)
		return e, err
	}, `SELECT id, org, at, who, what, about, detail FROM events WHERE org = $1 AND ($2 = '' OR id < $2)
		ORDER BY id DESC LIMIT $3`, org, before, most)
}
