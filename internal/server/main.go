package server

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/otlp"
	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/store"
	"github.com/nodgate/nod/internal/teampage"
	"github.com/nodgate/nod/internal/web"
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
  --heads PLACE      gets signed heads of the machines' logs, for nod verify: FILE,
                     s3://BUCKET/PREFIX?region=R, syslog[+tls]://HOST:PORT
  --otlp URL         sends decisions that machines ship to a collector, each at
                     least once, without inputs; give it to every server
  --public URL       the server as people reach it, such as https://nod.example;
                     without it its page is there for this machine alone
  --signing-key FILE ed25519, as PEM; default: one in the database
  --settings FILE, --managed FILE, --state DIR   as for nod-hook
  --oidc-issuer URL --oidc-client ID [--oidc-secret-file FILE]
                     people sign in by OpenID Connect; NOD_OIDC_SECRET serves too
nod-serve token add --scope check[,...] [--expires 90d] NAME
nod-serve token list | revoke NAME
nod-serve team add NAME | list
nod-serve machine code [--expires 1h] TEAM   a code to join by, good once
nod-serve machine list | remove ID
nod-serve person list | role [--team NAME] EMAIL ROLE | remove EMAIL
nod-serve person link [--public URL] EMAIL   a link that begins a session
nod-serve org set [--retention 90d] [--two-people] [--no-inputs] [--webhook URL]
                     [--approvals]   people answer here what machines ask
nod-serve join [--name NAME] [--ca FILE] [--whole-machine] URL
                     makes this machine a member; asks for the code on standard
                     input; --whole-machine: by root, for all its users
nod-serve lines [--since 1d]  the shared log, the newest line first; for other
                     programs: nod-serve lines | nod export --stdin --format cef
nod-serve lines --chains      all of it, machine by machine, for nod verify
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
		"team": teamCommand, "machine": machineCommand, "join": join, "backup": backup, "lines": linesCommand,
		"person": personCommand, "org": orgCommand}
}

// Main is one of [Commands]. It returns the exit status: 0, 1 a fault, 2 wrong arguments.
func Main(ctx context.Context, p Process, args []string) int {
	do := Commands()[args[0]]
	err := do(ctx, p, args[1:])
	var wrong usageError
	switch asked, _ := word(args[1:]); {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp), asked == "-h", asked == "--help":
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
	otlp         otlp.Options
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
	s, err := store.Open(ctx, address, store.Options{SigningKey: key, Export: f.otlp.URL != ""})
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
	public, secretFile               string
	login                            teampage.Login
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
	f.StringVar(&at.public, "public", "", "")
	f.StringVar(&at.login.Issuer, "oidc-issuer", "", "")
	f.StringVar(&at.login.Client, "oidc-client", "", "")
	f.StringVar(&at.secretFile, "oidc-secret-file", "", "")
	f.Float64Var(&o.Rate, "rate", defaultRate, "")
	f.Func("heads", "", func(text string) (err error) {
		o.Heads, err = OutsideOf(text, p.Environ)
		return err
	})
	f.StringVar(&f.otlp.URL, "otlp", "", "")
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
	if err := errors.Join(at.check(), f.otlp.Check()); err != nil {
		return usageError{err}
	}
	o.Public, o.OTLP = at.public, f.otlp.URL
	if o.Places, o.TLS = places.WithClaude(), at.certificate != ""; at.files == "disk" {
		o.Files = nod.OnDisk()
	}
	var err error
	if at.login.Secret, err = secretOf(at.secretFile, p.Environ); err != nil {
		return err
	}
	if o.Store, err = f.open(ctx); err != nil {
		return err
	}
	if at.login.Issuer != "" {
		var org store.Org
		if org, err = f.which(ctx, o.Store); err != nil {
			return errors.Join(err, o.Store.Close())
		}
		at.login.Org = org.ID
	}
	return errors.Join(run(ctx, o, at), o.Store.Close())
}

