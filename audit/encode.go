//go:build unix

package audit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/nodgate/nod/internal/jsonline"
)

// texts are the texts of an entry that come from elsewhere, all of them masked. Input is
// masked by its keys, see [stored].
func (e *Entry) texts() []*string {
	list := []*string{&e.Nod, &e.Agent, &e.Session, &e.CallID, &e.Mode, &e.Setting, &e.Tool, &e.RawTool, &e.Dir,
		&e.Root, &e.Answered, &e.Reason, &e.Model, &e.Quick}
	if e.Rule != nil {
		list = append(list, &e.Rule.Text, &e.Rule.Origin)
	}
	if e.Error != nil {
		list = append(list, (*string)(&e.Error.Kind), &e.Error.Message)
	}
	for i := range e.Evidence {
		list = append(list, &e.Evidence[i].Path, &e.Evidence[i].SHA256)
	}
	return list
}

// ownTexts are digests and nod's own words and names, by which a call or a decision is
// found again: they are not masked.
func (e *Entry) ownTexts() []*string {
	list := []*string{(*string)(&e.Kind), &e.ID, &e.InputSHA256}
	if e.Approvable != nil {
		list = append(list, &e.Approvable.Key)
	}
	return list
}

// marshal writes an entry as its JSON tags have it, without reflection.
func marshal(e Entry) []byte {
	o := jsonline.New()
	o.Int("v", int64(e.Version))
	o.Text("kind", string(e.Kind))
	o.Text("id", e.ID)
	o.Time("time", e.Time)
	o.Text("nod", e.Nod)
	e.writeCall(o)
	e.writeAnswer(o)
	o.Int("latency_us", e.Latency)
	if len(e.Spent) > 0 {
		o.In("spent_us", func() {
			for _, layer := range slices.Sorted(maps.Keys(e.Spent)) {
				o.Int(layer, e.Spent[layer])
			}
		})
	}
	o.TextIf("model", e.Model)
	o.TrueIf("remembered", e.Remembered)
	o.TextIf("quick", e.Quick)
	if e.Usage != nil {
		o.In("tokens", func() {
			o.Int("in", int64(e.Usage.In))
			o.Int("out", int64(e.Usage.Out))
			o.Int("cached", int64(e.Usage.Cached))
		})
	}
	o.FloatIf("cost_usd", e.Cost)
	o.FloatIf("session_cost_usd", e.SessionCost)
	return o.Bytes()
}

func (e Entry) writeCall(o *jsonline.Object) {
	o.TextIf("agent", e.Agent)
	o.TextIf("session", e.Session)
	o.TextIf("call_id", e.CallID)
	o.TextIf("mode", e.Mode)
	o.TextIf("setting", e.Setting)
	o.TextIf("tool", e.Tool)
	o.TextIf("raw_tool", e.RawTool)
	o.TextIf("dir", e.Dir)
	o.TextIf("root", e.Root)
	if len(e.Input) > 0 {
		o.Raw("input", onOneLine(e.Input))
	}
	o.IntIf("input_bytes", int64(e.InputBytes))
	o.TextIf("input_sha256", e.InputSHA256)
}

func (e Entry) writeAnswer(o *jsonline.Object) {
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
	o.IntIf("kept", int64(e.Kept))
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

func asText(s string) json.RawMessage { return jsonline.AppendString(nil, s) }
