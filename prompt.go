package nod

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Profile says what a model is shown of the conversation.
type Profile struct {
	// Entries is how many turns, the newest; 0 means 20.
	Entries int
	// Chars is how many characters of each; 0 means 200.
	Chars int
}

// Last20 is the seed's profile: the last 20 entries, 200 characters each.
func Last20() Profile { return Profile{Entries: 20, Chars: 200} }

// inputLimit is the largest call that is judged. The call itself is never
// shortened: a model that sees half of it judges another call.
const inputLimit = 128 << 10

// BuildPrompt makes the side query for a call: the seed's system prompt with
// the rules, and the seed's user message with the call and the transcript.
// Every string that is not a rule is JSON-encoded. It fails where the call is
// too large or the transcript cannot be read, since a model that does not see
// what the person forbade would allow it.
func BuildPrompt(ctx context.Context, c Call, rules Rules, profile Profile) (Prompt, error) {
	if len(c.Input) > inputLimit {
		return Prompt{}, &Failure{Kind: TooLarge, Message: fmt.Sprintf("the call has %d bytes, more than the %d that are judged; split it", len(c.Input), inputLimit)}
	}
	transcript, err := transcriptText(ctx, c, profile)
	if err != nil {
		return Prompt{}, err
	}
	return Prompt{
		Digest: digest(c),
		System: systemPrompt(rules),
		User:   "Tool: " + toolName(c) + "\nInput: " + compact(c.Input) + "\n\nRecent transcript:\n" + transcript,
	}, nil
}

func systemPrompt(r Rules) string {
	return "You are a security classifier for an AI coding assistant.\n" +
		"Evaluate whether this tool action should be ALLOWED or BLOCKED.\n\n" +
		"ALLOW rules (auto-approve these):\n" + bullets(r.Allow) + "\n\n" +
		"DENY rules (block these):\n" + bullets(append(append([]Rule{}, r.HardDeny...), r.SoftDeny...)) + "\n\n" +
		"Environment context:\n" + bullets(r.Environment) + "\n\n" +
		"Respond with the " + ToolName + " tool."
}

func bullets(rules []Rule) string {
	var lines []string
	for _, r := range rules {
		if !r.Untrusted {
			lines = append(lines, "- "+strings.Join(strings.Fields(r.Text), " "))
		}
	}
	return strings.Join(lines, "\n")
}

// toolName is the canonical name, or the agent's own, quoted, where nod does
// not know the tool.
func toolName(c Call) string {
	switch {
	case c.MCP != nil:
		return strconv.Quote(c.RawTool) + " (MCP)"
	case c.Tool == "":
		return strconv.Quote(c.RawTool)
	}
	return c.Tool
}

func compact(input json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, input); err != nil {
		return strconv.Quote(string(input))
	}
	return b.String()
}

// digest binds an answer to a call.
func digest(c Call) string {
	h := sha256.New()
	for _, part := range []string{c.Agent, c.Session, c.ID, c.Tool, c.RawTool, c.Dir, c.Command, string(c.Input)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// newID returns an id that sorts by time and does not repeat on a machine.
func newID(now time.Time) string {
	return now.UTC().Format("20060102T150405.000000") + "-" + randomHex()
}
