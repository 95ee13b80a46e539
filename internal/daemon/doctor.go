package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/doctor"
	"github.com/nodgate/nod/internal/printable"
)

// examine is what nod doctor finds, as store.Report.Doctor: true with names. It starts hooks, and no agent.
func (o Options) examine(ctx context.Context) map[bool]string {
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	defer stop()
	c := exec.CommandContext(ctx, o.Nod, "doctor", "--json", "--quick")
	c.Dir, c.WaitDelay = o.State, 10*time.Second
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // it removes what it has made
	text, _ := c.Output()                                             // its status says what the lines say
	var all struct{ Agents, Nod []doctor.Block }
	_ = json.Unmarshal(text, &all) // then nothing was found
	return summary(append(all.Agents, all.Nod...))
}

func summary(blocks []doctor.Block) map[bool]string {
	n, names := map[doctor.State]int{}, []string{}
	for _, b := range blocks {
		for _, l := range b.Lines {
			if n[l.State]++; l.State == doctor.Open || l.State == doctor.Failed {
				names = append(names, printable.Line(cmp.Or(b.Agent, "nod")+" "+l.What, 100))
			}
		}
	}
	word, list := "well", ""
	if len(n) == 0 {
		word = "not run"
	} else if bad := len(names); bad > 0 {
		word, list = fmt.Sprint(bad, " fault", "s"[:min(bad-1, 1)]), strings.Join(names[:min(bad, 10)], ", ")+"; "
	}
	word = time.Now().UTC().Format(time.RFC3339) + " " + word + ": "
	counts := fmt.Sprintf("%d checks hold, %d notes", n[doctor.OK], n[doctor.Note]+n[doctor.NotTried])
	return map[bool]string{false: word + counts, true: word + list + counts}
}
