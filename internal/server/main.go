package server

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime/debug"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
)

// Usage is what nod-serve says of serve and token.
const Usage = `nod-serve serve [FLAGS]       answers tool calls over HTTP (docs/server.md)
  --listen ADDRESS   default 127.0.0.1:7322
  --cert FILE --key FILE
                     speaks TLS; needed for other than loopback addresses,
  --behind-proxy     unless a proxy does that
  --files none|disk  none (default): nod sees no file of the caller's machine;
                     disk: the caller runs on this machine, as this user
  --rate N           calls a second for each token, default 1000
  --heads FILE       signed heads of the machines' logs are appended to it
  --public URL       the server as people reach it, for links to questions
  --signing-key FILE ed25519, as PEM; default: one in the database
  --settings FILE, --managed FILE, --state DIR   as for nod-hook
nod-serve token add --scope check[,...] [--expires 90d] NAME
nod-serve token list | revoke NAME
nod-serve team add NAME | list
nod-serve machine code [--expires 1h] TEAM   a code to join by, good once
nod-serve machine list | remove ID
nod-serve join [--name NAME] [--ca FILE] [--whole-machine] URL
                     makes this machine a member; asks for the code on standard
                     input; --whole-machine: by root, for all its users
nod-serve backup FILE         copies the embedded database while it is used;
                     for PostgreSQL take pg_dump
  each but join with --db sqlite:FILE|postgres://... (default $NOD_DB, or else
  STATE/server.db) and --org NAME where there are several`

// Process is what a command sees of the program around it.
type Process struct {
	Environ        []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// usageError marks arguments that cannot be used.
type usageError struct{ error }

// Commands are those that [Main] knows.
func Commands() map[string]func(context.Context, Process, []string) error {
	return map[string]func(context.Context, Process, []string) error{"serve": serve, "token": tokenCommand,
		"team": teamCommand, "machine": machineCommand, "join": join, "backup": backup}
}

// Main is one of [Commands]. It returns the exit status: 0, 1 a fault, 2 wrong arguments.
func Main(ctx context.Context, p Process, args []string) int {
	do := Commands()[args[0]]
	err := do(ctx, p, args[1:])
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(p.Stdout, Usage)
		return 0
	}
	fmt.Fprintf(p.Stderr, "nod-serve %s: %s\n", args[0], printable.Line(err.Error(), 300))
	if errors.As(err, &wrong) {
		fmt.Fprintln(p.Stderr, "nod-serve help says more")
		return 2
	}
	return 1
}

// with is what every command is told: where state and database are.
type with struct {
	*flag.FlagSet
	places       config.Places
	address, org string
	signing      string // a file
}

func flags(p Process) *with {
	f := &with{FlagSet: flag.NewFlagSet("", flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	f.places = config.DefaultPlaces(homeOf(nod.Call{Environ: p.Environ}))
	f.StringVar(&f.places.State, "state", f.places.State, "")
	database, _ := place.Lookup(p.Environ, "NOD_DB")
	f.StringVar(&f.address, "db", database, "")
	f.StringVar(&f.org, "org", "", "")
	return f
}

// open opens the database. The first to open it makes an organisation with a team.
func (f *with) open(ctx context.Context) (*store.Store, error) {
	if err := lines.PrivateDir(f.places.State); err != nil {
		return nil, err
	}
	address := f.address
	if address == "" {
		address = "sqlite:" + filepath.Join(f.places.State, "server.db")
	}
	key, err := signingKey(f.signing)
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, address, store.Options{SigningKey: key})
	if err != nil {
		return nil, err
	}
	if err = s.SetUp(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// parse reads arguments of which so many are no flags.
func (f *with) parse(args []string, others int) error {
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return usageError{err}
	case f.NArg() != others:
		return usageError{fmt.Errorf("%d arguments beside the flags are expected, and there are %d", others, f.NArg())}
	case f.places.State == "":
		return usageError{errors.New("HOME is not set; name nod's state directory with --state DIR")}
	}
	return nil
}

// listening says where and how a server listens.
type listening struct {
	address, certificate, key, files string
	proxied                          bool
}

func serve(ctx context.Context, p Process, args []string) error {
	var at listening
	f := flags(p)
	places := &f.places
	o := Options{Environ: p.Environ, Nod: hook.Beside("nod"), Self: hook.Programs(), Stderr: p.Stderr}
	f.StringVar(&at.address, "listen", "127.0.0.1:7322", "")
	f.StringVar(&at.certificate, "cert", "", "")
	f.StringVar(&at.key, "key", "", "")
	f.StringVar(&at.files, "files", "none", "")
	f.BoolVar(&at.proxied, "behind-proxy", false, "")
	f.Float64Var(&o.Rate, "rate", defaultRate, "")
	f.StringVar(&o.Heads, "heads", "", "")
	f.StringVar(&o.Public, "public", "", "")
	f.StringVar(&f.signing, "signing-key", "", "")
	f.StringVar(&places.User, "settings", places.User, "")
	f.StringVar(&places.Managed, "managed", places.Managed, "")
	if err := f.parse(args, 0); err != nil {
		return err
	}
	for _, name := range []string{places.User, places.Managed, places.State} {
		if name != "" && !filepath.IsAbs(name) {
			return usageError{fmt.Errorf("%q is not an absolute path", name)}
		}
	}
	if err := at.check(); err != nil {
		return usageError{err}
	}
	if o.Places, o.TLS = places.WithClaude(), at.certificate != ""; at.files == "disk" {
		o.Files = nod.OnDisk()
	}
	var err error
	if o.Store, err = f.open(ctx); err != nil {
		return err
	}
	return errors.Join(run(ctx, o, at), o.Store.Close())
}

// check refuses what would let tokens and calls be read on the way.
func (at listening) check() error {
	host, _, err := net.SplitHostPort(at.address)
	switch {
	case err != nil:
		return fmt.Errorf("--listen: %w", err)
	case (at.certificate == "") != (at.key == ""):
		return errors.New("--cert and --key go together")
	case at.certificate == "" && !at.proxied && host != "localhost" && !net.ParseIP(host).IsLoopback():
		return fmt.Errorf("--listen %s: tokens would go over the network in the clear; give --cert and --key, or "+
			"--behind-proxy where a proxy speaks TLS", at.address)
	case at.files != "none" && at.files != "disk":
		return fmt.Errorf("--files %s: it is none or disk", at.files)
	}
	return nil
}

func run(ctx context.Context, o Options, at listening) error {
	s, err := New(o)
	if err != nil {
		return err
	}
	defer s.Close()
	orgs, err := o.Store.Orgs(ctx)
	if err != nil {
		return err
	}
	have, err := o.Store.Tokens(ctx, orgs[0].ID)
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", at.address)
	if err != nil {
		return err
	}
	tune()
	form := map[bool]string{true: "https", false: "http"}[o.TLS]
	fmt.Fprintf(o.Stderr, "nod-serve: answers at %s://%s/v1/check\n", form, l.Addr())
	if len(have) == 0 && len(orgs) == 1 {
		fmt.Fprintln(o.Stderr, "nod-serve: there is no token yet; type: nod-serve token add --scope check NAME")
	}
	return s.Serve(ctx, l, at.certificate, at.key)
}

// tune has the collector run more seldom: a call leaves much that is soon forgotten, and little stays.
func tune() {
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(1 << 30)
}
