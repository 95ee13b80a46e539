// Package daemon follows the decision log and tells others of it: `nod-serve daemon`, which `nod daemon` starts.
//
// It has three sinks, and none is there unless it is configured: Prometheus counters behind an address, a collector of
// OpenTelemetry that gets OTLP over HTTP, and the server of the team that the machine belongs to (team.go), which gets
// all lines from the joining on and answers questions. Each sink follows the log by itself, so that a collector that
// is down holds up no counter. Its place in the log stands in STATE/daemon.json and moves when the sink has taken the
// lines, so that no end of the daemon loses one. Lines are sent twice only where the daemon was killed between the
// sink's answer and the writing of the place; nod.decision.id tells, and the team's server knows a line by its hash.
// The first start begins at the end of the log.
package daemon

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/otlp"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/team"
)

// Options say what the daemon does. The zero value does nothing.
type Options struct {
	State   string        // nod's state directory
	Places  config.Places // the settings; those of a team say what goes to its server
	Metrics string        // the address of the Prometheus endpoint; "" for none
	Remote  bool          // that address may be another than a loopback one
	OTLP    string        // the collector's URL; "" for that of the standard variables
	Inputs  bool          // the collector gets inputs and directories, not only the digest
	Nod     string        // the program, whose doctor a team's server is told of; "" asks none
	Stderr  io.Writer
	// Every is how often the log is looked at, Retry how long a sink that failed is left alone; 0 is 500 ms and 5 s.
	Every, Retry time.Duration
}

// Main is `nod-serve daemon`. It runs until ctx ends and returns the exit status: 0, 1 a fault, 2 wrong arguments.
func Main(ctx context.Context, args []string, stderr io.Writer) int {
	home, _ := os.UserHomeDir()
	o, f := Options{Stderr: stderr}, flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	o.Places, o.Nod = config.DefaultPlaces(home), hook.Beside("nod")
	f.StringVar(&o.Metrics, "metrics", "", "")
	f.StringVar(&o.OTLP, "otlp", "", "")
	f.StringVar(&o.State, "state", o.Places.State, "")
	f.BoolVar(&o.Remote, "remote", false, "")
	f.BoolVar(&o.Inputs, "inputs", false, "")
	code, err := 2, f.Parse(args)
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("unexpected %q", f.Arg(0))
	}
	if err == nil {
		err = o.check()
	}
	if err == nil {
		code, err = 1, Run(ctx, o)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "nod-serve daemon: %s; see nod help daemon\n", printable.Line(err.Error(), 300))
	return code
}

// check refuses what would do nothing, or more than was meant.
func (o Options) check() error {
	logs, spans := o.otlp().Signals()
	_, _, none := o.member()
	host, _, err := net.SplitHostPort(o.Metrics)
	switch {
	case o.State == "":
		return errors.New("HOME is not set; name nod's state directory with --state DIR")
	case o.Metrics == "" && !logs && !spans && errors.Is(none, team.ErrNone):
		return errors.New("nothing to do; name --metrics 127.0.0.1:9464, --otlp URL or both, or join a team")
	case o.Metrics != "" && err != nil:
		return fmt.Errorf("--metrics: %w", err)
	case o.Metrics != "" && !o.Remote && !loopback(host):
		return fmt.Errorf("--metrics %s: other machines could read it; add --remote if they may", o.Metrics)
	}
	return o.otlp().Check()
}

func (o Options) otlp() otlp.Options {
	return otlp.Options{URL: o.OTLP, Inputs: o.Inputs, Retry: o.Retry}
}

func loopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// Run follows the log until ctx ends. Then what is new is handed on, for at most five seconds.
func Run(ctx context.Context, o Options) error {
	if err := errors.Join(o.check(), lines.PrivateDir(o.State)); err != nil {
		return err
	}
	lock, err := lines.Open(filepath.Join(o.State, "daemon.lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	if !lock.Lock() {
		return fmt.Errorf("another daemon follows the log in %s", o.State)
	}
	sinks, stop, err := o.sinks(ctx)
	if err != nil {
		return err
	}
	defer stop()
	end, err := o.joinTeam(ctx, sinks)
	if err != nil {
		return err
	}
	defer end()
	if err = o.follow(ctx, sinks); err == nil {
		<-ctx.Done() // without sinks there was nothing to follow
	}
	return err
}

// sinks are those that are configured.
func (o Options) sinks(ctx context.Context) (list map[string]sink, stop func(), err error) {
	list, stop = map[string]sink{}, func() {}
	if logs, spans := o.otlp().Signals(); logs || spans {
		if list["otlp"], err = otlp.New(context.WithoutCancel(ctx), o.otlp()); err != nil {
			return nil, nil, err
		}
	}
	if o.Metrics != "" {
		m := newMetrics(o.State)
		list["metrics"] = m
		stop, err = o.serve(m)
	}
	return list, stop, err
}

// serve answers at the address. A page that reached it by another name (DNS rebinding) gets nothing.
func (o Options) serve(metrics http.Handler) (stop func(), err error) {
	at, err := net.Listen("tcp", o.Metrics)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if host, _, _ := net.SplitHostPort(r.Host); !o.Remote && !loopback(host) {
			http.Error(w, "not by this name", http.StatusForbidden)
			return
		}
		metrics.ServeHTTP(w, r)
	})
	const slow = 10 * time.Second
	server := &http.Server{Handler: mux, ReadTimeout: slow, WriteTimeout: slow, IdleTimeout: time.Minute}
	go server.Serve(at)
	fmt.Fprintf(o.Stderr, "nod-serve: metrics at http://%s/metrics\n", at.Addr())
	return func() { _ = server.Close() }, nil
}
