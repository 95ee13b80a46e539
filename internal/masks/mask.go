// Package masks takes what it knows for a secret out of texts, for the decision log and
// for what a model is shown. It reads texts and nothing else.
//
// A secret is known by its shape (what vendors issue, private keys, a long word made by
// chance) or by what stands before it (a name that says password, token or key; a header;
// user: of an address; an option of a program that takes passwords).
//
// What is hidden is a word: no blank, quote, bracket, operator or substitution. So a mask
// hides nothing that joins commands.
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
// What looks like none of these is not recognised: a log with every secret
// masked is not a promise anyone can keep, which is why the file is private.
func Mask(raw json.RawMessage) json.RawMessage {
	if !json.Valid(raw) {
		return json.RawMessage(Text(string(raw)))
	}
	return Valid(raw)
}

// Valid masks what is known to be JSON. Where nothing is masked its spelling stays.
func Valid(raw json.RawMessage) json.RawMessage {
	w := walker{in: json.NewDecoder(bytes.NewReader(raw))}
	w.in.UseNumber()
	w.value(context{})
	if !w.changed {
		return raw
	}
	return w.out
}

// marker stands where n bytes were.
func marker(n int) string { return "[masked-" + strconv.Itoa(n) + "]" }

// walker copies valid JSON and masks the strings in it.
type walker struct {
	in      *json.Decoder
	out     []byte
	changed bool
}

// context is what a value stands in.
type context struct {
	field  string // of the object around it
	before string // the string before it in a list
	argv   bool   // in a list: the words of a command
	secret bool   // the name of the value says so
}

// value copies the next value, and returns it where it is a string.
func (w *walker) value(c context) string {
	if c.secret {
		w.secret()
		return ""
	}
	token, err := w.in.Token()
	if err != nil { // not there: the text is valid
		return ""
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			w.object()
		} else {
			w.list(isCommandName(c.field))
		}
	case string:
		w.text(t, c.mask(t))
		return t
	default:
		w.raw(token)
	}
	return ""
}

// mask returns what of a string may be kept.
func (c context) mask(s string) string {
	switch {
	case optionTakesSecret(c.before):
		return whole(s)
	case c.before == "-u" || c.before == "--user":
		user, password, ok := strings.Cut(s, ":")
		if ok && strings.Trim(password, "0123456789") != "" { // the user and group of a container
			return user + ":" + whole(password)
		}
	case c.argv && strings.HasPrefix(c.before, "-") && strings.HasSuffix(c.before, "c"), isCommandName(c.field):
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

// object copies an object, to its end. In one of a name and a value, the name says what
// the value is.
func (w *walker) object() {
	w.out = append(w.out, '{')
	named := false
	for first := true; w.in.More(); first = false {
		if !first {
			w.out = append(w.out, ',')
		}
		token, _ := w.in.Token()
		key, _ := token.(string)
		w.text(key, Text(key))
		w.out = append(w.out, ':')
		s := w.value(context{field: key, secret: secretName(key) || named && strings.EqualFold(key, "value")})
		named = named || (strings.EqualFold(key, "name") || strings.EqualFold(key, "key")) && secretName(s)
	}
	w.in.Token()
	w.out = append(w.out, '}')
}

func (w *walker) list(argv bool) {
	w.out = append(w.out, '[')
	c := context{argv: argv}
	for first := true; w.in.More(); first = false {
		if !first {
			w.out = append(w.out, ',')
		}
		c.before = w.value(c)
	}
	w.in.Token()
	w.out = append(w.out, ']')
}

// secret masks a whole value; true, false, null and what is empty tell nothing.
func (w *walker) secret() {
	var raw json.RawMessage
	if w.in.Decode(&raw) != nil {
		return
	}
	var s string
	switch c := raw[0]; {
	case json.Unmarshal(raw, &s) == nil:
		w.text(s, whole(s))
	case len(raw) > 2 && strings.IndexByte("tfn", c) < 0 || c >= '0' && c <= '9':
		w.text("", marker(len(raw)))
	default:
		w.out = append(w.out, raw...)
	}
}

// text writes what became of a string.
func (w *walker) text(was, is string) {
	w.changed = w.changed || was != is
	w.raw(is)
}

func (w *walker) raw(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // a string, number, boolean or null: cannot fail
	w.out = append(w.out, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// whole masks s unless there is nothing in it to mask: it is empty, a marker, or names a
// variable ($NAME, ${NAME}, ${{ secrets.NAME }}).
func whole(s string) string {
	name := strings.Trim(strings.TrimPrefix(s, "$"), "{} ")
	switch {
	case strings.TrimSpace(s) == "", strings.HasPrefix(s, "[masked-") && strings.HasSuffix(s, "]"),
		strings.HasPrefix(s, "$") && strings.TrimFunc(name, isNameRune) == "":
		return s
	}
	return marker(len(s))
}

func isNameRune(r rune) bool { return r == '.' || r < 0x80 && (r == '_' || isAlnum(byte(r))) }

// optionTakesSecret reports whether an argument is an option whose value is
// the argument after it.
func optionTakesSecret(arg string) bool {
	return len(arg) > 2 && arg[0] == '-' && !strings.ContainsAny(arg, "= \n") && !strings.HasPrefix(arg, "--no-") &&
		secretName(arg)
}
