package llm

import (
	"fmt"

	"github.com/nodgate/nod"
)

// askMessages is the seed's request to the Messages API, with what the model's style asks for.
func askMessages(c *client, q question) object {
	tool := nod.AnswerTool()
	body := object{
		"model":      c.Model,
		"max_tokens": c.MaxTokens,
		"system":     []object{textBlock(q.System, q.CacheKey != "")},
		"messages":   []object{{"role": "user", "content": contentOf(q)}},
		"tools":      []object{{"name": tool.Name, "description": tool.Description, "input_schema": tool.Schema}},
	}
	choice := object{"type": "tool", "name": tool.Name, "disable_parallel_tool_use": true}
	if c.style.channel == Auto {
		choice = object{"type": "auto", "disable_parallel_tool_use": true}
	}
	body["tool_choice"] = choice
	c.style.setTemperature(body)
	switch c.style.thinking {
	case "off":
		body["thinking"] = object{"type": "disabled"}
	case adaptive:
		body["thinking"] = object{"type": adaptive}
	}
	if c.style.effort != "" {
		body["output_config"] = object{"effort": c.style.effort}
	}
	if c.bodyVersion != "" { // the model is in the address
		delete(body, "model")
		body["anthropic_version"] = c.bodyVersion
	}
	return body
}

// contentOf is the user's part: the pieces of the ledger, and the rest as one block. The last piece ends what can be
// cached. The closing has a block of its own, so that both stages share all that comes before it.
func contentOf(q question) (blocks []object) {
	for i, piece := range q.Ledger {
		blocks = append(blocks, textBlock(piece, q.CacheKey != "" && i == len(q.Ledger)-1))
	}
	blocks = append(blocks, textBlock(q.User, q.CacheKey != "" && q.Quick != ""))
	if q.closing != "" {
		blocks = append(blocks, textBlock(q.closing, false))
	}
	return blocks
}

func textBlock(text string, cached bool) object {
	b := object{"type": "text", "text": text}
	if cached {
		b["cache_control"] = object{"type": "ephemeral"}
	}
	return b
}

func readMessage(c *client, m value) (reply, error) {
	if m.at("type").text() != "message" || !m.at("content").isList() || !isAssistants(m.at("role")) {
		return reply{}, c.malformed("the answer is not a message", "")
	}
	stop := m.at("stop_reason").text()
	switch stop {
	case "refusal":
		return reply{}, c.refused(m.at("stop_details", "explanation").text())
	case "max_tokens", "model_context_window_exceeded":
		return reply{}, c.cutOff(stop)
	}
	var calls []value
	named, texts := false, 0
	for _, block := range m.at("content").list() {
		switch kind := block.at("type").text(); kind {
		case "tool_use":
			calls = append(calls, block.at("input"))
			named = named || block.at("name").text() == nod.AnswerTool().Name
		case "thinking", "redacted_thinking":
		case "text":
			texts++
		default:
			return reply{}, c.malformed(fmt.Sprintf("the answer holds a block of type %s", quote(kind)), "")
		}
	}
	if err := c.oneCall(len(calls), named, texts); err != nil {
		return reply{}, err
	}
	if stop != "tool_use" {
		return reply{}, c.malformed(fmt.Sprintf("the model stopped for %s, not for the tool", quote(stop)), "")
	}
	// What was read from the cache, and written to it, the vendor counts apart.
	usage := m.at("usage")
	cached, written := usage.at("cache_read_input_tokens").count(), usage.at("cache_creation_input_tokens").count()
	return reply{input: calls[0].json(), model: m.at("model").text(), cacheWrite: written, usage: nod.Usage{
		In:  usage.at("input_tokens").count() + cached + written,
		Out: usage.at("output_tokens").count(), Cached: cached,
	}}, nil
}
