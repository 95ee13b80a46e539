package code

import "strings"

// Awk reads an awk program as tokens and says what it writes and runs. Whatever
// is not plain is Unclear.
func Awk(program string) []Effect {
	r := awkReader{text: program}
	for r.pos < len(r.text) {
		r.token()
	}
	return r.effects
}

type awkReader struct {
	effects  []Effect
	text     string
	pos      int
	operand  bool   // the last token was one, so that / divides
	printing bool   // inside a print statement, where > redirects
	depth    int    // of brackets inside it
	literal  string // the last string
	last     byte   // the last byte that counts, for what a newline ends
}

func (r *awkReader) add(kind Kind, name string) { r.effects = append(r.effects, known(kind, name)) }

func (r *awkReader) token() {
	c := r.text[r.pos]
	if c == '\n' && strings.IndexByte(",&|", r.last) >= 0 && r.last != 0 {
		r.pos++ // the statement goes on
		return
	}
	if c == '/' && r.operand && r.last == ')' && r.doubtful() {
		r.add(Unclear, "this runs an awk program that can be read in two ways")
	}
	if c != ' ' && c != '\t' && c != '#' {
		r.last = c
	}
	switch {
	case c == '\\' && strings.HasPrefix(r.text[r.pos+1:], "\n"):
		r.pos += 2
	case (c == '+' || c == '-') && strings.IndexByte(r.text[r.pos+1:], c) == 0:
		r.pos += 2 // x++ / y divides
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
	case nameByte(c):
		r.name()
	case c == '|':
		r.pipe()
	case c == '>':
		r.greater()
	case c == '@':
		r.pos++
		r.add(Unclear, "this runs an awk program that includes or calls by name")
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
	class := 0 // where a bracket expression began
	for r.pos++; r.pos < len(r.text); r.pos++ {
		switch c := r.text[r.pos]; {
		case c == '\\':
			r.pos++
		case quote == '/' && c == '[' && class == 0:
			class = r.pos
		case quote == '/' && class > 0 && c == '[' && r.pos+1 < len(r.text) &&
			strings.IndexByte(":.=", r.text[r.pos+1]) >= 0:
			if end := strings.Index(r.text[r.pos+2:], r.text[r.pos+1:r.pos+2]+"]"); end >= 0 {
				r.pos += end + 3
			}
		case c == ']' && strings.Trim(r.text[min(class+1, r.pos):r.pos], "^") != "":
			class = 0
		case c == '/' && class > 0 && quote == '/': // versions differ in where it ends
			r.add(Unclear, "this runs an awk program that can be read in two ways")
			class = 0
		case c == quote:
			r.pos++
			return r.text[start : r.pos-1]
		case c == '\n':
			r.add(Unclear, "this runs an awk program that cannot be read")
			return ""
		}
	}
	r.add(Unclear, "this runs an awk program that cannot be read")
	return ""
}

// doubtful reports whether what follows a slash would be read otherwise if the
// slash began a regular expression.
func (r *awkReader) doubtful() bool {
	line, _, _ := strings.Cut(r.text[r.pos+1:], "\n")
	between, _, found := strings.Cut(line, "/")
	return found && strings.ContainsAny(between, "\"#")
}

func (r *awkReader) name() {
	start := r.pos
	for r.pos < len(r.text) && nameByte(r.text[r.pos]) {
		r.pos++
	}
	r.operand = true
	switch r.text[start:r.pos] {
	case "system":
		r.add(Run, "a command of awk")
		r.add(Unclear, "this runs an awk program that runs commands")
	case "getline":
		r.add(Unclear, "this runs an awk program that reads elsewhere")
	case "ENVIRON":
		r.add(Secret, "environment")
	case "ARGV", "ARGC", "FUNCTAB", "SYMTAB", "extension", "PROCINFO":
		r.add(Unclear, "this runs an awk program that changes how awk runs")
	case "print", "printf":
		r.printing, r.depth, r.operand = true, 0, false
	case "return", "in", "case", "else", "do", "exit", "next", "nextfile", "break", "continue":
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
			r.add(Shell, text)
			return
		}
	}
	r.add(Run, "a command of awk")
	r.add(Unclear, "this runs an awk program that runs commands")
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
	to := Effect{Kind: Write}
	if r.pos < len(r.text) && r.text[r.pos] == '"' {
		if text := r.quoted('"'); strings.IndexByte(text, '\\') < 0 && r.constantEnd() {
			to = known(Write, text)
		}
	}
	if strings.HasPrefix(to.Name, "/inet") {
		to.Kind = Send
	}
	r.effects = append(r.effects, to)
}
