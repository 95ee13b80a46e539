package agent

import (
	"encoding/json"
	"strings"

	"github.com/nodgate/nod/internal/printable"
)

// returned reads a value of any type that may be absent. It decides nothing.
func (f fields) returned(key string) json.RawMessage {
	if m := f.maybe(key); m != nil {
		return m.value
	}
	return nil
}

// ReturnedText is every text in what the tool returned, a line each, keys left
// out; and the error of one that failed.
func (e Event) ReturnedText() string {
	var b strings.Builder
	b.WriteString(e.Error)
	for i := 0; i < len(e.Returned); i++ {
		if e.Returned[i] != '"' {
			continue
		}
		end := closing(e.Returned, i)
		if !isKey(e.Returned[end+1:]) {
			b.WriteByte('\n')
			b.WriteString(unescape(e.Returned[i+1 : end]))
		}
		i = end
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// isKey reports whether a colon follows a string.
func isKey(rest []byte) bool {
	for _, c := range rest {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c == ':'
		}
	}
	return false
}

// Warn tells the model, with the result of a call, what to make of it, and the
// person the same. It is silence on hosts that pass nothing on.
func Warn(a Adapter, e Event, text string) Answer {
	words := `"additionalContext":` + quoted(said(text))
	switch hears := a.Capabilities().HearsAfter; {
	case e.Kind != Outcome || hears == Deaf:
		return Answer{Said: abstained}
	case hears == Nested:
		words = `"hookSpecificOutput":{"hookEventName":` + quoted(printable.Line(e.Name, 40)) + "," + words + "}"
	}
	return Answer{Said: abstained, Stdout: []byte("{" + words + "}")}
}
