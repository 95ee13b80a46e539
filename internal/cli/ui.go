package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shown"
)

// uiFlags are the arguments of nod ui.
type uiFlags struct {
	listen, cert, key string
	remote            bool
}

func ui(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	var f uiFlags
	a.StringVar(&f.listen, "listen", "127.0.0.1:7311", "")
	a.StringVar(&f.cert, "cert", "", "")
	a.StringVar(&f.key, "key", "", "")
	a.BoolVar(&f.remote, "remote", false, "")
	if err := cmp.Or(a.withRules(args, 0), a.stated(), belowAgent(p)); err != nil {
		return err
	}
	settings, err := config.Load(a.places)
	if err != nil {
		return err
	}
	l, origins, err := f.open(settings.Questions.Page)
	if err != nil {
		return err
	}
	defer l.Close()
	log, err := index.Open(ctx, a.places.State)
	if err != nil {
		return err
	}
	rules := pageRules{p, a.places, log}
	s := p.Views.Page(shown.Page{State: a.places.State, Log: log, Origins: origins, Home: p.Getenv("HOME"),
		Asks: settings.Approvals && settings.Questions.Wait > 0, Rules: rules,
		Words: shown.Words{Call: callOf, Said: said, Why: why, About: rules.about}})
	printLinks(p, s, origins)
	if isTerminal(p.Stdin) {
		go func() {
			for lines := bufio.NewScanner(p.Stdin); lines.Scan(); {
				printLinks(p, s, origins)
			}
		}()
	}
	err = s.Serve(ctx, l)
	_ = log.Wait(context.WithoutCancel(ctx)) // it writes no sidecar any more
	return internal(err)
}

// open opens the listener, and says how a browser may name the page.
func (f uiFlags) open(public string) (l net.Listener, origins []string, err error) {
	at, err := netip.ParseAddrPort(f.listen)
	u, _ := url.Parse(public)
	switch {
	case err != nil:
		return nil, nil, usage(fmt.Errorf("--listen takes an address and a port, such as 127.0.0.1:7311: %w", err))
	case (f.cert == "") != (f.key == ""):
		return nil, nil, usage(errors.New("--cert and --key belong together"))
	case !at.Addr().IsLoopback() && (!f.remote || f.cert == ""):
		return nil, nil, usage(fmt.Errorf("%s can be reached from other machines; it takes --remote, --cert and "+
			"--key; or leave --listen at 127.0.0.1 and put a proxy with https before it", at))
	case f.remote && (u == nil || u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != ""):
		return nil, nil, errors.New(`--remote needs the page's address in your settings, such as [questions] ` +
			`page = "https://box.example"; no other name is answered`)
	}
	if l, err = net.Listen("tcp", at.String()); err != nil {
		return nil, nil, fmt.Errorf("%w; another nod ui may run: end it, or take --listen 127.0.0.1:0", err)
	}
	scheme := "http://"
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			l.Close()
			return nil, nil, err
		}
		scheme = "https://"
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}})
	}
	if at.Addr().IsLoopback() {
		// Browsers send a cookie to every port of a host, so that whatever an agent serves at 127.0.0.1 would be sent
		// the session's. The first name is nobody else's.
		own := fmt.Sprintf("nod-%s.localhost", strings.ToLower(rand.Text()[:10]))
		_, port, _ := net.SplitHostPort(l.Addr().String())
		origins = []string{scheme + own + ":" + port, scheme + l.Addr().String(), scheme + "localhost:" + port}
	}
	if f.remote {
		origins = append(origins, "https://"+u.Host)
	}
	return l, origins, nil
}

// printLinks prints addresses that begin a session, each once.
func printLinks(p *Process, s Page, origins []string) {
	fmt.Fprintln(p.Stdout, "Open one of these; each is good once, for five minutes.")
	for i, origin := range origins {
		note := ""
		switch {
		case strings.Contains(origin, "//localhost"):
			continue
		case strings.Contains(origin, ".localhost"):
		case i == 1:
			note = "  where that name is not known (Safari)"
		default:
			note = "  from elsewhere"
		}
		fmt.Fprintf(p.Stdout, "  %s%s\n", s.Enter(i), note)
	}
	if isTerminal(p.Stdin) {
		fmt.Fprintln(p.Stdout, "Enter: other links. Ctrl-C ends.")
	}
}

// about is what nod why says of a decision.
func (r pageRules) about(ctx context.Context, e audit.Entry) []shown.Section {
	var w wayOf
	w.judge(ctx, r.process, r.places, e)
	known := slices.DeleteFunc(aboutOne(e), func(row [2]string) bool { return row[0] == "call" || row[0] == "verdict" })
	list := []shown.Section{{Rows: known}}
	if w.Now != nil {
		now := shown.Section{Title: "By the rules and files of today, without a model: " + w.Now.Verdict.String()}
		for _, step := range w.Now.Steps {
			now.Rows = append(now.Rows, [2]string{step.Question, cmp.Or(step.Said, "no")})
		}
		list = append(list, now)
	}
	if err := w.follow(ctx, r.log, e); err != nil {
		w.Changes = append(w.Changes, err.Error())
	}
	for _, part := range w.parts(r.process) {
		if text := strings.Join(part.lines, "\n"); text != "" {
			list = append(list, shown.Section{Title: part.title, Text: text})
		}
	}
	return list
}

