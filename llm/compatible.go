package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// Compatible asks a model over chat completions, which nearly every server of
// local models and every gateway speaks. It is safe for concurrent use.
type Compatible struct {
	client  *client
	channel Channel
	service openai.ChatCompletionService
}

var _ nod.Model = (*Compatible)(nil)

func newCompatible(o Options) (nod.Model, error) {
	channel := styleOf(o.Model, o).channel
	switch channel {
	case Tool, Auto, Schema:
	default:
		return nil, badSettings("[model] channel %s is not known; want tool, auto or schema",
			quote(string(o.Channel)))
	}
	c, err := newClient(vendor{provider: ProviderCompatible, keyHeader: "Authorization", keyless: true}, o)
	if err != nil {
		return nil, err
	}
	access := []option.RequestOption{option.WithBaseURL(c.base + "/")}
	if c.key != "" {
		access = append(access, option.WithAPIKey(c.key))
	}
	return &Compatible{c, channel, openai.NewChatCompletionService(c.openAI(access...)...)}, nil
}

// Classify implements [nod.Model].
func (m *Compatible) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	return m.client.ask(ctx, p, m.send)
}

func (m *Compatible) send(ctx context.Context, q question, x *exchange) (reply, error) {
	completion, err := m.service.New(ctx, m.params(q), option.WithMiddleware(x.watch))
	if err != nil {
		return reply{}, err
	}
	return m.read(completion)
}

// chatFunction is the forced tool, with the schema as text; see functionTool.
type chatFunction struct {
	Type     string           `json:"type"`
	Function chatFunctionBody `json:"function"`
}

type chatFunctionBody struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// chatSchema is the answer's schema, as text for the same reason.
type chatSchema struct {
	Type       string         `json:"type"`
	JSONSchema chatSchemaBody `json:"json_schema"`
}

type chatSchemaBody struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

func (m *Compatible) params(q question) openai.ChatCompletionNewParams {
	answer := nod.AnswerTool()
	params := openai.ChatCompletionNewParams{
		Model:     m.client.model,
		MaxTokens: openai.Int(m.client.maxTokens),
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(q.System),
			openai.UserMessage(q.text())},
	}
	if s := m.client.style; s.temperature != nil {
		params.Temperature = openai.Float(*s.temperature)
	}
	if s := m.client.style; s.effort != "" {
		params.ReasoningEffort = shared.ReasoningEffort(s.effort)
	}
	switch m.channel {
	case Tool, Auto:
		tool := param.Override[openai.ChatCompletionFunctionToolParam](chatFunction{"function",
			chatFunctionBody{answer.Name, answer.Description, answer.Schema, true}})
		params.Tools = []openai.ChatCompletionToolUnionParam{{OfFunction: &tool}}
		named := openai.ChatCompletionNamedToolChoiceFunctionParam{Name: answer.Name}
		params.ToolChoice = openai.ToolChoiceOptionFunctionToolChoice(named)
		if m.channel == Auto {
			params.ToolChoice = openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String("auto")}
		}
	case Schema:
		schema := param.Override[shared.ResponseFormatJSONSchemaParam](chatSchema{"json_schema",
			chatSchemaBody{answer.Name, answer.Schema, true}})
		params.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &schema}
	}
	return params
}

// read takes the one answer out of r.
func (m *Compatible) read(r *openai.ChatCompletion) (reply, error) {
	c := m.client
	if r == nil || !isCompletion(r.JSON.Object.Raw()) || !r.JSON.Choices.Valid() || len(r.Choices) != 1 {
		return reply{}, c.malformed("the answer is not a chat completion with one choice", "")
	}
	choice := r.Choices[0]
	switch {
	case !isAssistants(choice.Message.JSON.Role.Raw()):
		return reply{}, c.malformed("the answer is not the assistant's", "")
	case choice.FinishReason == "length":
		return reply{}, c.cutOff("length")
	case choice.FinishReason == "content_filter", choice.Message.Refusal != "":
		return reply{}, c.refused(orDefault(choice.Message.Refusal, choice.FinishReason))
	// A forced call ends in "stop" at OpenAI, in "tool_calls" elsewhere.
	case choice.FinishReason != "stop" && choice.FinishReason != "tool_calls":
		return reply{}, c.malformed(fmt.Sprintf("the model stopped for %s", quote(choice.FinishReason)), "")
	}
	input, err := m.input(choice.Message)
	if err != nil {
		return reply{}, err
	}
	return reply{input: input, model: r.Model, usage: nod.Usage{
		In: count(r.Usage.PromptTokens), Out: count(r.Usage.CompletionTokens),
		Cached: count(r.Usage.PromptTokensDetails.CachedTokens),
	}}, nil
}

// isCompletion reports whether an answer says, as it is written, that it is whole.
// Not all servers say it.
func isCompletion(object string) bool {
	return object == "" || object == "null" || object == `""` || object == `"chat.completion"`
}

// isAssistants reports whether an answer's role, as it was written, is the
// model's. Not all servers write it.
func isAssistants(role string) bool { return role == "" || role == "null" || role == `"assistant"` }

// input is the answer as the JSON text of the tool's input.
func (m *Compatible) input(message openai.ChatCompletionMessage) ([]byte, error) {
	calls, texts := len(message.ToolCalls), 0
	if strings.TrimSpace(message.Content) != "" || !isText(message.JSON.Content.Raw()) {
		texts++
	}
	if m.channel == Tool || m.channel == Auto {
		named := calls > 0 && message.ToolCalls[0].Type == "function" &&
			message.ToolCalls[0].Function.Name == nod.AnswerTool().Name
		if err := m.client.oneCall(calls, named, texts); err != nil {
			return nil, err
		}
		if !isText(message.ToolCalls[0].Function.JSON.Arguments.Raw()) {
			return nil, m.client.malformed("the call's arguments are not a string", "")
		}
		return []byte(message.ToolCalls[0].Function.Arguments), nil
	}
	switch {
	case calls > 0:
		return nil, m.client.malformed("the model called a tool, and there is none", "")
	case texts == 0:
		return nil, m.client.failure(fault.NoDecision,
			"the model answered nothing; if this persists, choose another [model] name", "")
	}
	return []byte(message.Content), nil
}

// isText reports whether a field is a string, null or missing. The SDK takes
// other types for strings.
func isText(raw string) bool { return raw == "" || raw == "null" || raw[0] == '"' }
