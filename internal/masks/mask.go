package masks

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// Mask returns raw with every secret that it recognises replaced by a marker
// such as [masked-40], which says how many bytes stood there. JSON stays
// JSON; what is not JSON is masked as text. Masking twice changes nothing.
//
// Known are: tokens by their shape (Anthropic, OpenAI, GitHub, GitLab, AWS,
// Google, Slack, Stripe, npm, PyPI, JWT and others, see shapes.go), private
// key blocks, passwords in URLs, Authorization and Cookie headers, values
// whose name says so (password, secret, token, api key ...), whether as JSON
// key, assignment, header, option or quoted pair, and the passwords that
// curl, mysql, sshpass, redis-cli, zip and login commands take.
//
// What looks like none of these is not recognised: a log with every secret
// masked is not a promise anyone can keep, which is why the file is private.
//
// A mask hides no code. In a text that reads as a shell's program, as every
// command does, only parts of what the shell takes as it stands are replaced
// (see grammar.Literals): no operator, substitution or reference, and of a
// command no program's name; and nothing that looks like words where the command may run
// its own values (eval, "$@", a pipe into a shell). Elsewhere a mask ends at the first operator. So
// part of a secret may stay readable where it holds one, and is not in quotes.
func Mask(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return json.RawMessage(Text(string(raw)))
	}
	return Valid(raw)
}

// Valid masks what is known to be JSON.
func Valid(raw json.RawMessage) json.RawMessage {
	w := walker{in: raw, out: make([]byte, 0, len(raw)+64)}
	w.walk()
	return w.out
}

// marker stands where n bytes were.
func marker(n int) string { return "[masked-" + strconv.Itoa(n) + "]" }

