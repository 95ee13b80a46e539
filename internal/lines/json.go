//go:build unix

package lines

import (
	"bytes"
	"encoding/json"
)

// JSON is a value as one line: what is not UTF-8 becomes U+FFFD, and <, > and & stay
// readable. The error is of a number that is none.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
