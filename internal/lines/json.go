package lines

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// JSON is a value as one line: what is not UTF-8 becomes U+FFFD, and <, > and & stay
// readable. A number such as NaN is an error.
//
// The fields of a struct whose exported fields all have a name are written one by one: package json prepares a
// type for many values, and a hook writes one.
func JSON(v any) ([]byte, error) {
	s := reflect.ValueOf(v)
	if !named(s) {
		return encoded(v)
	}
	line, err := appendFields(append(make([]byte, 0, 1024), '{'), s)
	return append(line, '}'), err
}

func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// named reports whether a value is a struct that can be written field by field.
func named(s reflect.Value) bool {
	if s.Kind() != reflect.Struct || s.NumMethod() > 0 && hasOwnForm(s) {
		return false
	}
	for i := range s.NumField() {
		field := s.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" && named(s.Field(i)) {
			continue
		}
		if !field.IsExported() || name == "" || name == "-" || options != "" && options != "omitempty" {
			return false
		}
	}
	return true
}

func hasOwnForm(v reflect.Value) bool {
	switch v.Interface().(type) {
	case json.Marshaler, encoding.TextMarshaler:
		return true
	}
	return false
}

func appendFields(line []byte, s reflect.Value) (_ []byte, err error) {
	for i := range s.NumField() {
		field, value := s.Type().Field(i), s.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "":
			if line, err = appendFields(line, value); err != nil {
				return nil, err
			}
			continue
		case options != "" && isEmpty(value):
			continue
		case line[len(line)-1] != '{':
			line = append(line, ',')
		}
		line = append(append(append(line, '"'), name...), '"', ':')
		if line, err = appendValue(line, value); err != nil {
			return nil, err
		}
	}
	return line, nil
}

// isEmpty is what omitempty leaves out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func appendValue(line []byte, v reflect.Value) ([]byte, error) {
	text := ""
	switch plain := v.NumMethod() == 0; {
	case plain && v.CanInt():
		return strconv.AppendInt(line, v.Int(), 10), nil
	case plain && v.Kind() == reflect.String:
		text = v.String()
	case v.Kind() == reflect.Int, v.Type() == reflect.TypeFor[time.Time](): // a verdict, a layer
		if word, ok := v.Interface().(encoding.TextMarshaler); ok {
			if said, err := word.MarshalText(); err == nil {
				text = string(said)
			}
		}
	}
	if text != "" && isPlain(text) {
		return append(append(append(line, '"'), text...), '"'), nil
	}
	if raw, ok := v.Interface().(json.RawMessage); ok && len(raw) > 0 {
		var b bytes.Buffer
		err := json.Compact(&b, raw)
		return append(line, b.Bytes()...), err
	}
	other, err := encoded(v.Interface())
	return append(line, other...), err
}

// isPlain reports whether a text stands between quotes as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
