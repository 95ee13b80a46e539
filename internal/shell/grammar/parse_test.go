package grammar

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// measuring hands out one byte at a time and keeps the deepest stack it saw.
type measuring struct {
	rest string
	max  int
}

func (r *measuring) Read(p []byte) (int, error) {
	var stack [maxFrames]uintptr
	r.max = max(r.max, runtime.Callers(0, stack[:]))
	if r.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:1], r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestAShortTextIsFlat holds what flatBytes rests on.
func TestAShortTextIsFlat(t *testing.T) {
	for _, before := range []string{"", "$((", "((", "[[ ", "[[ a && ", "echo ${a[", "echo ${a:", "let ", "a[", "{ ",
		"if ", "case a in a) "} {
		for _, unit := range []string{"(", "( ", "-", "!", "! ", "- ", "++", "$(", "`", "${a:-", `"$(`, "{ ", "if ",
			"a=(", "a[", "${", "$((", "$[", "<(", "&& ", "a|", "a&&", "?a:", "a?", "a,", "a**", "[", "x()", "\n#", "@(",
			"!(", "time ", "f() ", "for i do ", "[[ ", "${a[", "=("} {
			for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangZsh, syntax.LangPOSIX} {
				r := &measuring{rest: before + strings.Repeat(unit, 60/len(unit))}
				size, outside := len(r.rest), &measuring{}
				if _, err := outside.Read(nil); err != io.EOF {
					t.Fatal(err)
				}
				_, _ = syntax.NewParser(syntax.Variant(lang)).Parse(r, "")
				if deep := r.max - outside.max; deep > 30*size {
					t.Errorf("%d frames for %d bytes of %s: %s%s...", deep, size, lang, before, unit)
				}
			}
		}
	}
}
