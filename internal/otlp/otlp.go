// Package otlp sends decisions to a collector of OpenTelemetry, by OTLP over HTTP: a record for each, and a span for
// each query of a model. The daemon sends those of its machine, the team server those of all.
package otlp

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	// The last conventions that hold gen_ai.*: they moved to a repository of their own, which has no release yet.
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/version"
)

// Options say what goes where. The zero value sends what the standard variables ask for, without inputs.
type Options struct {
	URL    string        // the collector's, such as http://127.0.0.1:4318; "" for that of the standard variables
	Inputs bool          // inputs and directories go, too, not only the digest
	Retry  time.Duration // the first pause after a collector that is busy; 0 is 5 s
}

// Check refuses a URL that is none.
func (o Options) Check() error {
	to, err := url.Parse(o.URL)
	if o.URL != "" && (err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https") {
		return fmt.Errorf("--otlp %s: want a URL such as http://127.0.0.1:4318", o.URL)
	}
	return nil
}

// Signals says what goes to a collector: nothing that no option and no standard variable asks for.
func (o Options) Signals() (logs, spans bool) {
	on := func(signal string) bool {
		to := o.URL + os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") + os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT")
		return to != "" && os.Getenv("OTEL_"+signal+"_EXPORTER") != "none"
	}
	return on("LOGS"), on("TRACES")
}

// Collector is where decisions go. It is for one goroutine. It gathers what the SDK makes and sends it by itself: the
// SDK's own processors drop what a collector does not take.
type Collector struct {
	inputs  bool
	logger  log.Logger
	tracer  trace.Tracer
	logs    sdklog.Exporter       // nil: no records are sent
	traces  sdktrace.SpanExporter // nil: no spans are sent
	of      audit.Place           // the batch of what follows
	records []sdklog.Record       // not taken yet
	spans   []sdktrace.ReadOnlySpan
}

// New speaks to nobody yet. An error says what of the options or the standard variables cannot be used.
func New(ctx context.Context, o Options) (*Collector, error) {
	c := &Collector{inputs: o.Inputs}
	wait := cmp.Or(o.Retry, 5*time.Second)
	again := otlploghttp.RetryConfig{Enabled: true, InitialInterval: wait, MaxInterval: 6 * wait,
		MaxElapsedTime: 12 * wait}
	toLogs := []otlploghttp.Option{otlploghttp.WithRetry(again)}
	toSpans := []otlptracehttp.Option{otlptracehttp.WithRetry(otlptracehttp.RetryConfig(again))}
	if base := strings.TrimRight(o.URL, "/"); base != "" {
		toLogs = append(toLogs, otlploghttp.WithEndpointURL(base+"/v1/logs"))
		toSpans = append(toSpans, otlptracehttp.WithEndpointURL(base+"/v1/traces"))
	}
	logs, spans := o.Signals()
	from, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName("nod"),
		semconv.ServiceVersion(version.String())), resource.WithFromEnv())
	if err == nil && logs {
		c.logs, err = otlploghttp.New(ctx, toLogs...)
	}
	if err == nil && spans {
		c.traces, err = otlptracehttp.New(ctx, toSpans...)
	}
	const scope = "github.com/nodgate/nod"
	c.logger = sdklog.NewLoggerProvider(sdklog.WithResource(from), sdklog.WithProcessor(processor{c})).
		Logger(scope, log.WithSchemaURL(semconv.SchemaURL))
	c.tracer = sdktrace.NewTracerProvider(sdktrace.WithResource(from), sdktrace.WithSpanProcessor(processor{c})).
		Tracer(scope, trace.WithSchemaURL(semconv.SchemaURL))
	return c, err
}

// processor is the collector as the SDK sees it.
type processor struct{ *Collector }

func (p processor) OnEmit(_ context.Context, r *sdklog.Record) error {
	p.records = append(p.records, r.Clone())
	return nil
}
func (p processor) OnEnd(s sdktrace.ReadOnlySpan)                        { p.spans = append(p.spans, s) }
func (processor) OnStart(context.Context, sdktrace.ReadWriteSpan)        {}
func (processor) Enabled(context.Context, sdklog.EnabledParameters) bool { return true }
func (processor) Shutdown(context.Context) error                         { return nil }
func (processor) ForceFlush(context.Context) error                       { return nil }

// Take sends the decisions of a batch. After an error it sends of the same batch what was not taken.
func (c *Collector) Take(ctx context.Context, b audit.Batch) error {
	if c.of != b.Place {
		c.Forget()
		c.of = b.Place
		for _, l := range b.Lines {
			if l.Kind == audit.Decision {
				c.Add(l.Entry)
			}
		}
	}
	return c.Send(ctx)
}

// Send sends what was added. After an error it sends what was not taken once more.
func (c *Collector) Send(ctx context.Context) error {
	if c.logs != nil && len(c.records) > 0 {
		if err := c.logs.Export(ctx, c.records); !taken(err) {
			return err
		}
		c.records = nil
	}
	if c.traces != nil && len(c.spans) > 0 {
		if err := c.traces.ExportSpans(ctx, c.spans); !taken(err) {
			return err
		}
	}
	c.Forget()
	return nil
}

