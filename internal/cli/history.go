package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/propose"
	"github.com/nodgate/nod/internal/view"
)

func historyCommand() command {
	return command{
		name:    "history",
		usage:   "history [--json] [--agent NAME] [flags]",
		summary: "what nod would have made of your past sessions",
		long: `Reads the transcripts that your agents keep on this machine and decides each
of their calls as nod would today, without a model: how many it would have
settled, which it would have asked you about or denied, and which allow rules
would have saved the most questions, with the calls that each would let
through. Nothing is run, written or sent.

Read are Claude Code (~/.claude/projects), Codex (~/.codex/sessions), Copilot
CLI (~/.copilot/session-state), Gemini CLI (~/.gemini/tmp), opencode
(~/.local/share/opencode), Pi (~/.pi/agent/sessions) and Qwen Code
(~/.qwen/projects), or where CLAUDE_CONFIG_DIR, CODEX_HOME, COPILOT_HOME,
XDG_DATA_HOME, OPENCODE_DB and PI_CODING_AGENT_SESSION_DIR lead. The files that
a call names are looked at as they are today, not as they were then; calls whose
directory is gone are counted and not judged.

  --json         one JSON object, "v": 1
  --agent NAME   only claude-code, codex, copilot, gemini, opencode, pi or
                 qwen
  --settings F, --managed F, --state DIR   instead of the usual places

The rules are not written: nod init --from-log, or an editor, does that.

Exit status: 0; 2 arguments that cannot be used, or no transcript is there;
1 interrupted, or a fault of nod's.`,
		examples: []string{`nod history`, `nod history --json --agent codex`},
		run:      pastSessions,
	}
}

type historyFlags struct {
	json   bool
	agent  string
	places config.Places
}

func pastSessions(ctx context.Context, p *Process, args []string) int {
	var f historyFlags
	flags := flag.NewFlagSet("history", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&f.json, "json", false, "")
	flags.StringVar(&f.agent, "agent", "", "")
	var err error
	f.places, err = parsePlaces(p, flags, args)
	switch known := history.Agents(); {
	case err != nil:
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected %q", flags.Arg(0))
	case f.agent != "" && !slices.Contains(known, f.agent):
		err = fmt.Errorf("--agent %q: transcripts are read of %s", f.agent, strings.Join(known, ", "))
	}
	if err != nil {
		return usageError(p, historyCommand(), err)
	}
	return f.run(ctx, p)
}

func (f historyFlags) run(ctx context.Context, p *Process) int {
	files, problems := transcripts(p, f.agent)
	if len(files) == 0 {
		fmt.Fprintln(p.Stderr, "nod history: no transcript of Claude Code, Codex, Copilot CLI, Gemini CLI, "+
			"opencode, Pi or Qwen Code is in", printable.Text(p.Getenv("HOME")))
		return ExitBadInput
	}
	f.places.Known = nil // as in the hook
	o := history.Options{Home: f.places.Home, Environ: p.Environ, Gate: f.gate(p)}
	done := readProgress(p, files, &o)
	start := time.Now()
	report, err := history.Read(ctx, files, o)
	done()
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod history: interrupted")
		return ExitInternal
	}
	report.Problems = append(report.Problems, problems...)
	if f.json {
		err = json.NewEncoder(p.Stdout).Encode(report)
	} else {
		err = printHistory(p, report, time.Since(start))
	}
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod history:", err)
		return ExitInternal
	}
	return ExitOK
}

// transcripts are the files of one agent, or of all.
func transcripts(p *Process, agent string) ([]history.File, []string) {
	files, problems := history.Find(history.Places(p.Getenv("HOME"), p.Getenv))
	return slices.DeleteFunc(files, func(f history.File) bool { return agent != "" && f.Agent != agent }), problems
}

// gate makes the gate that the hook would make for a directory, without what
// asks a model, writes, or remembers.
func (f historyFlags) gate(p *Process) func(string, view.Files, []propose.Rule) (*nod.Gate, error) {
	return func(root string, files view.Files, with []propose.Rule) (*nod.Gate, error) {
		places := f.places
		places.Root = root
		settings, err := config.Load(places)
		if err != nil {
			return nil, err
		}
		settings.Model = config.ModelSettings{}
		if err := addRules(&settings.Rules, with); err != nil {
			return nil, err
		}
		o := hook.Options{Environ: p.Environ, Places: places, Files: files}
		program, beside := hook.Programs()
		o.Nod, o.Self = program, []string{beside + "-hook"}
		return hook.NewGate(o, settings, nil, nil), nil
	}
}

// addRules adds proposals, for every directory.
func addRules(rules *nod.Rules, with []propose.Rule) error {
	for _, r := range with {
		switch r.List {
		case "allow":
			rule, err := nod.ParseRule(nod.ListAllow, r.Text, "proposed")
			if err != nil {
				return err
			}
			rules.Allow = append(slices.Clip(rules.Allow), rule)
		case "hosts":
			rules.Hosts = append(slices.Clip(rules.Hosts), r.Text)
		case "allowlist":
			rules.Allowlist = append(slices.Clip(rules.Allowlist), r.Text)
		}
	}
	return nil
}

