package paths

import "testing"

// Classes that shells read differently count for any letter.
func TestClassesThatShellsReadDifferently(t *testing.T) {
	for glob, want := range map[string]string{"[^a]b": "?b", "[a-g]x": "?x", "x[0-9]": "x[0-9]", "[!a-z]*": "?*",
		"a[]b]c": "a[]b]c", "[!]a-c]d": "?d", `\[a-z]`: `\[a-z]`, "[abc]": "[abc]", "[a-": "[a-", "[": "[",
		"f[-a]": "f[-a]", "[a-]": "[a-]", "[!": "[!", "[]-a]x": "?x"} {
		if got := anyForClass(glob); got != want {
			t.Errorf("%s: %s, want %s", glob, got, want)
		}
	}
	for _, name := range []string{"F", "\u00e9", "a"} {
		if !GlobMatch("[a-g]", name) {
			t.Errorf("[a-g] does not match %s", name)
		}
	}
}
