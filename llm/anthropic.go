package llm

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// Anthropic asks a model over the Messages API: the vendor's own, Amazon's or
// Google's. It is safe for concurrent use.
type Anthropic struct {
	client  *client
	service anthropic.MessageService
}

var _ nod.Model = (*Anthropic)(nil)

func newAnthropic(o Options) (nod.Model, error) {
	c, err := newClient(vendor{provider: ProviderAnthropic, address: anthropicAddress,
		defaultModel: DefaultAnthropicModel, keyHeader: "X-Api-Key"}, o)
	if err != nil {
		return nil, err
	}
	return c.anthropic(option.WithAPIKey(c.key), option.WithBaseURL(c.base)), nil
}

// anthropic makes the model; access is how requests reach it.
func (c *client) anthropic(access ...option.RequestOption) *Anthropic {
	options := append([]option.RequestOption{
		option.WithHTTPClient(c.http), option.WithMaxRetries(0), option.WithRequestTimeout(c.timeout),
		option.WithoutOpenTelemetry(), option.WithOpenTelemetryPropagation(false),
	}, access...)
	for name, value := range c.headers {
		options = append(options, option.WithHeader(name, value))
	}
	// The service, not the client: only a client reads the environment.
	return &Anthropic{c, anthropic.NewMessageService(options...)}
}

// Classify implements [nod.Model].
func (a *Anthropic) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	return a.client.ask(ctx, p, a.send)
}

func (a *Anthropic) send(ctx context.Context, q question, x *exchange) (reply, error) {
	message, err := a.service.New(ctx, a.params(q), option.WithMiddleware(x.watch))
	if err != nil {
		return reply{}, err
	}
	return a.read(message)
}

// params is the seed's request, with what the model's style asks for.
func (a *Anthropic) params(q question) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{
		Model:     a.client.model,
		MaxTokens: a.client.maxTokens,
		System:    []anthropic.TextBlockParam{textBlock(q.System, q.CacheKey != "")},
		Messages:  []anthropic.MessageParam{{Role: anthropic.MessageParamRoleUser, Content: contentOf(q)}},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name:        nod.AnswerTool().Name,
			Description: anthropic.String(nod.AnswerTool().Description),
			// As raw text: the SDK would sort the properties.
			InputSchema: param.Override[anthropic.ToolInputSchemaParam](nod.AnswerTool().Schema),
		}}},
		ToolChoice: anthropic.ToolChoiceUnionParam{OfTool: &anthropic.ToolChoiceToolParam{
			Name: nod.AnswerTool().Name, DisableParallelToolUse: anthropic.Bool(true),
		}},
	}
	s := a.client.style
	if s.channel == Auto {
		one := &anthropic.ToolChoiceAutoParam{DisableParallelToolUse: anthropic.Bool(true)}
		p.ToolChoice = anthropic.ToolChoiceUnionParam{OfAuto: one}
	}
	if s.temperature != nil {
		p.Temperature = anthropic.Float(*s.temperature)
	}
	switch s.thinking {
	case "off":
		off := anthropic.NewThinkingConfigDisabledParam()
		p.Thinking = anthropic.ThinkingConfigParamUnion{OfDisabled: &off}
	case adaptive:
		p.Thinking = anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{}}
	}
	if s.effort != "" {
		p.OutputConfig = anthropic.OutputConfigParam{Effort: anthropic.OutputConfigEffort(s.effort)}
	}
	return p
}

// contentOf is the user's part: the pieces of the ledger, of which the last
// ends what can be cached, and the rest as one block. The closing has its own,
// so that both stages share all that comes before it.
func contentOf(q question) []anthropic.ContentBlockParamUnion {
	var blocks []anthropic.ContentBlockParamUnion
	add := func(text string, cached bool) {
		b := textBlock(text, cached)
		blocks = append(blocks, anthropic.ContentBlockParamUnion{OfText: &b})
	}
	for i, piece := range q.Ledger {
		add(piece, q.CacheKey != "" && i == len(q.Ledger)-1)
	}
	add(q.User, q.CacheKey != "" && q.Quick != "")
	if q.closing != "" {
		add(q.closing, false)
	}
	return blocks
}

func textBlock(text string, cached bool) anthropic.TextBlockParam {
	b := anthropic.TextBlockParam{Text: text}
	if cached {
		b.CacheControl = anthropic.NewCacheControlEphemeralParam()
	}
	return b
}

// read takes the one call of the forced tool out of m.
func (a *Anthropic) read(m *anthropic.Message) (reply, error) {
	c := a.client
	if m == nil || m.Type != "message" || !m.JSON.Content.Valid() || !isAssistants(m.JSON.Role.Raw()) {
		return reply{}, c.malformed("the answer is not a message", "")
	}
	switch m.StopReason {
	case anthropic.StopReasonRefusal:
		return reply{}, c.refused(string(m.StopDetails.Explanation))
	case anthropic.StopReasonMaxTokens, anthropic.StopReasonModelContextWindowExceeded:
		return reply{}, c.cutOff(string(m.StopReason))
	}
	calls, texts := []json.RawMessage{}, 0
	named := false
	for _, block := range m.Content {
		switch block.Type {
		case "tool_use":
			calls = append(calls, block.Input)
			named = named || block.Name == nod.AnswerTool().Name
		case "thinking", "redacted_thinking":
		case "text":
			texts++
		default:
			return reply{}, c.malformed(fmt.Sprintf("the answer holds a block of type %s", quote(block.Type)), "")
		}
	}
	if err := c.oneCall(len(calls), named, texts); err != nil {
		return reply{}, err
	}
	if m.StopReason != anthropic.StopReasonToolUse {
		return reply{}, c.malformed(fmt.Sprintf("the model stopped for %s, not for the tool",
			quote(string(m.StopReason))), "")
	}
	return reply{input: calls[0], model: m.Model, usage: usageOf(m.Usage),
		cacheWrite: count(m.Usage.CacheCreationInputTokens)}, nil
}

// usageOf adds up what the vendor counts apart.
func usageOf(u anthropic.Usage) nod.Usage {
	cached := count(u.CacheReadInputTokens)
	return nod.Usage{In: count(u.InputTokens) + cached + count(u.CacheCreationInputTokens), Out: count(u.OutputTokens),
		Cached: cached}
}

// oneCall reports what is wrong with an answer of so many calls and texts.
func (c *client) oneCall(calls int, named bool, texts int) error {
	switch {
	case calls == 0 || calls == 1 && !named:
		return c.failure(fault.NoDecision,
			"the model answered without calling "+nod.AnswerTool().Name+
				"; if this persists, choose another [model] name", "")
	case calls > 1:
		return c.malformed(fmt.Sprintf("the model made %d tool calls instead of one", calls), "")
	case texts > 0 && c.style.channel != Auto:
		return c.malformed("the model wrote text beside its decision", "")
	}
	return nil
}

func (c *client) cutOff(why string) error {
	return c.failure(fault.CutOff, "the answer was cut off before its end; raise [model] max_tokens", why)
}

// count turns a vendor's number of tokens into one that adds up.
func count(n int64) int { return int(min(max(n, 0), 1<<31-1)) }
