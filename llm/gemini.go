package llm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nodgate/nod"
)

func askGemini(c *client, q question) object {
	tool := nod.AnswerTool()
	calling := object{"mode": "ANY", "allowedFunctionNames": []string{tool.Name}}
	if c.style.channel == Auto {
		calling = object{"mode": "AUTO"}
	}
	config := object{"maxOutputTokens": c.MaxTokens}
	c.style.setTemperature(config)
	if c.style.effort != "" {
		config["thinkingConfig"] = object{"thinkingLevel": strings.ToUpper(c.style.effort)}
	}
	said := func(text string) object { return object{"role": "user", "parts": []object{{"text": text}}} }
	return object{
		"systemInstruction": said(q.System), "contents": []object{said(q.text())}, "generationConfig": config,
		"tools": []object{{"functionDeclarations": []object{{"name": tool.Name, "description": tool.Description,
			"parameters": geminiSchema()}}}},
		"toolConfig": object{"functionCallingConfig": calling},
	}
}

// geminiSchema is [nod.AnswerTool] in Gemini's dialect.
func geminiSchema() object {
	fields := []string{"thinking", "should_block", "reason"}
	return object{
		"type": "OBJECT",
		"properties": object{
			"thinking":     object{"type": "STRING", "description": "Brief reasoning about the action"},
			"should_block": object{"type": "BOOLEAN"},
			"reason":       object{"type": "STRING", "description": "Why allow or block"},
		},
		"propertyOrdering": fields, "required": fields,
	}
}

func readGemini(c *client, r value) (reply, error) {
	feedback, candidates := r.at("promptFeedback"), r.at("candidates").list()
	if reason := feedback.at("blockReason").text(); reason != "" || blocks(feedback) {
		return reply{}, c.refused(reason + " " + feedback.at("blockReasonMessage").text())
	}
	if !feedback.isObject() && feedback.any != nil {
		return reply{}, c.malformed("what the answer says of the prompt is no object", "")
	}
	if len(candidates) != 1 || candidates[0].any == nil {
		return reply{}, c.malformed(fmt.Sprintf("the answer has %d candidates instead of one", len(candidates)), "")
	}
	candidate := candidates[0]
	finish := candidate.at("finishReason").text()
	switch finish {
	case "STOP":
	case "MAX_TOKENS":
		return reply{}, c.cutOff(finish)
	case "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "LANGUAGE":
		return reply{}, c.refused(finish)
	default:
		return reply{}, c.malformed(fmt.Sprintf("the model stopped for %s", quote(finish)),
			candidate.at("finishMessage").text())
	}
	if blocks(candidate) {
		return reply{}, c.refused("a safety rating of the answer blocks it")
	}
	input, err := c.geminiCall(candidate.at("content"))
	usage := r.at("usageMetadata")
	return reply{input: input, model: r.at("modelVersion").text(), usage: nod.Usage{
		In: usage.at("promptTokenCount").count(), Cached: usage.at("cachedContentTokenCount").count(),
		Out: usage.at("candidatesTokenCount").count() + usage.at("thoughtsTokenCount").count(),
	}}, err
}

// blocks reports whether a safety rating of a prompt or an answer blocks it. Ratings of another shape may.
func blocks(rated value) bool {
	ratings := rated.at("safetyRatings")
	return ratings.any != nil && !ratings.isList() ||
		slices.ContainsFunc(ratings.list(), func(r value) bool { return !r.isObject() || !r.at("blocked").isNo() })
}

func (c *client) geminiCall(content value) ([]byte, error) {
	if role := content.at("role").text(); role != "" && role != "model" { // not all gateways write it
		return nil, c.malformed("the answer is not the model's", "")
	}
	var calls []value
	texts := 0
	for _, part := range content.at("parts").list() {
		call, thought := part.at("functionCall"), part.at("thought").any == true
		switch {
		case isWholeCall(part):
			calls = append(calls, call)
		case call.any != nil || part.at("text").isNo() && !thought:
			return nil, c.malformed("the answer holds a part that is not only a call, a thought or text", "")
		case !thought:
			texts++
		}
	}
	named := len(calls) > 0 && calls[0].at("name").text() == nod.AnswerTool().Name
	if err := c.oneCall(len(calls), named, texts); err != nil {
		return nil, err
	}
	return calls[0].at("args").json(), nil
}

// isWholeCall reports whether a part is a whole call, maybe with the signature of thoughts, and nothing else.
func isWholeCall(part value) bool {
	fields, _ := part.any.(map[string]any)
	for key := range fields {
		if key != "functionCall" && key != "thoughtSignature" && !part.at(key).isNo() {
			return false
		}
	}
	call, more := part.at("functionCall"), part.at("functionCall", "partialArgs")
	return call.any != nil && (more.any == nil || more.isList() && len(more.list()) == 0) &&
		call.at("willContinue").isNo()
}
