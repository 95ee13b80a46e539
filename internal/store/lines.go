package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/audit"
)

// Line is a line of a machine's log, with what it is found by. Its texts are the machine's: untrusted, but UTF-8
// without NUL. ID is the line's hash, and Prev that of the line before, "" where it says none; it is Loose if it was
// written without the log's lock, so that lines may have come in between.
type Line struct {
	Machine string    `json:"machine"`
	ID      string    `json:"id"`
	Text    string    `json:"line"` // as it came
	Prev    string    `json:"-"`
	Loose   bool      `json:"-"`
	Time    time.Time `json:"-"`
	Kind    string    `json:"-"`

	Verdict, Layer, Agent, Session, Root, Tool, Rule string `json:"-"`
}

// Shipped is what became of a batch.
type Shipped struct {
	New int
	Gap string // the id of a line whose predecessor never came; "" for none
}

// Ship keeps lines of a machine, the newest last, each once, and follows their chain. A batch that came before, or of
// which some came before, is no harm. What does not continue the chain is kept, and is an event.
func (s *Store) Ship(ctx context.Context, org, machine string, batch []Line) (done Shipped, err error) {
	if len(batch) == 0 {
		return done, nil
	}
	level := sql.LevelSerializable
	if s.Postgres {
		level = sql.LevelReadCommitted // all that is read is the machine's own, behind the lock of its chain
	}
	for _, unless := range []string{``, ` ON CONFLICT DO NOTHING`} { // which costs as much as all the rest
		err = s.tx(ctx, level, func(tx *Tx) error {
			done, err = tx.ship(ctx, org, machine, batch, unless)
			return err
		})
		if err == nil || !taken(err) {
			break
		}
	}
	return done, err
}

func (tx *Tx) ship(ctx context.Context, org, machine string, batch []Line, unless string) (done Shipped, err error) {
	c, err := tx.chain(ctx, org, machine)
	if err != nil {
		return done, err
	}
	last := batch[len(batch)-1]
	if at := slices.IndexFunc(batch, func(l Line) bool { return l.ID == c.head }); at >= 0 {
		batch = batch[at+1:]
	} else if batch[0].Prev != c.head {
		if known, err := tx.has(ctx, org, machine, last.ID, last.Time, 0); err != nil || known {
			return done, err
		}
	}
	if done.Gap, err = tx.gap(ctx, c, org, machine, batch); err != nil || len(batch) == 0 {
		return done, err
	}
	if done.New, err = tx.insert(ctx, org, machine, c.lines, batch, unless); err != nil {
		return done, err
	}
	if tx.store.export && done.New > 0 {
		if err = put(ctx, tx, org, machine, c.lines, batch); err != nil {
			return done, err
		}
	}
	if done.Gap != "" {
		c.gaps++
	}
	if done.Gap != "" && c.gaps <= maxGaps {
		err = tx.Audit(ctx, Event{Org: org, Who: "machine " + machine, What: "log broken", About: machine,
			Detail: "lines before " + done.Gap + " were cut, changed or never sent"})
	}
	_, wrong := tx.ExecContext(ctx, `UPDATE chains SET head = $1, loose = $2, lines = $3, gaps = $4
		WHERE org = $5 AND machine = $6`, last.ID, bit(last.Loose), c.lines+int64(done.New), c.gaps, org, machine)
	return done, errors.Join(err, wrong)
}

// maxGaps is how many events one machine's chain may be.
const maxGaps = 1000

// chain is where a machine's log ends here.
type chain struct {
	head        string
	loose       bool
	lines, gaps int64
}

// chain returns a machine's and keeps others from it until the transaction ends.
func (tx *Tx) chain(ctx context.Context, org, machine string) (c chain, err error) {
	if _, err = tx.ExecContext(ctx, `INSERT INTO chains (org, machine) VALUES ($1, $2) ON CONFLICT DO NOTHING`, org,
		machine); err != nil {
		return c, err
	}
	query := `SELECT head, loose = 1, lines, gaps FROM chains WHERE org = $1 AND machine = $2`
	if tx.store.Postgres {
		query += ` FOR UPDATE`
	}
	return c, tx.QueryRowContext(ctx, query, org, machine).Scan(&c.head, &c.loose, &c.lines, &c.gaps)
}

