package llm

import (
	"fmt"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// askResponses is the seed's request to the Responses API. It keeps the vendor from storing it.
func askResponses(c *client, q question) object {
	tool := nod.AnswerTool()
	body := object{
		"model": c.Model, "max_output_tokens": c.MaxTokens, "store": false, "parallel_tool_calls": false,
		"instructions": q.System, "input": q.text(),
		"tools": []object{{"type": "function", "name": tool.Name, "description": tool.Description,
			"parameters": tool.Schema, "strict": true}},
		"tool_choice": object{"type": "function", "name": tool.Name},
	}
	if c.style.channel == Auto {
		body["tool_choice"] = "auto"
	}
	c.style.setTemperature(body)
	if c.style.effort != "" {
		body["reasoning"] = object{"effort": c.style.effort}
	}
	if q.CacheKey != "" {
		body["prompt_cache_key"] = q.CacheKey
	}
	return body
}

func readResponse(c *client, r value) (reply, error) {
	if r.at("object").text() != "response" || !r.at("output").isList() {
		return reply{}, c.malformed("the answer is not a response", "")
	}
	if err := c.responseEnded(r); err != nil {
		return reply{}, err
	}
	var calls []value
	named, texts := false, 0
	for _, item := range r.at("output").list() {
		switch kind := item.at("type").text(); kind {
		case "function_call":
			calls = append(calls, item)
			named = named || item.at("name").text() == nod.AnswerTool().Name
		case "reasoning":
		case "message":
			for _, part := range item.at("content").list() {
				if part.at("type").text() == "refusal" {
					return reply{}, c.refused(part.at("refusal").text())
				}
			}
			texts++
		default:
			return reply{}, c.malformed(fmt.Sprintf("the answer holds an item of type %s", quote(kind)), "")
		}
	}
	if err := c.oneCall(len(calls), named, texts); err != nil {
		return reply{}, err
	}
	switch status := calls[0].at("status").text(); status {
	case "", "completed":
	case "incomplete":
		return reply{}, c.cutOff("the call is incomplete")
	default:
		return reply{}, c.malformed(fmt.Sprintf("the call's status is %s", quote(status)), "")
	}
	usage := r.at("usage")
	details := usage.at("input_tokens_details")
	return reply{
		input: []byte(calls[0].at("arguments").text()), model: r.at("model").text(),
		cacheWrite: details.at("cache_write_tokens").count(),
		usage: nod.Usage{In: usage.at("input_tokens").count(), Out: usage.at("output_tokens").count(),
			Cached: details.at("cached_tokens").count()},
	}, nil
}

func (c *client) responseEnded(r value) error {
	failed, reason := r.at("error"), r.at("incomplete_details", "reason").text()
	why := failed.at("code").text() + ": " + failed.at("message").text()
	switch status := r.at("status").text(); status {
	case "completed":
		return nil
	case "incomplete":
		if reason == "content_filter" {
			return c.refused(reason)
		}
		return c.cutOff(reason)
	case "failed":
		switch failed.at("code").text() {
		case "rate_limit_exceeded":
			return c.failure(fault.RateLimited,
				"the rate limit or the quota of this API key is used up; wait, or raise it with the vendor", why)
		case "invalid_prompt", "bio_policy", "misalignment_policy_violation":
			return c.refused(why)
		}
		return c.failure(fault.ServerError, "the vendor failed; try again later", why)
	default:
		return c.malformed(fmt.Sprintf("the answer's status is %s", quote(status)), "")
	}
}
