package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/eval"
	"github.com/nodgate/nod/internal/hook"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/llm"
)

// modelWorkers is how many questions are asked at once.
const modelWorkers = 8

// asking is what nod eval --model needs besides the rules.
type asking struct {
	names    []string
	settings []config.Settings
	answers  []*eval.Answers
}

func (a asking) close() {
	for _, x := range a.answers {
		x.Close()
	}
}

// addTimes puts how long the models took into a report.
func (a asking) addTimes(r eval.Report) {
	for i, s := range r.Sets {
		if s.Model != nil && len(a.answers) > 0 {
			s.Model.Median, s.Model.P99 = a.answers[min(i, len(a.answers)-1)].Times()
		}
	}
}

// asked puts what answers for layer 4 into o: a recording, models, or nothing.
func (f evalFlags) asked(ctx context.Context, p *Process, files []eval.File, o *eval.Options) (asking, error) {
	switch {
	case f.replay != "":
		return f.withRecording(p, o)
	case len(f.models) > 0:
		return f.withModels(ctx, p, files, o)
	}
	return asking{}, nil
}

// withModels puts the models of the settings files into o, after a person has
// seen what that costs.
func (f evalFlags) withModels(ctx context.Context, p *Process, files []eval.File, o *eval.Options) (asking, error) {
	var a asking
	for _, name := range f.models {
		if err := a.add(p, f, name); err != nil {
			a.close()
			return asking{}, err
		}
	}
	a.sets(o)
	o.Profile, o.Workers = hook.Profile(a.settings[0]), modelWorkers
	if err := a.agreed(ctx, p, f, files, *o); err != nil {
		a.close()
		return asking{}, err
	}
	return a, nil
}

// withRecording puts recorded answers into o: nobody is asked.
func (f evalFlags) withRecording(p *Process, o *eval.Options) (a asking, err error) {
	r, err := eval.OpenRecording(absolute(p, f.replay))
	switch {
	case err != nil:
		return asking{}, fmt.Errorf("--replay %s: %w", f.replay, err)
	case len(r.Models) > 2:
		return asking{}, fmt.Errorf("--replay %s: answers of %d models; two at most are compared", f.replay,
			len(r.Models))
	case len(r.Models) == 2 && len(o.Sets) == 2:
		return asking{}, errors.New("--replay of two models goes with one rule set")
	}
	for _, m := range r.Models {
		a.names, a.answers = append(a.names, m.Name), append(a.answers, m.Answers)
	}
	a.sets(o)
	o.Profile = r.Profile
	return a, nil
}

// sets gives each set its model. Of two models and one rule set there are two
// sets.
func (a asking) sets(o *eval.Options) {
	if len(a.names) > len(o.Sets) {
		o.Sets = append(o.Sets, o.Sets[0])
		for i := range o.Sets {
			o.Sets[i].Name = a.names[i]
		}
	}
	for i := range o.Sets {
		o.Models = append(o.Models, a.answers[min(i, len(a.answers)-1)])
	}
}

func (a *asking) add(p *Process, f evalFlags, name string) error {
	places := config.DefaultPlaces(p.Getenv("HOME"))
	if name != "settings" {
		places.Managed, places.State, places.User = "", "", absolute(p, name)
	}
	settings, err := config.Load(places)
	if err != nil {
		return err
	}
	if len(a.settings) > 0 && hook.Profile(settings) != hook.Profile(a.settings[0]) {
		return errors.New("the two models have different transcripts or stages; compare them in two runs")
	}
	settings.Model.Fallbacks = nil // what is measured is one model
	model, err := newModel(modelSource{places: places, getenv: p.Getenv,
		notice: func(notice string) { fmt.Fprintln(p.Stderr, "nod eval:", notice) }}, settings)
	if err != nil {
		return fmt.Errorf("--model %s: %w", name, err)
	}
	target := settings.Model.Target
	answers, err := eval.OpenAnswers(absolute(p, f.answers), askedOf(target, settings.Model.MaxTokens), model)
	if err != nil {
		return fmt.Errorf("--record %s: %w", f.answers, err)
	}
	answers.RetryAfter, answers.Profile = llm.RetryAfter, hook.Profile(settings)
	a.names, a.settings, a.answers = append(a.names, name), append(a.settings, settings), append(a.answers, answers)
	return nil
}

