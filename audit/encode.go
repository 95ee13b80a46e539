//go:build unix

package audit

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/jsonline"
)

// field is one key of a line. [marshal], [sealed] and [tightened] come from the list of
// them, so that a text which is written is masked and cut too.
type field struct {
	key   string
	write func(o *jsonline.Object, key string, e *Entry)
	// texts hands each text of the field to change, which masks or cuts it.
	texts func(e *Entry, change func(string) string)
	// bare says why the texts are not masked; "" where they are.
	bare string
}

const (
	ownWord = "it is one of nod's own words"
	digests = "it is a digest, by which a call or a file is found again"
)

// fields are the keys of a line, in their order.
func fields() []field {
	f := []field{
		{key: "v", write: func(o *jsonline.Object, key string, e *Entry) { o.Int(key, int64(e.Version)) }},
		{key: "kind", bare: ownWord,
			write: func(o *jsonline.Object, key string, e *Entry) { o.Text(key, string(e.Kind)) },
			texts: func(e *Entry, change func(string) string) { e.Kind = Kind(change(string(e.Kind))) }},
		bare(always("id", func(e *Entry) *string { return &e.ID }), "nod made it, and a decision is named by it"),
		{key: "time", write: func(o *jsonline.Object, key string, e *Entry) { o.Time(key, e.Time) }},
		always("nod", func(e *Entry) *string { return &e.Nod }),
	}
	return slices.Concat(f, callFields(), answerFields(), costFields())
}

func callFields() []field {
	return []field{
		optional("agent", func(e *Entry) *string { return &e.Agent }),
		optional("session", func(e *Entry) *string { return &e.Session }),
		optional("call_id", func(e *Entry) *string { return &e.CallID }),
		optional("mode", func(e *Entry) *string { return &e.Mode }),
		optional("setting", func(e *Entry) *string { return &e.Setting }),
		optional("tool", func(e *Entry) *string { return &e.Tool }),
		optional("raw_tool", func(e *Entry) *string { return &e.RawTool }),
		optional("dir", func(e *Entry) *string { return &e.Dir }),
		optional("root", func(e *Entry) *string { return &e.Root }),
		{key: "input", write: writeInput, bare: "stored masks it, key by key"},
		{key: "input_bytes",
			write: func(o *jsonline.Object, key string, e *Entry) { o.IntIf(key, int64(e.InputBytes)) }},
		bare(optional("input_sha256", func(e *Entry) *string { return &e.InputSHA256 }), digests),
	}
}

func answerFields() []field {
	return []field{
		{key: "verdict", write: func(o *jsonline.Object, key string, e *Entry) { o.Text(key, e.Verdict.String()) }},
		optional("answered", func(e *Entry) *string { return &e.Answered }),
		{key: "layer", write: func(o *jsonline.Object, key string, e *Entry) { o.Text(key, e.Layer.String()) }},
		optional("reason", func(e *Entry) *string { return &e.Reason }),
		{key: "rule", write: writeRule, texts: func(e *Entry, change func(string) string) {
			if e.Rule != nil {
				e.Rule.Text, e.Rule.Origin = change(e.Rule.Text), change(e.Rule.Origin)
			}
		}},
		{key: "error", write: writeError, texts: func(e *Entry, change func(string) string) {
			if e.Error != nil {
				e.Error.Kind, e.Error.Message = fault.Kind(change(string(e.Error.Kind))), change(e.Error.Message)
			}
		}},
		{key: "evidence", write: writeEvidence, texts: func(e *Entry, change func(string) string) {
			for i := range e.Evidence {
				e.Evidence[i].Path, e.Evidence[i].SHA256 = change(e.Evidence[i].Path), change(e.Evidence[i].SHA256)
			}
		}},
		{key: "approvable", write: writeApprovable, bare: digests, texts: func(e *Entry, change func(string) string) {
			if e.Approvable != nil {
				e.Approvable.Key = change(e.Approvable.Key)
			}
		}},
		{key: "kept", write: func(o *jsonline.Object, key string, e *Entry) { o.IntIf(key, int64(e.Kept)) }},
		{key: "latency_us", write: func(o *jsonline.Object, key string, e *Entry) { o.Int(key, e.Latency) }},
		{key: "spent_us", write: writeSpent, texts: func(e *Entry, change func(string) string) {
			spent := e.Spent
			for layer, us := range spent {
				if changed := change(layer); changed != layer {
					delete(e.Spent, layer)
					e.Spent[changed] = us
				}
			}
		}},
	}
}