// readProgress shows on a terminal how far the reading is.
func readProgress(p *Process, files []history.File, o *history.Options) (done func()) {
	if !p.Terminal {
		return func() {}
	}
	var read atomic.Int64
	var total int64
	for _, f := range files {
		total += f.Size
	}
	o.Read = func(n int) { read.Add(int64(n)) }
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		showProgress(p.Stderr, time.Second, func() string { return size(read.Load()) + " of " + size(total) + " read" },
			stop)
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%d MB", n/1e6)
	}
	return fmt.Sprintf("%d KB", (n+999)/1e3)
}

// shownReasons and shownRules bound the lists; --json has all.
const (
	shownReasons = 8
	shownRules   = 6
)

// printHistory is the report for people.
func printHistory(p *Process, r history.Report, took time.Duration) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s read in %.1f s.\n", whose(r), size(r.Bytes), took.Seconds())
	fmt.Fprint(&b, "Nothing was run, written or sent. Files are judged as they are today, not as they were then.\n\n")
	for _, line := range []struct {
		what string
		n    int
		note string
	}{{"allowed", r.Allowed, "runs, nobody is asked"}, {"denied", r.Denied, "does not run"},
		{"asked", r.Asked, "your model decides, or you"}} {
		fmt.Fprintf(&b, "  %-8s %7d  %5.1f %%  %s\n", line.what, line.n, share(line.n, r.Calls), line.note)
	}
	for _, why := range sortedKeys(r.Unjudged) {
		fmt.Fprintf(&b, "  %-8s %7d           not judged: %s\n", "-", r.Unjudged[why], why)
	}
	printReasons(&b, "Denied, by reason", r.DeniedFor)
	printReasons(&b, "Asked, by reason", r.AskedFor)
	printSavings(&b, r)
	if r.LongLines > 0 {
		fmt.Fprintf(&b, "\n%d lines longer than %d MB were not read.\n", r.LongLines, history.LineLimit>>20)
	}
	_, err := io.WriteString(p.Stdout, b.String())
	for _, problem := range r.Problems {
		fmt.Fprintln(p.Stderr, "nod history:", printable.Line(problem, 400))
	}
	return err
}

// whose says whose calls they are.
func whose(r history.Report) string {
	var parts []string
	for _, a := range r.Agents {
		parts = append(parts, fmt.Sprintf("%d of %s in %s", a.Calls, install.Title(a.Name),
			counted(a.Transcripts, "transcript")))
	}
	text := fmt.Sprintf("%s (%s)", counted(r.Calls, "call"), strings.Join(parts, ", "))
	if !r.First.IsZero() {
		text += fmt.Sprintf(", %s to %s", r.First.Local().Format(time.DateOnly), r.Last.Local().Format(time.DateOnly))
	}
	return text
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

func sortedKeys(m map[string]int) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func printReasons(b *strings.Builder, title string, list []history.Reason) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, r := range list[:min(len(list), shownReasons)] {
		fmt.Fprintf(b, "  %7d  %s\n           such as: %s\n", r.Calls, printable.Line(r.Text, 100),
			printable.Line(r.Example, 90))
	}
	if rest := len(list) - shownReasons; rest > 0 {
		fmt.Fprintf(b, "           and %s (--json has all)\n", counted(rest, "further reason"))
	}
}

// printSavings says which rules would have saved questions, and at what price.
func printSavings(b *strings.Builder, r history.Report) {
	if len(r.Rules) == 0 {
		return
	}
	fmt.Fprintf(b, "\nAllow rules that would have saved the most questions (together %d of %d):\n", r.Saved, r.Asked)
	for _, rule := range r.Rules[:min(len(r.Rules), shownRules)] {
		fmt.Fprintf(b, "  %7d  %s = [%q]  %s\n", rule.Saves, rule.List, rule.Text, rule.Why)
		fmt.Fprintf(b, "           lets through %s, most often:\n", counted(rule.Calls, "different call"))
		for _, example := range rule.Examples {
			fmt.Fprintf(b, "             %s\n", printable.Line(example, 90))
		}
		if rule.Open {
			fmt.Fprintf(b, "           and %q with any other arguments that stay in the workspace\n",
				strings.TrimSuffix(rule.Text, " *"))
		}
	}
	if r.Untried > 0 {
		fmt.Fprintf(b, "No rule was tried on %s.\n", counted(r.Untried, "further call"))
	}
	fmt.Fprint(b, "None is written. nod init proposes such rules for one repository and asks.\n")
}

// showProgress writes a line after a wait, and again five times a second.
func showProgress(w io.Writer, wait time.Duration, line func() string, stop <-chan struct{}) {
	shown := false
	for {
		select {
		case <-stop:
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		case <-time.After(wait):
			fmt.Fprint(w, "\r"+line()+"\x1b[K")
			wait, shown = 200*time.Millisecond, true
		}
	}
}
