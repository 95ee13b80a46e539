package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// place is a key of a fixture, and where it and its value stand in the text.
type place struct {
	path       string // as tool_input.command
	key        string
	from, to   int // of the key, with its quotes
	value, end int // of the value
}

// places lists the keys of each object of a fixture. Fixtures are captured or written by
// us, so encoding/json is good enough here.
func places(text []byte) (all []place) {
	walk(json.NewDecoder(bytes.NewReader(text)), text, "", func(p place) { all = append(all, p) })
	return all
}

// walk visits the keys in the next value.
func walk(dec *json.Decoder, text []byte, at string, visit func(place)) {
	token, err := dec.Token()
	if err != nil {
		return
	}
	for i := 0; (token == json.Delim('{') || token == json.Delim('[')) && dec.More(); i++ {
		if token == json.Delim('[') {
			walk(dec, text, fmt.Sprintf("%s[%d]", at, i), visit)
			continue
		}
		p := place{from: behind(text, dec.InputOffset(), ", \t\r\n")}
		key, _ := dec.Token()
		p.key, _ = key.(string)
		p.path = strings.TrimPrefix(at+"."+p.key, ".")
		p.to, p.value = int(dec.InputOffset()), behind(text, dec.InputOffset(), ": \t\r\n")
		walk(dec, text, p.path, visit)
		p.end = int(dec.InputOffset())
		visit(p)
	}
	if _, opened := token.(json.Delim); opened {
		_, _ = dec.Token() // its end
	}
}

// behind is where something else than these signs stands.
func behind(text []byte, at int64, signs string) int {
	i := int(at)
	for strings.IndexByte(signs, text[i]) >= 0 {
		i++
	}
	return i
}

func quote(s string) string {
	text, _ := json.Marshal(s) // never fails for a string
	return string(text)
}

// spliced is a text with a part of it replaced.
func spliced(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from], []byte(with), text[to:])
}

// replaceText replaces the text value that reads want.
func replaceText(fixture []byte, want, with string) (text []byte, found bool) {
	all := places(fixture)
	slices.SortFunc(all, func(a, b place) int { return b.value - a.value })
	for _, p := range all {
		var value string
		if json.Unmarshal(fixture[p.value:p.end], &value) == nil && value == want {
			fixture, found = spliced(fixture, p.value, p.end, quote(with)), true
		}
	}
	return fixture, found
}

// change is one thing done to one key.
type change struct {
	name  string
	apply func(text []byte, p place) []byte
}

// values are what a value is replaced with: one of each type.
func values() []string {
	return []string{`null`, `true`, `7`, `"other"`, `[]`, `["a"]`, `{}`, `{"a":"b"}`}
}

// changes are the hostile ones, which a key that is read does not survive.
func changes() (all []change) {
	same := func(key string) string { return key }
	for name, twin := range map[string]func(string) string{"a second one": same, "an upper-case twin": strings.ToUpper,
		"a Title twin": title, "a folded twin": folded} {
		all = append(all, change{name + " after it", func(text []byte, p place) []byte {
			return spliced(text, p.end, p.end, ","+quote(twin(p.key))+`:"other"`)
		}}, change{name + " before it", func(text []byte, p place) []byte {
			return spliced(text, p.from, p.from, quote(twin(p.key))+`:"other",`)
		}})
	}
	for name, twin := range map[string]func(string) string{"upper-case": strings.ToUpper, "folded": folded} {
		all = append(all, change{name + " only", func(text []byte, p place) []byte {
			if twin(p.key) == p.key {
				return nil
			}
			return spliced(text, p.from, p.to, quote(twin(p.key)))
		}})
	}
	return all
}

func title(key string) string {
	r := []rune(key)
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}

// folded writes a key with letters outside ASCII that fold to its own.
func folded(key string) string {
	return strings.NewReplacer("s", "ſ", "k", "\u212a").Replace(key)
}

// otherReadings changes each key of each fixture, one at a time. An error is always right; otherwise the event must
// be the fixture's event. For a key that is read, only an error is right.
func otherReadings(h host) (problems []string) {
	for _, f := range gated(h) {
		for _, p := range places(f.text) {
			read := isRead(h, f, p)
			for _, c := range changes() {
				if text := c.apply(f.text, p); text != nil {
					problems = append(problems, reading(h, f, text, f.name+": "+p.path+", "+c.name, read)...)
				}
			}
			if read {
				problems = append(problems, otherTypes(h, f, p)...)
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// reading checks one changed payload.
func reading(h host, f fixture, text []byte, name string, mustFail bool) []string {
	e, panicked, err := decode(h, text)
	switch {
	case panicked != "":
		return []string{name + ": " + panicked}
	case err != nil:
		return nil
	case mustFail:
		return []string{name + ": accepted"}
	case !same(e, f.event):
		return []string{fmt.Sprintf("%s: read as %+v", name, e)}
	}
	return nil
}

// otherTypes gives a key that is read values of other types. One of its own
// type is another call and none of our business.
func otherTypes(h host, f fixture, p place) (problems []string) {
	for _, value := range values() {
		own := kindOf(string(f.text[p.value:p.end])) == kindOf(value) ||
			slices.Contains(h.several, p.path) && slices.Contains([]string{"n", `"`, "["}, kindOf(value))
		if !own {
			text := spliced(f.text, p.value, p.end, value)
			problems = append(problems, reading(h, f, text, f.name+": "+p.path+" = "+value, true)...)
		}
	}
	return problems
}

// kindOf tells JSON's types apart by the first character.
func kindOf(value string) string {
	switch value[0] {
	case 't', 'f':
		return "boolean"
	case '{', '[', '"', 'n':
		return value[:1]
	}
	return "number"
}

// isRead reports whether an adapter reads a key: it does if the event changes, or fails,
// without the key or with another value.
func isRead(h host, f fixture, p place) bool {
	texts := [][]byte{without(f.text, p)}
	for _, value := range values() {
		texts = append(texts, spliced(f.text, p.value, p.end, value))
	}
	return slices.ContainsFunc(texts, func(text []byte) bool {
		e, panicked, err := decode(h, text)
		return err != nil || panicked != "" || !same(e, f.event)
	})
}

// without is a fixture without a key, and without the comma beside it.
func without(text []byte, p place) []byte {
	from, end := p.from, behind(text, int64(p.end), " \t\r\n")
	if text[end] == ',' {
		return spliced(text, from, end+1, "")
	}
	for from--; strings.IndexByte(" \t\r\n", text[from]) >= 0; from-- {
	}
	if text[from] != ',' {
		from++
	}
	return spliced(text, from, p.end, "")
}
