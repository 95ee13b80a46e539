//go:build unix

package audit

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/nodgate/nod/internal/jsonline"
)

// marshal writes an entry as its JSON tags have it, without reflection.
func marshal(e Entry) []byte {
	o := jsonline.New()
	o.Int("v", int64(e.Version))
	o.Text("kind", string(e.Kind))
	o.Text("id", e.ID)
	o.Time("time", e.Time)
	o.Text("nod", e.Nod)
	marshalCall(o, e)
	marshalAnswer(o, e)
	marshalCost(o, e)
	return o.Bytes()
}

func marshalCall(o *jsonline.Object, e Entry) {
	for _, m := range [...]struct{ name, value string }{
		{"agent", e.Agent}, {"session", e.Session}, {"call_id", e.CallID}, {"mode", e.Mode}, {"setting", e.Setting},
		{"tool", e.Tool}, {"raw_tool", e.RawTool}, {"dir", e.Dir}, {"root", e.Root},
	} {
		o.TextIf(m.name, m.value)
	}
	if len(e.Input) > 0 {
		o.Raw("input", onOneLine(e.Input))
	}
	o.IntIf("input_bytes", int64(e.InputBytes))
	o.TextIf("input_sha256", e.InputSHA256)
}

// onOneLine takes out what stands between JSON tokens: a payload may be spread
// over lines, the log's are one entry each.
func onOneLine(input json.RawMessage) []byte {
	if bytes.IndexByte(input, '\n') < 0 && bytes.IndexByte(input, '\r') < 0 {
		return input
	}
	var b bytes.Buffer
	if json.Compact(&b, input) != nil {
		return asText(string(input))
	}
	return b.Bytes()
}

func marshalAnswer(o *jsonline.Object, e Entry) {
	o.Text("verdict", e.Verdict.String())
	o.TextIf("answered", e.Answered)
	o.Text("layer", e.Layer.String())
	o.TextIf("reason", e.Reason)
	if e.Rule != nil {
		o.In("rule", func() { o.Text("text", e.Rule.Text); o.Text("origin", e.Rule.Origin) })
	}
	if e.Error != nil {
		o.In("error", func() { o.Text("kind", string(e.Error.Kind)); o.Text("message", e.Error.Message) })
	}
	if len(e.Evidence) > 0 {
		o.List("evidence", len(e.Evidence),
			func(i int) { o.Text("path", e.Evidence[i].Path); o.Text("sha256", e.Evidence[i].SHA256) })
	}
	if e.Approvable != nil {
		o.In("approvable", func() { o.Text("key", e.Approvable.Key); o.TrueIf("once", e.Approvable.Once) })
	}
	o.Int("latency_us", e.Latency)
	if len(e.Spent) > 0 {
		o.In("spent_us", func() { marshalSpent(o, e.Spent) })
	}
}

func marshalSpent(o *jsonline.Object, spent map[string]int64) {
	layers := make([]string, 0, len(spent))
	for l := range spent {
		layers = append(layers, l)
	}
	slices.Sort(layers)
	for _, l := range layers {
		o.Int(l, spent[l])
	}
}

func marshalCost(o *jsonline.Object, e Entry) {
	o.TextIf("model", e.Model)
	o.TrueIf("remembered", e.Remembered)
	if e.Usage != nil {
		o.In("tokens", func() {
			o.Int("in", int64(e.Usage.In))
			o.Int("out", int64(e.Usage.Out))
			o.Int("cached", int64(e.Usage.Cached))
		})
	}
	o.FloatIf("cost_usd", e.Cost)
	o.FloatIf("session_cost_usd", e.SessionCost)
}

func asText(s string) json.RawMessage { return jsonline.AppendString(nil, s) }
