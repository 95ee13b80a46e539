package nod

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/identity"
	"github.com/nodgate/nod/internal/judge"
	"github.com/nodgate/nod/internal/masks"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/transcript"
)

// Profile says what a model is shown and how it is asked. The zero value is that of the description
// (docs/design.md, section 9): the last 20 turns, 200 characters of each.
type Profile struct {
	// Ledger shows the session as a ledger: what the person said and what was called, nothing that the agent argued or
	// a tool returned, with a prefix that providers can cache, and facts about the call.
	Ledger bool
	// Stages is 1 or 2; 0 means 1. Two ask quickly first. They need Ledger.
	Stages int
	// Arrays writes the rules as JSON arrays, as the description has it for
	// OpenAI's API. It does not count with Ledger.
	Arrays bool
}

// inputLimit is the largest call that is judged. The call itself is never
// shortened: a model that sees half of it judges another call.
const inputLimit = 128 << 10

// Prompt returns what a model would be asked about the call, were it left open. It asks none. It walks the same way
// as [Gate.Check], so that what it returns is what would be sent, but for the decision's id.
func (g *Gate) Prompt(ctx context.Context, c Call) (Prompt, error) {
	t := g.trial(c)
	t.settle()
	return question{t}.prompt(ctx)
}

// prompt makes the side query. It fails where the call is too large or the transcript cannot be read,
// since a model that does not see what the person forbade would allow it. consent is what the person
// said, and what the agent asked before a short answer.
func (q question) prompt(ctx context.Context) (p Prompt, err error) {
	if len(q.call.Input) > inputLimit {
		why := fmt.Sprintf("the call has %d bytes, more than the %d that are judged; split it", len(q.call.Input),
			inputLimit)
		return Prompt{}, &fault.Error{Kind: fault.TooLarge, Message: why}
	}
	if q.call.RawTool == "" && q.call.MCP == nil && !saysSomething(q.call.Input) {
		const why = "the call says neither a tool nor what it does, so that there is nothing to judge"
		return Prompt{}, &fault.Error{Kind: fault.BadInput, Message: why}
	}
	if q.gate.options.Profile.Ledger {
		return q.ledgerPrompt(ctx)
	}
	return q.seedPrompt(ctx)
}

// seedPrompt is the description's system prompt with the rules, and its user message with the call
// and the transcript. Every string that is not a rule is JSON-encoded.
func (q question) seedPrompt(ctx context.Context) (p Prompt, err error) {
	last, err := q.conversation().Last(ctx)
	if err != nil {
		return Prompt{}, err
	}
	p.Digest, p.System = digest(q.call), judge.LastSystem(q.rulesShown(), AnswerTool().Name)
	if q.gate.options.Profile.Arrays {
		p.System = judge.LastArrays(q.rulesShown())
	}
	p.User = "Tool: " + toolName(q.call) + "\nInput: " + q.withheld.Input(q.call.shown()) +
		"\n\nRecent transcript:\n" + last
	return p, nil
}

// ledgerPrompt is nod's own: a system prompt that is the same for all calls
// under the same rules, the session, then the call, the facts, the question.
func (q question) ledgerPrompt(ctx context.Context) (p Prompt, err error) {
	session, err := q.conversation().Ledger(ctx)
	if err != nil {
		return Prompt{}, err
	}
	p = Prompt{Digest: digest(q.call), System: judge.LedgerSystem(q.rulesShown()), Ledger: session.Pieces,
		Careful: judge.Careful}
	if len(p.Ledger) > 0 {
		p.Ledger[0] = "THE SESSION\n" + p.Ledger[0]
	} else {
		session.Rest = "THE SESSION\n" + session.Rest
	}
	p.User = strings.TrimSpace(session.Rest + "\n\nTHE CALL\n" + q.callText() + "\n\nTHE FACTS\n" +
		printable.JSON(q.facts(session)))
	if q.gate.options.Profile.Stages == 2 {
		p.Quick = judge.Quick
	}
	key := identity.NewKey("cache") // groups the prompts of one session under the same rules, without saying which
	key.Add(p.System, q.call.Session)
	p.CacheKey = "nod-" + key.Sum()[:24]
	return p, nil
}

