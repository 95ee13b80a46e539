package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Outgoing is a decision on its way to a collector.
type Outgoing struct{ Org, Machine, Name, Text string } // two ids, the machine's name, the line

// ErrRefused says that what was sent will never be taken as it is.
var ErrRefused = errors.New("refused")

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
// is handed some twice where a server or the database ends in between. What it refuses ([ErrRefused]) is halved: a
// decision that is refused alone is tried every hour, while its line is there, and holds up no other. On PostgreSQL one
// server at a time sends, and others have nothing to do.
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
	const most, patience = 500, 1000 // rows at once, refusals in a row
	var refusal error                // is said when others had their turn
	for rows, refused := most, 0; ; {
		ids, some, err := outgoing(ctx, c, Micro(s.Now()), rows)
		if err == nil && len(some) > 0 {
			err = send(some)
		}
		switch {
		case err == nil && len(ids) > 0:
			rows, refused, err = min(2*rows, most), 0, sent(ctx, c, ids)
		case errors.Is(err, ErrRefused) && refused < patience:
			refusal, rows, refused = err, 1, refused+1
			err = halve(ctx, c, ids, Micro(s.Now().Add(time.Hour)))
		default:
			return errors.Join(err, refusal)
		}
		if err != nil {
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

// halve makes two rows of one; that of a single line waits. Of more rows each is tried alone first. A server that ends
// in between leaves lines in two rows, never in none.
func halve(ctx context.Context, c *sql.Conn, ids map[int64]bool, later int64) (err error) {
	for id := range ids {
		if len(ids) > 1 {
			return nil
		}
		if _, err = c.ExecContext(ctx, `INSERT INTO outbox (org, machine, since, till, first, last, size) SELECT org,
			machine, since, till, (first + last) / 2 + 1, last, size / 2 FROM outbox WHERE id = $1 AND first < last`,
			id); err == nil {
			_, err = c.ExecContext(ctx, `UPDATE outbox SET due = CASE WHEN first < last THEN due ELSE $1 END,
				last = (first + last) / 2, size = size / 2 WHERE id = $2`, later, id)
		}
	}
	return err
}

// outgoing returns at most so many rows that are due, the oldest first, half a MiB if they are not one, and of their
// decisions those that are there still.
func outgoing(ctx context.Context, c *sql.Conn, now int64, most int) (ids map[int64]bool, some []Outgoing, err error) {
	rows, err := c.QueryContext(ctx, `SELECT o.id, o.org, o.machine, COALESCE(m.name, ''), COALESCE(l.line, '') FROM (
			SELECT q.*, SUM(size) OVER (ORDER BY id) - size AS before FROM (
				SELECT * FROM outbox WHERE due <= $1 ORDER BY id LIMIT $2) q) o
		LEFT JOIN machines m ON m.org = o.org AND m.id = o.machine
		LEFT JOIN lines l ON l.org = o.org AND l.machine = o.machine AND l.time BETWEEN o.since AND o.till
			AND l.seq BETWEEN o.first AND o.last AND l.kind = 'decision'
		WHERE o.before < 524288 ORDER BY o.id, l.seq`, now, most)
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
