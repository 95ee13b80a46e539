// Package store is the team server's database.
//
//	s, err := store.Open(ctx, "sqlite:/var/lib/nod/server.db", store.Options{})
//	err = s.Tx(ctx, func(tx *store.Tx) error { return tx.Audit(ctx, store.Event{...}) })
//
// Two databases serve: SQLite, embedded, for one server alone, and PostgreSQL for any number of servers that share it.
// One SQL text serves both: placeholders are $1, times are microseconds since 1970 in UTC, JSON is text, and ids are
// made here ([NewID]). Migrations are rendered for the dialect, run once whoever starts first, and only go forward.
//
// What belongs to an organisation names the organisation in each query, so that an id of another finds nothing.
//
// [Store.Changed] wakes whoever waits for a topic: by LISTEN and NOTIFY on PostgreSQL, within the process on SQLite. A
// wake-up carries nothing and may come for nothing; whoever wakes up looks.
package store

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"text/template"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // PostgreSQL
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"modernc.org/sqlite"
)

// Options say how the database is used. The zero value is right.
type Options struct {
	Connections int              // at most so many at once; 0 is 16
	Now         func() time.Time // nil is time.Now
	// SigningKey signs for every organisation; nil: each has a key in the database.
	SigningKey ed25519.PrivateKey
	Export     bool // what [Store.Ship] keeps waits for [Store.SendOut]
}

// Store is an open database. It may be used by many goroutines.
type Store struct {
	DB       *sql.DB
	Postgres bool
	Now      func() time.Time
	hub      *hub
	key      ed25519.PrivateKey // see [Options]
	export   bool
}

// ErrNotFound says that there is no such thing in the organisation.
var ErrNotFound = errors.New("there is no such thing")

// Open opens a database and brings it to the newest shape. The address is sqlite:FILE or a postgres:// URL.
func Open(ctx context.Context, address string, o Options) (s *Store, err error) {
	s = &Store{Now: o.Now, key: o.SigningKey, export: o.Export}
	if s.Now == nil {
		s.Now = time.Now
	}
	file, isFile := strings.CutPrefix(address, "sqlite:")
	switch {
	case isFile:
		s.DB, err = openFile(file)
	case strings.HasPrefix(address, "postgres://"), strings.HasPrefix(address, "postgresql://"):
		s.Postgres = true
		s.DB, err = sql.Open("pgx", address)
	default:
		err = errors.New("a database is sqlite:FILE or postgres://USER@HOST/NAME")
	}
	if err != nil {
		return nil, err
	}
	most := o.Connections
	if most <= 0 {
		most = 16
	}
	s.DB.SetMaxOpenConns(most)
	s.DB.SetMaxIdleConns(most)
	if err := s.migrate(ctx); err != nil {
		err = fmt.Errorf("the database could not be brought to its newest shape: %w", err)
		return nil, errors.Join(err, s.DB.Close())
	}
	if s.hub = newHub(); s.Postgres {
		s.hub.listen(address)
	} else {
		s.look()
	}
	return s, nil
}

// openFile opens SQLite. A transaction takes the write lock when it begins, so that two never wait for each other.
func openFile(file string) (*sql.DB, error) {
	if !filepath.IsAbs(file) {
		return nil, fmt.Errorf("sqlite:%s: the file's path must begin with /", file)
	}
	private(file)
	with := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(20000)", "journal_mode(WAL)",
		"foreign_keys(1)", "synchronous(FULL)"}}
	return sql.Open("sqlite", "file:"+(&url.URL{Path: file}).EscapedPath()+"?"+with.Encode())
}

// private makes a file for this user alone, or one that there is so if it is ours. SQLite gives the files beside it
// the same mode. No file that there is may be opened: to close it would end the locks that this process has on it.
func private(file string) {
	if f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
		_ = f.Close()
	}
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		_ = os.Chmod(name, 0o600) // what is wrong with a file SQLite says
	}
}

// Backup copies an embedded database, as it is at one moment, into a file that must not exist yet.
func (s *Store) Backup(ctx context.Context, file string) error {
	if s.Postgres {
		return errors.New("PostgreSQL has a program for that: pg_dump")
	}
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) || !filepath.IsAbs(file) {
		return fmt.Errorf("%s: name a new file, by its whole path", file)
	}
	_, err := s.DB.ExecContext(ctx, `VACUUM INTO $1`, file)
	return errors.Join(err, os.Chmod(file, 0o600))
}