// pageRules lets the page show and change the person's rules.
type pageRules struct {
	process *Process
	places  config.Places
	log     *index.Index
}

// List returns what files say. What is built in nod rules shows.
func (r pageRules) List() (list []shown.Rule, err error) {
	r.places.Root = ""
	settings, err := config.Load(r.places)
	if err != nil {
		return nil, err
	}
	items := settings.Lists()
	for _, scope := range settings.Scopes {
		r.places.Root = scope.Path
		if inside, err := config.Load(r.places); err == nil {
			items = append(items, slices.DeleteFunc(inside.Lists(), func(i config.Item) bool {
				return i.Scope != scope.Path || !strings.HasPrefix(i.Origin, originFile(scope.Origin))
			})...)
		}
	}
	seen := map[shown.Rule]bool{}
	for _, i := range items {
		rule := shown.Rule{List: i.List, Text: i.Text, Origin: i.Origin, Scope: i.Scope,
			Own: i.Level == config.User && i.Scope == "" && verdictOf(i.List) != "" &&
				originFile(i.Origin) == originFile(printable.Text(r.places.User)+":")}
		if i.Level != "" && !seen[rule] {
			seen[rule] = true
			list = append(list, rule)
		}
	}
	return list, nil
}

// originFile is FILE: of FILE:LINE.
func originFile(origin string) string { return origin[:strings.LastIndexByte(origin, ':')+1] }

// verdictOf says what a rule of a list has done, "" for a list that the page does not change.
func verdictOf(list string) string {
	return map[string]string{"allow": "let through", "hard_deny": "denied", "ask": "asked you about"}[list]
}

// writers are the steps of an edit: what comes, and then what goes.
func (r pageRules) writers(e shown.Edit, out io.Writer) (list []ruleWriter, err error) {
	did := verdictOf(e.List)
	if did == "" || e.Text == "" && e.Was == "" || e.Root != "" && e.Was != "" {
		return nil, errors.New("the page does not make such a change; edit the file")
	}
	p := *r.process
	p.Stdin, p.Stdout, p.Stderr = strings.NewReader(""), out, io.Discard
	verdict := map[string]nod.Verdict{"allow": nod.Allow, "hard_deny": nod.Deny, "ask": nod.Ask}[e.List]
	w := ruleWriter{list: e.List, verdict: verdict, did: did, process: &p, only: e.Root, log: r.log}
	if e.Text == e.Was {
		return nil, errors.New("nothing would change")
	}
	for i, text := range []string{e.Text, e.Was} {
		if w.Entry, w.Remove = (config.Entry{List: e.List, Text: text}), i > 0; text != "" {
			list = append(list, w)
		}
	}
	return list, nil
}

// The bounds of a replay for the page: the newest calls, and what a person waits for.
const (
	replayCalls = 3000
	replayTime  = 20 * time.Second
)

// Preview says what nod allow and its like say before they ask.
func (r pageRules) Preview(ctx context.Context, e shown.Edit) (string, error) {
	var out bytes.Buffer
	list, err := r.writers(e, &out)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, replayTime)
	defer cancel()
	f := index.Filter{Filter: audit.Filter{Kinds: []audit.Kind{audit.Decision}}}
	if e.Root != "" {
		f.Roots = []string{e.Root}
	}
	rows, _, err := r.log.Rows(f, 0, replayCalls)
	if err != nil {
		return "", err
	}
	for _, w := range list {
		if len(rows) > 0 {
			w.since = rows[len(rows)-1].Time // of the oldest of the newest
		}
		places := r.places
		places.Root = e.Root
		notes, after, err := w.draft(ctx, places)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "%s%s", map[bool]string{true: "Without " + quoted(w.Text) + ":\n"}[w.Remove], notes)
		if w.Remove {
			places, after = after, places
		}
		if err := w.replay(ctx, places, after); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return "", err
		} else if err != nil {
			fmt.Fprintf(&out, "It took longer than %s: not all of these calls were looked at.\n", replayTime)
		}
	}
	fmt.Fprintf(&out, "This looked at the newest %d calls; nod allow looks at all.\n", replayCalls)
	return out.String(), nil
}

// Write makes the change in the person's file.
func (r pageRules) Write(e shown.Edit) error {
	list, err := r.writers(e, io.Discard)
	for _, w := range list {
		r.places.Root = e.Root
		if _, _, err = w.draft(context.Background(), r.places); err == nil {
			err = w.make(r.places)
		}
		if err != nil {
			return err
		}
	}
	return err
}
