package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/nodgate/nod/audit"
)

const (
	day = 24 * time.Hour
	// ahead is for how many days partitions are made, and kept in shape behind: what is odder lies in lines_other.
	ahead = 7
	// atOnce is how many lines one transaction removes.
	atOnce = 10_000
)

// KeepLines does what the log needs now and then: partitions for the days to come, and that lines go that no
// organisation wants any more. Any number of servers may do it at once.
func (s *Store) KeepLines(ctx context.Context) error {
	orgs, err := s.Orgs(ctx)
	if err != nil {
		return err
	}
	if s.Postgres {
		if err := s.partitions(ctx, orgs); err != nil {
			return err
		}
	}
	for _, o := range orgs {
		if o.Settings.RetentionDays > 0 {
			err = errors.Join(err, s.forget(ctx, `lines`, `org, machine, time, id`, `time`, o.ID, oldestOf(o, s.Now())),
				s.forget(ctx, `outbox`, `id`, `till`, o.ID, oldestOf(o, s.Now())))
		}
		err = errors.Join(err, s.forget(ctx, `questions`, `org, id`, `ends`, o.ID, s.Now().Add(-90*day)))
	}
	return err
}

func oldestOf(o Org, now time.Time) time.Time { return now.AddDate(0, 0, -o.Settings.RetentionDays) }

// forget removes what is older, in steps.
func (s *Store) forget(ctx context.Context, table, key, at, org string, before time.Time) error {
	for {
		n, err := changed(s.DB.ExecContext(ctx, fmt.Sprintf(`DELETE FROM %s WHERE (%s) IN (SELECT %[2]s FROM %[1]s
			WHERE org = $1 AND %[3]s < $2 ORDER BY %[3]s LIMIT %[4]d)`, table, key, at, atOnce), org, Micro(before)))
		if err != nil || n < atOnce {
			return err
		}
	}
}

// partitions makes those of the days around now, and drops those that are too old for every organisation.
func (s *Store) partitions(ctx context.Context, orgs []Org) error {
	today := s.Now().UTC().Truncate(day)
	for d := -ahead; d <= ahead; d++ {
		one := func(tx *Tx) error { return tx.partition(ctx, today.AddDate(0, 0, d)) }
		if err := s.tx(ctx, sql.LevelReadCommitted, one); err != nil { // each step sees what came before it
			return err
		}
	}
	oldest := today
	for _, o := range orgs {
		if o.Settings.RetentionDays == 0 {
			return nil
		}
		if at := oldestOf(o, s.Now()); at.Before(oldest) {
			oldest = at
		}
	}
	names, err := list(ctx, s.DB, func(row scanner) (name string, err error) { return name, row.Scan(&name) },
		`SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'lines'::regclass`)
	for _, name := range names {
		of, odd := time.Parse(partitionName, name)
		if odd == nil && len(orgs) > 0 && !of.Add(day).After(oldest) {
			_, wrong := s.DB.ExecContext(ctx, `DROP TABLE IF EXISTS `+name)
			err = errors.Join(err, wrong)
		}
	}
	return err
}

const partitionName = "lines_20060102"

// partition makes that of a day, with what came before it was there. One server at a time does.
func (tx *Tx) partition(ctx context.Context, of time.Time) error {
	const lock = 41_000_001 // any number that nothing else takes
	name, from, to, there := of.Format(partitionName), Micro(of), Micro(of.Add(day)), false
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, lock)
	if err == nil {
		err = tx.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, name).Scan(&there)
	}
	if err != nil || there {
		return err
	}
	for _, step := range []string{
		fmt.Sprintf(`CREATE TABLE %s (LIKE lines INCLUDING ALL)`, name),
		`LOCK TABLE lines_other`, // nothing comes there between the next two
		fmt.Sprintf(`WITH odd AS (DELETE FROM lines_other WHERE time >= %d AND time < %d RETURNING *)
			INSERT INTO %s SELECT * FROM odd`, from, to, name),
		fmt.Sprintf(`ALTER TABLE lines ATTACH PARTITION %s FOR VALUES FROM (%d) TO (%d)`, name, from, to),
	} {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// Heads returns the heads that are newer than what was signed of their machines.
func (s *Store) Heads(ctx context.Context) ([]audit.Head, error) {
	return list(ctx, s.DB, func(row scanner) (h audit.Head, err error) {
		return h, row.Scan(&h.Org, &h.Machine, &h.Lines, &h.Gaps, &h.Hash)
	}, `SELECT org, machine, lines, gaps, head FROM chains WHERE head <> signed ORDER BY org, machine`)
}

// Signed keeps that a head was signed and lies where it cannot be changed from here.
func (tx *Tx) Signed(ctx context.Context, h audit.Head) error {
	_, err := tx.ExecContext(ctx, `UPDATE chains SET signed = $1 WHERE org = $2 AND machine = $3`, h.Hash, h.Org,
		h.Machine)
	return err
}