// has reports whether a line is here that was written at a time, or a while before.
func (tx *Tx) has(ctx context.Context, org, machine, id string, at time.Time, while time.Duration) (known bool,
	err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM lines WHERE org = $1 AND machine = $2 AND time <= $3
		AND time >= $4 AND id = $5)`, org, machine, Micro(at), Micro(at)-while.Microseconds(), id).Scan(&known)
	return known, err
}

// gap returns the first line that is not linked to the one before it. A line without the lock, and the one behind it,
// may be linked to an older one.
func (tx *Tx) gap(ctx context.Context, c chain, org, machine string, batch []Line) (string, error) {
	seen := map[string]bool{}
	for _, l := range batch {
		fits := c.head == "" || l.Prev == "" && l.Kind == string(audit.Unread) || l.Prev == c.head ||
			(l.Loose || c.loose) && seen[l.Prev]
		if !fits && (l.Loose || c.loose) {
			var err error
			if fits, err = tx.has(ctx, org, machine, l.Prev, l.Time, time.Hour); err != nil {
				return "", err
			}
		}
		if !fits {
			return l.ID, nil
		}
		c.head, c.loose, seen[l.ID] = l.ID, l.Loose, true
	}
	return "", nil
}

const intoLines = `INSERT INTO lines (org, machine, time, seq, id, kind, verdict, layer, agent, session, root, tool,
	rule, line) `

func (l Line) texts() []string {
	return []string{l.ID, l.Kind, l.Verdict, l.Layer, l.Agent, l.Session, l.Root, l.Tool, l.Rule, l.Text}
}

// insert inserts lines behind so many others: on PostgreSQL at once, each column as an array. n is how many were new.
func (tx *Tx) insert(ctx context.Context, org, machine string, before int64, batch []Line, unless string) (n int,
	err error) {
	if !tx.store.Postgres || unless != "" {
		return tx.insertEach(ctx, org, machine, before, batch, unless)
	}
	times, places, texts := make([]int64, len(batch)), make([]int64, len(batch)), make([][]string, 10)
	for i, l := range batch {
		times[i], places[i] = Micro(l.Time), before+int64(i)+1
		for k, text := range l.texts() {
			texts[k] = append(texts[k], text)
		}
	}
	args := []any{org, machine, times, places}
	for _, column := range texts {
		args = append(args, column)
	}
	return changed(tx.ExecContext(ctx, intoLines+`SELECT $1, $2, * FROM unnest($3::bigint[], $4::bigint[], $5::text[],
		$6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[])`,
		args...))
}

func (tx *Tx) insertEach(ctx context.Context, org, machine string, before int64, batch []Line, unless string) (n int,
	err error) {
	s, err := tx.PrepareContext(ctx, intoLines+`VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`+
		unless)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	for _, l := range batch {
		args := []any{org, machine, Micro(l.Time), before + int64(n) + 1}
		for _, text := range l.texts() {
			args = append(args, text)
		}
		one, err := changed(s.ExecContext(ctx, args...))
		if err != nil {
			return 0, err
		}
		n += one
	}
	return n, nil
}

// changed is how many rows a statement changed.
func changed(r sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Search says which lines are wanted. Org, From and To always count; "" is any.
type Search struct {
	Org, Team, Machine, Agent, Verdict, Layer string
	Rule                                      string // a part of the rule's text
	From, To                                  time.Time
	Before                                    string // where the page before ended
	Most, Bytes                               int    // of one page
}

// where are the conditions of a search and their arguments.
func (q Search) where() (text string, args []any) {
	text, args = `org = $1 AND time >= $2 AND time < $3`, []any{q.Org, Micro(q.From), Micro(q.To)}
	for _, one := range [][2]string{{`machine = $%d`, q.Machine}, {`agent = $%d`, q.Agent},
		{`verdict = $%d`, q.Verdict}, {`layer = $%d`, q.Layer}, {`rule LIKE $%d ESCAPE '!'`, like(q.Rule)},
		{`machine IN (SELECT id FROM machines WHERE org = $1 AND team = $%d)`, q.Team}} {
		if one[1] != "" {
			args = append(args, one[1])
			text += fmt.Sprintf(" AND "+one[0], len(args))
		}
	}
	return text, args
}

func like(part string) string {
	if part == "" {
		return ""
	}
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(part) + "%"
}

// Lines returns a page of lines, the newest first, and where the next page begins, "" behind the last.
func (s *Store) Lines(ctx context.Context, q Search) (page []Line, next string, err error) {
	where, args := q.where()
	if q.Before != "" {
		var at int64
		var machine, id string
		if _, err := fmt.Sscanf(q.Before, "%d %s %s", &at, &machine, &id); err != nil {
			return nil, "", ErrNotFound
		}
		args = append(args, at, machine, id)
		where += fmt.Sprintf(` AND (time, machine, id) < ($%d, $%d, $%d)`, len(args)-2, len(args)-1, len(args))
	}
	args = append(args, q.Most+1)
	rows, err := s.DB.QueryContext(ctx, `SELECT machine, id, time, line FROM lines WHERE `+where+
		fmt.Sprintf(` ORDER BY time DESC, machine DESC, id DESC LIMIT $%d`, len(args)), args...)
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	for size := 0; rows.Next(); {
		l, at := Line{}, int64(0)
		if err := rows.Scan(&l.Machine, &l.ID, &at, &l.Text); err != nil {
			return nil, "", err
		}
		if size += len(l.Text); len(page) > 0 && (len(page) == q.Most || size > q.Bytes) {
			last := page[len(page)-1]
			return page, fmt.Sprintf("%d %s %s", Micro(last.Time), last.Machine, last.ID), nil
		}
		l.Time = Time(at)
		page = append(page, l)
	}
	return page, "", rows.Err()
}

// Chains calls do with each line of an organisation, machine by machine, by their places. The database sorts.
func (s *Store) Chains(ctx context.Context, org string, do func(audit.Shipped) error) error {
	_, err := list(ctx, s.DB, func(row scanner) (none struct{}, err error) {
		l := audit.Shipped{Org: org}
		return none, errors.Join(row.Scan(&l.Machine, &l.Seq, &l.ID, &l.Text), do(l))
	}, `SELECT machine, seq, id, line FROM lines WHERE org = $1 ORDER BY machine, seq, id`, org)
	return err
}

// Count is how many decisions there were.
type Count struct {
	Key     string `json:"key"`
	Verdict string `json:"verdict"`
	Count   int64  `json:"count"`
}

// By are what decisions can be counted by, and the expression of each.
func By() map[string]string {
	return map[string]string{"day": `CAST(time / 86400000000 AS TEXT)`, "agent": "agent", "machine": "machine",
		"layer": "layer", "tool": "tool", "team": `COALESCE(team, '')`}
}

// Stats counts decisions by a key of [By] and their verdicts. A day is the number of days since 1970.
func (s *Store) Stats(ctx context.Context, q Search, by string) ([]Count, error) {
	where, args := q.where()
	key, is := By()[by]
	if !is {
		return nil, ErrNotFound
	}
	from := `lines`
	if by == "team" {
		from += ` LEFT JOIN (SELECT id AS of, team FROM machines) m ON of = machine`
	}
	return list(ctx, s.DB, func(row scanner) (c Count, err error) { return c, row.Scan(&c.Key, &c.Verdict, &c.Count) },
		`SELECT `+key+` AS k, verdict, COUNT(*) FROM `+from+` WHERE `+where+` AND kind = 'decision'
		GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 10000`, args...)
}
