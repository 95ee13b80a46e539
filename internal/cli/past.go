package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/history"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// openLog opens the index over the log and waits until all of it is read. How many lines could not be read is told.
func openLog(ctx context.Context, p *Process, name, state string) (*index.Index, error) {
	x, err := index.Open(ctx, state)
	show := progressOf(p, "reading the log")
	for waiting := err == nil; waiting; show(x.Progress()) {
		second, stop := context.WithTimeout(ctx, time.Second)
		err = x.Wait(second)
		stop()
		waiting = errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	}
	if err != nil {
		return nil, err
	}
	if torn, newer := x.Unread(); torn+newer > 0 {
		fmt.Fprintf(p.Stderr, "nod %s: %s of the log cannot be read; nod log -n 0 names them\n", name,
			counted(torn+newer, "line"))
	}
	return x, nil
}

// tally counts calls, or what else has a name.
type tally map[string]int

func (t tally) sum() (n int) {
	for _, count := range t {
		n += count
	}
	return n
}

// sorted are the names, the most frequent first.
func (t tally) sorted() []string {
	return slices.SortedFunc(maps.Keys(t), func(a, b string) int { return cmp.Or(t[b]-t[a], strings.Compare(a, b)) })
}

func (t tally) print(out io.Writer, most int) {
	names := t.sorted()
	for _, name := range names[:min(len(names), most)] {
		fmt.Fprintf(out, "%7d  %s\n", t[name], name)
	}
	if rest := len(names) - most; rest > 0 {
		fmt.Fprintf(out, "%7s  and %s\n", "", counted(rest, "other"))
	}
}

// toolCall is a call in a few words: a command, or a tool and its most telling argument.
func toolCall(e audit.Entry) string {
	if e.Tool == "bash" {
		return printable.Line(callOf(e), 90)
	}
	return printable.Line(e.RawTool+" "+callOf(e), 90)
}

// past judges calls of the log again: with the files of today, without a model, and nothing is written.
type past struct {
	process *Process
	places  []config.Places // a gate of each judges
	allow   []nod.Rule      // more allow rules than those have
	lasting bool            // decisions name the allow rule that would clear the call

	mu     sync.Mutex
	missed tally // calls that were not judged, by why
}

// each visits the decisions that f selects, oldest first, with what each gate says of the call.
func (r *past) each(ctx context.Context, x *index.Index, f index.Filter,
	visit func(audit.Entry, []nod.Decision)) error {
	f.Kinds, r.missed = []audit.Kind{audit.Decision}, tally{}
	judges := [2]map[string]judge{{}, {}} // two goroutines, and each has gates of its own: a gate's memory is for one
	const atOnce = 500
	var batch []audit.Entry
	begun, judged := time.Now(), 0
	flush := func() error {
		said := make([][]nod.Decision, len(batch))
		var all sync.WaitGroup
		for first, known := range judges {
			all.Go(func() {
				for i := first; i < len(batch) && ctx.Err() == nil; i += len(judges) {
					said[i] = r.decide(ctx, known, batch[i])
				}
			})
		}
		all.Wait()
		for i, e := range batch {
			if said[i] != nil {
				visit(e, said[i])
			}
		}
		judged, batch = judged+len(batch), batch[:0]
		if isTerminal(r.process.Stderr) && time.Since(begun) > time.Second {
			fmt.Fprintf(r.process.Stderr, "\r%s judged ", counted(judged, "call"))
		}
		return ctx.Err()
	}
	err := x.Each(ctx, f, func(l audit.Line) error {
		if batch = append(batch, l.Entry); len(batch) < atOnce {
			return nil
		}
		return flush()
	})
	return cmp.Or(err, flush())
}

// judge are the gates of a root, or why there are none.
type judge struct {
	gates []*nod.Gate
	why   string
}

// decide is what the gates say of a call; nil where it was not judged.
func (r *past) decide(ctx context.Context, known map[string]judge, e audit.Entry) (said []nod.Decision) {
	j, met := known[e.Root]
	if !met {
		j = r.judgeOf(e.Root)
		known[e.Root] = j
	}
	if e.InputBytes > 0 {
		j.why = "not logged whole"
	}
	if j.why != "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.missed["not judged: "+j.why]++
		return nil
	}
	for _, gate := range j.gates {
		var d nod.Decision
		if c := pastCall(r.process, e); r.lasting {
			d, _ = gate.Explain(ctx, c)
		} else {
			d = gate.Check(ctx, c)
		}
		said = append(said, d)
	}
	return said
}

func (r *past) judgeOf(root string) (j judge) {
	info, err := os.Stat(root)
	if err != nil || !info.IsDir() {
		return judge{why: history.Gone}
	}
	files := view.NewMemo(view.Disk{})
	for _, one := range r.places {
		gate, err := pastGate(r.process, one, root, files, r.allow...)
		if err != nil {
			return judge{why: printable.Line(err.Error(), 300)}
		}
		j.gates = append(j.gates, gate)
	}
	return j
}

// pastCall is the call of an entry, as the hook would read it today, with a person who can be asked.
func pastCall(p *Process, e audit.Entry) nod.Call {
	c := nod.NewCall(e.Tool, e.Input, e.Dir, p.Environ)
	c.RawTool, c.Agent, c.Roots, c.Interactive = e.RawTool, e.Agent, []string{e.Root}, true
	if name, is := strings.CutPrefix(e.RawTool, "mcp__"); is {
		server, tool, _ := strings.Cut(name, "__")
		c.MCP = &nod.MCP{Server: server, Tool: tool}
	}
	return c
}