// isMarker reports whether s is one marker and nothing else.
func isMarker(s string) bool {
	digits, ok := strings.CutPrefix(s, "[masked-")
	digits, closed := strings.CutSuffix(digits, "]")
	if !ok || !closed || digits == "" || len(digits) > 9 {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// walker copies valid JSON and masks the strings in it. It keeps the spelling
// of all that it leaves alone.
type walker struct {
	in, out []byte
	pos     int
	stack   []level
}

// level is one open object or array.
type level struct {
	object bool
	key    bool   // object: a key comes next
	secret bool   // the next value stands under a name that says so
	field  string // object: the key of the next value
	named  bool   // object: a "name" field of this object names a secret
	before string // array: the string before this one
	argv   bool   // array: the words of a command
}

func (w *walker) top() *level {
	if len(w.stack) == 0 {
		return &level{}
	}
	return &w.stack[len(w.stack)-1]
}

func (w *walker) walk() {
	for w.pos < len(w.in) {
		switch c := w.in[w.pos]; c {
		case '{', '[':
			w.open(c == '{')
		case '}', ']':
			w.stack = w.stack[:len(w.stack)-1]
			w.copy(1)
		case '"':
			w.text()
		case ',':
			if top := w.top(); top.object {
				top.key, top.secret = true, false
			}
			w.copy(1)
		case ' ', '\t', '\n', '\r', ':':
			w.copy(1)
		default:
			w.scalar()
		}
	}
}

func (w *walker) copy(n int) {
	w.out = append(w.out, w.in[w.pos:w.pos+n]...)
	w.pos += n
}

// replace puts a marker in place of the next n bytes.
func (w *walker) replace(n int) {
	w.out = append(append(append(w.out, '"'), marker(n)...), '"')
	w.pos += n
}

// open enters an object or array, or masks it whole under a secret's name.
func (w *walker) open(object bool) {
	if n := w.container(); w.top().secret && n > 2 {
		w.replace(n)
		return
	}
	w.top().before = ""
	w.stack = append(w.stack, level{object: object, key: object, argv: !object && isCommandName(w.top().field)})
	w.copy(1)
}

// container returns the length of the object or array at pos, if that matters.
func (w *walker) container() int {
	if !w.top().secret {
		return 0
	}
	depth, i := 0, w.pos
	for ; i < len(w.in); i++ {
		switch w.in[i] {
		case '"':
			i += literal(w.in[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1 - w.pos
			}
		}
	}
	return i - w.pos
}

// scalar handles numbers, true, false and null.
func (w *walker) scalar() {
	w.top().before = ""
	n := bytes.IndexAny(w.in[w.pos:], ",]} \t\r\n")
	if n < 0 {
		n = len(w.in) - w.pos
	}
	if c := w.in[w.pos]; w.top().secret && (c == '-' || c >= '0' && c <= '9') {
		w.replace(n)
		return
	}
	w.copy(n)
}

// literal returns the length of the string literal that s starts with.
func literal(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// text handles a string: a key, or a value.
func (w *walker) text() {
	n := literal(w.in[w.pos:])
	raw := w.in[w.pos : w.pos+n]
	s := unescaped(raw)
	top := w.top()
	if top.object && top.key {
		top.key, top.field = false, s
		top.secret = secretName(s) || top.named && (s == "value" || s == "Value")
		w.put(s, Text(s), n)
		return
	}
	w.put(s, w.value(top, s), n)
}

// unescaped returns the text of a valid string literal.
func unescaped(raw []byte) string {
	body := raw[1 : len(raw)-1]
	i := bytes.IndexByte(body, '\\')
	if i < 0 {
		return string(body)
	}
	text := make([]byte, 0, len(body))
	for ; i >= 0; i = bytes.IndexByte(body, '\\') {
		if body[i+1] == 'u' { // the rare one, with its surrogates
			var s string
			json.Unmarshal(raw, &s) // valid: checked by Mask
			return s
		}
		text = append(append(text, body[:i]...), escape(body[i+1]))
		body = body[i+2:]
	}
	return string(append(text, body...))
}

func escape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return c // \" \\ \/
}

// value returns what of a string value may be kept.
func (w *walker) value(top *level, s string) string {
	before := top.before
	if top.before = s; top.object {
		switch top.field {
		case "name", "Name", "key", "Key":
			top.named = secretName(s)
		}
	}
	switch {
	case top.secret || optionTakesSecret(before):
		return maskWhole(s)
	case !top.object && (before == "-u" || before == "--user"):
		return maskUser(s)
	case top.object && isCommandName(top.field), top.argv && strings.HasSuffix(before, "c") &&
		strings.HasPrefix(before, "-"):
		return Command(s)
	}
	return Text(s)
}

// isCommandName reports whether the value of a field is what a shell is to run.
func isCommandName(field string) bool {
	field = strings.ToLower(field)
	return strings.Contains(field, "command") || strings.Contains(field, "script") || field == "cmd" ||
		field == "code" || field == "cmdline"
}

// put copies the literal of n bytes if masking left its text alone, else
// writes the new text.
func (w *walker) put(was, is string, n int) {
	if was == is {
		w.copy(n)
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(is) // a string and a buffer: cannot fail
	w.out = append(w.out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
	w.pos += n
}

// maskWhole masks s unless there is nothing in it to mask.
func maskWhole(s string) string {
	if strings.TrimSpace(s) == "" || isMarker(s) || isReference(s) {
		return s
	}
	return marker(len(s))
}

// maskUser masks what follows the colon of user:password. Numbers are the
// user and group of a container.
func maskUser(s string) string {
	user, password, ok := strings.Cut(s, ":")
	if !ok || isNumber(password) {
		return Text(s)
	}
	return user + ":" + maskWhole(password)
}

// optionTakesSecret reports whether an argument is an option whose value is
// the argument after it.
func optionTakesSecret(arg string) bool {
	return len(arg) > 2 && arg[0] == '-' && !strings.Contains(arg, "=") && !strings.ContainsAny(arg, " \n") &&
		!strings.HasPrefix(arg, "--no-") && secretName(arg)
}

// isReference reports whether s names a variable instead of holding a value:
// $NAME in capitals, or ${...} around a name.
func isReference(s string) bool {
	if body, ok := strings.CutPrefix(s, "${"); ok {
		body, ok = strings.CutSuffix(body, "}")
		body = strings.Trim(body, "{} ") // ${{ secrets.NAME }}
		return ok && isName(body, true)
	}
	name, ok := strings.CutPrefix(s, "$")
	return ok && isName(name, false)
}

func isName(s string, lower bool) bool {
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' || c == '_' || i > 0 && c >= '0' && c <= '9' {
			continue
		}
		if lower && (c >= 'a' && c <= 'z' || c == '.' && i > 0) {
			continue
		}
		return false
	}
	return s != ""
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }
