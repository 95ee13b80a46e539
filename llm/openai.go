package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/azure"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// OpenAI asks a model over the Responses API, the vendor's own or Microsoft's.
// Nothing is stored with the vendor. It is safe for concurrent use.
type OpenAI struct {
	client  *client
	service responses.ResponseService
}

var _ nod.Model = (*OpenAI)(nil)

func newOpenAI(o Options) (nod.Model, error) {
	c, err := newClient(vendor{provider: ProviderOpenAI, address: openAIAddress, defaultModel: DefaultOpenAIModel,
		keyHeader: "Authorization"}, o)
	if err != nil {
		return nil, err
	}
	// The service, not the client: only a client reads the environment.
	return &OpenAI{c, responses.NewResponseService(c.openAI(option.WithBaseURL(c.base+"/"),
		option.WithAPIKey(c.key))...)}, nil
}

func newAzure(o Options) (nod.Model, error) {
	c, err := newClient(vendor{provider: ProviderAzure, keyHeader: "Api-Key"}, o)
	if err != nil {
		return nil, err
	}
	access := []option.RequestOption{azure.WithEndpoint(c.base, o.APIVersion), azure.WithAPIKey(c.key)}
	if strings.HasPrefix(c.base, "http:") { // a loopback address, or parseEndpoint had refused it
		access = append(access, azure.WithUnsafeAllowHTTP())
	}
	return &OpenAI{c, responses.NewResponseService(c.openAI(access...)...)}, nil
}

// openAI are the SDK's options; access is how requests reach the model.
func (c *client) openAI(access ...option.RequestOption) []option.RequestOption {
	options := append([]option.RequestOption{
		option.WithHTTPClient(c.http), option.WithMaxRetries(0), option.WithRequestTimeout(c.timeout),
	}, access...)
	for name, value := range c.headers {
		options = append(options, option.WithHeader(name, value))
	}
	return options
}

// Classify implements [nod.Model].
func (o *OpenAI) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	return o.client.ask(ctx, p, o.send)
}

func (o *OpenAI) send(ctx context.Context, q question, x *exchange) (reply, error) {
	response, err := o.service.New(ctx, o.params(q), option.WithMiddleware(x.watch))
	if err != nil {
		return reply{}, err
	}
	return o.read(response)
}

// functionTool is the forced tool. It is a struct of nod's own because the
// SDK's holds the schema as a map, which would sort the properties.
type functionTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// params is the seed's request, and keeps the vendor from storing it.
func (o *OpenAI) params(q question) responses.ResponseNewParams {
	answer := nod.AnswerTool()
	tool := param.Override[responses.FunctionToolParam](functionTool{"function", answer.Name, answer.Description,
		answer.Schema, true})
	params := responses.ResponseNewParams{
		Model:             o.client.model,
		Instructions:      openai.String(q.System),
		Input:             responses.ResponseNewParamsInputUnion{OfString: openai.String(q.text())},
		MaxOutputTokens:   openai.Int(o.client.maxTokens),
		Store:             openai.Bool(false),
		ParallelToolCalls: openai.Bool(false),
		Tools:             []responses.ToolUnionParam{{OfFunction: &tool}},
		ToolChoice: responses.ResponseNewParamsToolChoiceUnion{
			OfFunctionTool: &responses.ToolChoiceFunctionParam{Name: answer.Name},
		},
	}
	s := o.client.style
	if s.channel == Auto {
		auto := param.NewOpt(responses.ToolChoiceOptionsAuto)
		params.ToolChoice = responses.ResponseNewParamsToolChoiceUnion{OfToolChoiceMode: auto}
	}
	if s.temperature != nil {
		params.Temperature = openai.Float(*s.temperature)
	}
	if s.effort != "" {
		params.Reasoning = shared.ReasoningParam{Effort: shared.ReasoningEffort(s.effort)}
	}
	if q.CacheKey != "" {
		params.PromptCacheKey = openai.String(q.CacheKey)
	}
	return params
}

