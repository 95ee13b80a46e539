package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/nodgate/nod"
)

// Critic is a model that says what it thinks of rules. It is safe for
// concurrent use, keeps to ctx's deadline, and returns a *[fault.Error] for
// every answer that is not exactly one call of the forced tool critique_rules
// with a list of findings about rules that there are.
type Critic interface {
	Critique(ctx context.Context, r Review) (Critique, error)
}

// Review is what a critic is asked.
type Review struct {
	// ID names the dump.
	ID string
	// System says what rules are for, User holds them, numbered from 1.
	System, User string
	// Rules is how many there are.
	Rules int
}

// Critique is what a model answered. An empty list of findings is an answer.
type Critique struct {
	Findings []Finding `json:"findings"`
	Model    string    `json:"model"`
	Usage    nod.Usage `json:"usage"`
	Cost     float64   `json:"cost_usd"` // US dollars; 0 where the price is unknown
}

// FindingKind says what is the matter with a rule.
type FindingKind string

// The kinds. Missing is about a rule that is not there.
const (
	Contradictory FindingKind = "contradictory"
	Ambiguous     FindingKind = "ambiguous"
	TooBroad      FindingKind = "too_broad"
	Missing       FindingKind = "missing"
)

// FindingKinds lists them.
func FindingKinds() []FindingKind {
	return []FindingKind{Contradictory, Ambiguous, TooBroad, Missing}
}

// Finding is one remark. Its texts are the model's own, as they came.
type Finding struct {
	Rule   int         `json:"rule"` // from 1; 0 with Missing
	Kind   FindingKind `json:"kind"`
	Remark string      `json:"remark"`
	Better string      `json:"better"` // wording that would mend it; "" for none
}

// maxFindings bounds a list that nobody would read to its end.
const maxFindings = 100

// NewCritic returns the critic that o describes. It sends nothing. An error is
// a *[fault.Error] of kind NoKey or BadSettings.
func NewCritic(o Options) (Critic, error) {
	if o.Channel == Lines {
		return nil, badSettings(`[model] channel = "lines" has no place for a list of remarks; use a model that takes tool or schema`)
	}
	m, err := New(o)
	if err != nil {
		return nil, err
	}
	critic, ok := m.(Critic)
	if !ok {
		return nil, badSettings("provider %s is not asked about rules", quote(o.Provider))
	}
	return critic, nil
}

// Critique implements [Critic].
func (a *Anthropic) Critique(ctx context.Context, r Review) (Critique, error) {
	return a.client.critique(ctx, r, a.send)
}

// Critique implements [Critic].
func (o *OpenAI) Critique(ctx context.Context, r Review) (Critique, error) {
	return o.client.critique(ctx, r, o.send)
}

// Critique implements [Critic].
func (m *Compatible) Critique(ctx context.Context, r Review) (Critique, error) {
	return m.client.critique(ctx, r, m.send)
}

// Critique implements [Critic].
func (g *Gemini) Critique(ctx context.Context, r Review) (Critique, error) {
	return g.client.critique(ctx, r, g.send)
}

func (c *client) critique(ctx context.Context, r Review, s send) (Critique, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	q := question{Prompt: nod.Prompt{ID: r.ID, System: r.System, User: r.User}, form: critiqueForm()}
	return put(ctx, c, q, s, "", func(a reply) (Critique, error) {
		findings, err := decodeFindings(a.input, r.Rules)
		return Critique{Findings: findings, Model: c.named(a), Usage: a.usage, Cost: cost(c.prices, c.model, a)}, err
	})
}

// The forced tool.
const (
	CritiqueTool        = "critique_rules"
	critiqueDescription = "Return what is wrong with the rules"
)

func critiqueForm() form {
	return form{name: CritiqueTool, description: critiqueDescription, schema: CritiqueSchema(), gemini: critiqueGemini}
}

// CritiqueSchema is the JSON schema of the forced tool's input.
func CritiqueSchema() json.RawMessage {
	var kinds []string
	for _, k := range FindingKinds() {
		kinds = append(kinds, `"`+string(k)+`"`)
	}
	return json.RawMessage(`{"type":"object","properties":{"findings":{"type":"array","items":{"type":"object","properties":{` +
		`"rule":{"type":"integer","description":"` + ruleMeans + `"},` +
		`"kind":{"type":"string","enum":[` + strings.Join(kinds, ",") + `]},` +
		`"remark":{"type":"string","description":"` + remarkMeans + `"},` +
		`"better":{"type":"string","description":"` + betterMeans + `"}},` +
		`"required":["rule","kind","remark","better"],"additionalProperties":false}}},` +
		`"required":["findings"],"additionalProperties":false}`)
}

const (
	ruleMeans   = "Number of the rule; 0 for one that is missing"
	remarkMeans = "What is wrong, in one or two sentences"
	betterMeans = "Better wording of the rule, or empty"
)

// critiqueGemini is [CritiqueSchema] in Gemini's dialect.
func critiqueGemini() *genai.Schema {
	var kinds []string
	for _, k := range FindingKinds() {
		kinds = append(kinds, string(k))
	}
	names := []string{"rule", "kind", "remark", "better"}
	return &genai.Schema{
		Type: genai.TypeObject, Required: []string{"findings"},
		Properties: map[string]*genai.Schema{"findings": {Type: genai.TypeArray, Items: &genai.Schema{
			Type: genai.TypeObject, PropertyOrdering: names, Required: names,
			Properties: map[string]*genai.Schema{
				"rule":   {Type: genai.TypeInteger, Description: ruleMeans},
				"kind":   {Type: genai.TypeString, Enum: kinds, Format: "enum"},
				"remark": {Type: genai.TypeString, Description: remarkMeans},
				"better": {Type: genai.TypeString, Description: betterMeans},
			},
		}}},
	}
}

// decodeFindings takes exactly what the schema says, about rules 1 to rules.
func decodeFindings(text []byte, rules int) ([]Finding, error) {
	if err := checkDocument(text); err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := decodeFields(text, []field{{"findings", &list}}); err != nil {
		return nil, err
	}
	if len(list) > maxFindings {
		return nil, fmt.Errorf("%d findings, more than %d", len(list), maxFindings)
	}
	findings := make([]Finding, 0, len(list))
	for _, item := range list {
		var f Finding
		if err := decodeFields(item,
			[]field{{"rule", &f.Rule}, {"kind", &f.Kind}, {"remark", &f.Remark}, {"better", &f.Better}}); err != nil {
			return nil, err
		}
		if err := f.check(rules); err != nil {
			return nil, err
		}
		findings = append(findings, f)
	}
	return findings, nil
}

func (f Finding) check(rules int) error {
	switch {
	case !slices.Contains(FindingKinds(), f.Kind):
		return fmt.Errorf("the kind %s is not known", quote(string(f.Kind)))
	case strings.TrimSpace(f.Remark) == "":
		return errors.New("a finding without a remark")
	case f.Rule < 0 || f.Rule > rules || f.Rule == 0 && f.Kind != Missing:
		return fmt.Errorf("there is no rule %d", f.Rule)
	}
	return nil
}
