package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nodgate/nod"
	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/masks"
	"github.com/nodgate/nod/internal/printable"
)

const (
	// InputLimit is the largest input that is stored whole.
	InputLimit = 64 << 10
	// headLimit is how much of a larger input is stored, as text.
	headLimit = 8 << 10
	// tightLimit bounds every text of an entry that would be too long a line, and tightList every list.
	tightLimit = 1 << 10
	tightList  = 32
)

// FromDecision returns the entry of a decision. The caller adds what only it knows: Nod, Mode, Setting, Answered,
// SessionCost. The input is still as the agent sent it; [Log.Write] masks and shortens.
func FromDecision(c nod.Call, d nod.Decision, now time.Time) Entry {
	e := FromCall(Decision, d.ID, c, now)
	e.Verdict, e.Layer, e.Reason, e.Kept = d.Verdict, d.Layer, d.Reason, d.Kept
	e.Evidence, e.Cost = d.Evidence, d.Cost
	e.Latency = d.Latency.Microseconds()
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
		e.Model, e.Quick, e.Usage = m.Model, m.QuickSaid, &usage
	}
	return e
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

// stored returns what of an input goes into the log: all of it, masked, or its head as a text and how long it was.
func stored(input json.RawMessage) (kept json.RawMessage, size int) {
	if len(input) == 0 {
		return nil, 0
	}
	if !utf8.Valid(input) {
		input = bytes.ToValidUTF8(input, []byte("\uFFFD"))
	}
	masked, valid := masks.Mask(input), json.Valid(input)
	switch {
	case len(input) > InputLimit:
		return asText(printable.Head(string(masked), headLimit)), len(input)
	case !valid:
		return asText(string(masked)), 0
	}
	return masked, 0
}

// encode returns the line of an entry, without its newline and its link.
func encode(e Entry) ([]byte, error) {
	e.Prev, e.Unlocked = "", false
	line, err := lines.JSON(Sealed(e))
	if err != nil || len(line) < lines.Limit-linkRoom {
		return line, err
	}
	return lines.JSON(Sealed(tightened(e)))
}

func asText(s string) json.RawMessage {
	text, _ := lines.JSON(s) // a string: cannot fail
	return text
}

// texts are the texts of an entry that come from elsewhere, all of them masked; not digests and nod's own names, by
// which a call or a decision is found again. Input is masked by its keys, see [stored].
func (e *Entry) texts() []*string {
	list := []*string{&e.Nod, &e.Agent, &e.Session, &e.CallID, &e.Mode, &e.Setting, &e.Tool, &e.RawTool, &e.Dir,
		&e.Root, &e.Answered, &e.Reason, &e.Model, &e.Quick}
	if e.Rule != nil {
		list = append(list, &e.Rule.Text, &e.Rule.Origin)
	}
	if e.Error != nil {
		list = append(list, (*string)(&e.Error.Kind), &e.Error.Message)
	}
	for i := range e.Observed {
		list = append(list, &e.Observed[i])
	}
	for i := range e.Evidence {
		list = append(list, &e.Evidence[i].Path, &e.Evidence[i].SHA256)
	}
	return list
}

// Sealed returns e as [Log.Write] writes it, for those who show it before: complete and masked. It shares nothing with
// e that it changes.
func Sealed(e Entry) Entry {
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
	e.Evidence, e.Observed = slices.Clone(e.Evidence), slices.Clone(e.Observed)
	e.Rule, e.Error, e.Approvable = copied(e.Rule), copied(e.Error), copied(e.Approvable)
	for _, text := range e.texts() {
		*text = MaskText(*text)
	}
	return e
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

// tightened returns e with every part of it cut down, for the rare entry that would not fit a line.
func tightened(e Entry) Entry {
	e = Sealed(e) // masked first: half a secret has no shape
	if e.InputBytes == 0 {
		e.InputBytes = len(e.Input)
	}
	e.Input = asText(printable.Head(string(e.Input), headLimit))
	e.Evidence = e.Evidence[:min(len(e.Evidence), tightList)]
	texts := append(e.texts(), (*string)(&e.Kind), &e.ID, &e.InputSHA256) // digests and nod's own words too
	if e.Approvable != nil {
		texts = append(texts, &e.Approvable.Key)
	}
	for _, text := range texts {
		if len(*text) > tightLimit {
			*text = strings.ToValidUTF8(printable.Head(*text, tightLimit), "\uFFFD") + "…"
		}
	}
	return e
}
