package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/printable"
)

const geminiAddress = "https://generativelanguage.googleapis.com"

// Gemini asks a model over Gemini's generateContent. It is safe for concurrent
// use.
type Gemini struct {
	client *client
	models *genai.Models
}

var _ nod.Model = (*Gemini)(nil)

func newGemini(o Options) (nod.Model, error) {
	c, err := newClient(vendor{provider: ProviderGemini, address: geminiAddress, defaultModel: DefaultGeminiModel,
		keyHeader: "X-Goog-Api-Key"}, o)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	for name, value := range c.headers {
		header.Set(name, value)
	}
	watched := *c.http
	watched.Transport = watchedTransport{c.http.Transport}
	// Backend, key and address are set, so that the SDK asks no variable.
	sdk, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		Backend: genai.BackendGeminiAPI, APIKey: c.key, HTTPClient: &watched,
		HTTPOptions: genai.HTTPOptions{BaseURL: c.base + "/", Headers: header},
	})
	if err != nil {
		return nil, badSettings("the client for Gemini could not be made: %s", printable.Line(c.mask(err.Error()), 200))
	}
	return &Gemini{c, sdk.Models}, nil
}

// watchedTransport hands each request to the exchange in its context: this
// SDK has no middleware.
type watchedTransport struct{ next http.RoundTripper }

type exchangeKey struct{}

func (t watchedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if x, ok := r.Context().Value(exchangeKey{}).(*exchange); ok {
		return x.watch(r, t.next.RoundTrip)
	}
	return nil, fmt.Errorf("a request that no question made")
}

// Classify implements [nod.Model].
func (g *Gemini) Classify(ctx context.Context, p nod.Prompt) (nod.Classification, error) {
	return g.client.ask(ctx, p, g.send)
}

func (g *Gemini) send(ctx context.Context, q question, x *exchange) (reply, error) {
	answer, err := g.models.GenerateContent(context.WithValue(ctx, exchangeKey{}, x), g.client.model,
		genai.Text(q.text()), g.config(q))
	if err != nil {
		return reply{}, err
	}
	return g.read(answer)
}

func (g *Gemini) config(q question) *genai.GenerateContentConfig {
	config := &genai.GenerateContentConfig{
		SystemInstruction: genai.NewContentFromText(q.System, genai.RoleUser),
		MaxOutputTokens:   int32(min(g.client.maxTokens, 1<<30)),
		Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{
			Name: nod.AnswerTool().Name, Description: nod.AnswerTool().Description, Parameters: answerSchema(),
		}}}},
		ToolConfig: &genai.ToolConfig{FunctionCallingConfig: &genai.FunctionCallingConfig{
			Mode: genai.FunctionCallingConfigModeAny, AllowedFunctionNames: []string{nod.AnswerTool().Name},
		}},
	}
	if s := g.client.style; s.temperature != nil {
		config.Temperature = genai.Ptr(float32(*s.temperature))
	}
	if s := g.client.style; s.channel == Auto {
		mode := &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeAuto}
		config.ToolConfig.FunctionCallingConfig = mode
	}
	if s := g.client.style; s.effort != "" {
		config.ThinkingConfig = &genai.ThinkingConfig{ThinkingLevel: genai.ThinkingLevel(strings.ToUpper(s.effort))}
	}
	return config
}

// answerSchema is [nod.AnswerTool] in Gemini's dialect, whose maps have no
// order of their own.
func answerSchema() *genai.Schema {
	return &genai.Schema{
		Type: genai.TypeObject,
		Properties: map[string]*genai.Schema{
			"thinking":     {Type: genai.TypeString, Description: "Brief reasoning about the action"},
			"should_block": {Type: genai.TypeBoolean},
			"reason":       {Type: genai.TypeString, Description: "Why allow or block"},
		},
		PropertyOrdering: []string{"thinking", "should_block", "reason"},
		Required:         []string{"thinking", "should_block", "reason"},
	}
}

// read takes the one call out of r.
func (g *Gemini) read(r *genai.GenerateContentResponse) (reply, error) {
	c := g.client
	if f := r.PromptFeedback; f != nil && (f.BlockReason != "" || slices.ContainsFunc(f.SafetyRatings, isBlocked)) {
		return reply{}, c.refused(string(f.BlockReason) + " " + f.BlockReasonMessage)
	}
	if len(r.Candidates) != 1 || r.Candidates[0] == nil {
		return reply{}, c.malformed(fmt.Sprintf("the answer has %d candidates instead of one", len(r.Candidates)), "")
	}
	candidate := r.Candidates[0]
	if slices.ContainsFunc(candidate.SafetyRatings, isBlocked) {
		return reply{}, c.refused("a safety rating of the answer blocks it")
	}
	switch candidate.FinishReason {
	case genai.FinishReasonStop:
	case genai.FinishReasonMaxTokens:
		return reply{}, c.cutOff(string(candidate.FinishReason))
	case genai.FinishReasonSafety, genai.FinishReasonProhibitedContent, genai.FinishReasonBlocklist,
		genai.FinishReasonSPII, genai.FinishReasonRecitation, genai.FinishReasonLanguage:
		return reply{}, c.refused(string(candidate.FinishReason))
	default:
		return reply{}, c.malformed(fmt.Sprintf("the model stopped for %s", quote(string(candidate.FinishReason))),
			candidate.FinishMessage)
	}
	input, err := g.call(candidate.Content)
	if err != nil {
		return reply{}, err
	}
	return reply{input: input, model: r.ModelVersion, usage: geminiUsage(r.UsageMetadata)}, nil
}

func isBlocked(r *genai.SafetyRating) bool { return r != nil && r.Blocked }

// call is the input of the one call in content.
func (g *Gemini) call(content *genai.Content) ([]byte, error) {
	if content == nil {
		content = &genai.Content{}
	}
	if content.Role != "" && content.Role != genai.RoleModel { // not all gateways write it
		return nil, g.client.malformed("the answer is not the model's", "")
	}
	var calls []*genai.FunctionCall
	texts := 0
	for _, part := range content.Parts {
		switch {
		case isCall(part):
			calls = append(calls, part.FunctionCall)
		case part == nil || part.FunctionCall != nil || part.Text == "" && !part.Thought:
			return nil, g.client.malformed("the answer holds a part that is not only a call, a thought or text", "")
		case !part.Thought:
			texts++
		}
	}
	named := len(calls) > 0 && calls[0].Name == nod.AnswerTool().Name
	if err := g.client.oneCall(len(calls), named, texts); err != nil {
		return nil, err
	}
	// The whole body was seen to hold no key twice, so nothing is lost here.
	return json.Marshal(calls[0].Args)
}

// isCall reports whether a part is a whole call and nothing else. The signature is
// of the thoughts that led to it.
func isCall(part *genai.Part) bool {
	if part == nil || part.FunctionCall == nil {
		return false
	}
	call, rest := part.FunctionCall, *part
	rest.FunctionCall, rest.ThoughtSignature = nil, nil
	return reflect.ValueOf(rest).IsZero() && len(call.PartialArgs) == 0 &&
		(call.WillContinue == nil || !*call.WillContinue)
}

func geminiUsage(u *genai.GenerateContentResponseUsageMetadata) nod.Usage {
	if u == nil {
		return nod.Usage{}
	}
	return nod.Usage{
		In: count(int64(u.PromptTokenCount)), Cached: count(int64(u.CachedContentTokenCount)),
		Out: count(int64(u.CandidatesTokenCount) + int64(u.ThoughtsTokenCount)),
	}
}
