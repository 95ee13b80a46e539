package printable

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// JSON is a value as one line of JSON, in which <, > and & stay readable.
func JSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return `"?"`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Compact is a JSON value on one line, or, if the text is not JSON, the text as a string.
func Compact(input json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, input); err != nil {
		return strconv.Quote(string(input))
	}
	return b.String()
}
