package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/approval"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/index"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/view"
)

// wayOf is the answer of nod why --json. Fields are only ever added.
type wayOf struct {
	Version  int               `json:"v"`
	Decision json.RawMessage   `json:"decision"` // the line of the log
	Now      *judgedAgain      `json:"now,omitempty"`
	NotNow   string            `json:"not_judged,omitempty"` // why it is not judged again
	Evidence []evidenceNow     `json:"evidence"`
	Changes  []string          `json:"changes"` // what would have changed the answer
	After    []json.RawMessage `json:"after"`   // the later lines of the same call

	after []audit.Line
}

// judgedAgain is what the rules and files of today say of the call, without a model, and the way there.
type judgedAgain struct {
	Verdict nod.Verdict `json:"verdict"`
	Layer   nod.Layer   `json:"layer"`
	Reason  string      `json:"reason"`
	Steps   []nod.Step  `json:"steps"`
}

// evidenceNow is a file that the answer rests on, and how it stands.
type evidenceNow struct {
	Path  string `json:"path"`
	State string `json:"state"` // unchanged, changed or gone
}

func showWhy(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	asJSON := a.Bool("json", false, "")
	switch err := cmp.Or(a.withRules(args, 1), a.stated()); {
	case err != nil:
		return err
	case a.NArg() == 0:
		return usage(errors.New("no ID; see the column ID of nod log"))
	}
	x, err := openLog(ctx, p, "why", a.places.State)
	if err != nil {
		return err
	}
	found, err := x.Find(ctx, a.Arg(0))
	if err != nil {
		return err
	}
	w := wayOf{Version: 1, Decision: found.Raw, Evidence: []evidenceNow{}, Changes: []string{},
		After: []json.RawMessage{}}
	w.judge(ctx, p, a.places, found.Entry)
	if err := w.follow(ctx, x, found.Entry); err != nil {
		return err
	}
	if *asJSON {
		return printJSON(p, w)
	}
	return w.print(p, found.Entry)
}

// judge judges the call again, and finds what would have changed the answer.
func (w *wayOf) judge(ctx context.Context, p *Process, places config.Places, e audit.Entry) {
	places.Known, places.Root = nil, e.Root // as in the hook
	settings, err := config.Load(places)
	if info, statErr := os.Stat(e.Root); statErr != nil || !info.IsDir() {
		err = errors.New("its directory is gone")
	} else if e.InputBytes > 0 {
		err = errors.New("the log holds only the beginning of the call")
	}
	var d nod.Decision
	if err != nil {
		w.NotNow = printable.Line(err.Error(), 300)
	} else {
		files, c := view.NewMemo(view.Disk{}), pastCall(p, e)
		w.Now = &judgedAgain{}
		d, w.Now.Steps = hookGate(p, places, settings, files).Explain(ctx, c)
		w.Now.Verdict, w.Now.Layer, w.Now.Reason = d.Verdict, d.Layer, d.Reason
		w.open(places, settings, d)
		if settings.Confine.On = true; e.Verdict != nod.Allow && d.Instead == "" {
			confined, _ := hookGate(p, places, settings, files).Explain(ctx, c)
			d.Instead = confined.Instead
		}
		if settings.Model.Provider != "" {
			d.Err = nil // a model is there, and would be asked
		}
	}
	for _, file := range e.Evidence {
		w.Evidence = append(w.Evidence, evidenceNow{file.Path, stands(file, d.Evidence)})
	}
	if e.Verdict != nod.Allow {
		w.change(e, d)
	}
}

// open adds the steps behind layers 0 to 3, where those leave the call open.
func (w *wayOf) open(places config.Places, s config.Settings, d nod.Decision) {
	if d.Err == nil || d.Err.Kind != fault.NoModel {
		return
	}
	approved, model := "", "none is configured"
	list, err := approval.List(places.State, time.Now())
	for _, a := range list {
		if a.Key == d.Approvable.Key && a.UsedAt.IsZero() {
			approved = "approved (" + a.ID + ") " + holds(a)
		}
	}
	if err != nil {
		approved = printable.Line(err.Error(), 300)
	}
	if s.Model.Provider != "" {
		model = printable.Line(s.Model.Provider+" "+s.Model.Name+" would be asked", 100)
	}
	w.Now.Steps = append(w.Now.Steps,
		nod.Step{Layer: nod.LayerApproval, Question: "approved by a person", Said: approved},
		nod.Step{Layer: nod.LayerModel, Question: "a model", Said: model})
}

