package wiring_test

import (
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/wiring"
)

// Whatever is found in a text that is unescaped and in small letters keeps it
// from being quiet.
func FuzzQuiet(f *testing.F) {
	for _, text := range []string{"a hook", "HOOKS", "ho\u212a", "hoo\u212a", `\x68ook`, `ho\` + "\n" + "ok", `\150ook`,
		"Do_Not_Trust", "DO_NOT_TRUST", "hook", "ook", "h\noo", `\n`, "CLAUDE_CODE_S\u0130MPLE", "x_y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := strings.ToLower(wiring.Unescape(text))
		if wiring.Quiet(text) && (strings.Contains(plain, "hook") || wiring.HoldsKey(plain)) {
			t.Errorf("%q is quiet", text)
		}
	})
}

// A key that nothing in Quiet looks for would pass as quiet.
func TestNoKeyIsQuiet(t *testing.T) {
	for _, a := range hosts.Agents() {
		for _, key := range a.Keys {
			for _, text := range []string{key, strings.ToLower(key), strings.ToUpper(key), `{"` + key + `": true}`} {
				if wiring.Quiet(text) {
					t.Errorf("%s: %q is quiet: teach Quiet a piece of the key", a.Name, text)
				}
			}
		}
	}
	for _, text := range []string{"", "package main\n\nfunc main() { fmt.Printf(\"%d\\n\", 1) }", "snake_names",
		"Hoo k"} {
		if !wiring.Quiet(text) {
			t.Errorf("%q is not quiet", text)
		}
	}
}
