//go:build unix

package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/lines"
)

const (
	// InputLimit is the largest input that is stored whole.
	InputLimit = 64 << 10
	// headLimit is how much of a larger one is stored, as text.
	headLimit = 8 << 10
	// tightLimit bounds every text of an entry that would be too long a line,
	// and tightList every list.
	tightLimit = 1 << 10
	tightList  = 32
)

// FromDecision returns the entry of a decision. The caller adds what only it
// knows: Nod, Mode, Setting, Answered, SessionCost. The input is still as the
// agent sent it; [Log.Write] masks and shortens.
func FromDecision(c nod.Call, d nod.Decision, now time.Time) Entry {
	e := FromCall(Decision, d.ID, c, now)
	e.Verdict, e.Layer, e.Reason = d.Verdict, d.Layer, d.Reason
	e.Evidence, e.Cost = d.Evidence, d.Cost
	e.Latency, e.Spent = d.Latency.Microseconds(), spent(d.Spent)
	if d.Approvable.Key != "" {
		e.Approvable = &d.Approvable
	}
	if d.Rule.Text != "" {
		e.Rule = &Rule{Text: d.Rule.Text, Origin: d.Rule.Origin}
	}
	if d.Err != nil {
		e.Error = &Error{Kind: d.Err.Kind, Message: d.Err.Error()}
	}
	if m := d.Classification; m != nil {
		usage := m.Usage
		e.Model, e.Remembered, e.Usage = m.Model, m.Remembered, &usage
	}
	return e
}

func spent(by map[nod.Layer]time.Duration) map[string]int64 {
	if len(by) == 0 {
		return nil
	}
	us := make(map[string]int64, len(by))
	for layer, took := range by {
		us[layer.String()] = took.Microseconds()
	}
	return us
}

// FromCall returns an entry about a call that carries no answer: a begun
// question to a model, an outcome, a denial by the host.
func FromCall(kind Kind, id string, c nod.Call, now time.Time) Entry {
	e := Entry{
		Version: Version, Kind: kind, ID: id, Time: now.UTC(),
		Agent: c.Agent, Session: c.Session, CallID: c.ID, Tool: c.Tool, RawTool: c.RawTool, Dir: c.Dir,
		Input: c.Input, InputSHA256: digest(c.Input),
	}
	if len(c.Roots) > 0 {
		e.Root = c.Roots[0]
	}
	return e
}

func digest(input []byte) string {
	sum := sha256.Sum256(input)
	return hex.EncodeToString(sum[:])
}

// stored returns what of an input goes into the log: all of it, masked, or
// its head as a text and how long it was.
func stored(input json.RawMessage) (kept json.RawMessage, size int) {
	if len(input) == 0 {
		return nil, 0
	}
	if !utf8.Valid(input) {
		input = bytes.ToValidUTF8(input, []byte("\uFFFD"))
	}
	valid := json.Valid(input)
	var masked json.RawMessage
	if valid {
		masked = maskValid(input)
	} else {
		masked = json.RawMessage(MaskText(string(input)))
	}
	switch {
	case len(input) > InputLimit:
		return asText(head(string(masked), headLimit)), len(input)
	case !valid:
		return asText(string(masked)), 0
	}
	return masked, 0
}

// head cuts s to at most n bytes, between characters.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// encode returns the line of an entry, without its newline.
func encode(e Entry) []byte {
	line := marshal(sealed(e))
	if len(line) < lines.Limit {
		return line
	}
	return marshal(sealed(tightened(e)))
}

// sealed returns e as it may be written: complete and masked. It shares
// nothing with e that it changes.
func sealed(e Entry) Entry {
	e.Version = Version
	if e.Time.IsZero() {
		e.Time = time.Now().UTC()
	}
	if e.InputSHA256 == "" && len(e.Input) > 0 {
		e.InputSHA256 = digest(e.Input)
	}
	kept, size := stored(e.Input)
	if e.Input = kept; size > 0 && e.InputBytes == 0 {
		e.InputBytes = size
	}
	e.Reason, e.Dir, e.Root, e.RawTool = MaskText(e.Reason), MaskText(e.Dir), MaskText(e.Root), MaskText(e.RawTool)
	if e.Rule != nil {
		e.Rule = &Rule{Text: MaskText(e.Rule.Text), Origin: e.Rule.Origin}
	}
	if e.Error != nil {
		e.Error = &Error{Kind: e.Error.Kind, Message: MaskText(e.Error.Message)}
	}
	return e
}

// tightened returns e with every part of it cut down, for the rare entry that
// would not fit a line.
func tightened(e Entry) Entry {
	e = sealed(e) // masked first: half a secret has no shape
	for _, s := range []*string{&e.ID, &e.Nod, &e.Agent, &e.Session, &e.CallID, &e.Mode, &e.Setting, &e.Tool,
		&e.RawTool,
		&e.Dir, &e.Root, &e.InputSHA256, &e.Answered, &e.Reason, &e.Model} {
		*s = tight(*s)
	}
	e.Kind = Kind(tight(string(e.Kind)))
	if e.InputBytes == 0 {
		e.InputBytes = len(e.Input)
	}
	e.Input = asText(head(string(e.Input), headLimit))
	if e.Rule != nil {
		e.Rule.Text, e.Rule.Origin = tight(e.Rule.Text), tight(e.Rule.Origin)
	}
	if e.Error != nil {
		e.Error.Kind, e.Error.Message = fault.Kind(tight(string(e.Error.Kind))), tight(e.Error.Message)
	}
	evidence := e.Evidence[:min(len(e.Evidence), tightList)]
	e.Evidence = nil
	for _, v := range evidence {
		e.Evidence = append(e.Evidence, nod.Evidence{Path: tight(v.Path), SHA256: tight(v.SHA256)})
	}
	if len(e.Spent) > tightList {
		e.Spent = nil
	}
	return e
}

func tight(s string) string {
	if len(s) <= tightLimit {
		return s
	}
	return strings.ToValidUTF8(head(s, tightLimit), "\uFFFD") + "…"
}
