package wiring

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Is reports whether a change is one that "path=type" speaks of.
func (c Change) Is(neutral string) bool {
	name, kind, _ := strings.Cut(neutral, "=")
	want := strings.Split(name, ".")
	return (c.gone || c.kind() == kind) && len(want) == len(c.Path) &&
		!slices.ContainsFunc(c.Path, func(part string) bool {
			w := want[0]
			want = want[1:]
			return w != part && w != "*"
		})
}

// readTree reads settings: TOML by its name, JSON with comments or without.
func readTree(real string, content []byte) (tree any, ok bool) {
	if !IsTOML(real) {
		tree, _, ok = Read(content)
		return tree, ok
	}
	table := map[string]any{}
	err := toml.Unmarshal(content, &table)
	return table, err == nil
}

// Read reads settings as the strictest host does: one value, no key twice.
// extended says that comments or trailing commas had to be taken out, which
// some hosts do and others answer by passing over the whole file.
func Read(content []byte) (tree any, extended, ok bool) {
	plain, extended := standardJSON(content)
	dec := json.NewDecoder(bytes.NewReader(plain))
	dec.UseNumber()
	if tree, ok = readValue(dec, 0); !ok {
		return nil, extended, false
	}
	_, err := dec.Token()
	return tree, extended, err == io.EOF
}

// maxNesting is more than any settings have.
const maxNesting = 64

func readValue(dec *json.Decoder, depth int) (value any, ok bool) {
	tok, err := dec.Token()
	if err != nil || depth > maxNesting {
		return nil, false
	}
	switch tok {
	case json.Delim('{'):
		return readObject(dec, depth)
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, ok := readValue(dec, depth+1)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err == nil
	}
	return tok, true
}

func readObject(dec *json.Decoder, depth int) (value any, ok bool) {
	object := map[string]any{}
	for dec.More() {
		tok, err := dec.Token()
		key, isKey := tok.(string)
		if _, twice := object[key]; err != nil || !isKey || twice {
			return nil, false
		}
		if object[key], ok = readValue(dec, depth+1); !ok {
			return nil, false
		}
	}
	_, err := dec.Token()
	return object, err == nil
}

// standardJSON puts blanks in the place of comments and trailing commas.
func standardJSON(text []byte) (plain []byte, extended bool) {
	plain = slices.Clone(text)
	comma := -1 // one behind which nothing but blanks has come
	for i := 0; i < len(plain); i++ {
		switch c := plain[i]; {
		case c == '"':
			comma = -1
			for i++; i < len(plain) && plain[i] != '"'; i++ {
				if plain[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(plain) && (plain[i+1] == '/' || plain[i+1] == '*'):
			end := i + commentLength(plain[i:])
			for ; i < end; i++ {
				plain[i] = ' '
			}
			i--
			extended = true
		case (c == '}' || c == ']') && comma >= 0:
			plain[comma], comma, extended = ' ', -1, true
		case c == ',':
			comma = i
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return plain, extended
}

func commentLength(text []byte) int {
	end, past := []byte("\n"), 0
	if text[1] == '*' {
		end, past = []byte("*/"), 2
	}
	if i := bytes.Index(text[2:], end); i >= 0 {
		return 2 + i + past
	}
	return len(text)
}

// Change is a value of settings that is another one, or gone.
type Change struct {
	Path []string
	to   any
	gone bool
}

// Changes lists where two trees differ, as deep as both are objects.
func Changes(was, is any, at []string) (all []Change) {
	before, isObject := was.(map[string]any)
	after, stays := is.(map[string]any)
	if !isObject || !stays {
		if reflect.DeepEqual(was, is) {
			return nil
		}
		return []Change{{Path: at, to: is}}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		path := append(slices.Clone(at), key)
		if v, there := after[key]; there {
			all = append(all, Changes(before[key], v, path)...)
		} else {
			all = append(all, Change{Path: path, gone: true})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if _, there := before[key]; there {
			continue
		}
		path, v := append(slices.Clone(at), key), after[key]
		if object, is := v.(map[string]any); is && len(object) > 0 {
			all = append(all, Changes(map[string]any{}, v, path)...)
		} else {
			all = append(all, Change{Path: path, to: v})
		}
	}
	return all
}

// kind names the type of a value as [hosts.Agent.Neutral] does.
func (c Change) kind() string {
	switch v := c.to.(type) {
	case string:
		return "string"
	case bool:
		return "bool"
	case []any:
		if !slices.ContainsFunc(v, func(e any) bool { _, text := e.(string); return !text }) {
			return "strings"
		}
	}
	return ""
}
