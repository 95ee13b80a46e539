// Package masks takes what it knows for a secret out of texts, for the decision log and
// for what a model is shown. It reads texts and nothing else.
//
// A secret is known by its shape (what vendors issue, private keys, a long word made by
// chance) or by what stands before it (a name that says password, token or key; a header;
// user: of an address; an option of a program that takes passwords).
//
// What is hidden is a word: no blank, quote, bracket, operator or substitution. So a mask hides nothing that joins
// commands. A log with every secret masked is not a promise anyone can keep, which is why the file is private.
package masks

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/strict"
)

// Mask returns raw with every secret that it recognises replaced by a marker such as [masked-40], which says how
// many bytes stood there. JSON stays JSON; what is not JSON is masked as text. Masking twice changes nothing.
func Mask(raw json.RawMessage) json.RawMessage {
	lastKey, last := "", ""
	return json.RawMessage(each(string(raw), Text, true, func(key, value string) string {
		c := context{key: key}
		if key == lastKey {
			c.before = last
		}
		c.named = strings.EqualFold(key, "value") && secretName(last)
		lastKey, last = key, value
		return c.mask(value)
	}))
}

// withoutValue masks the number or object behind a key whose name says that it is secret: what is shown of it and of
// the colon before it, and how long both are; 0 for any other value.
func withoutValue(rest string) (shown string, n int) {
	value := strings.TrimLeft(strings.TrimLeft(rest, blanks)[1:], blanks)
	var hidden json.RawMessage
	_ = json.NewDecoder(strings.NewReader(value)).Decode(&hidden) // it is valid
	if !strings.ContainsAny(value[:1], "{-0123456789") || strings.Trim(string(hidden), "{}"+blanks) == "" {
		return "", 0
	}
	return ":" + printable.JSON(marker(len(hidden))), len(rest) - len(value) + len(hidden)
}

const blanks = " \t\r\n"

// context is what a string of a JSON text stands in.
type context struct {
	key    string // the key before it, or before its list
	before string // the string before it in a list
	named  bool   // the string before it is a name that says so
}

// mask masks a string. What may be code is masked as text, so that no code can be hidden.
func (c context) mask(s string) string {
	code := strings.ContainsAny(s, "(){};|&<>`$\n")
	switch {
	case hasAnySuffix(strings.ToLower(c.key), "authorization", "cookie"):
		return strings.TrimPrefix(Text(c.key+": "+s), c.key+": ")
	case (secretName(c.key) || c.named || optionTakesSecret(c.before)) && code:
		return strings.TrimPrefix(Text("password="+s), "password=")
	case secretName(c.key), c.named, optionTakesSecret(c.before):
		return whole(s)
	case c.before == "-u" || c.before == "--user":
		if user, password, ok := strings.Cut(s, ":"); ok && !code && strings.Trim(password, "0123456789") != "" {
			return user + ":" + whole(password)
		}
	case isCommandName(c.key), strings.HasPrefix(c.before, "-") && strings.HasSuffix(c.before, "c"):
		return Command(s)
	}
	if trimmed := strings.TrimSpace(s); (strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")) &&
		json.Valid([]byte(trimmed)) {
		return string(Mask(json.RawMessage(trimmed)))
	}
	return Text(s)
}

// isCommandName reports whether the value of a key is what a shell is to run.
func isCommandName(key string) bool {
	key = strings.ToLower(key)
	return strings.Contains(key, "command") || strings.Contains(key, "script") || key == "cmd" ||
		key == "code" || key == "cmdline"
}

// whole masks s unless there is nothing in it to mask: it is empty, or a marker.
func whole(s string) string {
	if strings.TrimSpace(s) == "" || strings.HasPrefix(s, "[masked-") && strings.HasSuffix(s, "]") {
		return s
	}
	return marker(len(s))
}

// marker stands where n bytes were.
func marker(n int) string { return "[masked-" + strconv.Itoa(n) + "]" }

// optionTakesSecret reports whether an argument is an option whose value is the argument after it.
func optionTakesSecret(arg string) bool {
	return len(arg) > 2 && arg[0] == '-' && !strings.ContainsAny(arg, "= \n") && !strings.HasPrefix(arg, "--no-") &&
		secretName(arg)
}

// EachString gives the strings of a JSON text, but keys, to a function with the key before them, and puts what it
// returns in their place. All else stays as it is written. A text that is not JSON is one string.
func EachString(text string, change func(key, value string) string) string {
	return each(text, func(key string) string { return key }, false, change)
}

// each is [EachString] that gives the keys to a function too, which changes how they are shown, and that can hide the
// numbers and objects of secret names.
func each(text string, rename func(key string) string, hides bool, change func(key, value string) string) string {
	if !json.Valid([]byte(text)) {
		return change("", text)
	}
	var out bytes.Buffer
	key := ""
	for i := 0; i < len(text); {
		if text[i] != '"' {
			out.WriteByte(text[i])
			i++
			continue
		}
		written := strict.Quoted([]byte(text[i:]))
		i += len(written)
		raw, value, is := string(written), strict.Unquoted(written), ""
		isKey := strings.HasPrefix(strings.TrimLeft(text[i:], blanks), ":")
		if isKey {
			key, is = value, rename(value)
		} else {
			is = change(key, value)
		}
		if is != value {
			raw = printable.JSON(is)
		}
		out.WriteString(raw)
		if isKey && hides && secretName(key) {
			shown, n := withoutValue(text[i:])
			out.WriteString(shown)
			i += n
		}
	}
	return out.String()
}
