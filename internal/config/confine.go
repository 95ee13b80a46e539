package config

import (
	"fmt"
	"strconv"

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

// confined is the key confine of one file: a word, or patterns.
type confined struct {
	word string // "on" or "off"; "" where there are patterns
	Confine
}

// stricter reports whether c lets less run confined than o.
func (c confined) stricter(o confined) bool {
	return !c.On() && o.On() || !c.All && o.All
}

// mergeConfine takes the strictest, and of two lists the highest file's.
func mergeConfine(layers []layer) Confine {
	var holds *confined
	for _, l := range layers {
		if l.confined != nil && (holds == nil || l.confined.stricter(*holds)) {
			holds = l.confined
		}
	}
	if holds == nil {
		return Confine{}
	}
	return holds.Confine
}

func (r *reader) confined(n *node) {
	c := confined{Confine: Confine{Origin: originOf(r.layer.source, n.at.line)}}
	if n.form != isList {
		word := r.oneOf(n, "on", "off")
		if word == nil {
			return
		}
		c.word, c.All = *word, *word == "on"
	}
	for _, element := range n.items {
		if item, ok := r.confinedItem(element); ok {
			c.Items = append(c.Items, item)
		}
	}
	if n.form == isList && len(n.items) == 0 {
		r.fail(n.valueAt, `confine has no pattern; write "off", or the commands, such as ["npm test", "go test *"]`)
	}
	if r.err == nil {
		r.layer.confined = &c
	}
}

// confinedItem reads one pattern of the key confine.
func (r *reader) confinedItem(n *node) (item Item, ok bool) {
	text := r.str(n)
	if text == nil {
		return item, false
	}
	source := r.layer.source
	origin := originOf(source, n.valueAt.line)
	item = Item{List: string(nod.ListConfine), Text: *text, Level: source.Level, Origin: origin}
	var err error
	if item.Rule, err = nod.ParseRule(nod.ListConfine, *text, item.Origin); err != nil {
		r.fail(n.valueAt, "confine: %v", err)
	}
	return item, err == nil
}

// SetConfine writes confine into the user's settings file, as [SetMode] does
// its key. Patterns that stand there are replaced.
func SetConfine(p Places, on bool) error {
	word := "off"
	if on {
		word = "on"
	}
	return p.editUser(func(text []byte) ([]byte, error) {
		edited, err := editTop(text, "confine", strconv.Quote(word))
		if err == nil {
			var l layer
			l, err = readLayer(p, Source{Path: p.User, Level: User}, edited)
			if err == nil && (l.confined == nil || l.confined.word != word) {
				return nil, failure(fmt.Sprintf("%s: set confine = %q by hand", shown(p.User), word))
			}
		}
		if err != nil {
			return nil, located(p.User, err)
		}
		return edited, nil
	})
}
