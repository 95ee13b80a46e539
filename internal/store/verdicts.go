package store

import (
	"context"
	"time"
)

// Verdict is what a model said to one machine of a team, for the others.
type Verdict struct {
	ShouldBlock bool   `json:"should_block"`
	Reason      string `json:"reason"`
	Model       string `json:"model"`
}

// Verdicts are what models said.
type Verdicts struct{ *Store }

// verdictTime is how long a verdict is remembered.
const verdictTime = 24 * time.Hour

// Remember keeps a verdict for the machine's team. Where there is one already, the one that blocks stays.
func (s Verdicts) Remember(ctx context.Context, by Identity, key string, v Verdict) error {
	now := s.Now()
	_, err := s.DB.ExecContext(ctx, `INSERT INTO verdicts (org, team, key, blocks, reason, model, machine, ends)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (org, team, key) DO UPDATE SET blocks = excluded.blocks,
		reason = excluded.reason, model = excluded.model, machine = excluded.machine, ends = excluded.ends
		WHERE verdicts.ends <= $9 OR excluded.blocks AND NOT verdicts.blocks`, by.Org, by.Team, key, v.ShouldBlock,
		v.Reason, v.Model, by.Machine, Micro(now.Add(verdictTime)), Micro(now))
	return err
}

// Remembered returns what a team's model said, or [ErrNotFound].
func (s Verdicts) Remembered(ctx context.Context, who Identity, key string) (v Verdict, err error) {
	err = s.DB.QueryRowContext(ctx, `SELECT blocks, reason, model FROM verdicts
		WHERE org = $1 AND team = $2 AND key = $3 AND ends > $4`, who.Org, who.Team, key, Micro(s.Now())).
		Scan(&v.ShouldBlock, &v.Reason, &v.Model)
	return v, missing(err)
}

// Forget removes those whose time is over.
func (s Verdicts) Forget(ctx context.Context) error {
	_, err := s.DB.ExecContext(ctx, `DELETE FROM verdicts WHERE ends <= $1`, Micro(s.Now()))
	return err
}
