package wiring

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// Tree reads settings: TOML by its name, else JSON with comments or without, as
// the strictest agent does: one value, no key twice.
func Tree(real string, content []byte) (tree any, ok bool) {
	if IsTOML(real) {
		table := map[string]any{}
		err := toml.Unmarshal(content, &table)
		return table, err == nil
	}
	// The parser recurses, and a stack that overflows cannot be caught.
	const most = 10_000
	if bytes.Count(content, []byte("{"))+bytes.Count(content, []byte("[")) > most {
		return nil, false
	}
	v, err := hujson.Parse(content)
	if err != nil {
		return nil, false
	}
	return meaning(v.Value)
}

// meaning is what a value of JSON says; ok is false where a key is there twice.
func meaning(v hujson.ValueTrimmed) (tree any, ok bool) {
	switch x := v.(type) {
	case *hujson.Object:
		object := map[string]any{}
		for _, m := range x.Members {
			key := m.Name.Value.(hujson.Literal).String()
			if _, twice := object[key]; twice {
				return nil, false
			}
			if object[key], ok = meaning(m.Value.Value); !ok {
				return nil, false
			}
		}
		return object, true
	case *hujson.Array:
		list := []any{}
		for _, e := range x.Elements {
			value, ok := meaning(e.Value)
			if !ok {
				return nil, false
			}
			list = append(list, value)
		}
		return list, true
	}
	literal := v.(hujson.Literal)
	switch literal.Kind() {
	case '"':
		return literal.String(), true
	case 't', 'f':
		return literal.Bool(), true
	case 'n':
		return nil, true
	}
	return json.Number(literal), true
}

// pair is a value in a tree and the names on the way to it.
type pair struct {
	path  []string
	value any
}

// pairs lists what is in a tree, as deep as it is made of objects.
func pairs(tree any, at []string) (all []pair) {
	object, is := tree.(map[string]any)
	if !is || len(object) == 0 {
		return []pair{{at, tree}}
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		all = append(all, pairs(object[key], append(slices.Clone(at), key))...)
	}
	return all
}
