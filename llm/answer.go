package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// depthLimit bounds the nesting of an answer; real ones have about six levels.
const depthLimit = 64

// checkDocument reports what keeps text from being one JSON object that every
// reader reads alike: invalid text, keys that occur twice or differ by case
// only, or something after the end.
func checkDocument(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("it holds bytes that are not UTF-8")
	}
	if hasLoneSurrogate(text) {
		return errors.New("it holds half a surrogate pair")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	first, err := d.Token()
	if err != nil {
		return syntax(err)
	}
	if first != json.Delim('{') {
		return errors.New("it is not an object")
	}
	if err := checkObject(d, 1); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows its end")
	}
	return nil
}

func syntax(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("it ends early")
	}
	return err
}

// checkValue reads one value.
func checkValue(d *json.Decoder, depth int) error {
	token, err := d.Token()
	if err != nil {
		return syntax(err)
	}
	if depth > depthLimit {
		return errors.New("it is nested too deeply")
	}
	switch token {
	case json.Delim('{'):
		return checkObject(d, depth)
	case json.Delim('['):
		for d.More() {
			if err := checkValue(d, depth+1); err != nil {
				return err
			}
		}
		return closing(d)
	}
	return nil
}

// checkObject reads an object whose opening brace was read.
func checkObject(d *json.Decoder, depth int) error {
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return syntax(err)
		}
		key, _ := token.(string)
		if folded := fold(key); seen[folded] {
			return fmt.Errorf("the key %s occurs twice", quote(key))
		} else {
			seen[folded] = true
		}
		if err := checkValue(d, depth+1); err != nil {
			return err
		}
	}
	return closing(d)
}

func closing(d *json.Decoder) error {
	_, err := d.Token()
	if err != nil {
		return syntax(err)
	}
	return nil
}

// fold maps the keys onto one that a reader without regard to case would take
// for each other, Unicode's odd ones (the long s, the Kelvin sign) included.
func fold(key string) string { return strings.ToLower(strings.ToUpper(key)) }

// hasLoneSurrogate looks for \uD800 to \uDFFF outside a pair, which decoders
// replace or keep as they please. text need not be JSON.
func hasLoneSurrogate(text []byte) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		i++ // an escaped backslash escapes nothing
		high := escape(text, i)
		if high < 0xD800 || high > 0xDFFF {
			continue
		}
		low := -1
		if i+5 < len(text) && text[i+5] == '\\' {
			low = escape(text, i+6)
		}
		if high > 0xDBFF || low < 0xDC00 || low > 0xDFFF {
			return true
		}
		i += 10
	}
	return false
}

// escape returns the code of "uXXXX" at text[i:], -1 where there is none.
func escape(text []byte, i int) int {
	if i+5 > len(text) || text[i] != 'u' {
		return -1
	}
	code := 0
	for _, c := range text[i+1 : i+5] {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if c >= '0' && c <= '9' {
			digit = int(c - '0')
		}
		if digit < 0 {
			return -1
		}
		code = code<<4 | digit
	}
	return code
}

// input is what the model passed to the forced tool.
type input struct {
	shouldBlock      bool
	reason, thinking string
}

// decodeInput takes exactly the three fields of the tool's schema, each once
// and of its type.
func decodeInput(text []byte) (input, error) {
	if err := checkDocument(text); err != nil {
		return input{}, err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return input{}, err
	}
	var in input
	for _, f := range []struct {
		key string
		to  any
	}{{"thinking", &in.thinking}, {"should_block", &in.shouldBlock}, {"reason", &in.reason}} {
		value, ok := fields[f.key]
		if !ok {
			return input{}, fmt.Errorf("%s is missing", f.key)
		}
		if string(value) == "null" || json.Unmarshal(value, f.to) != nil {
			return input{}, fmt.Errorf("%s is not of its type", f.key)
		}
		delete(fields, f.key)
	}
	for key := range fields {
		return input{}, fmt.Errorf("the key %s is not expected", quote(key))
	}
	return in, nil
}
