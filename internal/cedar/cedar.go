// Package cedar turns a policy that is written in Cedar into nod's settings. It is read when it is drafted, on the
// server: what machines get, and people review, is settings of nod, with the policy above them as a comment.
//
// A policy only tightens, and says what a list of nod's can hold:
//
//	@verdict("ask")
//	forbid (principal, action == Action::"run", resource)
//	when { context.command == "npm publish" || context.command like "git push *" };
//
//	Action::"run"    context.command    hard_deny, with @verdict("ask") ask: == is the command without further
//	                                    arguments, like "WORDS *" the command with any
//	Action::"mcp"    context.tool       the same, of mcp__SERVER or mcp__SERVER__TOOL, with ==
//
// Files are not among them: what nod's lists of secrets and guarded files hold is put to a model or a person, and Cedar
// says forbid.
//
// All else is refused, and the error says what: permit, unless, &&, !, other attributes, principals (a document is for
// an organisation, a team or repositories), resources, and * elsewhere. What nod's lists hold is wider than Cedar's
// words: a command is found behind wrappers and in the middle of a line too.
package cedar

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cedar-policy/cedar-go"
)

// Suffix ends the name of a document that is written in Cedar.
const Suffix = ".cedar"

// actions are what a policy may forbid, and the attribute that says it.
func actions() map[string]string { return map[string]string{"run": "command", "mcp": "tool"} }

// Settings returns the settings that say what a policy says. The error names the line of the policy.
func Settings(name, text string) (string, error) {
	list, err := cedar.NewPolicyListFromBytes(name, []byte(text))
	if err != nil {
		return "", fmt.Errorf("%s is no Cedar: %w", name, err)
	}
	said := map[string][]string{}
	for _, p := range list {
		to, patterns, err := read(p)
		if err != nil {
			return "", fmt.Errorf("%s:%d: %w", name, p.Position().Line, err)
		}
		said[to] = append(said[to], patterns...)
	}
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		b.WriteString("# " + strings.TrimRight(line, "\r") + "\n")
	}
	for _, to := range []string{"hard_deny", "ask"} {
		if patterns := said[to]; patterns != nil {
			quoted := make([]string, len(patterns))
			for i, p := range patterns {
				quoted[i] = strconv.Quote(p)
			}
			fmt.Fprintf(&b, "%s = [%s]\n", to, strings.Join(quoted, ", "))
		}
	}
	return b.String(), nil
}

// Source returns the policy of which settings were made.
func Source(settings string) string {
	var b strings.Builder
	for line := range strings.Lines(settings) {
		if comment, is := strings.CutPrefix(line, "# "); is {
			b.WriteString(comment)
		}
	}
	return b.String()
}

// policy is one policy in Cedar's own JSON.
type policy struct {
	Annotations                 map[string]string
	Effect                      string
	Principal, Action, Resource scope
	Conditions                  []struct {
		Kind string
		Body json.RawMessage
	}
}

type scope struct {
	Op     string
	Entity struct{ Type, ID string }
}

// read returns a list and the patterns that a policy adds to it.
func read(from *cedar.Policy) (to string, patterns []string, err error) {
	var p policy
	text, err := from.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	act, known := actions()[p.Action.Entity.ID]
	verdict := p.Annotations["verdict"]
	switch {
	case err != nil:
		return "", nil, err
	case p.Effect != "forbid":
		return "", nil, errors.New("a policy only tightens: write forbid")
	case p.Principal.Op != "All" || p.Resource.Op != "All":
		return "", nil, errors.New("principal and resource stand alone; the document says for whom it holds")
	case !known || p.Action.Op != "==" || p.Action.Entity.Type != "Action":
		return "", nil, errors.New(`an action is == Action::"run" or "mcp"`)
	case len(p.Conditions) != 1 || p.Conditions[0].Kind != "when":
		return "", nil, errors.New("one when says what is forbidden")
	case verdict != "" && verdict != "ask" && verdict != "deny":
		return "", nil, errors.New(`@verdict is "ask" or "deny"`)
	}
	if to = "hard_deny"; verdict == "ask" {
		to = "ask"
	}
	patterns, err = condition(p.Conditions[0].Body, p.Action.Entity.ID, act)
	return to, patterns, err
}

// condition reads what stands in when.
func condition(text json.RawMessage, action, attribute string) (patterns []string, err error) {
	var n map[string]struct {
		Left, Right json.RawMessage
		Pattern     []json.RawMessage
	}
	if err = json.Unmarshal(text, &n); err != nil || len(n) != 1 {
		return nil, errors.New("when takes ==, like and || between them")
	}
	for op, at := range n {
		switch op {
		case "||":
			left, err := condition(at.Left, action, attribute)
			if err != nil {
				return nil, err
			}
			right, err := condition(at.Right, action, attribute)
			return slices.Concat(left, right), err
		case "==", "like":
			if err = attributeOf(at.Left, attribute); err != nil {
				return nil, err
			}
			var one string
			if op == "==" {
				one, err = exactly(at.Right, action)
			} else {
				one, err = like(at.Pattern, action)
			}
			return []string{one}, err
		}
	}
	return nil, errors.New("when takes ==, like and || between them")
}

// attributeOf refuses another left side than context.NAME.
func attributeOf(text json.RawMessage, name string) error {
	var n struct {
		Access struct {
			Left struct{ Var string }
			Attr string
		} `json:"."`
	}
	if err := json.Unmarshal(text, &n); err != nil || n.Access.Left.Var != "context" || n.Access.Attr != name {
		return fmt.Errorf("on the left stands context.%s for this action", name)
	}
	return nil
}

func exactly(text json.RawMessage, action string) (string, error) {
	var n struct{ Value string }
	err := json.Unmarshal(text, &n)
	switch {
	case err != nil || n.Value == "" || strings.ContainsAny(n.Value, "*?$\n"):
		return "", errors.New("on the right stands a text without *, ? and $")
	case action == "mcp" && !strings.HasPrefix(n.Value, "mcp__"):
		return "", errors.New("a tool is mcp__SERVER or mcp__SERVER__TOOL")
	}
	return n.Value, nil
}

// like reads a pattern that has one *, at the end of words.
func like(parts []json.RawMessage, action string) (string, error) {
	var shape strings.Builder
	for _, raw := range parts {
		var literal struct{ Literal string }
		if string(raw) == `"Wildcard"` {
			shape.WriteString("\x00")
			continue
		}
		if err := json.Unmarshal(raw, &literal); err != nil || strings.ContainsAny(literal.Literal, "*?$\n\x00") {
			return "", errors.New("a pattern has no other *, ? or $ than the one that stands for anything")
		}
		shape.WriteString(literal.Literal)
	}
	words, isPrefix := strings.CutSuffix(shape.String(), " \x00")
	if action == "run" && isPrefix && words != "" && !strings.ContainsRune(words, 0) {
		return words + " *", nil
	}
	return "", errors.New(`a pattern is "WORDS *", for commands`)
}
