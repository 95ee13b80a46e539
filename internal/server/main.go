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
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
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
  --settings FILE, --managed FILE, --state DIR   as for nod-hook
nod-serve token add --scope check[,...] [--expires 90d] NAME
nod-serve token list
nod-serve token revoke NAME   each with --state DIR`

// Process is what a command sees of the program around it.
type Process struct {
	Environ        []string
	Stdout, Stderr io.Writer
}

// usageError marks arguments that cannot be used.
type usageError struct{ error }

// Main is nod-serve serve and nod-serve token. It returns the exit status: 0, 1 a fault, 2 wrong arguments.
func Main(ctx context.Context, p Process, args []string) int {
	do := map[string]func(context.Context, Process, []string) error{"serve": serve, "token": tokenCommand}[args[0]]
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

// flags are those of one command; each knows the state directory.
func flags(p Process) (f *flag.FlagSet, places *config.Places) {
	f = flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	home := homeOf(nod.Call{Environ: p.Environ})
	at := config.DefaultPlaces(home)
	f.StringVar(&at.State, "state", at.State, "")
	return f, &at
}

// parse reads arguments of which so many are no flags.
func parse(f *flag.FlagSet, places *config.Places, args []string, others int) error {
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return usageError{err}
	case f.NArg() != others:
		return usageError{fmt.Errorf("%d arguments beside the flags are expected, and there are %d", others, f.NArg())}
	case places.State == "":
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
	f, places := flags(p)
	o := Options{Environ: p.Environ, Nod: hook.Beside("nod"), Self: hook.Programs(), Stderr: p.Stderr}
	f.StringVar(&at.address, "listen", "127.0.0.1:7322", "")
	f.StringVar(&at.certificate, "cert", "", "")
	f.StringVar(&at.key, "key", "", "")
	f.StringVar(&at.files, "files", "none", "")
	f.BoolVar(&at.proxied, "behind-proxy", false, "")
	f.Float64Var(&o.Rate, "rate", defaultRate, "")
	f.StringVar(&places.User, "settings", places.User, "")
	f.StringVar(&places.Managed, "managed", places.Managed, "")
	if err := parse(f, places, args, 0); err != nil {
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
	return run(ctx, o, at)
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
	have, err := readTokens(o.Places.State)
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
	if len(have.Tokens) == 0 {
		fmt.Fprintln(o.Stderr, "nod-serve: there is no token yet; type: nod-serve token add --scope check NAME")
	}
	return s.Serve(ctx, l, at.certificate, at.key)
}

// tune has the collector run more seldom: a call leaves much that is soon forgotten, and little stays.
func tune() {
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(1 << 30)
}

func tokenCommand(_ context.Context, p Process, args []string) error {
	word := ""
	if len(args) > 0 {
		word, args = args[0], args[1:]
	}
	f, places := flags(p)
	switch word {
	case "add":
		return tokenAdd(p, f, places, args)
	case "list":
		if err := parse(f, places, args, 0); err != nil {
			return err
		}
		return tokenList(p, places.State)
	case "revoke":
		if err := parse(f, places, args, 1); err != nil {
			return err
		}
		return tokenRevoke(p, places.State, f.Arg(0))
	case "-h", "--help":
		return flag.ErrHelp
	}
	return usageError{errors.New("type token add, token list or token revoke")}
}

func tokenAdd(p Process, f *flag.FlagSet, places *config.Places, args []string) error {
	now := time.Now().UTC()
	t := token{Made: now.Truncate(time.Second)}
	f.Func("scope", "", func(text string) error { return t.allow(text) })
	f.Func("expires", "", func(text string) error { return t.until(now, text) })
	if err := parse(f, places, args, 1); err != nil {
		return err
	}
	if t.Name = f.Arg(0); t.Name == "" || len(t.Name) > 60 || t.Name != printable.Line(t.Name, 60) {
		return usageError{errors.New("a name has 1 to 60 printable characters")}
	}
	if t.Scopes == nil {
		return usageError{errors.New("--scope says what the token is good for, such as check")}
	}
	secret, err := addToken(places.State, t)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout, secret)
	fmt.Fprintln(p.Stderr, "It is not shown again. Send it as: Authorization: Bearer TOKEN")
	return nil
}

func (t *token) allow(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(scopes(), scope(word)) {
			return fmt.Errorf("the scopes are %v", scopes())
		}
		t.Scopes = append(t.Scopes, scope(word))
	}
	return nil
}

// until takes days (90d) or what Go calls a duration.
func (t *token) until(now time.Time, text string) error {
	after, err := time.ParseDuration(text)
	if days, is := strings.CutSuffix(text, "d"); is {
		var n int
		n, err = strconv.Atoi(days)
		after = time.Duration(min(n, 36500)) * 24 * time.Hour
	}
	if err != nil || after <= 0 {
		return errors.New("a time such as 90d or 12h")
	}
	t.Expires = now.Add(after).Truncate(time.Second)
	return nil
}

func tokenList(p Process, state string) error {
	have, err := readTokens(state)
	if err != nil {
		return err
	}
	for _, t := range have.Tokens {
		ends := "no end"
		switch {
		case t.expired(time.Now()):
			ends = "ended " + t.Expires.Format(time.DateOnly)
		case !t.Expires.IsZero():
			ends = "until " + t.Expires.Format(time.DateOnly)
		}
		fmt.Fprintf(p.Stdout, "%-20s  %-16s  %-16s  made %s\n", printable.Line(t.Name, 60),
			strings.Trim(fmt.Sprint(t.Scopes), "[]"), ends, t.Made.Format(time.DateOnly))
	}
	return nil
}

func tokenRevoke(p Process, state, name string) error {
	err := changeTokens(state, func(k *kept) error {
		before := len(k.Tokens)
		k.Tokens = slices.DeleteFunc(k.Tokens, func(t token) bool { return t.Name == name })
		if len(k.Tokens) == before {
			return fmt.Errorf("there is no token %q; nod-serve token list has them", name)
		}
		return nil
	})
	if err == nil {
		fmt.Fprintf(p.Stdout, "revoked %s; it is refused from now on\n", printable.Line(name, 60))
	}
	return err
}
