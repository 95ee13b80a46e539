package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/classify"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/team/client"
	"github.com/nodgate/nod/llm"
)

func classifyOne(ctx context.Context, p *Process, args []string) error {
	a := newArguments(p).settings()
	if err := a.parse(args, 0); err != nil {
		return err
	}
	request, err := classify.ReadRequest(p.Stdin)
	if err != nil {
		return errors.New(printable.Line(err.Error(), 300))
	}
	if err := answerRequest(ctx, p, a.places, request).Write(p.Stdout); err != nil {
		return internal(fmt.Errorf("the answer was not written: %w", err))
	}
	return nil
}

// answerRequest always has an answer: without settings, key or model it says which of them is missing.
func answerRequest(ctx context.Context, p *Process, places config.Places, r classify.Request) classify.Answer {
	settings, err := config.Load(places)
	if err != nil {
		return classify.Fail(r, err)
	}
	var notices []string
	model, err := newModel(modelSource{places: places, getenv: p.Getenv,
		notice: func(notice string) { notices = append(notices, notice) }}, settings)
	if err != nil {
		return classify.Fail(r, err)
	}
	if model, err = shared(places, settings, model); err != nil {
		notices = append(notices, "the team's verdicts: "+printable.Line(err.Error(), 200))
	}
	answer := classify.Reply(ctx, model, r)
	answer.Notices = append(answer.Notices, notices...)
	return answer
}

// shared is a model whose verdicts are shared with the team, where settings and a membership say so.
func shared(places config.Places, s config.Settings, model nod.Model) (nod.Model, error) {
	if !s.Team.Verdicts {
		return model, nil
	}
	m, err := team.Load(places.Managed, places.State)
	if err != nil {
		return model, err
	}
	c, err := client.New(m)
	if err != nil {
		return model, err
	}
	return client.Shared{Client: c, Name: s.Model.Provider + " " + s.Model.Name, Model: model}, nil
}

// modelSource is what a model is made of besides settings.
type modelSource struct {
	places config.Places
	getenv func(string) string // nil: nothing is in the environment
	notice func(string)        // called by the goroutine that asks
	mark   string              // ends the names of a fallback's dumps
}

// newModel returns the model that the settings describe, and those that stand in for it.
func newModel(from modelSource, s config.Settings) (nod.Model, error) {
	if s.Model.Provider == "" {
		return nil, &fault.Error{Kind: fault.NoModel,
			Message: "no model is configured; set [model] provider in the settings"}
	}
	targets := append([]config.Target{s.Model.Target}, s.Model.Fallbacks...)
	var chain llm.Chain
	for i, t := range targets {
		if from.mark = ""; i > 0 {
			from.mark = "-fallback" + strconv.Itoa(i)
		}
		var m nod.Model
		o, err := from.options(s, t)
		if err == nil {
			m, err = llm.New(o)
		}
		if f := fault.Of(err); f != nil && f.Kind == fault.NoKey && len(targets) > 1 {
			m = missing{f}
		} else if err != nil {
			return nil, err
		}
		chain = append(chain, m)
	}
	if len(chain) == 1 {
		return chain[0], nil
	}
	return chain, nil
}

// missing is a model that cannot be asked, among others that can.
type missing struct{ why *fault.Error }

func (m missing) Classify(context.Context, nod.Prompt) (nod.Classification, error) {
	return nod.Classification{}, m.why
}

// options are what package llm is told of a target. Each of several models has its share of the time.
func (from modelSource) options(s config.Settings, t config.Target) (llm.Options, error) {
	m := s.Model
	key, err := t.Key(from.places.Files, from.places.UID)
	if err != nil {
		return llm.Options{}, err
	}
	fromEnvironment := key == "" && t.EnvironmentKey()
	if fromEnvironment && from.getenv != nil {
		key = from.getenv(llm.KeyVariable(t.Provider))
	}
	return llm.Options{
		Provider: t.Provider, Model: t.Name, Endpoint: t.Endpoint, Region: t.Region, Project: t.Project,
		APIVersion: t.APIVersion, Channel: llm.Channel(t.Channel),
		Key: key, KeyFromEnvironment: fromEnvironment,
		MaxTokens: m.MaxTokens, Timeout: m.Timeout / time.Duration(1+len(m.Fallbacks)), Proxy: m.Proxy,
		CAFile: m.CAFile, Headers: t.Headers,
		Effort: t.Effort, Thinking: t.Thinking, Temperature: t.Temperature,
		Prices: prices(s.Prices), DumpDir: s.Log.DumpDir, DumpMark: from.mark, Notice: from.notice,
	}, nil
}

func prices(in []config.Price) []llm.Price {
	out := make([]llm.Price, 0, len(in))
	for _, p := range in {
		out = append(out, llm.Price{Model: p.Model, In: p.In, Out: p.Out, Cached: p.Cached})
	}
	return out
}