// askedOf names a model with all that shapes its answers. Values of headers
// may be secrets, and stand in it as hashes.
func askedOf(t config.Target, maxTokens int) string {
	name := t.Name
	if name == "" {
		name = llm.DefaultModel(t.Provider)
	}
	parts := []string{t.Provider, name, t.Endpoint, t.Region, t.Project, t.APIVersion, t.Channel, t.Effort, t.Thinking,
		strconv.Itoa(maxTokens)}
	if t.Temperature != nil {
		parts = append(parts, fmt.Sprintf("temperature %g", *t.Temperature))
	}
	for _, header := range slices.Sorted(maps.Keys(t.Headers)) {
		sum := sha256.Sum256([]byte(t.Headers[header]))
		parts = append(parts, header+"="+hex.EncodeToString(sum[:8]))
	}
	return strings.Join(parts, "|")
}

// failed is why a run ended before its end; nil where it did not.
func (a asking) failed() error {
	for _, x := range a.answers {
		if err := x.Err(); err != nil {
			return fmt.Errorf("the run was stopped, since no further question would be answered: %w", err)
		}
	}
	return nil
}

// agreed counts what would be asked and what that costs, and asks.
func (a asking) agreed(ctx context.Context, p *Process, f evalFlags, files []eval.File, o eval.Options) error {
	encoding, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	var counted []*bill
	o.Done, o.Workers, o.Models = nil, 0, slices.Clone(o.Models)
	for i, m := range o.Models {
		b := &bill{encoding: encoding, shared: map[string]int{}}
		counted = append(counted, b)
		o.Models[i] = eval.Counter{Known: m.(*eval.Answers).Known, Asked: b.add}
	}
	if _, err := eval.Judge(ctx, files, o); err != nil {
		return err
	}
	questions := 0
	for i, b := range counted {
		settings := a.settings[min(i, len(a.settings)-1)]
		fmt.Fprintln(p.Stderr, b.text(o.Sets[i].Name, settings))
		questions += b.questions
	}
	switch {
	case questions == 0 || f.yes:
		return nil
	case !isTerminal(p.Stdin):
		return errors.New("asking costs money, and standard input is not a terminal; run it again with --yes")
	case !confirmed(ctx, p, "Ask? [y/N] "):
		return errors.New("nothing was asked")
	}
	return nil
}

// bill counts the questions for one rule set.
type bill struct {
	encoding tokenizer.Codec

	mu                       sync.Mutex
	questions, system, fresh int
	shared                   map[string]int // tokens of each system prompt
}

func (b *bill) add(q nod.Prompt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.shared[q.System]; !ok {
		b.shared[q.System] = b.count(q.System)
	}
	b.questions++
	b.system += b.shared[q.System]
	b.fresh += b.count(q.Text(q.Careful))
}

func (b *bill) count(text string) int {
	n, err := b.encoding.Count(text)
	if err != nil {
		return len(text)
	}
	return n
}

// text says how many questions there are and what one careful answer to each
// costs, with the shared part from the cache and in full.
func (b *bill) text(name string, s config.Settings) string {
	model := s.Model.Name
	if model == "" {
		model = llm.DefaultModel(s.Model.Provider)
	}
	line := fmt.Sprintf("%s: %d questions to %s, %d tokens shared and %d of their own", printable.Text(name),
		b.questions, printable.Text(model), b.system, b.fresh)
	price, ok := llm.PriceOf(append(prices(s.Prices), llm.Prices()...), model)
	if !ok {
		return line + "; its price is not known, see [[price]] in nod help settings"
	}
	cost := func(perShared float64) float64 {
		return (float64(b.system)*perShared + float64(b.fresh)*price.In +
			float64(b.questions*200)*price.Out) / 1e6
	}
	return line + fmt.Sprintf("; about $%.2f, $%.2f if nothing is cached", cost(price.Cached), cost(price.In))
}
