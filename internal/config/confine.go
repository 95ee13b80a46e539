package config

import (
	"fmt"

	"github.com/nodgate/nod"
)

// Confine says what runs behind nod's boundary. The zero value is nothing.
type Confine struct {
	// All is every line whose only fault is code that nod has not read.
	All bool
	// Items are the patterns of the lines that alone are meant, where not all are.
	Items []Item
	// Origin is "FILE:LINE", "" where no file says a word of it.
	Origin string
}

// On reports whether anything runs behind the boundary.
func (c Confine) On() bool { return c.All || len(c.Items) > 0 }

// Rules are the patterns.
func (c Confine) Rules() []nod.Rule { return rulesIn(c.Items) }

// String is "on", "off" or "patterns".
func (c Confine) String() string {
	switch {
	case c.All:
		return "on"
	case c.On():
		return "patterns"
	}
	return "off"
}

// stricter reports whether c lets less run confined than o.
func (c Confine) stricter(o Confine) bool { return !c.On() && o.On() || !c.All && o.All }

// mergeConfine takes the strictest, and of two lists the highest file's.
func mergeConfine(layers []layer) (holds Confine) {
	said := false
	for _, l := range layers {
		if l.confine != nil && (!said || l.confine.stricter(holds)) {
			holds, said = *l.confine, true
		}
	}
	return holds
}

// confine reads the key of that name: a word, or patterns.
func (r *reader) confine(value any) {
	c := &Confine{Origin: originOf(r.layer.source, r.doc.at("confine").line)}
	switch value := value.(type) {
	case nil:
		return
	case string:
		r.oneOf("confine", value, "on", "off")
		c.All = value == "on"
	case []any:
		for i, element := range value {
			c.Items = append(c.Items, r.confinedItem(fmt.Sprintf("confine.%d", i), element))
		}
		if len(value) == 0 {
			r.fail("confine",
				`confine has no pattern; write "off", or the commands, such as ["npm test", "go test *"]`)
		}
	default:
		r.fail("confine", "%s", needs("confine"))
	}
	r.layer.confine = c
}

// confinedItem reads one pattern of the key confine.
func (r *reader) confinedItem(path string, element any) Item {
	text, ok := element.(string)
	if !ok {
		r.fail(path, "%s", needs("confine"))
		return Item{}
	}
	item, err := newItem(list{name: string(nod.ListConfine)}, text, r.layer.source, r.doc.at(path).line)
	if text == defaultsMark {
		item.Rule, err = nod.ParseRule(nod.ListConfine, text, item.Origin)
	}
	if err != nil {
		r.fail(path, "confine: %v", err)
	}
	return item
}
