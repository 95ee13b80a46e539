package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/install"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

func pastSessions(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	asJSON := a.Bool("json", false, "")
	if err := a.withRules(args, 0); err != nil {
		return err
	}
	files, problems := history.Find(p.Getenv("HOME"), p.Getenv)
	if len(files) == 0 {
		return fmt.Errorf("no transcript of Claude Code, Codex, Copilot CLI, Gemini CLI or Qwen Code is in %s",
			printable.Text(p.Getenv("HOME")))
	}
	if isTerminal(p.Stderr) {
		fmt.Fprintf(p.Stderr, "reading %s ...\n", counted(len(files), "transcript"))
	}
	start := time.Now()
	report, err := history.Read(ctx, files, history.Options{Environ: p.Environ,
		Gate: func(root string, files view.Files) (*nod.Gate, error) { return pastGate(p, a.places, root, files) }})
	if err != nil {
		return internal(fmt.Errorf("interrupted"))
	}
	report.Problems = append(report.Problems, problems...)
	if *asJSON {
		return printJSON(p, report)
	}
	return printHistory(p, report, time.Since(start))
}

// pastGate makes the gate that the hook would make for a directory, without what asks a model, writes, or remembers,
// and with more allow rules.
func pastGate(p *Process, places config.Places, root string, files view.Files, allow ...nod.Rule) (*nod.Gate, error) {
	places.Known, places.Root = nil, root // as in the hook
	settings, err := config.Load(places)
	if err != nil {
		return nil, err
	}
	settings.Model, settings.Rules.Allow = config.ModelSettings{}, append(settings.Rules.Allow, allow...)
	return hookGate(p, places, settings, files), nil
}

// shownReasons bounds the lists; --json has all.
const shownReasons = 8

func printHistory(p *Process, r history.Report, took time.Duration) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d MB read in %.1f s.\n", whose(r), (r.Bytes+999_999)/1_000_000, took.Seconds())
	fmt.Fprint(&b, "Nothing was run, written or sent. Files are judged as they are today, not as they were then.\n\n")
	for _, line := range []struct {
		what string
		n    int
		note string
	}{{"allowed", r.Allowed, "runs, nobody is asked"}, {"denied", r.Denied, "does not run"},
		{"asked", r.Asked, "your model decides, or you"}} {
		fmt.Fprintf(&b, "  %-8s %7d  %5.1f %%  %s\n", line.what, line.n, 100*float64(line.n)/float64(max(r.Calls, 1)),
			line.note)
	}
	for _, why := range slices.Sorted(maps.Keys(r.Unjudged)) {
		fmt.Fprintf(&b, "  %-8s %7d           not judged: %s\n", "-", r.Unjudged[why], why)
	}
	printReasons(&b, "Denied, by reason", r.DeniedFor)
	printReasons(&b, "Asked, by reason", r.AskedFor)
	_, err := fmt.Fprint(p.Stdout, b.String())
	for _, problem := range r.Problems {
		fmt.Fprintln(p.Stderr, "nod history:", printable.Line(problem, 400))
	}
	return internal(err)
}

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
