package nod

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/printable"
)

// Profile says what a model is shown and how it is asked. The zero value is
// the seed's, [Last20].
type Profile struct {
	// Ledger shows the session as a ledger: what the person said and what was
	// called, nothing that the agent argued or a tool returned, with a prefix
	// that providers can cache, and facts about the call. False shows the last
	// Entries turns, Chars characters of each.
	Ledger bool
	// Stages is 1 or 2; 0 means 1. Two ask quickly first. They need Ledger.
	Stages int
	// Entries is how many turns, the newest; 0 means 20. Chars is how many
	// characters of each; 0 means 200. Neither counts with Ledger.
	Entries, Chars int
}

// Last20 is the seed's profile: the last 20 entries, 200 characters each.
func Last20() Profile { return Profile{Entries: 20, Chars: 200} }

// LedgerProfile is the profile with a ledger, facts and so many stages.
func LedgerProfile(stages int) Profile { return Profile{Ledger: true, Stages: stages} }

// inputLimit is the largest call that is judged. The call itself is never
// shortened: a model that sees half of it judges another call.
const inputLimit = 128 << 10

// Prompt returns what a model would be asked about the call, were it left
// open. It asks none. It walks the same way as [Gate.Check], so that what it
// returns is what would be sent, but for the decision's id.
func (g *Gate) Prompt(ctx context.Context, c Call) (Prompt, error) {
	t := g.trial(c)
	t.settle()
	p, _, err := t.prompt(ctx)
	return p, err
}

// prompt makes the side query. It fails where the call is too large or the
// transcript cannot be read, since a model that does not see what the person
// forbade would allow it. said are the words that a consent may stand in.
func (t *trial) prompt(ctx context.Context) (p Prompt, consent string, err error) {
	if len(t.call.Input) > inputLimit {
		return Prompt{}, "", &Failure{Kind: TooLarge, Message: fmt.Sprintf("the call has %d bytes, more than the %d that are judged; split it", len(t.call.Input), inputLimit)}
	}
	if t.gate.profile.Ledger {
		return t.ledgerPrompt(ctx)
	}
	return t.seedPrompt(ctx)
}

// seedPrompt is the seed's system prompt with the rules, and the seed's user
// message with the call and the transcript. Every string that is not a rule is
// JSON-encoded.
//
// What the person said is read as for the ledger, so that it can be part of
// the keys under which answers are remembered; the model is not shown more for
// that. Where it cannot be read that far there are no keys.
func (t *trial) seedPrompt(ctx context.Context) (p Prompt, consent string, err error) {
	c := t.call
	if c.Transcript != nil {
		heard := &conversation{}
		defer heard.close()
		c.Transcript = heard.over(c.Transcript)
	}
	transcript, err := t.transcriptText(ctx, c)
	if err != nil {
		return Prompt{}, "", err
	}
	p = Prompt{
		Digest: digest(c),
		System: systemPrompt(t.gate.rules.about(c.Agent)),
		User:   "Tool: " + toolName(c) + "\nInput: " + t.shownInput(c.Input) + "\n\nRecent transcript:\n" + transcript,
	}
	session, err := t.readLedger(ctx, c)
	if err != nil {
		return p, "", ctx.Err()
	}
	p.Memory, p.Keep = t.memoryKey(p, t.facts(session), session.consent), t.harmsNothing()
	return p, session.consent, nil
}

// ledgerPrompt is nod's own: a system prompt that is the same for all calls
// under the same rules, the session, then the call, the facts, the question.
func (t *trial) ledgerPrompt(ctx context.Context) (p Prompt, consent string, err error) {
	session, err := t.readLedger(ctx, t.call)
	if err != nil {
		return Prompt{}, "", err
	}
	p = Prompt{Digest: digest(t.call), System: policyPrompt(t.gate.rules.about(t.call.Agent)), Ledger: session.pieces, Careful: carefulClosing}
	if len(p.Ledger) > 0 {
		p.Ledger[0] = "THE SESSION\n" + p.Ledger[0]
	} else {
		session.rest = "THE SESSION\n" + session.rest
	}
	facts := t.facts(session)
	p.User = strings.TrimSpace(session.rest + "\n\nTHE CALL\n" + t.callText() + "\n\nTHE FACTS\n" + jsonLine(facts))
	if t.gate.profile.Stages == 2 {
		p.Quick = quickClosing
	}
	p.CacheKey = cacheKey(p.System, t.call.Session)
	p.Memory, p.Keep = t.memoryKey(p, facts, session.consent), t.harmsNothing()
	return p, session.consent, nil
}

// callText is the whole call. The input is as it was sent, or, where that is
// no JSON, a string.
func (t *trial) callText() string {
	c := t.call
	input := json.RawMessage(t.shownInput(c.Input))
	if !json.Valid(input) {
		input = json.RawMessage(jsonLine(t.gate.shown(string(c.Input))))
	}
	call := struct {
		Tool   string          `json:"tool"`
		Server string          `json:"mcp_server,omitempty"`
		Dir    string          `json:"dir,omitempty"`
		Roots  []string        `json:"workspace,omitempty"`
		Input  json.RawMessage `json:"input"`
	}{Tool: c.RawTool, Dir: c.Dir, Roots: t.roots, Input: input}
	if c.MCP != nil {
		call.Tool, call.Server = c.MCP.Tool, c.MCP.Server
	}
	return jsonLine(call)
}

// policyPrompt puts what most people share first, so that their prompts begin
// alike: the policy, the built-in rules and the organisation's, then the rest.
func policyPrompt(r Rules) string {
	var text, own strings.Builder
	text.Grow(len(policy) + 8<<10)
	text.WriteString(policy + "\n\n# The rules\n")
	for _, list := range [...]struct {
		name  string
		rules []Rule
	}{{"allow", r.Allow}, {"soft_deny", r.SoftDeny}, {"hard_deny", r.HardDeny}, {"environment", r.Environment}} {
		section(&text, list.name, list.rules, true)
		section(&own, list.name, list.rules, false)
	}
	if own.Len() > 0 {
		text.WriteString("\n\n# Further rules, of the person and the repository\n")
		text.WriteString(own.String())
	}
	return text.String()
}

func section(b *strings.Builder, name string, rules []Rule, shared bool) {
	found := false
	for _, r := range rules {
		if r.Shared() != shared || r.Untrusted {
			continue
		}
		if !found {
			b.WriteString("\n" + name + ":")
		}
		found = true
		b.WriteString("\n- ")
		b.WriteString(bullet(r))
	}
	if found {
		b.WriteString("\n")
	}
}

// cacheKey groups the prompts of one session under the same rules, without
// saying which.
func cacheKey(system, session string) string {
	h := sha256.New()
	hashText(h, system)
	hashText(h, "\x00")
	hashText(h, session)
	return "nod-" + hex.EncodeToString(h.Sum(nil)[:12])
}

// hashText adds a text to a hash without a copy of all of it, which may be
// tens of kilobytes in a process that has just begun.
func hashText(h hash.Hash, text string) {
	var piece [512]byte
	for len(text) > 0 {
		n := copy(piece[:], text)
		h.Write(piece[:n])
		text = text[n:]
	}
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
			lines = append(lines, "- "+bullet(r))
		}
	}
	return strings.Join(lines, "\n")
}

func bullet(r Rule) string {
	if printable.IsLine(r.Text) {
		return r.Text
	}
	return strings.Join(strings.Fields(r.Text), " ")
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
	id := make([]byte, 0, 40)
	id = append(now.UTC().AppendFormat(id, "20060102T150405.000000"), '-')
	return string(appendRandomHex(id))
}
