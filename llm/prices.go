package llm

import "strings"

// PricesDate is when the vendors' public lists were last looked at.
const PricesDate = "2026-11-22"

// Price is what a model costs, in US dollars per million tokens. A zero field
// costs nothing; a model without a Price has unknown cost, which counts as 0.
type Price struct {
	// Model is the vendor's name, with or without its date.
	Model string
	// In is for fresh input, Cached for input read from the vendor's cache,
	// CacheWrite for input written to it (0: as In), Out for the answer.
	In, Out, Cached, CacheWrite float64
}

// Prices returns the built-in list as of [PricesDate]: the default models and
// their families, from the vendors' public lists (platform.claude.com/docs,
// developers.openai.com/api/docs/pricing, ai.google.dev/gemini-api/docs/pricing). Each call returns a fresh slice.
func Prices() []Price {
	return []Price{
		{"claude-haiku-4-5", 1, 5, 0.10, 1.25},
		{"claude-haiku-5-5", 0.10, 0.50, 0.01, 0.125}, // prompts of up to 100,000 tokens
		{"claude-sonnet-5-5", 2, 10, 0.10, 2.50},
		{"claude-sonnet-4-5", 3, 15, 0.30, 3.75},
		{"claude-sonnet-5", 2, 10, 0.20, 2.50},
		{"claude-opus-4-5", 5, 25, 0.50, 6.25},
		{"claude-3-5-haiku", 0.80, 4, 0.08, 1},
		{"gemini-2.5-flash-lite", 0.10, 0.40, 0.01, 0},
		{"gemini-3.1-flash-lite", 0.25, 1.50, 0.025, 0},
		{"gemini-3.5-flash-lite", 0.30, 2.50, 0.03, 0},
		{"gpt-4.1", 2, 8, 0.50, 0},
		{"gpt-4.1-mini", 0.40, 1.60, 0.10, 0},
		{"gpt-4.1-nano", 0.10, 0.40, 0.025, 0},
		{"gpt-4o-mini", 0.15, 0.60, 0.075, 0},
		{"gpt-5-mini", 0.25, 2, 0.025, 0},
		{"gpt-5-nano", 0.05, 0.40, 0.005, 0},
		{"gpt-5.6-luna", 1, 6, 0.10, 0},
		{"gpt-5.4", 2.50, 15, 0.25, 0},
		{"gpt-5.4-mini", 0.75, 4.50, 0.075, 0},
		{"gpt-5.4-nano", 0.20, 1.25, 0.02, 0},
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
	return (float64(fresh)*p.In + float64(r.usage.Cached)*p.Cached + float64(r.cacheWrite)*write + float64(r.usage.Out)*p.Out) / 1e6
}

// CacheFloor is the shortest prefix, in tokens, that the vendor of a model
// caches, as its documentation says; a shorter one is paid in full each time.
func CacheFloor(model string) int {
	switch name := undated(atVendors(model)); {
	case isOf(name, "claude-haiku-5-5"):
		return 512
	case isOf(name, "claude-haiku-4-5", "claude-opus-4-5"):
		return 4096
	case isOf(name, "claude-3-5-haiku"):
		return 2048
	}
	return 1024
}

// PriceOf finds the price of a model by its name, else by its name without a
// date; the first that fits counts.
func PriceOf(prices []Price, model string) (Price, bool) { return priceOf(prices, model) }

// DefaultModel is what a provider is asked for where no name is given, "" for
// one that has no default.
func DefaultModel(provider string) string {
	switch provider {
	case ProviderAnthropic:
		return DefaultAnthropicModel
	case ProviderOpenAI:
		return DefaultOpenAIModel
	case ProviderGemini:
		return DefaultGeminiModel
	case ProviderBedrock:
		return DefaultBedrockModel
	case ProviderVertex:
		return DefaultVertexModel
	}
	return ""
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
