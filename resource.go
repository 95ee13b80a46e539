package nod

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// resources are the files that a call's arguments name by a URI: the address of
// a resource that a server is to read (file:///home/x/.env). Which schemes a
// server takes for files nobody can say, so that all but the web's count.
func (c Call) resources() (names []string) {
	var input any
	low := bytes.ToLower(c.Input)
	if !bytes.Contains(low, []byte("uri")) && !bytes.Contains(low, []byte(`\u`)) || // most calls end here
		json.Unmarshal(c.Input, &input) != nil {
		return nil
	}
	return namedByURI(nil, "", input)
}

func namedByURI(names []string, key string, value any) []string {
	switch value := value.(type) {
	case string:
		if k := strings.ToLower(key); strings.Contains(k, "uri") {
			names = append(names, pathOfURI(value)...)
		}
	case []any:
		for _, v := range value {
			names = namedByURI(names, key, v)
		}
	case map[string]any:
		for k, v := range value {
			names = namedByURI(names, k, v)
		}
	}
	return names
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

// named are the files that the call names: its paths, what its arguments name by a
// URI, and whatever an argument of a server's tool may be the path of.
func (c Call) named() []string { return append(append(c.resources(), c.serversPaths()...), c.Paths...) }

// serversPaths are the arguments of a server's tool that look like the path of a file.
func (c Call) serversPaths() (names []string) {
	var input any
	if c.MCP == nil || json.Unmarshal(c.Input, &input) != nil {
		return nil
	}
	return pathsIn(nil, input)
}

func pathsIn(names []string, value any) []string {
	switch value := value.(type) {
	case string:
		if rest, ok := strings.CutPrefix(value, "file:"); ok {
			return append(names, pathOfURI("file:"+rest)...)
		}
		if mayBePath(value) {
			names = append(names, strings.TrimSpace(value))
		}
	case []any:
		for _, v := range value {
			names = pathsIn(names, v)
		}
	case map[string]any:
		for _, v := range value {
			names = pathsIn(names, v)
		}
	}
	return names
}

// mayBePath reports whether a text may be the path of a file and is no address, no
// text of several lines and no sentence.
func mayBePath(text string) bool {
	const longest = 1024
	text = strings.TrimSpace(text)
	return len(text) > 0 && len(text) <= longest && !strings.Contains(text, "://") &&
		!strings.ContainsAny(text, "\n\x00") &&
		(strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || strings.HasPrefix(text, ".") ||
			strings.Contains(text, "/") && !strings.Contains(text, " "))
}