// stands says how a file stands that was read to decide. What was read of it now may be a part, as then.
func stands(then nod.Evidence, now []nod.Evidence) string {
	text, err := os.ReadFile(view.Native(then.Path))
	sum := sha256.Sum256(text)
	switch {
	case slices.Contains(now, then):
		return "unchanged"
	case err != nil:
		return "gone"
	case fmt.Sprintf("%x", sum) == then.SHA256:
		return "unchanged"
	}
	return "changed"
}

// change lists what would have changed the answer.
func (w *wayOf) change(e audit.Entry, d nod.Decision) {
	add := func(what string) { w.Changes = append(w.Changes, what) }
	if e.Rule != nil {
		add("without the rule " + quoted(e.Rule.Text) + " (" + printable.Text(e.Rule.Origin) + "), which decided")
	}
	if d.Lasting != "" {
		add("an allow rule: nod allow " + quoted(d.Lasting))
	}
	if e.Approvable != nil {
		add("an approval, for a week after the call: nod approve " + printable.Text(endOfID(e)))
	}
	if d.Instead != "" {
		add(`confinement: confine = "on" in the settings runs it without network, home and keys`)
	}
	if d.Err != nil && d.Err.Kind == fault.NoModel {
		add("a model, which is asked where layers 0 to 3 leave a call open: nod help settings")
	}
}

// follow finds the later lines of the same call.
func (w *wayOf) follow(ctx context.Context, x *index.Index, e audit.Entry) error {
	f := index.Filter{Filter: audit.Filter{Session: e.Session, Since: e.Time}}
	return x.Each(ctx, f, func(l audit.Line) error {
		of := e.CallID != "" && e.CallID == l.CallID || l.Kind == audit.Approved && e.ID == l.ID
		if l.Session == e.Session && of && l.Kind != audit.Decision && l.Kind != audit.Begun {
			w.after, w.After = append(w.after, l), append(w.After, l.Raw)
		}
		return nil
	})
}

func (w *wayOf) print(p *Process, e audit.Entry) error {
	var b strings.Builder
	b.WriteString(aboutText(e, ""))
	if w.Now == nil {
		say(&b, "\nnow       ", "not judged again: "+w.NotNow)
	} else {
		fmt.Fprintf(&b, "\nnow       %s  %s  by the rules and files of today, without a model\n", w.Now.Verdict,
			w.Now.Layer)
		for _, step := range w.Now.Steps {
			say(&b, fmt.Sprintf("  %-9s %-27s ", step.Layer, step.Question), cmp.Or(step.Said, "no"))
		}
	}
	for _, part := range w.parts(p) {
		name := part.name
		for i, line := range part.lines {
			if i == 0 {
				b.WriteString("\n")
			}
			say(&b, fmt.Sprintf("%-9s ", name), line)
			name = ""
		}
	}
	_, err := fmt.Fprint(p.Stdout, b.String())
	return internal(err)
}

// part is one of the lists that follow the way of a decision.
type part struct {
	name, title string
	lines       []string
}

func (w *wayOf) parts(p *Process) []part {
	var files, after []string
	for _, file := range w.Evidence {
		files = append(files, file.State+"  "+homely(p, file.Path))
	}
	for _, l := range w.after {
		told := printable.Line(said(l.Entry)+" "+why(l.Entry), 200)
		after = append(after, l.Time.Local().Format(time.DateTime)+"  "+told)
	}
	return []part{{"files", "Files that it rests on", files},
		{"changes", "What would have changed it", w.Changes}, {"then", "Then", after}}
}
