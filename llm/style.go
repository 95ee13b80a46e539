package llm

import "strings"

// style is how a model is to answer, apart from what it is asked.
type style struct {
	channel     Channel
	effort      string
	thinking    string
	temperature *float64 // nil: not sent
	reasons     bool     // what it thinks counts against max_tokens
}

// reasoningTokens is the least room of a model that reasons: an answer that is cut off blocks.
const reasoningTokens = 4096

// adaptive is thinking that the model measures out: Anthropic then takes no forced tool or temperature.
const adaptive = "adaptive"

// styleOf is what the settings say, and for the rest what is known of a model by its name.
func styleOf(model string, o Options) style {
	name := atVendors(model)
	s := style{channel: o.Channel, effort: o.Effort, thinking: o.Thinking, temperature: o.Temperature,
		reasons: o.Thinking == adaptive || isOf(name, "gpt-5", "gpt-6", "o1", "o3", "o4", "claude-haiku-5",
			"claude-sonnet-5", "claude-opus-5", "claude-fable")}
	if s.channel == "" {
		s.channel = Tool
		// These are known to answer status 400 to a tool that they must call.
		if isOf(name, "claude-sonnet-5-5", "claude-opus-5-5", "claude-fable") || s.thinking == adaptive {
			s.channel = Auto
		}
	}
	if s.effort == "" && s.reasons && (o.Provider == ProviderOpenAI || o.Provider == ProviderAzure) {
		s.effort = "low"
	}
	if s.temperature == nil && s.thinking != adaptive && takesTemperature(o.Provider, name) {
		s.temperature = new(float64)
	}
	return s
}

func (s style) setTemperature(in object) {
	if s.temperature != nil {
		in["temperature"] = *s.temperature
	}
}

// takesTemperature reports whether a model is known to take one. Models that reason refuse it, who is behind a
// compatible endpoint nobody can tell, and Anthropic's specification calls it deprecated: a model that refuses it
// would block every call.
func takesTemperature(provider, model string) bool {
	switch provider {
	case ProviderAnthropic, ProviderBedrock, ProviderVertex:
		return false
	case ProviderOpenAI, ProviderAzure:
		return isOf(model, "gpt-4", "gpt-4o")
	case ProviderGemini:
		return true
	}
	return isOf(model, "gpt-4", "gpt-4o", "llama", "qwen", "mistral", "gemma")
}

// isOf reports whether a model's name is one of a family: its name, and behind that nothing, or another part.
func isOf(model string, families ...string) bool {
	for _, family := range families {
		rest, ok := strings.CutPrefix(strings.ToLower(model), family)
		if ok && (rest == "" || strings.ContainsAny(rest[:1], "-.:@0123456789")) {
			return true
		}
	}
	return false
}
