package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// Role is what a person may do. Each may do what those before it may.
type Role = string

// The roles. A person without one may do nothing.
const (
	Viewer   Role = "viewer"   // reads
	Approver Role = "approver" // answers questions
	Editor   Role = "editor"   // drafts, reviews and publishes policies
	Admin    Role = "admin"    // people, tokens, machines, settings
)

// Roles are all roles, the least first.
func Roles() []Role { return []Role{Viewer, Approver, Editor, Admin} }

// Person is somebody of an organisation. Issuer and Subject are by whom OpenID Connect knows them; the issuer of
// whoever came by a set-up link is "".
type Person struct {
	ID, Org, Issuer, Subject string
	Email, Name              string // what the issuer says; a text to show, and no proof
	Role                     Role
	Team                     string // the id of the one team that the role is for; "" for all
	Made, Gone               time.Time
}

// May reports whether the person's role includes another.
func (p Person) May(role Role) bool {
	needs := slices.Index(Roles(), role)
	return needs >= 0 && slices.Index(Roles(), p.Role) >= needs
}

// Shown is by what people know the person.
func (p Person) Shown() string { return cmp.Or(p.Email, p.Name, p.ID) }

// Identity is the person as one who does something.
func (p Person) Identity() Identity {
	return Identity{Org: p.Org, Team: p.Team, Person: p.ID, Name: p.Shown()}
}

const personColumns = `SELECT p.id, p.org, p.issuer, p.subject, p.email, p.name, p.role, p.team, p.made, p.gone
	FROM people p `

func scanPerson(row scanner) (p Person, err error) {
	var made, gone int64
	err = row.Scan(&p.ID, &p.Org, &p.Issuer, &p.Subject, &p.Email, &p.Name, &p.Role, &p.Team, &made, &gone)
	p.Made, p.Gone = Time(made), Time(gone)
	return p, missing(err)
}

// People returns everybody who was ever in an organisation, by e-mail. Who was removed has Gone.
func (s *Store) People(ctx context.Context, org string) ([]Person, error) {
	return list(ctx, s.DB, scanPerson, personColumns+`WHERE p.org = $1 ORDER BY p.email, p.id`, org)
}

// Arrive keeps who came. A person who is new, or comes back after being removed, has no role. One who is known keeps
// the role.
func (tx *Tx) Arrive(ctx context.Context, p Person) (Person, error) {
	made := NewID()
	_, err := tx.ExecContext(ctx, `INSERT INTO people (id, org, issuer, subject, email, name, role, made)
		VALUES ($1, $2, $3, $4, $5, $6, '', $7)
		ON CONFLICT (org, issuer, subject) DO UPDATE SET email = $5, name = $6, gone = 0`, made, p.Org, p.Issuer, p.Subject,
		p.Email, p.Name, Micro(tx.store.Now()))
	if err != nil {
		return p, err
	}
	p, err = scanPerson(tx.QueryRowContext(ctx, personColumns+`WHERE p.org = $1 AND p.issuer = $2 AND p.subject = $3`,
		p.Org, p.Issuer, p.Subject))
	if err == nil && p.ID == made {
		err = tx.Audit(ctx, Event{Org: p.Org, Who: p.ID, What: "person arrived", About: p.ID, Detail: p.Shown()})
	}
	return p, err
}

// SetRole gives a person a role, for one team or, with "", for all. It holds from their next request on.
func (tx *Tx) SetRole(ctx context.Context, by Identity, person string, role Role, team string) error {
	if !slices.Contains(Roles(), role) {
		return errors.New("the roles are viewer, approver, editor and admin")
	}
	if err := hasTeam(ctx, tx, by.Org, team); err != nil {
		return err
	}
	detail := role
	if team != "" {
		detail += " in team " + team
	}
	err := one(tx.ExecContext(ctx, `UPDATE people SET role = $1, team = $2 WHERE org = $3 AND id = $4 AND gone = 0`,
		role, team, by.Org, person))
	if err != nil {
		return err
	}
	return tx.Audit(ctx, Event{Org: by.Org, Who: by.who(), What: "role given", About: person, Detail: detail})
}

// RemovePerson takes a person's role and ends their sessions and links.
func (tx *Tx) RemovePerson(ctx context.Context, by Identity, person string) error {
	err := one(tx.ExecContext(ctx, `UPDATE people SET role = '', team = '', gone = $1 WHERE org = $2 AND id = $3
		AND gone = 0`, Micro(tx.store.Now()), by.Org, person))
	if err != nil {
		return err
	}
	return errors.Join(tx.EndSessions(ctx, by, person),
		tx.Audit(ctx, Event{Org: by.Org, Who: by.who(), What: "person removed", About: person}))
}