// Close ends the waiting and closes the database.
func (s *Store) Close() error {
	s.hub.close()
	return s.DB.Close()
}

//go:embed migrations
var migrations embed.FS

// migrate runs what was not run yet. On PostgreSQL one server at a time does.
func (s *Store) migrate(ctx context.Context) error {
	files, err := render(s.Postgres)
	if err != nil {
		return err
	}
	dialect, options := goose.DialectSQLite3, []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if s.Postgres {
		one, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return err
		}
		dialect, options = goose.DialectPostgres, append(options, goose.WithSessionLocker(one))
	}
	p, err := goose.NewProvider(dialect, s.DB, files, options...)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// render writes the migrations for a dialect.
func render(postgres bool) (fs.FS, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	files := fstest.MapFS{}
	for _, name := range names {
		t, err := template.ParseFS(migrations, name)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		if err := t.Execute(&text, struct{ Postgres bool }{postgres}); err != nil {
			return nil, err
		}
		files[filepath.Base(name)] = &fstest.MapFile{Data: text.Bytes()}
	}
	return files, err
}

// Tx is a transaction. On PostgreSQL it is serializable.
type Tx struct {
	*sql.Tx
	store  *Store
	topics []string
}

// Tx runs do in a transaction, again where the database could not order it among others. Nothing of it stays where do
// fails.
func (s *Store) Tx(ctx context.Context, do func(tx *Tx) error) error {
	return s.tx(ctx, sql.LevelSerializable, do)
}

func (s *Store) tx(ctx context.Context, level sql.IsolationLevel, do func(tx *Tx) error) error {
	const tries = 20
	for try := 1; ; try++ {
		err := s.once(ctx, level, do)
		if err == nil || try == tries || !again(err) || ctx.Err() != nil {
			return err
		}
		time.Sleep(time.Duration(try) * time.Millisecond)
	}
}

func (s *Store) once(ctx context.Context, level sql.IsolationLevel, do func(tx *Tx) error) error {
	begun, err := s.DB.BeginTx(ctx, &sql.TxOptions{Isolation: level})
	if err != nil {
		return err
	}
	defer begun.Rollback()
	tx := &Tx{begun, s, nil}
	if err = do(tx); err == nil {
		err = begun.Commit()
	}
	if err == nil && !s.Postgres {
		s.hub.wake(tx.topics...)
	}
	return err
}

// again reports whether a transaction failed only since another was faster.
func again(err error) bool {
	var p *pgconn.PgError
	if errors.As(err, &p) {
		return p.Code == "40001" || p.Code == "40P01" // serialization_failure, deadlock_detected
	}
	const busy = 5
	var l *sqlite.Error
	return errors.As(err, &l) && l.Code()&0xff == busy
}

// taken reports whether a row could not be inserted since there is one of its key.
func taken(err error) bool {
	var p *pgconn.PgError
	var l *sqlite.Error
	const constraint = 19
	return errors.As(err, &p) && p.Code == "23505" || errors.As(err, &l) && l.Code()&0xff == constraint
}

// Notify wakes, once the transaction is kept, whoever waits for a topic.
func (tx *Tx) Notify(ctx context.Context, topic string) error {
	if tx.store.Postgres {
		_, err := tx.ExecContext(ctx, `SELECT pg_notify('nod', $1)`, topic)
		return err
	}
	tx.topics = append(tx.topics, topic)
	return nil
}

// NewID returns an id that no other has. Ids rise with time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Micro is a time as the database keeps it; the zero time is 0.
func Micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Time is the opposite of [Micro].
func Time(micro int64) time.Time {
	if micro == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micro).UTC()
}

// one says ErrNotFound where nothing was changed.
func one(r sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrNotFound)
	}
	return nil
}

// missing turns the driver's word for no row into [ErrNotFound].
func missing(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

// scanner is a row of a database.
type scanner interface{ Scan(into ...any) error }

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// list returns all rows of a query.
func list[T any](ctx context.Context, from querier, scan func(scanner) (T, error), query string, args ...any) (
	all []T, err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
