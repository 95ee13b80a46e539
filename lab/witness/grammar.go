package main

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:embed texts/*
var texts embed.FS

// grammar is rules by their names. The files say how they are written.
type grammar map[string][]alternative

type alternative struct {
	weight int
	text   string
}

// readGrammar reads a file of rules. A rule that a text names is there.
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
			g[rule] = append(g[rule], alternative{weight, text})
		}
	}
	return g, nil
}

// writer makes one text out of a grammar.
type writer struct {
	grammar grammar
	r       *rand.Rand
	marks   int
	depth   int
	once    map[string]string // what the rules with a ! behind their names gave
}

// deepest is from where on a rule takes its first alternative, which does not lead back.
const deepest = 24

// write returns the text of a number.
func (g grammar) write(rule string, seed uint64) string {
	w := &writer{grammar: g, r: rand.New(rand.NewPCG(seed, 0x6e6f64)), once: map[string]string{}}
	return w.rule(rule)
}

// rule is a text of a rule, or one of the names that are built in.
func (w *writer) rule(name string) string {
	switch name {
	case "mark":
		w.marks++
		return "k" + strconv.Itoa(w.marks)
	case "nl":
		return "\n"
	case "tab":
		return "\t"
	}
	if b, err := strconv.ParseUint(name, 16, 8); err == nil && len(name) == 2 {
		return string([]byte{byte(b)})
	}
	if text, ok := w.once[name]; ok {
		return text
	}
	w.depth++
	text := w.expand(w.pick(name))
	w.depth--
	if strings.HasSuffix(name, "!") {
		w.once[name] = text
	}
	return text
}

// pick takes one of a rule's alternatives.
func (w *writer) pick(name string) string {
	list := w.grammar[name]
	if len(list) == 0 {
		panic("the grammar has no rule " + name)
	}
	if w.depth > deepest {
		return list[0].text
	}
	sum := 0
	for _, a := range list {
		sum += a.weight
	}
	n := w.r.IntN(sum)
	for _, a := range list {
		if n -= a.weight; n < 0 {
			return a.text
		}
	}
	return ""
}

// expand puts texts in the place of what stands between « and ».
func (w *writer) expand(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "«")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		parts, after := choices(rest)
		b.WriteString(w.part(parts))
		text = after
	}
}

// part is a choice, options, a quoted text or a rule.
func (w *writer) part(parts []string) string {
	first, options := strings.CutPrefix(parts[0], "…")
	switch {
	case options && len(parts) > 1:
		parts[0] = first
		text := ""
		for w.r.IntN(100) < 45 {
			text += " " + w.expand(parts[w.r.IntN(len(parts))])
		}
		return text
	case len(parts) > 1:
		return w.expand(parts[w.r.IntN(len(parts))])
	case strings.HasPrefix(first, "'") && len(w.grammar[first[1:]]) > 0:
		return w.quoted(w.rule(first[1:]))
	case strings.HasPrefix(first, "'"):
		return w.quoted(w.expand(first[1:]))
	}
	return w.rule(parts[0])
}

// choices splits what stands before the » that ends it at each ¦ of its own.
func choices(text string) (parts []string, after string) {
	depth, from := 0, 0
	for i, r := range text {
		switch {
		case r == '«':
			depth++
		case r == '»' && depth > 0:
			depth--
		case r == '»':
			return append(parts, text[from:i]), text[i+utf8.RuneLen(r):]
		case r == '¦' && depth == 0:
			parts, from = append(parts, text[from:i]), i+utf8.RuneLen(r)
		}
	}
	panic("no » behind «" + text)
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
	if r := rand.New(rand.NewPCG(seed, 1)); r.IntN(8) == 0 {
		text = mutated(r, text)
	}
	return text
}

// mutated changes a few bytes of a text.
func mutated(r *rand.Rand, text string) string {
	signs := strings.Split("# ' \" \\ ; & | ( ) { } < > $ ` ! * ? ~ = && |& '' \"\" $x () [ ] ^ ;; \\\n \n \t \r ${UNSET} $() \u00a0 \xff \x01",
		" ")
	b := []byte(text)
	for range 1 + r.IntN(2) {
		if len(b) < 2 {
			break
		}
		at, to := r.IntN(len(b)), r.IntN(len(b))
		switch r.IntN(5) {
		case 0:
			b = slices.Delete(b, at, at+1)
		case 1, 2:
			b = slices.Insert(b, at, []byte(signs[r.IntN(len(signs))])...)
		case 3:
			b[at], b[to] = b[to], b[at]
		default:
			b = slices.Insert(b, to, slices.Clone(b[at:min(len(b), at+1+r.IntN(8))])...)
		}
	}
	return string(b)
}
