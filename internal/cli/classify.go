package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/classify"
	"github.com/nodgate/nod/internal/config"
	"github.com/nodgate/nod/internal/daemon"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/llm"
)

func classifyCommand() command {
	return command{
		name:    "classify",
		usage:   "classify [--settings FILE] [--managed FILE] [--state DIR]",
		summary: "ask the model one question, read from standard input",
		long: `Asks the configured model whether one call must be blocked. nod-hook starts it
where layers 0 to 3 leave a call open; people have no need of it.

Standard input holds one request, standard output gets one answer:

  {"v":1,"prompt":{"id":"","digest":"","system":"","user":""},"timeout_ms":9000}
  {"v":1,"digest":"","classification":{...}}
  {"v":1,"digest":"","error":{"kind":"","message":"","cause":""}}

Of the environment, only ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY
counts, and only where the settings name neither key_file nor endpoint.

  --settings F, --managed F, --state DIR   instead of the usual places

Exit status: 0 if an answer was written, an error included; 2 if the arguments
or the request cannot be used; 1 if the answer could not be written.`,
		examples: []string{`nod classify --state ~/.local/state/nod < request.json`},
		run:      classifyOne,
	}
}

func classifyOne(ctx context.Context, p *Process, args []string) int {
	places := config.DefaultPlaces(p.Getenv("HOME"))
	flags := flag.NewFlagSet("classify", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	placeFlags(flags, &places)
	if err := flags.Parse(args); err != nil {
		return usageError(p, classifyCommand(), err)
	}
	if flags.NArg() > 0 {
		return usageError(p, classifyCommand(),
			fmt.Errorf("unexpected argument %q; the request is read from standard input", flags.Arg(0)))
	}
	request, err := classify.ReadRequest(p.Stdin)
	if err != nil {
		fmt.Fprintln(p.Stderr, "nod classify:", printable.Line(err.Error(), 300))
		return ExitBadInput
	}
	if err := answerRequest(ctx, p, places, request).Write(p.Stdout); err != nil {
		fmt.Fprintln(p.Stderr, "nod classify: the answer was not written:", err)
		return ExitInternal
	}
	return ExitOK
}

// answerRequest always has an answer: without settings, key or model it says
// which of them is missing.
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
	answer := classify.Reply(ctx, model, r)
	answer.Notices = append(answer.Notices, notices...)
	return answer
}

// modelSource is what a model is made of besides settings.
type modelSource struct {
	places config.Places
	getenv func(string) string // nil: nothing is in the environment
	notice func(string)        // called by the goroutine that asks
	limits *daemon.Limits      // nil: none
	mark   string              // ends the names of a fallback's dumps
}

// newModel returns the model that the settings describe, and those that stand
// in for it.
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
		m, err := from.target(s, t)
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

// target gives each of several models its share of the time.
func (from modelSource) target(s config.Settings, t config.Target) (nod.Model, error) {
	o, err := from.options(s, t)
	if err != nil {
		return nil, err
	}
	model, err := llm.New(o)
	if err != nil || from.limits == nil {
		return model, err
	}
	return from.limits.Bound(t.Provider+"\x00"+t.Endpoint+"\x00"+o.Key, model), nil
}

// options are what package llm is told of a target.
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
