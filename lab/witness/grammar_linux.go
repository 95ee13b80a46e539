package main

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed texts/*
var texts embed.FS

// grammar is rules by their names: for each the texts it may become, one for each unit of their weight. The files
// say how they are written. A «...» that is no name of a rule is a rule of its own, whose name says what it is: =7
// a choice, …8 options, '9 a quoted text.
type grammar map[string][]string

// readGrammar reads a file of rules.
func readGrammar(name string) (grammar, error) {
	data, err := texts.ReadFile("texts/" + name + ".txt")
	if err != nil {
		return nil, err
	}
	g, rule := grammar{}, ""
	for i, line := range strings.Split(string(data), "\n") {
		text, indented := strings.CutPrefix(line, "\t")
		switch {
		case strings.HasPrefix(line, "#") || line == "":
		case !indented:
			rule = line
		default:
			number, text, _ := strings.Cut(text, " ")
			weight, err := strconv.Atoi(number)
			if err != nil || rule == "" {
				return nil, fmt.Errorf("%s:%d: want a rule, and below it weights and texts: %w", name, i+1, err)
			}
			g[rule] = append(g[rule], slices.Repeat([]string{g.named(text)}, weight)...)
		}
	}
	return g, nil
}

// named makes rules of what stands between « and », the innermost first, and has ⟨ and ⟩ around their names.
func (g grammar) named(text string) string {
	slot := regexp.MustCompile(`«[^«»]*»`)
	text = strings.NewReplacer("«nl»", "«0a»", "«tab»", "«09»").Replace(text)
	for slot.MatchString(text) {
		text = slot.ReplaceAllStringFunc(text, func(slot string) string {
			body := strings.Trim(slot, "«»")
			parts, kind := strings.Split(body, "¦"), "="
			switch {
			case strings.HasPrefix(body, "…"):
				parts[0], kind = strings.TrimPrefix(body[:len(parts[0])], "…"), "…"
			case len(parts) > 1:
			case strings.HasPrefix(body, "'"):
				parts[0], kind = body[1:], "'"
			default:
				return "⟨" + body + "⟩"
			}
			name := kind + strconv.Itoa(len(g))
			g[name] = parts
			return "⟨" + name + "⟩"
		})
	}
	return text
}

// writer makes one text out of a grammar.
type writer struct {
	grammar grammar
	r       *rand.Rand
	marks   int
	depth   int
	once    map[string]string // what the rules with a ! behind their names gave
}

const deepest = 24 // from where on a rule takes its first alternative, which does not lead back

// write returns the text of a number.
func (g grammar) write(rule string, seed uint64) string {
	w := &writer{grammar: g, r: rand.New(rand.NewPCG(seed, 0x6e6f64)), once: map[string]string{}}
	return w.rule(rule)
}

// rule is a text of a rule, or one of the names that are built in.
func (w *writer) rule(name string) (text string) {
	list := w.grammar[name]
	switch said, again := w.once[name]; {
	case again:
		return said
	case name == "mark":
		w.marks++
		return "k" + strconv.Itoa(w.marks)
	case list == nil:
		b, err := strconv.ParseUint(name, 16, 8)
		if err != nil {
			panic("the grammar has no rule " + name)
		}
		return string([]byte{byte(b)})
	case strings.HasPrefix(name, "…"):
		for w.r.IntN(100) < 45 {
			text += " " + w.expand(list[w.r.IntN(len(list))])
		}
		return text
	case strings.HasPrefix(name, "="):
		return w.expand(list[w.r.IntN(len(list))])
	case strings.HasPrefix(name, "'"):
		return w.quoted(w.expand(list[0]))
	}
	if w.depth > deepest {
		list = list[:1]
	}
	w.depth++
	text = w.expand(list[w.r.IntN(len(list))])
	w.depth--
	if strings.HasSuffix(name, "!") {
		w.once[name] = text
	}
	return text
}

// expand puts texts in the place of the names in a text.
func (w *writer) expand(text string) string {
	before, rest, found := strings.Cut(text, "⟨")
	if !found {
		return text
	}
	name, after, _ := strings.Cut(rest, "⟩")
	return before + w.rule(name) + w.expand(after)
}

// quoted writes a text in quotes that keep it.
func (w *writer) quoted(text string) string {
	switch n := w.r.IntN(10); {
	case n < 6 || strings.Contains(text, "\n"):
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	case n < 9:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
	}
	return "$'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

// program is the shell text of a number; every eighth text has a few bytes changed.
func (g grammar) program(seed uint64) string {
	text := g.write("text", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	if r.IntN(8) == 0 {
		for range 1 + r.IntN(2) {
			at := r.IntN(len(text) + 1)
			text = text[:at] + g.write("sign", r.Uint64()) + text[min(len(text), at+r.IntN(3)):]
		}
	}
	return text
}