// EndSessions ends all of a person's sessions and what could begin one by a link.
func (tx *Tx) EndSessions(ctx context.Context, by Identity, person string) error {
	p, err := scanPerson(tx.QueryRowContext(ctx, personColumns+`WHERE p.org = $1 AND p.id = $2`, by.Org, person))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE org = $1 AND person = $2`, by.Org, p.ID)
	_, wrong := tx.ExecContext(ctx, `DELETE FROM codes WHERE org = $1 AND person = $2`, by.Org, person)
	e := Event{Org: by.Org, Who: by.who(), What: "sessions ended", About: person}
	return errors.Join(err, wrong, tx.Audit(ctx, e))
}

// SessionTime is how long a session holds.
const SessionTime = 12 * time.Hour

// Begin begins a person's session and returns its secret, the only time.
func (tx *Tx) Begin(ctx context.Context, p Person) (text string, err error) {
	now := tx.store.Now()
	text, hash := secret("")
	if _, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE expires <= $1`, Micro(now)); err != nil {
		return "", err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO sessions (hash, org, person, made, expires) VALUES ($1, $2, $3, $4, $5)`,
		hash, p.Org, p.ID, Micro(now), Micro(now.Add(SessionTime)))
	return text, errors.Join(err, tx.Audit(ctx, Event{Org: p.Org, Who: p.ID, What: "session began", About: p.ID}))
}

// Session returns whose session it is that has this hash now, with the role that the person has now. [ErrNotFound]: it
// is nobody's, or it has ended.
func (s *Store) Session(ctx context.Context, hash string) (Person, error) {
	return scanPerson(s.DB.QueryRowContext(ctx, personColumns+`JOIN sessions s ON s.person = p.id AND s.org = p.org
		WHERE s.hash = $1 AND s.expires > $2 AND p.gone = 0`, hash, Micro(s.Now())))
}

// End ends one session.
func (s *Store) End(ctx context.Context, hash string) error {
	return one(s.DB.ExecContext(ctx, `DELETE FROM sessions WHERE hash = $1`, hash))
}

// HasAdmin reports whether somebody may do all in an organisation.
func (tx *Tx) HasAdmin(ctx context.Context, org string) (is bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM people
		WHERE org = $1 AND role = 'admin' AND team = '' AND gone = 0)`, org).Scan(&is)
	return is, err
}

// FirstCode makes the code by which an organisation without an admin gets its first, and ends those before. It is ""
// where there is one.
func (tx *Tx) FirstCode(ctx context.Context, org string) (text string, err error) {
	if is, err := tx.HasAdmin(ctx, org); err != nil || is {
		return "", err
	}
	if _, err = tx.ExecContext(ctx, `DELETE FROM codes WHERE org = $1 AND kind = $2`, org, SetUpCode); err != nil {
		return "", err
	}
	return tx.MakeCode(ctx, Code{Org: org, Kind: SetUpCode, Expires: tx.store.Now().Add(24 * time.Hour)})
}

// Enter uses up a code of a link and returns who came by it: with a [SetUpCode] the first admin, who is made of the
// e-mail; with a [PersonCode] the person it was made for.
func (tx *Tx) Enter(ctx context.Context, text, kind, email string) (Person, error) {
	c, err := tx.UseCode(ctx, text, kind)
	if err != nil {
		return Person{}, err
	}
	if kind != SetUpCode {
		return scanPerson(tx.QueryRowContext(ctx, personColumns+`WHERE p.org = $1 AND p.id = $2 AND p.gone = 0`, c.Org,
			c.Person))
	}
	if is, err := tx.HasAdmin(ctx, c.Org); err != nil || is {
		return Person{}, cmp.Or(err, ErrNotFound)
	}
	p, err := tx.Arrive(ctx, Person{Org: c.Org, Subject: NewID(), Email: email})
	if err != nil {
		return p, err
	}
	p.Role = Admin
	return p, tx.SetRole(ctx, Identity{Org: c.Org, Name: "set-up link"}, p.ID, Admin, "")
}

// MachinesOf returns a page of the machines that an organisation has now, or of one team if it is not "": those
// after an id, by id.
func (s *Store) MachinesOf(ctx context.Context, org, team, after string, most int) ([]Machine, error) {
	return list(ctx, s.DB, scanMachine, machineColumns+`WHERE org = $1 AND gone = 0 AND ($2 = '' OR team = $2)
		AND id > $3 ORDER BY id LIMIT $4`, org, team, after, most)
}

// CountMachines counts the machines that an organisation or a team has now, and those that were here since a time.
func (s *Store) CountMachines(ctx context.Context, org, team string, since time.Time) (all, here int, err error) {
	err = s.DB.QueryRowContext(ctx, `SELECT COUNT(*), COUNT(CASE WHEN seen >= $3 THEN 1 END) FROM machines
		WHERE org = $1 AND gone = 0 AND ($2 = '' OR team = $2)`, org, team, Micro(since)).Scan(&all, &here)
	return all, here, err
}

// Machine returns one machine.
func (tx *Tx) Machine(ctx context.Context, org, id string) (Machine, error) {
	m, err := scanMachine(tx.QueryRowContext(ctx, machineColumns+`WHERE org = $1 AND id = $2`, org, id))
	return m, missing(err)
}

// MachineName is what a machine is called, also one that has left; its id where nobody knows.
func (s *Store) MachineName(ctx context.Context, org, id string) string {
	name := id
	_ = s.DB.QueryRowContext(ctx, `SELECT name FROM machines WHERE org = $1 AND id = $2`, org, id).Scan(&name)
	return name
}