func costFields() []field {
	return []field{
		optional("model", func(e *Entry) *string { return &e.Model }),
		{key: "remembered", write: func(o *jsonline.Object, key string, e *Entry) { o.TrueIf(key, e.Remembered) }},
		optional("quick", func(e *Entry) *string { return &e.Quick }),
		{key: "tokens", write: writeTokens},
		{key: "cost_usd", write: func(o *jsonline.Object, key string, e *Entry) { o.FloatIf(key, e.Cost) }},
		{key: "session_cost_usd",
			write: func(o *jsonline.Object, key string, e *Entry) { o.FloatIf(key, e.SessionCost) }},
	}
}

// optional is a text that is left out where it is empty.
func optional(key string, at func(*Entry) *string) field {
	return field{
		key:   key,
		write: func(o *jsonline.Object, key string, e *Entry) { o.TextIf(key, *at(e)) },
		texts: func(e *Entry, change func(string) string) { *at(e) = change(*at(e)) },
	}
}

// always is a text that is written also where it is empty.
func always(key string, at func(*Entry) *string) field {
	f := optional(key, at)
	f.write = func(o *jsonline.Object, key string, e *Entry) { o.Text(key, *at(e)) }
	return f
}

// bare is a field that is not masked.
func bare(f field, why string) field {
	f.bare = why
	return f
}

// marshal writes an entry as its JSON tags have it, without reflection.
func marshal(e Entry) []byte {
	o := jsonline.New()
	for _, f := range fields() {
		f.write(o, f.key, &e)
	}
	return o.Bytes()
}

func writeInput(o *jsonline.Object, key string, e *Entry) {
	if len(e.Input) > 0 {
		o.Raw(key, onOneLine(e.Input))
	}
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

func writeRule(o *jsonline.Object, key string, e *Entry) {
	if e.Rule != nil {
		o.In(key, func() { o.Text("text", e.Rule.Text); o.Text("origin", e.Rule.Origin) })
	}
}

func writeError(o *jsonline.Object, key string, e *Entry) {
	if e.Error != nil {
		o.In(key, func() { o.Text("kind", string(e.Error.Kind)); o.Text("message", e.Error.Message) })
	}
}

func writeEvidence(o *jsonline.Object, key string, e *Entry) {
	if len(e.Evidence) > 0 {
		o.List(key, len(e.Evidence),
			func(i int) { o.Text("path", e.Evidence[i].Path); o.Text("sha256", e.Evidence[i].SHA256) })
	}
}

func writeApprovable(o *jsonline.Object, key string, e *Entry) {
	if e.Approvable != nil {
		o.In(key, func() { o.Text("key", e.Approvable.Key); o.TrueIf("once", e.Approvable.Once) })
	}
}

func writeSpent(o *jsonline.Object, key string, e *Entry) {
	if len(e.Spent) == 0 {
		return
	}
	layers := make([]string, 0, len(e.Spent))
	for l := range e.Spent {
		layers = append(layers, l)
	}
	slices.Sort(layers)
	o.In(key, func() {
		for _, l := range layers {
			o.Int(l, e.Spent[l])
		}
	})
}

func writeTokens(o *jsonline.Object, key string, e *Entry) {
	if e.Usage != nil {
		o.In(key, func() {
			o.Int("in", int64(e.Usage.In))
			o.Int("out", int64(e.Usage.Out))
			o.Int("cached", int64(e.Usage.Cached))
		})
	}
}

func asText(s string) json.RawMessage { return jsonline.AppendString(nil, s) }
