package llm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// askChat is the request as a chat completion, which nearly every server of local models and every gateway speaks.
func askChat(c *client, q question) object {
	tool := nod.AnswerTool()
	body := object{
		"model": c.Model, "max_tokens": c.MaxTokens,
		"messages": []object{{"role": "system", "content": q.System}, {"role": "user", "content": q.text()}},
	}
	c.style.setTemperature(body)
	if c.style.effort != "" {
		body["reasoning_effort"] = c.style.effort
	}
	if c.style.channel == Schema {
		body["response_format"] = object{"type": "json_schema",
			"json_schema": object{"name": tool.Name, "schema": tool.Schema, "strict": true}}
		return body
	}
	body["tools"] = []object{{"type": "function", "function": object{"name": tool.Name,
		"description": tool.Description, "parameters": tool.Schema, "strict": true}}}
	body["tool_choice"] = object{"type": "function", "function": object{"name": tool.Name}}
	if c.style.channel == Auto {
		body["tool_choice"] = "auto"
	}
	return body
}

func readChat(c *client, r value) (reply, error) {
	// Not all servers say that an answer is whole, and whose it is.
	whole := slices.Contains([]string{"", "chat.completion"}, r.at("object").text())
	choices := r.at("choices").list()
	if !whole || len(choices) != 1 {
		return reply{}, c.malformed("the answer is not a chat completion with one choice", "")
	}
	message, finish := choices[0].at("message"), choices[0].at("finish_reason").text()
	refusal := message.at("refusal").text()
	switch {
	case !isAssistants(message.at("role")):
		return reply{}, c.malformed("the answer is not the assistant's", "")
	case finish == "length":
		return reply{}, c.cutOff(finish)
	case finish == "content_filter", refusal != "":
		return reply{}, c.refused(cmp.Or(refusal, finish))
	// A forced call ends in "stop" at OpenAI, in "tool_calls" elsewhere.
	case finish != "stop" && finish != "tool_calls":
		return reply{}, c.malformed(fmt.Sprintf("the model stopped for %s", quote(finish)), "")
	}
	input, err := c.chatInput(message)
	usage := r.at("usage")
	return reply{input: []byte(input), model: r.at("model").text(), usage: nod.Usage{
		In: usage.at("prompt_tokens").count(), Out: usage.at("completion_tokens").count(),
		Cached: usage.at("prompt_tokens_details", "cached_tokens").count(),
	}}, err
}

func isAssistants(role value) bool { return role.any == nil || role.text() == "assistant" }

func (c *client) chatInput(message value) (string, error) {
	calls, content := message.at("tool_calls").list(), message.at("content").text()
	texts := len(strings.Fields(content))
	switch {
	case c.style.channel != Schema:
		named := len(calls) > 0 && calls[0].at("type").text() == "function" &&
			calls[0].at("function", "name").text() == nod.AnswerTool().Name
		if err := c.oneCall(len(calls), named, texts); err != nil {
			return "", err
		}
		return calls[0].at("function", "arguments").text(), nil
	case len(calls) > 0:
		return "", c.malformed("the model called a tool, but no tool was offered", "")
	case texts == 0:
		return "", c.failure(fault.NoDecision,
			"the model answered nothing; if this persists, choose another [model] name", "")
	}
	return content, nil
}
