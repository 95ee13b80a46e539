package store

import (
	"context"
	"errors"
	"time"
)

// Question is a call on a machine that waits for a person.
type Question struct {
	ID, Org, Machine, Team string
	Name                   string // the machine's own id of it
	Key                    string // names the call, and the files that it would run
	Text                   string // what is shown of it, JSON, the machine's
	Asked, Ends            time.Time
	Answered               time.Time // zero: not yet
	Yes                    bool
	Scope, Who             string
}

// Questions is the topic of what an organisation is asked and has answered.
func Questions(org string) string { return "questions " + org }

// Ask keeps a question, once. new is false where it was here already.
func (tx *Tx) Ask(ctx context.Context, q Question) (new bool, err error) {
	err = one(tx.ExecContext(ctx, `INSERT INTO questions (org, id, machine, team, name, key, question, asked, ends)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`, q.Org, q.ID, q.Machine, q.Team, q.Name, q.Key,
		q.Text, Micro(q.Asked), Micro(q.Ends)))
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, errors.Join(err, tx.Notify(ctx, Questions(q.Org)))
}

const questionColumns = `SELECT id, org, machine, team, name, key, question, asked, ends, answered, yes, scope, who
	FROM questions WHERE org = $1 AND closed = 0 AND ends > $2 `

func scanQuestion(row scanner) (q Question, err error) {
	var asked, ends, answered, yes int64
	err = row.Scan(&q.ID, &q.Org, &q.Machine, &q.Team, &q.Name, &q.Key, &q.Text, &asked, &ends, &answered, &yes,
		&q.Scope, &q.Who)
	q.Asked, q.Ends, q.Answered, q.Yes = Time(asked), Time(ends), Time(answered), yes == 1
	return q, err
}

// Waiting returns the questions that nobody has answered, the oldest first, of one team if it is not "".
func (s *Store) Waiting(ctx context.Context, org, team string) ([]Question, error) {
	return list(ctx, s.DB, scanQuestion, questionColumns+`AND answered = 0 AND ($3 = '' OR team = $3)
		ORDER BY asked, id LIMIT 500`, org, Micro(s.Now()), team)
}

// Answers returns what was answered to a machine and has not reached it.
func (s *Store) Answers(ctx context.Context, org, machine string) ([]Question, error) {
	return list(ctx, s.DB, scanQuestion, questionColumns+`AND answered > 0 AND machine = $3
		ORDER BY answered, id LIMIT 100`, org, Micro(s.Now()), machine)
}

// What becomes of an answer that does not count.
var (
	ErrAnswered = errors.New("the question was answered already")
	ErrLate     = errors.New("the question is over")
	ErrFits     = errors.New("the answer is to another call")
)

// Answer answers a question of an organisation, or of one team if it is not "": the first answer that names its key
// counts, and is an event. All others are [ErrAnswered], [ErrLate], [ErrFits] or [ErrNotFound].
func (tx *Tx) Answer(ctx context.Context, q Question, team string) error {
	now := Micro(tx.store.Now())
	err := one(tx.ExecContext(ctx, `UPDATE questions SET answered = $1, yes = $2, scope = $3, who = $4
		WHERE org = $5 AND id = $6 AND key = $7 AND ($8 = '' OR team = $8) AND answered = 0 AND closed = 0 AND ends > $1`,
		now, bit(q.Yes), q.Scope, q.Who, q.Org, q.ID, q.Key, team))
	if errors.Is(err, ErrNotFound) {
		return tx.whyNot(ctx, q, team, now)
	}
	said := map[bool]string{true: "yes, " + q.Scope, false: "no"}[q.Yes]
	return errors.Join(err, tx.Notify(ctx, Questions(q.Org)), tx.Audit(ctx, Event{Org: q.Org, Who: q.Who,
		What: "question answered", About: q.ID, Detail: said + " to " + q.Key}))
}

func (tx *Tx) whyNot(ctx context.Context, q Question, team string, now int64) error {
	var key string
	var answered, over bool
	err := tx.QueryRowContext(ctx, `SELECT key, answered > 0, closed > 0 OR ends <= $1 FROM questions
		WHERE org = $2 AND id = $3 AND ($4 = '' OR team = $4)`, now, q.Org, q.ID, team).Scan(&key, &answered, &over)
	switch {
	case err != nil:
		return missing(err)
	case key != q.Key:
		return ErrFits
	case answered:
		return ErrAnswered
	}
	return ErrLate
}

// Over says that a machine's question waits no more, and whether the call heard the answer that was given here.
func (tx *Tx) Over(ctx context.Context, org, machine, id string, counted bool) error {
	now := Micro(tx.store.Now())
	err := one(tx.ExecContext(ctx, `UPDATE questions SET closed = CASE WHEN closed = 0 THEN $1 ELSE closed END,
		counted = CASE WHEN $2 = 1 THEN $1 ELSE counted END WHERE org = $3 AND machine = $4 AND id = $5`, now, bit(counted),
		org, machine, id))
	if err == nil {
		err = tx.Notify(ctx, Questions(org))
	}
	return err
}
