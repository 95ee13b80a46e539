package agent

import (
	"strings"

	"github.com/nodgate/nod/internal/printable"
)

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
			b.WriteString(unquoted(e.Returned[i : end+1]))
		}
		i = end
	}
	return strings.TrimPrefix(b.String(), "\n")
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