// conversation is the session as a model may be shown it.
func (q question) conversation() judge.Conversation {
	return judge.Conversation{
		Transcript: q.call.Transcript, Opening: q.call.Opening,
		Show: masks.Text, Input: q.withheld.Input, Ended: q.ended(),
	}
}

// ended asks what nod itself knows of an earlier call, by its id.
func (q question) ended() func(string) transcript.Ended {
	if known, ok := q.gate.options.Memory.(Outcomes); ok {
		return known.Ended
	}
	return func(string) transcript.Ended { return transcript.EndedUnknown }
}

// rulesShown are the rules that a model is shown: those of the agent, without
// what a repository says that nobody trusts.
func (q question) rulesShown() judge.Rules {
	r := q.gate.options.Rules
	return judge.Rules{
		Allow: shownRules(r.Allow), SoftDeny: shownRules(r.SoftDeny), HardDeny: shownRules(r.HardDeny),
		Environment: shownRules(r.Environment),
	}
}

func shownRules(rules []Rule) []judge.Rule {
	shown := make([]judge.Rule, 0, len(rules))
	for _, r := range rules {
		if !r.Untrusted {
			shown = append(shown, judge.Rule{Text: r.Text, Shared: r.Shared()})
		}
	}
	return shown
}

// facts is what is known of the call.
func (q question) facts(session judge.Ledger) judge.Facts {
	c := judge.Case{
		Call: &q.withheld, Hosts: q.gate.options.Rules.Hosts,
		Open: masks.Command(q.reasonOpen()), Session: q.letRun(),
	}
	if w, ok := q.gate.options.Memory.(Witness); ok {
		c.Session = slices.Concat(w.History(), w.Blocked(), c.Session)
	}
	if !q.ruled.soft.Untrusted {
		c.Matched = q.ruled.soft.Text
	}
	return c.Facts(session)
}

// callText is the whole call. The input is as it was sent, or a string if that is not JSON.
func (q question) callText() string {
	c := q.call
	input := json.RawMessage(q.withheld.Input(c.shown()))
	if !json.Valid(input) {
		input = json.RawMessage(printable.JSON(masks.Text(string(c.Input))))
	}
	call := struct {
		Tool   string          `json:"tool"`
		Server string          `json:"mcp_server,omitempty"`
		Dir    string          `json:"dir,omitempty"`
		Roots  []string        `json:"workspace,omitempty"`
		Input  json.RawMessage `json:"input"`
	}{Tool: c.RawTool, Dir: c.Dir, Roots: q.at.Roots, Input: input}
	if c.MCP != nil {
		call.Tool, call.Server = c.MCP.Tool, c.MCP.Server
	}
	return printable.JSON(call)
}

// toolName is the canonical name, or the agent's own, quoted, where nod does not know the tool.
func toolName(c Call) string {
	switch {
	case c.MCP != nil:
		return strconv.Quote(c.RawTool) + " (MCP)"
	case c.Tool == "":
		return strconv.Quote(c.RawTool)
	}
	return c.Tool
}

// digest binds an answer to a call.
func digest(c Call) string {
	key := identity.NewKey("answer")
	key.Add(c.Agent, c.Session, c.ID, c.Tool, c.RawTool, c.Dir, c.Command, string(c.Input))
	return key.Sum()
}

// newID returns an id that sorts by time and does not repeat on a machine. The part that tells decisions of the same
// microsecond apart guards nothing, so the runtime's generator will do.
func newID(now time.Time) string {
	id := now.UTC().AppendFormat(make([]byte, 0, 40), "20060102T150405.000000-")
	return string(hex.AppendEncode(id, binary.BigEndian.AppendUint64(nil, rand.Uint64())[2:]))
}
