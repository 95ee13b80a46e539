package nod

import (
	"context"
	"encoding/json"
	"strings"
)

// Model answers the side query: one prompt in, one classification out. Implementations are safe for
// concurrent use, keep to ctx's deadline, and return a *[fault.Error] for every answer that is not
// exactly one well-formed call of the forced tool. They never guess.
type Model interface {
	Classify(ctx context.Context, p Prompt) (Classification, error)
}

// Prompt is everything that a model is told. It is data: it crosses to `nod classify` as JSON.
type Prompt struct {
	ID     string `json:"id"`     // the decision's, and names its dump
	Digest string `json:"digest"` // the SHA-256 (hex) of the call; the answer must carry it back
	// System and Ledger are what stays from call to call, so that a provider can cache it: System is the same for
	// everyone under the same rules, and Ledger, the session so far in pieces, only grows at its end.
	System string   `json:"system"`
	Ledger []string `json:"ledger,omitempty"`
	User   string   `json:"user"` // the call and what is known of it
	// Quick and Careful end the user's part. With Quick the model is asked twice: first for should_block alone, and
	// only if that says block with Careful in its place. Without, it is asked once, with Careful.
	Quick   string `json:"quick,omitempty"`
	Careful string `json:"careful,omitempty"`
	// CacheKey groups prompts that begin alike, for providers that take such a hint; "" asks for no caching.
	CacheKey string `json:"cache_key,omitempty"`
}

// Text is the whole user's part that ends with closing.
func (p Prompt) Text(closing string) string {
	parts := append(append([]string{}, p.Ledger...), p.User)
	if closing != "" {
		parts = append(parts, closing)
	}
	return strings.Join(parts, "\n\n")
}

// Classification is what a model answered.
type Classification struct {
	Digest      string  `json:"digest"` // the Prompt's
	ShouldBlock bool    `json:"should_block"`
	Reason      string  `json:"reason"`
	Thinking    string  `json:"thinking"`
	Model       string  `json:"model"` // as the provider names it
	Usage       Usage   `json:"usage"`
	Cost        float64 `json:"cost_usd"` // US dollars; 0 where the price is unknown
	// Quick says that the quick question settled it, so that there is neither thinking nor a reason. Cleared says
	// that the quick answer, or its lack, spoke against the call and the careful answer for it. QuickSaid is
	// for the log: "pass", "block", "failed", or "" where it was not asked.
	Quick     bool   `json:"quick,omitempty"`
	Cleared   bool   `json:"cleared,omitempty"`
	QuickSaid string `json:"quick_said,omitempty"`
	// Notices are for the person: what went wrong beside the answer, such as a
	// dump that could not be written. They count with an error too.
	Notices []string `json:"-"`
}

// Usage counts tokens. In includes the cached ones.
type Usage struct {
	In     int `json:"in"`
	Out    int `json:"out"`
	Cached int `json:"cached"`
}

// Tool is what a model is forced to call, so that it answers in one form.
type Tool struct {
	Name, Description string
	// Schema is the JSON schema of the tool's input. The order of its properties is part of it:
	// thinking comes first, so that the model reasons before it decides.
	Schema json.RawMessage
}

// AnswerTool is the tool by which a model answers a [Prompt]; its words are the
// description's (docs/design.md, section 9).
func AnswerTool() Tool {
	return Tool{
		Name: "classify_result", Description: "Return classification decision",
		Schema: json.RawMessage(`{"type":"object","properties":{` +
			`"thinking":{"type":"string","description":"Brief reasoning about the action"},` +
			`"should_block":{"type":"boolean"},` +
			`"reason":{"type":"string","description":"Why allow or block"}},` +
			`"required":["thinking","should_block","reason"],"additionalProperties":false}`),
	}
}
