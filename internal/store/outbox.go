package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
)

// Outgoing is a decision on its way to a collector.
type Outgoing struct{ Org, Machine, Name, Text string } // two ids, the machine's name, the line

// put keeps which lines wait to be sent, behind so many others of their machine.
func put(ctx context.Context, tx *Tx, org, machine string, before int64, batch []Line) error {
	const atOnce = 1000
	for part := range slices.Chunk(batch, atOnce) {
		since, till, size := Micro(part[0].Time), int64(0), 0
		for _, l := range part {
			since, till, size = min(since, Micro(l.Time)), max(till, Micro(l.Time)), size+len(l.Text)
		}
		first := before + 1
		before += int64(len(part))
		if _, err := tx.ExecContext(ctx, `INSERT INTO outbox (org, machine, since, till, first, last, size)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, org, machine, since, till, first, before, size); err != nil {
			return err
		}
	}
	return nil
}

// SendOut has send send what waits, some at a time, until nothing waits or send fails. What send took waits no more; it
// is handed some twice where a server or the database ends in between. On PostgreSQL one server at a time sends, and
// others have nothing to do.
func (s *Store) SendOut(ctx context.Context, send func([]Outgoing) error) error {
	c, err := s.DB.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if s.Postgres {
		const lock = 41_000_002 // see partition
		mine := false
		err = c.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, lock).Scan(&mine)
		if err != nil || !mine {
			return err
		}
		defer c.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, lock)
	}
	for {
		ids, some, err := outgoing(ctx, c)
		if err == nil && len(some) > 0 {
			err = send(some)
		}
		if err != nil || len(ids) == 0 {
			return err
		}
		if err = sent(ctx, c, ids); err != nil {
			return err
		}
	}
}

// sent removes rows. JSON lists them so that both databases can read it.
func sent(ctx context.Context, c *sql.Conn, ids map[int64]bool) error {
	list, _ := json.Marshal(ids)
	_, err := c.ExecContext(ctx, `DELETE FROM outbox WHERE id IN (SELECT CAST(key AS BIGINT) FROM json_each($1))`,
		string(list))
	return err
}

// outgoing returns the oldest rows, half a MiB if they are not one, and of their decisions those that are there still.
func outgoing(ctx context.Context, c *sql.Conn) (ids map[int64]bool, some []Outgoing, err error) {
	rows, err := c.QueryContext(ctx, `SELECT o.id, o.org, o.machine, COALESCE(m.name, ''), COALESCE(l.line, '') FROM (
			SELECT q.*, SUM(size) OVER (ORDER BY id) - size AS before FROM (
				SELECT * FROM outbox ORDER BY id LIMIT 500) q) o
		LEFT JOIN machines m ON m.org = o.org AND m.id = o.machine
		LEFT JOIN lines l ON l.org = o.org AND l.machine = o.machine AND l.time BETWEEN o.since AND o.till
			AND l.seq BETWEEN o.first AND o.last AND l.kind = 'decision'
		WHERE o.before < 524288 ORDER BY o.id, l.seq`)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for ids = map[int64]bool{}; err == nil && rows.Next(); {
		var id int64
		var o Outgoing
		err = rows.Scan(&id, &o.Org, &o.Machine, &o.Name, &o.Text)
		if ids[id] = true; o.Text != "" {
			some = append(some, o)
		}
	}
	return ids, some, errors.Join(err, rows.Err())
}
