package judge

import (
	"bytes"
	"encoding/json"
	"strings"
)

// EachString gives the strings of a JSON text, but keys, to a function with the
// key before them, and puts what it returns in their place. All else stays as
// it is written. A text that is no JSON is one string.
func EachString(text string, change func(key, value string) string) string {
	return EachText(text, func(key string) string { return key }, change)
}

// EachText is [EachString] that gives the keys to a function too, which changes how
// they are shown.
func EachText(text string, rename func(key string) string, change func(key, value string) string) string {
	if !json.Valid([]byte(text)) {
		return change("", text)
	}
	var out bytes.Buffer
	key := ""
	for i := 0; i < len(text); {
		if text[i] != '"' {
			out.WriteByte(text[i])
			i++
			continue
		}
		end := i + 1
		for text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		raw := text[i : end+1]
		i = end + 1
		var value string
		_ = json.Unmarshal([]byte(raw), &value) // it is valid
		if rest := strings.TrimLeft(text[i:], " \t\r\n"); strings.HasPrefix(rest, ":") {
			if key = value; rename(key) != key {
				raw = Line(rename(key))
			}
			out.WriteString(raw)
			continue
		}
		if changed := change(key, value); changed != value {
			raw = Line(changed)
		}
		out.WriteString(raw)
	}
	return out.String()
}