// Forget takes back what was added and not sent.
func (c *Collector) Forget() { c.records, c.spans = nil, nil }

// taken reports whether a collector has the batch. It may have refused some of it for good (a partial success).
func taken(err error) bool { return err == nil || strings.Contains(err.Error(), "partial success") }

// Refused reports whether a collector would refuse the same again: it cannot read it, or it is too large.
func Refused(err error) bool {
	if err == nil {
		return false
	}
	status, _, _ := strings.Cut(err.Error(), "(body: ")
	return strings.Contains(status, ": 400 ") || strings.Contains(status, ": 413 ")
}

// Add makes the record of a decision, and the span of its query. Both say also what is added: keys and their values.
func (c *Collector) Add(e audit.Entry, more ...string) {
	severity := map[nod.Verdict]log.Severity{nod.Allow: log.SeverityInfo, nod.Ask: log.SeverityInfo2,
		nod.Deny: log.SeverityWarn}[e.Verdict]
	attributes := some("nod.decision.id", e.ID, "nod.agent", e.Agent, "nod.verdict", e.Verdict.String(),
		"nod.answered", e.Answered, "nod.layer", e.Layer.String(), string(semconv.GenAIConversationIDKey), e.Session)
	attributes = append(attributes, some(more...)...)
	if e.Error != nil {
		attributes = append(attributes, some(string(semconv.ErrorTypeKey), string(e.Error.Kind))...)
	}
	if e.Cost > 0 {
		attributes = append(attributes, attribute.Float64("nod.cost_usd", e.Cost))
	}
	ctx := context.Background()
	if e.Model != "" {
		ctx = c.query(ctx, e, attributes)
	}
	var r log.Record
	r.SetEventName("nod.decision")
	r.SetTimestamp(e.Time)
	r.SetSeverity(severity)
	r.SetSeverityText(severity.String())
	r.SetBody(attribute.StringValue(bounded(e.Verdict.String() + ": " + e.Reason)))
	r.AddAttributes(attributes...)
	r.AddAttributes(attribute.Float64("nod.decision.seconds", float64(e.Latency)/1e6))
	r.AddAttributes(some("nod.setting", e.Setting, "nod.tool", e.Tool, string(semconv.GenAIToolNameKey), e.RawTool,
		string(semconv.GenAIToolCallIDKey), e.CallID, "nod.input.sha256", e.InputSHA256)...)
	if e.Rule != nil {
		r.AddAttributes(some("nod.rule", e.Rule.Text, "nod.rule.origin", e.Rule.Origin)...)
	}
	if c.inputs {
		r.AddAttributes(some("nod.input", string(e.Input), "nod.dir", e.Dir, "nod.root", e.Root)...)
	}
	c.logger.Emit(ctx, r)
}

// query makes the span of a model's query, as long as the decision took, and returns it as the record's parent.
func (c *Collector) query(ctx context.Context, e audit.Entry, attributes []attribute.KeyValue) context.Context {
	model := printable.Line(e.Model, 100)
	began := e.Time.Add(-time.Duration(e.Latency) * time.Microsecond)
	ctx, span := c.tracer.Start(ctx, "chat "+model, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithTimestamp(began), trace.WithAttributes(attributes...),
		trace.WithAttributes(semconv.GenAIOperationNameChat, provider(model), semconv.GenAIRequestModel(model)))
	if u := e.Usage; u != nil {
		span.SetAttributes(semconv.GenAIUsageInputTokens(u.In), semconv.GenAIUsageOutputTokens(u.Out),
			semconv.GenAIUsageCacheReadInputTokens(u.Cached))
	}
	if e.Error != nil {
		span.SetStatus(codes.Error, bounded(e.Error.Message))
	}
	span.End(trace.WithTimestamp(e.Time))
	return ctx
}

// provider tells by the model's name: the log has nothing else.
func provider(model string) attribute.KeyValue {
	switch {
	case strings.HasPrefix(model, "claude"):
		return semconv.GenAIProviderNameAnthropic
	case strings.HasPrefix(model, "gpt"):
		return semconv.GenAIProviderNameOpenAI
	case strings.HasPrefix(model, "gemini"):
		return semconv.GenAIProviderNameGCPGemini
	case strings.Contains(model, "anthropic."):
		return semconv.GenAIProviderNameAWSBedrock
	}
	return semconv.GenAIProviderNameKey.String("_OTHER")
}

// some makes attributes of keys and values, without those that say nothing.
func some(pairs ...string) (list []attribute.KeyValue) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			list = append(list, attribute.String(pairs[i], bounded(pairs[i+1])))
		}
	}
	return list
}

// bounded keeps a batch below what collectors take.
func bounded(s string) string { return strings.ToValidUTF8(printable.Head(s, 8<<10), "\uFFFD") }
