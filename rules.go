package nod

// RuleList names one of the lists that hold rules.
type RuleList string

const (
	ListAllow       RuleList = "allow"
	ListSoftDeny    RuleList = "soft_deny"
	ListHardDeny    RuleList = "hard_deny"
	ListEnvironment RuleList = "environment"
)

// Rule is one line of a rule list. The zero value matches nothing.
type Rule struct {
	// Text is the rule as its author wrote it.
	Text string
	// Origin says where it stands: "default", or "FILE:LINE".
	Origin string
	words  []string // as a shell would split it; nil where it would not
	open   bool     // a final " *": further arguments may follow
}

// Rules is everything that users, organisations and (tightening only)
// repositories say. The zero value allows nothing by itself.
type Rules struct {
	Allow       []Rule
	SoftDeny    []Rule
	HardDeny    []Rule
	Environment []Rule
	// Hosts may be read from.
	Hosts []string
	// Allowlist holds canonical tool names.
	Allowlist []string
	// Secrets and Guarded hold path patterns, see DefaultRules.
	Secrets []string
	Guarded []string
}

// ParseRule reads one rule of a list. A pattern that is too broad to be safe
// (a bare interpreter or runner, "*") is refused in ListAllow, and so is a
// ListHardDeny rule that cannot be a pattern, since no model enforces it. The
// error is one line that says what to write instead, without a position.
func ParseRule(list RuleList, text, origin string) (Rule, error) {
	return Rule{Text: text, Origin: origin}, nil
}

// IsPattern reports whether the rule is matched by nod itself, given what
// programs are known; else it is text for the model.
func (r Rule) IsPattern(known func(program string) bool) bool {
	return len(r.words) > 0 && known(r.words[0])
}

// DefaultRules returns the built-in lists, what "$defaults" stands for. Each
// call returns fresh slices.
func DefaultRules() Rules { return Rules{} }
