package llmtest

import "strings"

const gemini = "gemini"

// vendor is the API in which an agent asks its model. A script is played the same in each.
func (r Request) vendor() string {
	for _, v := range []struct{ ends, name string }{{"/responses", "responses"}, {"/chat/completions", "chat"},
		{":generateContent", gemini}, {":streamGenerateContent", gemini}} {
		if strings.HasSuffix(r.Path, v.ends) {
			return v.name
		}
	}
	return "messages"
}

// spoken is one event of the script's that a request tells of: a call that
// the model made (id only), or what the agent said became of it.
type spoken struct {
	id     string
	result bool
	text   string
}

// heard reads what a request tells of the script, oldest first.
func (s *Server) heard(r Request) (all []spoken) {
	b := decodeBody(r.Body)
	if r.vendor() == gemini {
		return heardGemini(b.Contents, s.steps(r))
	}
	for _, m := range append(b.Messages, blocks(b.Input)...) {
		all = append(all, m.spoken()...)
		for _, part := range blocks(m.Content) {
			all = append(all, part.spoken()...)
		}
	}
	return all
}

// spoken is what a message, or a part of it, tells.
func (b block) spoken() (all []spoken) {
	switch b.Type {
	case "tool_use":
		return []spoken{{id: b.ID}}
	case "tool_result":
		return []spoken{{id: b.ToolUseID, result: true, text: plainText(b.Content)}}
	case "function_call", "custom_tool_call":
		return []spoken{{id: b.CallID}}
	case "function_call_output", "custom_tool_call_output":
		return []spoken{{id: b.CallID, result: true, text: plainText(b.Output)}}
	}
	for _, c := range b.ToolCalls {
		all = append(all, spoken{id: c.ID})
	}
	if b.Role == "tool" {
		all = append(all, spoken{id: b.ToolCallID, result: true, text: plainText(b.Content)})
	}
	return all
}

// heardGemini counts, since ids are the agent's own there: the n-th message of the model that holds calls is the n-th
// step.
func heardGemini(messages []block, steps []Step) (all []spoken) {
	step, answered := -1, 0
	for _, m := range messages {
		called := 0
		for _, p := range m.Parts {
			switch {
			case p.FunctionCall != nil:
				if called == 0 {
					step, answered = step+1, 0
				}
				all = append(all, spoken{id: idAt(steps, step, called)})
				called++
			case p.FunctionResponse != nil:
				all = append(all, spoken{id: idAt(steps, step, answered), result: true,
					text: encode(p.FunctionResponse.Response)})
				answered++
			}
		}
	}
	return all
}

func idAt(steps []Step, step, call int) string {
	if step < 0 || step >= len(steps) || call >= len(steps[step].Calls) {
		return ""
	}
	return callID(step, steps[step].Calls[call].Name)
}
