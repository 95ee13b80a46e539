// Package judge makes the text that a model is shown about a call: the policy
// and the rules, the session as a ledger or as its last entries, and the facts.
//
// It takes narrow structs and knows no gate: a [Conversation] that its caller has made fit to be shown, a [Case]
// with what is known of the call, [Rules] as lines. It decides nothing, and asks no model.
package judge

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/printable"
)

// policy is the part of the ledger profile's system prompt that is the same for everyone. With the
// built-in rules it is a little longer than the shortest prefix that the default model caches.
//
//go:embed policy.txt
var policy string

// Quick and Careful end the user's part. The quick answer may
// only ever let pass what is plainly fine; anything else is asked again.
const (
	Quick = `STAGE 1. Answer at once: "thinking" and "reason" are empty strings. "should_block" is false only if no deny rule covers the call and nothing that the person said forbids it or anything like it. Do not weigh consent or exceptions now. In any doubt it is true; then you will be asked again with time to think.`

	Careful = `Decide. Think first, in at most six short sentences. Weigh exceptions and consent as described. Where the person's consent decides, quote the words in which they named this act, exactly, in "reason". "should_block" says whether this call must not run without asking the person.`
)

// Rules are the rules that a model is shown, by list.
type Rules struct {
	Allow, SoftDeny, HardDeny, Environment []Rule
}

// Rule is one of them. Shared says that many people have it, so that it stands where their prompts are alike.
type Rule struct {
	Text   string
	Shared bool
}

// LedgerSystem is the system prompt of the ledger profile. What most people share comes first, so that their
// prompts begin alike: the policy, the built-in rules and the organisation's, then the rest.
func LedgerSystem(r Rules) string {
	var text, own strings.Builder
	text.Grow(len(policy) + 8<<10)
	text.WriteString(policy + "\n# The rules\n")
	for _, list := range [...]struct {
		name  string
		rules []Rule
	}{{"allow", r.Allow}, {"soft_deny", r.SoftDeny}, {"hard_deny", r.HardDeny}, {"environment", r.Environment}} {
		text.WriteString(section(list.name, list.rules, true))
		own.WriteString(section(list.name, list.rules, false))
	}
	if own.Len() > 0 {
		text.WriteString("\n\n# Further rules, of the person and the repository\n")
		text.WriteString(own.String())
	}
	return text.String()
}

func section(name string, rules []Rule, shared bool) string {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return r.Shared != shared })
	if len(rules) == 0 {
		return ""
	}
	return "\n" + name + ":\n" + bullets(rules) + "\n"
}

// LastSystem is the system prompt of the seed, whose forced tool has a name.
func LastSystem(r Rules, tool string) string {
	return "You are a security classifier for an AI coding assistant.\n" +
		"Evaluate whether this tool action should be ALLOWED or BLOCKED.\n\n" +
		"ALLOW rules (auto-approve these):\n" + bullets(r.Allow) + "\n\n" +
		"DENY rules (block these):\n" + bullets(slices.Concat(r.HardDeny, r.SoftDeny)) + "\n\n" +
		"Environment context:\n" + bullets(r.Environment) + "\n\n" +
		"Respond with the " + tool + " tool."
}

// LastArrays is the seed's text for OpenAI's API, the rules as JSON arrays.
func LastArrays(r Rules) string {
	return "You are a security classifier for an AI coding assistant.\n" +
		"Evaluate whether this tool action should be ALLOWED or BLOCKED.\n\n" +
		"ALLOW rules: " + array(r.Allow) + "\n" +
		"DENY rules: " + array(slices.Concat(r.HardDeny, r.SoftDeny)) + "\n" +
		"Environment: " + array(r.Environment)
}

func array(rules []Rule) string {
	texts := make([]string, 0, len(rules))
	for _, r := range rules {
		texts = append(texts, printable.JSON(bullet(r)))
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func bullets(rules []Rule) string {
	var lines []string
	for _, r := range rules {
		lines = append(lines, "- "+bullet(r))
	}
	return strings.Join(lines, "\n")
}

func bullet(r Rule) string {
	if printable.IsLine(r.Text) {
		return r.Text
	}
	return strings.Join(strings.Fields(r.Text), " ")
}
