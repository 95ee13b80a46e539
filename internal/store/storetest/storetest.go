//go:build unix

// Package storetest gives tests a database of each kind.
package storetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nodgate/nod/internal/hang"
	"github.com/nodgate/nod/internal/store"
)

// Each runs a test on SQLite, and on PostgreSQL where that is here. With -short, or without PostgreSQL, the second part
// is skipped and says so.
func Each(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Run("sqlite", func(t *testing.T) { test(t, Open(t, SQLite(t))) })
	t.Run("postgres", func(t *testing.T) { test(t, Open(t, Postgres(t).Address())) })
}

// Open opens a database until the test ends.
func Open(t testing.TB, address string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), address, store.Options{Export: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// SQLite is the address of a new database in a file.
func SQLite(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "server.db") }

// Cluster is a PostgreSQL server of the test's own, on a socket in a temporary directory. It ends with the test.
type Cluster struct {
	t    testing.TB
	dir  string
	bin  string // where its programs are
	user *syscall.Credential
	cmd  *exec.Cmd
	// ended is closed when cmd has.
	ended <-chan struct{}
}

// Postgres starts a server with one empty database.
func Postgres(t testing.TB) *Cluster {
	t.Helper()
	if testing.Short() {
		t.Skip("PostgreSQL is left out with -short")
	}
	c := &Cluster{t: t, bin: programs(t)}
	var err error
	if c.dir, err = os.MkdirTemp("", "nod-pg"); err != nil { // the path of a socket may have about 100 bytes
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(c.dir) })
	if os.Getuid() == 0 { // PostgreSQL does not run as root
		const nobody = 65534
		c.user = &syscall.Credential{Uid: nobody, Gid: nobody}
		if err := os.Chown(c.dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	said, err := c.command("initdb", "-D", c.dir+"/data", "-U", "nod", "-A", "trust", "-E", "UTF8", "--locale=C",
		"--no-sync").CombinedOutput()
	if err != nil {
		t.Fatalf("initdb: %v\n%s", err, said)
	}
	t.Cleanup(c.Kill)
	c.Start()
	return c
}

// programs finds PostgreSQL's. Debian keeps them out of the PATH. With NOD_DATABASES=require nothing is skipped.
func programs(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if name, err := exec.LookPath("initdb"); err == nil && found == nil {
		found = []string{name}
	}
	if found != nil {
		return filepath.Dir(found[len(found)-1])
	}
	if os.Getenv("NOD_DATABASES") == "require" {
		t.Fatal("PostgreSQL is not here")
	}
	t.Skip("PostgreSQL is not here; Debian's package is postgresql")
	return ""
}

func (c *Cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir, cmd.Env = c.dir, []string{"PATH=" + c.bin + ":/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.user, Setpgid: true}
	return cmd
}

// Start starts the server, and waits until it answers. After a crash it does not start before the last process of the
// one before has ended.
func (c *Cluster) Start() {
	c.t.Helper()
	ended := c.begin()
	hang.Until(c.t, "PostgreSQL answers", func() bool {
		select {
		case <-ended:
			ended = c.begin()
		default:
		}
		conn, err := pgx.Connect(c.t.Context(), c.Address())
		return err == nil && conn.Close(context.Background()) == nil
	})
}

// begin starts the server once. Its log is in the directory with the socket.
func (c *Cluster) begin() (ended <-chan struct{}) {
	log, err := os.Create(c.dir + "/log")
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	cmd := c.command("postgres", "-D", c.dir+"/data", "-k", c.dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "max_connections=200")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	c.cmd, c.ended = cmd, done
	return done
}

// Run runs a program of PostgreSQL's with the address of the database behind its arguments. It returns what that
// printed.
func (c *Cluster) Run(stdin, name string, args ...string) string {
	c.t.Helper()
	cmd := c.command(name, append(args, c.Address())...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	return string(out)
}

// Address is the database's.
func (c *Cluster) Address() string { return fmt.Sprintf("postgres://nod@/postgres?host=%s", c.dir) }

// Kill ends the server as a crash does. [Cluster.Start] starts it again.
func (c *Cluster) Kill() {
	if c.cmd != nil {
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
		<-c.ended
	}
	c.cmd = nil
}
