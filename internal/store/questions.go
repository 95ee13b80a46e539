package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// Question is a call on a machine that waits for a person.
type Question struct {
	ID      string          `json:"id"`
	Org     string          `json:"-"`
	Machine string          `json:"machine"`
	Team    string          `json:"team"`
	Name    string          `json:"-"`        // the machine's own id of it
	Key     string          `json:"key"`      // names the call, and the files that it would run
	Text    json.RawMessage `json:"question"` // what is shown of it: the machine's, untrusted
	Scopes  string          `json:"scopes"`   // how far a yes may hold, separated by commas; "" where none may
	Asked   time.Time       `json:"asked"`
	Ends    time.Time       `json:"ends"`

	// The answer, of which only Answered says that there is one.
	Answered time.Time `json:"-"`
	Yes      bool      `json:"-"`
	Scope    string    `json:"-"`
	Who      string    `json:"-"`

	closed int64
}

// Questions is the topic of what is asked in an organisation, or answered to a machine.
func Questions(id string) string { return "questions " + id }

// Ask keeps which calls wait on a machine now: those, and no others any more. fresh are those that are new here.
func (tx *Tx) Ask(ctx context.Context, org, machine string, list []Question) (fresh []Question, err error) {
	ids := ""
	for _, q := range list {
		ids += q.ID + " "
	}
	_, err = tx.ExecContext(ctx, `UPDATE questions SET closed = $1 WHERE org = $2 AND machine = $3 AND closed = 0
		AND $4 NOT LIKE '%' || id || '%'`, Micro(tx.store.Now()), org, machine, ids)
	for _, q := range list {
		n, wrong := changed(tx.ExecContext(ctx, `INSERT INTO questions (org, id, machine, team, name, key, question,
			asked, ends, scopes) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`, org, q.ID, machine,
			q.Team, q.Name, q.Key, string(q.Text), Micro(q.Asked), Micro(q.Ends), q.Scopes))
		if err = errors.Join(err, wrong); n == 1 {
			fresh = append(fresh, q)
		}
	}
	return fresh, errors.Join(err, tx.Notify(ctx, Questions(org)))
}

const questionColumns = `SELECT id, org, machine, team, name, key, question, asked, ends, answered, yes, scope, who,
	scopes, closed FROM questions WHERE org = $1 `

const open = `AND closed = 0 AND ends > $2 `

func scanQuestion(row scanner) (q Question, err error) {
	var asked, ends, answered, yes int64
	var text string
	err = row.Scan(&q.ID, &q.Org, &q.Machine, &q.Team, &q.Name, &q.Key, &text, &asked, &ends, &answered, &yes,
		&q.Scope, &q.Who, &q.Scopes, &q.closed)
	q.Text = json.RawMessage(text)
	q.Asked, q.Ends, q.Answered, q.Yes = Time(asked), Time(ends), Time(answered), yes == 1
	return q, err
}

// Waiting returns the questions that nobody has answered, the oldest first, of one team if it is not "".
func (s *Store) Waiting(ctx context.Context, org, team string) ([]Question, error) {
	return list(ctx, s.DB, scanQuestion, questionColumns+open+`AND answered = 0 AND ($3 = '' OR team = $3)
		ORDER BY asked, id LIMIT 500`, org, Micro(s.Now()), team)
}

// Answers returns what was answered to a machine and has not reached it.
func (s *Store) Answers(ctx context.Context, org, machine string) ([]Question, error) {
	return list(ctx, s.DB, scanQuestion, questionColumns+open+`AND answered > 0 AND machine = $3
		ORDER BY answered, id LIMIT 100`, org, Micro(s.Now()), machine)
}

// What becomes of an answer that does not count.
var (
	ErrAnswered = errors.New("the question was answered already")
	ErrLate     = errors.New("the question is over")
	ErrFits     = errors.New("the answer is to another call")
)

// Answer answers a question of an organisation, or of one team if it is not "". The first answer counts that names the
// question's key and, for a yes, one of its scopes, and is an event. All others are [ErrAnswered], [ErrLate], [ErrFits]
// or [ErrNotFound].
func (tx *Tx) Answer(ctx context.Context, a Question, team string) error {
	now := tx.store.Now()
	q, err := scanQuestion(tx.QueryRowContext(ctx, questionColumns+`AND id = $2`, a.Org, a.ID))
	switch {
	case err != nil:
		return missing(err)
	case team != "" && q.Team != team:
		return ErrNotFound
	case q.Key != a.Key || a.Yes && (a.Scope == "" || !slices.Contains(strings.Split(q.Scopes, ","), a.Scope)):
		return ErrFits
	case !q.Answered.IsZero():
		return ErrAnswered
	case q.closed > 0 || !q.Ends.After(now):
		return ErrLate
	}
	err = one(tx.ExecContext(ctx, `UPDATE questions SET answered = $1, yes = $2, scope = $3, who = $4
		WHERE org = $5 AND id = $6 AND answered = 0 AND closed = 0`, Micro(now), bit(a.Yes), a.Scope, a.Who, a.Org,
		a.ID))
	if errors.Is(err, ErrNotFound) {
		return ErrAnswered
	}
	said := map[bool]string{true: "yes, " + a.Scope, false: "no"}[a.Yes]
	return errors.Join(err, tx.Notify(ctx, Questions(q.Machine)), tx.Audit(ctx, Event{Org: a.Org, Who: a.Who,
		What: "question answered", About: a.ID, Detail: said + " to " + a.Key + " on " + q.Machine}))
}
