package place

import (
	"strings"
	"testing"
)

func TestPlainPaths(t *testing.T) {
	for text, want := range map[string]string{
		"a/../b": "b", "cd a/b/../../c && ./x": "cd c && ./x", "../a": "../a", "../../a": "../../a", "/../a": "/../a",
		"./a/../b": "./b", "x a/./b//c": "x a/b/c", "https://x/y": "https://x/y",
		"${A:-b/c}/d": "b/c/d", "${A}/x": "${A}/x", "${A": "${A", "${A:-${B}}": "${A:-${B}}", "${A=b}": "b",
		`"command":"x"`: "command :x", `a\tb`: "a b", `a\\tb`: "atb", `\u0061`: "a", `\ud83d\ude80`: "🚀", `\\155`: "m",
		"a\\\nb": "ab", `a\\\nb`: "ab",
	} {
		if got := withoutDetours(plainPaths(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What settings may hold at most is read without copies of copies.
func BenchmarkPlainPaths(b *testing.B) {
	for _, piece := range []string{"a/../", "${a-b}", "../", "${", "/a/"} {
		text := strings.Repeat(piece, settingsSize/len(piece))
		b.Run(piece, func(b *testing.B) {
			for b.Loop() {
				readings(text)
			}
		})
	}
}
