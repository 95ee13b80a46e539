package shell

import "strings"

// awkProgram reads an awk program as tokens and reports what it writes and
// runs. Whatever is not plain is unknown.
func (u *use) awkProgram(w word) {
	if !w.known {
		u.unknown(PartWords, u.inv.raw, "an awk program that is not known")
		return
	}
	r := awkReader{use: u, text: w.text}
	for r.pos < len(r.text) {
		r.token()
	}
}

type awkReader struct {
	*use
	text     string
	pos      int
	operand  bool   // the last token was one, so that / divides
	printing bool   // inside a print statement, where > redirects
	depth    int    // of brackets inside it
	literal  string // the last string
}

func (r *awkReader) token() {
	c := r.text[r.pos]
	switch {
	case c == '#':
		if end := strings.IndexByte(r.text[r.pos:], '\n'); end >= 0 {
			r.pos += end
		} else {
			r.pos = len(r.text)
		}
	case c == '"':
		r.literal = r.quoted('"')
		r.operand = true
	case c == '/' && !r.operand:
		r.quoted('/')
		r.operand = true
	case letter(c):
		r.name()
	case c == '|':
		r.pipe()
	case c == '>':
		r.greater()
	case c == '@':
		r.pos++
		r.unknown(PartWords, r.inv.raw, "an awk program that includes or calls by name")
	case c == ' ' || c == '\t':
		r.pos++
	default:
		r.pos++
		r.operand = c == ')' || c == ']' || c == '$'
		switch c {
		case ';', '{', '}', '\n':
			r.printing, r.operand = false, false
		case '(', '[':
			r.depth++
		case ')', ']':
			r.depth--
		}
	}
}

// quoted skips a string or regular expression and returns its text.
func (r *awkReader) quoted(quote byte) string {
	start := r.pos + 1
	class := false
	for r.pos++; r.pos < len(r.text); r.pos++ {
		switch c := r.text[r.pos]; {
		case c == '\\':
			r.pos++
		case quote == '/' && c == '[':
			class = true
		case c == ']':
			class = false
		case c == quote && !class || c == quote && quote == '"':
			r.pos++
			return r.text[start : r.pos-1]
		case c == '\n':
			r.unknown(PartWords, r.inv.raw, "an awk program that cannot be read")
			return ""
		}
	}
	r.unknown(PartWords, r.inv.raw, "an awk program that cannot be read")
	return ""
}

func (r *awkReader) name() {
	start := r.pos
	for r.pos < len(r.text) && letter(r.text[r.pos]) {
		r.pos++
	}
	r.operand = true
	switch r.text[start:r.pos] {
	case "system":
		r.does(Run, "a command of awk", r.inv.raw)
		r.unknown(PartWords, r.inv.raw, "an awk program that runs commands")
	case "getline":
		r.unknown(PartWords, r.inv.raw, "an awk program that reads elsewhere")
	case "ENVIRON":
		r.does(Secret, "environment", r.inv.raw)
	case "ARGV", "ARGC", "FUNCTAB", "SYMTAB", "extension", "PROCINFO":
		r.unknown(PartWords, r.inv.raw, "an awk program that changes how awk runs")
	case "print", "printf":
		r.printing, r.depth, r.operand = true, 0, false
	case "return", "in", "case", "else", "do":
		r.operand = false
	}
}

func (r *awkReader) pipe() {
	r.pos++
	r.operand = false
	if r.pos < len(r.text) && r.text[r.pos] == '|' {
		r.pos++
		return
	}
	for r.pos < len(r.text) && strings.IndexByte("& \t", r.text[r.pos]) >= 0 {
		r.pos++
	}
	if r.pos < len(r.text) && r.text[r.pos] == '"' {
		if text := r.quoted('"'); strings.IndexByte(text, '\\') < 0 && r.constantEnd() {
			r.shellText(word{value: constant(text), raw: r.inv.raw})
			return
		}
	}
	r.does(Run, "a command of awk", r.inv.raw)
	r.unknown(PartWords, r.inv.raw, "an awk program that runs commands")
}

// constantEnd reports whether nothing is joined to the string just read.
func (r *awkReader) constantEnd() bool {
	rest := strings.TrimLeft(r.text[r.pos:], " \t")
	return rest == "" || strings.IndexByte(";}\n", rest[0]) >= 0
}

func (r *awkReader) greater() {
	r.pos++
	r.operand = false
	if !r.printing || r.depth > 0 {
		return
	}
	for r.pos < len(r.text) && strings.IndexByte("> \t", r.text[r.pos]) >= 0 {
		r.pos++
	}
	w := word{raw: r.inv.raw}
	if r.pos < len(r.text) && r.text[r.pos] == '"' {
		if text := r.quoted('"'); strings.IndexByte(text, '\\') < 0 && r.constantEnd() {
			w.value = constant(text)
		}
	}
	if strings.HasPrefix(w.text, "/inet") {
		r.does(Send, w.text, r.inv.raw)
		return
	}
	r.path(Write, w, r.inv.st, 0)
}
