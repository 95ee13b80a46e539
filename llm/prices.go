package llm

import "strings"

// Price is what a model costs, in US dollars per million tokens. A zero field
// costs nothing; a model without a Price has unknown cost, which counts as 0.
type Price struct {
	// Model is the vendor's name, with or without its date.
	Model string
	// In is for fresh input, Cached for input read from the vendor's cache,
	// CacheWrite for input written to it (0: as In), Out for the answer.
	In, Out, Cached, CacheWrite float64
}

// Prices returns the built-in list: the default models and their families, for
// prompts of up to 100,000 tokens. Each call returns a fresh slice.
//
// Where each price was read, in November 2026:
//
//	V  the vendor's own page of the model or of prices, as public archives hold
//	   it: platform.claude.com/docs/en/about-claude/pricing and
//	   .../docs/models/NAME/overview, developers.openai.com/api/docs/models/NAME;
//	   of Sonnet 4.5 and Haiku 3.5 that of November 2025
//	C  the vendor's page for input and output; what the cache costs after
//	   github.com/kurofune/claudit v1.9.2, which read the vendor's page on
//	   2026-10-24
//	G  a third party's table: npm @pydantic/genai-prices 0.1.8
//	T  third parties that repeat the vendor's page: github.com/github/docs
//	   data/tables/copilot/models-and-pricing.yml (GPT-4.1), docs.rs openai-models
//	   0.1.1 (GPT-4o mini)
func Prices() []Price {
	return []Price{
		{"claude-haiku-4-5", 1, 5, 0.10, 1.25},          // G; V for input and output
		{"claude-haiku-5-5", 0.10, 0.50, 0.01, 0.125},   // V; C for reading the cache
		{"claude-sonnet-5-5", 2, 10, 0.10, 2.50},        // C; writing as 1.25 times the input
		{"claude-sonnet-4-5", 3, 15, 0.30, 3.75},        // V
		{"claude-sonnet-5", 2, 10, 0.20, 2.50},          // G; writing as 1.25 times the input
		{"claude-opus-4-5", 5, 25, 0.50, 6.25},          // V
		{"claude-3-5-haiku", 0.80, 4, 0.08, 1},          // V
		{"gemini-2.5-flash-lite", 0.10, 0.40, 0.01, 0},  // G
		{"gemini-3.1-flash-lite", 0.25, 1.50, 0.025, 0}, // G
		{"gemini-3.5-flash-lite", 0.30, 2.50, 0.03, 0},  // G
		{"gpt-4.1", 2, 8, 0.50, 0},                      // T
		{"gpt-4.1-mini", 0.40, 1.60, 0.10, 0},           // G
		{"gpt-4.1-nano", 0.10, 0.40, 0.025, 0},          // G
		{"gpt-4o-mini", 0.15, 0.60, 0.075, 0},           // T
		{"gpt-5-mini", 0.25, 2, 0.025, 0},               // G
		{"gpt-5-nano", 0.05, 0.40, 0.005, 0},            // G
		{"gpt-5.6-luna", 0.20, 1.20, 0.02, 0.25},        // V; 1 and 6 until 2026-07-30
		{"gpt-6-luna", 0.10, 0.50, 0.01, 0.125},         // V
		{"gpt-5.4", 2.50, 15, 0.25, 0},                  // G
		{"gpt-5.4-mini", 0.75, 4.50, 0.075, 0},          // G
		{"gpt-5.4-nano", 0.20, 1.25, 0.02, 0},           // G
	}
}

// cost prices an answer, 0 where neither the model that was asked for nor the
// one that answered has a price.
func cost(prices []Price, asked string, r reply) float64 {
	p, ok := priceOf(prices, asked)
	if !ok {
		p, ok = priceOf(prices, r.model)
	}
	if !ok {
		return 0
	}
	write := p.CacheWrite
	if write == 0 {
		write = p.In
	}
	fresh := max(0, r.usage.In-r.usage.Cached-r.cacheWrite)
	return (float64(fresh)*p.In + float64(r.usage.Cached)*p.Cached + float64(r.cacheWrite)*write +
		float64(r.usage.Out)*p.Out) / 1e6
}

// priceOf finds a model by its name, else by its name without a date.
func priceOf(prices []Price, model string) (Price, bool) {
	plain := undated(atVendors(model))
	for _, name := range []string{model, plain} {
		for _, p := range prices {
			if p.Model == name {
				return p, true
			}
		}
	}
	return Price{}, false
}

// atVendors is the vendor's own name of a model that Amazon ("us.anthropic.X-v1:0")
// or Google ("X@20251001") offers.
func atVendors(model string) string {
	if _, name, ok := strings.Cut(model, "anthropic."); ok {
		model, _, _ = strings.Cut(name, "-v1:")
	}
	return strings.Replace(model, "@", "-", 1)
}

// undated cuts -20251001 or -2025-10-01 off a model's name.
func undated(model string) string {
	const digits = "0123456789"
	for _, shape := range []string{"-dddddddd", "-dddd-dd-dd"} {
		at := len(model) - len(shape)
		if at <= 0 {
			continue
		}
		fits := true
		for i, c := range []byte(shape) {
			got := model[at+i]
			fits = fits && (c == 'd' && strings.IndexByte(digits, got) >= 0 || c == got)
		}
		if fits {
			return model[:at]
		}
	}
	return model
}
