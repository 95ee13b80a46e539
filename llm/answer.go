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
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return errors.New("it is not an object")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var read strings.Builder
	if err := checkValue(d, 1, &read); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows its end")
	}
	// The decoder puts this character where half a pair stands.
	if strings.Count(read.String(), "\ufffd") > bytes.Count(text, []byte("\ufffd")) {
		return errors.New("it holds half a surrogate pair")
	}
	return nil
}

// checkValue reads one value, and writes down the strings in it.
func checkValue(d *json.Decoder, depth int, read *strings.Builder) error {
	opened, err := d.Token()
	if text, ok := opened.(string); ok {
		read.WriteString(text)
	}
	if err != nil || opened != json.Delim('{') && opened != json.Delim('[') {
		return early(err)
	}
	if depth > depthLimit {
		return errors.New("it is nested too deeply")
	}
	seen := map[string]bool{}
	for d.More() {
		if opened == json.Delim('{') {
			token, err := d.Token()
			if err != nil {
				return early(err)
			}
			key, _ := token.(string)
			read.WriteString(key)
			if folded := fold(key); seen[folded] {
				return fmt.Errorf("the key %s occurs twice", quote(key))
			} else {
				seen[folded] = true
			}
		}
		if err := checkValue(d, depth+1, read); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return early(err)
}

func early(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("it ends early")
	}
	return err
}

// fold maps the keys onto one that a reader without regard to case would take
// for each other, Unicode's odd ones (the long s, the Kelvin sign) included.
func fold(key string) string { return strings.ToLower(strings.ToUpper(key)) }

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
