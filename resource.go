package nod

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// named are the files that the call names: its paths, what an argument names by a URI
// (file:///home/x/.env), and whatever an argument of a server's tool may be the path of.
// Which schemes a server takes for files nobody can say, so that all but the web's count.
func (c Call) named() []string {
	var input any
	low := bytes.ToLower(c.Input)
	if c.MCP == nil && !bytes.Contains(low, []byte("uri")) && !bytes.Contains(low, []byte(`\u`)) || // most calls
		json.Unmarshal(c.Input, &input) != nil {
		return c.Paths
	}
	names := slices.Clone(c.Paths)
	eachText("", input, func(key, text string) {
		if strings.Contains(strings.ToLower(key), "uri") || c.MCP != nil && strings.HasPrefix(text, "file:") {
			names = append(names, pathOfURI(text)...)
		}
		if c.MCP != nil && mayBePath(text) {
			names = append(names, strings.TrimSpace(text))
		}
	})
	return names
}

// eachText hands on the texts of a JSON value, at any depth, with the key before them.
func eachText(key string, value any, hand func(key, text string)) {
	switch value := value.(type) {
	case string:
		if value != "" {
			hand(key, value)
		}
	case []any:
		for _, v := range value {
			eachText(key, v, hand)
		}
	case map[string]any:
		for k, v := range value {
			eachText(k, v, hand)
		}
	}
}

// pathOfURI is what stands behind the scheme and the host, and, since some
// servers take the host for the first directory, with it too.
func pathOfURI(text string) []string {
	scheme, rest, found := strings.Cut(strings.TrimSpace(text), ":")
	if !found || strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") {
		return nil
	}
	rest = percentDecoded(rest)
	below, hosted := strings.CutPrefix(rest, "//")
	if !hosted {
		return []string{rest}
	}
	_, behind, _ := strings.Cut(below, "/")
	return []string{"/" + behind, below}
}

// percentDecoded resolves %2e and its kin; what is none stays as it is.
func percentDecoded(text string) string {
	parts := strings.Split(text, "%")
	for i, part := range parts[1:] {
		c, err := strconv.ParseUint(part[:min(2, len(part))], 16, 8)
		if err != nil || len(part) < 2 {
			parts[i+1] = "%" + part
			continue
		}
		parts[i+1] = string([]byte{byte(c)}) + part[2:]
	}
	return strings.Join(parts, "")
}

// mayBePath reports whether a text may be the path of a file and is no address, no
// text of several lines and no sentence.
func mayBePath(text string) bool {
	const longest = 1024
	text = strings.TrimSpace(text)
	return len(text) > 0 && len(text) <= longest && !strings.Contains(text, "://") &&
		!strings.ContainsAny(text, "\n\x00") &&
		(strings.ContainsAny(text[:1], "/~.") || strings.Contains(text, "/") && !strings.Contains(text, " "))
}