// read takes the one call of the forced tool out of r.
func (o *OpenAI) read(r *responses.Response) (reply, error) {
	c := o.client
	if r == nil || r.Object != "response" || !r.JSON.Output.Valid() {
		return reply{}, c.malformed("the answer is not a response", "")
	}
	if err := o.ended(r); err != nil {
		return reply{}, err
	}
	var calls []responses.ResponseOutputItemUnion
	named, texts := false, 0
	for _, item := range r.Output {
		switch item.Type {
		case "function_call":
			calls = append(calls, item)
			named = named || item.Name == nod.AnswerTool().Name
		case "reasoning":
		case "message":
			if refusal, ok := refusalIn(item); ok {
				return reply{}, c.refused(refusal)
			}
			texts++
		default:
			return reply{}, c.malformed(fmt.Sprintf("the answer holds an item of type %s", quote(item.Type)), "")
		}
	}
	if err := c.oneCall(len(calls), named, texts); err != nil {
		return reply{}, err
	}
	return o.call(r, calls[0])
}

// ended reports a response that did not come to its end.
func (o *OpenAI) ended(r *responses.Response) error {
	c := o.client
	switch r.Status {
	case responses.ResponseStatusCompleted:
		if r.JSON.Error.Valid() {
			return c.malformed("the answer holds an error and says that it is complete", r.Error.Message)
		}
		return nil
	case responses.ResponseStatusIncomplete:
		if r.IncompleteDetails.Reason == "content_filter" {
			return c.refused("content_filter")
		}
		return c.cutOff(r.IncompleteDetails.Reason)
	case responses.ResponseStatusFailed:
		return c.failed(r.Error)
	}
	return c.malformed(fmt.Sprintf("the answer's status is %s", quote(string(r.Status))), "")
}

// failed is a response that says why it failed, under status 200.
func (c *client) failed(e responses.ResponseError) error {
	kind, advice := fault.ServerError, "the vendor failed; try again later"
	switch e.Code {
	case responses.ResponseErrorCodeRateLimitExceeded:
		kind, advice = fault.RateLimited, "the rate limit or the quota of this API key is used up; wait, or "+
			"raise it with the vendor"
	case responses.ResponseErrorCodeInvalidPrompt, responses.ResponseErrorCodeBioPolicy,
		responses.ResponseErrorCodeMisalignmentPolicyViolation:
		return c.refused(string(e.Code) + ": " + e.Message)
	}
	return c.failure(kind, advice, string(e.Code)+": "+e.Message)
}

func (c *client) refused(why string) error {
	return c.failure(fault.Refused, "the model declined to judge this call; decide it yourself", why)
}

func refusalIn(item responses.ResponseOutputItemUnion) (string, bool) {
	for _, part := range item.Content {
		if part.Type == "refusal" {
			return part.Refusal, true
		}
	}
	return "", false
}

// call reads the arguments, which the API carries as JSON text in a string.
func (o *OpenAI) call(r *responses.Response, item responses.ResponseOutputItemUnion) (reply, error) {
	switch item.Status {
	case "", "completed":
	case "incomplete":
		return reply{}, o.client.cutOff("the call is incomplete")
	default:
		return reply{}, o.client.malformed(fmt.Sprintf("the call's status is %s", quote(item.Status)), "")
	}
	if !item.Arguments.JSON.OfString.Valid() {
		return reply{}, o.client.malformed("the call's arguments are not a string", "")
	}
	details := r.Usage.InputTokensDetails
	return reply{
		input: []byte(item.Arguments.OfString), model: r.Model, cacheWrite: count(details.CacheWriteTokens),
		usage: nod.Usage{In: count(r.Usage.InputTokens), Out: count(r.Usage.OutputTokens),
			Cached: count(details.CachedTokens)},
	}, nil
}
