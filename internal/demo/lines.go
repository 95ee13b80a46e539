package demo

import (
	"encoding/json"
	"io"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
)

// version is that of the JSON lines.
const version = 1

// lines shows a session as JSON lines.
type lines struct{ out io.Writer }

// callLine is one decided call.
type callLine struct {
	Version int             `json:"v"`
	Kind    string          `json:"kind"` // "call"
	ID      string          `json:"id"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	Verdict nod.Verdict     `json:"verdict"`
	Layer   nod.Layer       `json:"layer"`
	Reason  string          `json:"reason"`
	// Answered is what Claude Code is told; "abstained" is silence.
	Answered string     `json:"answered"`
	Settled  bool       `json:"settled"`
	Failure  fault.Kind `json:"failure,omitempty"`
	// Latency is of the whole answer, in microseconds.
	Latency int64 `json:"latency_us"`
	// Gate is the part of it that the gate took.
	Gate  int64  `json:"gate_us"`
	Label string `json:"label"`
	Why   string `json:"why"`
}

// shareLine is a layer's share; layer "none" holds what was left open.
type shareLine struct {
	Layer   nod.Layer `json:"layer"`
	Calls   int       `json:"calls"`
	Percent float64   `json:"percent"`
	Median  int64     `json:"median_us"`
	Gate    int64     `json:"median_gate_us"`
}

type summaryLine struct {
	Version  int            `json:"v"`
	Kind     string         `json:"kind"` // "summary"
	Calls    int            `json:"calls"`
	Shares   []shareLine    `json:"shares"`
	Open     map[string]int `json:"open_by_tool"`
	Verdicts map[string]int `json:"verdicts"`
	Took     int64          `json:"total_us"`
	Model    *string        `json:"model"` // null: none is configured
}

func (l *lines) begin(int) error { return nil }

func (l *lines) call(p played) error {
	line := callLine{
		Version: version, Kind: "call", ID: p.row.ID, Tool: p.row.ToolName, Input: p.row.Input,
		Verdict: p.decision.Verdict, Layer: p.decision.Layer, Reason: p.decision.Reason,
		Answered: p.answer.Said, Settled: p.settled(), Latency: p.took.Microseconds(),
		Gate:  p.decision.Latency.Microseconds(),
		Label: p.row.Label, Why: p.row.Why,
	}
	if p.decision.Err != nil {
		line.Failure = p.decision.Err.Kind
	}
	return l.write(line)
}

func (l *lines) end(s summary) error {
	line := summaryLine{
		Version: version, Kind: "summary", Calls: s.calls,
		Open: byName(s.open), Verdicts: byName(s.verdicts), Took: s.took.Microseconds(),
	}
	for _, sh := range s.shares {
		line.Shares = append(line.Shares,
			shareLine{Layer: sh.layer, Calls: sh.calls, Percent: float64(sh.tenths) / 10,
				Median: sh.median.Microseconds(), Gate: sh.gate.Microseconds()})
	}
	return l.write(line)
}

func (l *lines) write(line any) error {
	enc := json.NewEncoder(l.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(line)
}

func byName(counts []count) map[string]int {
	m := make(map[string]int, len(counts))
	for _, c := range counts {
		m[c.what] = c.calls
	}
	return m
}
