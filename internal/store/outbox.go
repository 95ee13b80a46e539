package store

import (
	"context"
	"database/sql"
	"encoding/json"
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
// Each row's lines are asked for by themselves: a join would have PostgreSQL read the whole log.
func outgoing(ctx context.Context, c *sql.Conn) (ids map[int64]bool, some []Outgoing, err error) {
	const most, bytes = 500, 512 << 10
	type waiting struct {
		Outgoing
		id, since, till, first, last, size int64
	}
	rows, err := list(ctx, c, func(row scanner) (w waiting, err error) {
		return w, row.Scan(&w.id, &w.Org, &w.Machine, &w.Name, &w.since, &w.till, &w.first, &w.last, &w.size)
	}, `SELECT o.id, o.org, o.machine, COALESCE(m.name, ''), since, till, first, last, size FROM outbox o
		LEFT JOIN machines m ON m.org = o.org AND m.id = o.machine ORDER BY o.id LIMIT $1`, most)
	ids, size := map[int64]bool{}, int64(0)
	for i := 0; i < len(rows) && err == nil && size < bytes; i++ {
		w, of := rows[i], []Outgoing(nil)
		of, err = list(ctx, c, func(row scanner) (o Outgoing, err error) {
			o = w.Outgoing
			err = row.Scan(&o.Text)
			return o, err
		}, `SELECT line FROM lines WHERE org = $1 AND machine = $2 AND time BETWEEN $3 AND $4
			AND seq BETWEEN $5 AND $6 AND kind = 'decision' ORDER BY seq`, w.Org, w.Machine, w.since, w.till, w.first, w.last)
		ids[w.id], some, size = true, append(some, of...), size+w.size
	}
	return ids, some, err
}