// secretOf is the secret by which the identity provider knows this server. A command line can be seen by others.
func secretOf(file string, environ []string) (string, error) {
	if file != "" {
		text, err := os.ReadFile(file)
		return strings.TrimSpace(string(text)), err
	}
	secret, _ := place.Lookup(environ, "NOD_OIDC_SECRET")
	return secret, nil
}

// check refuses what would let tokens and calls be read on the way.
func (at listening) check() error {
	host, _, err := net.SplitHostPort(at.address)
	switch {
	case err != nil:
		return fmt.Errorf("--listen: %w", err)
	case (at.certificate == "") != (at.key == ""):
		return errors.New("--cert and --key go together")
	case at.certificate == "" && !at.proxied && !isLoopback(host):
		return fmt.Errorf("--listen %s: tokens would go over the network in the clear; give --cert and --key, or "+
			"--behind-proxy where a proxy speaks TLS", at.address)
	case at.public != "" && !isOrigin(at.public):
		return fmt.Errorf("--public %s: it is such as https://nod.example, without a path; http is for this machine alone",
			at.public)
	case (at.login.Issuer == "") != (at.login.Client == ""):
		return errors.New("--oidc-issuer and --oidc-client go together")
	case at.login.Issuer != "" && !isSafe(at.login.Issuer):
		return fmt.Errorf("--oidc-issuer %s: it is such as https://id.example", at.login.Issuer)
	case at.files != "none" && at.files != "disk":
		return fmt.Errorf("--files %s: it is none or disk", at.files)
	}
	return nil
}

// isOrigin reports whether a text is an address without a path.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme+"://"+u.Host == text && isSafe(text)
}

// isSafe reports whether an address is reached by TLS. Only this machine's own may be without.
func isSafe(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname()))
}

func isLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// origins are how a browser may name the page. Without an address of its own it is this machine's alone.
func (at listening) origins(l net.Addr) web.Origins {
	if at.public != "" {
		return web.Origins{at.public}
	}
	form := map[bool]string{true: "https://", false: "http://"}[at.certificate != ""]
	_, port, _ := net.SplitHostPort(l.String())
	return web.Origins{form + "127.0.0.1:" + port, form + "localhost:" + port, form + "[::1]:" + port}
}

func run(ctx context.Context, o Options, at listening) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", at.address)
	if err != nil {
		return err
	}
	defer l.Close()
	origins := at.origins(l.Addr())
	o.Page = &teampage.Options{Store: o.Store, Origins: origins, Login: at.login}
	s, err := New(o)
	if err != nil {
		return err
	}
	defer s.Close()
	tune()
	form := map[bool]string{true: "https", false: "http"}[o.TLS]
	fmt.Fprintf(o.Stderr, "nod-serve: answers at %s://%s/v1/check\n", form, l.Addr())
	if err := first(ctx, o, origins[0]); err != nil {
		return err
	}
	return s.Serve(ctx, l, at.certificate, at.key)
}

// first says what a server that nobody has used yet needs.
func first(ctx context.Context, o Options, page string) error {
	orgs, err := o.Store.Orgs(ctx)
	for _, org := range orgs {
		have, wrong := o.Store.Tokens(ctx, org.ID)
		if err = errors.Join(err, wrong); err == nil && len(have) == 0 && len(orgs) == 1 {
			fmt.Fprintln(o.Stderr, "nod-serve: there is no token yet; type: nod-serve token add --scope check NAME")
		}
		var code string
		err = errors.Join(err, o.Store.Tx(ctx, func(tx *store.Tx) (err error) {
			code, err = tx.FirstCode(ctx, org.ID)
			return err
		}))
		if err == nil && code != "" {
			fmt.Fprintf(o.Stderr, "nod-serve: %s has no admin; this link makes one, once, within a day:\n  %s\n",
				printable.Line(org.Name, 60), enterLink(page, store.SetUpCode, code))
		}
	}
	return err
}

// tune has the collector run more seldom: a call leaves much that is soon forgotten, and little stays.
func tune() {
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(1 << 30)
}
