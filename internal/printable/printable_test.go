package printable

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", `git commit -m "a\nb" && ls`, `git commit -m "a\nb" && ls`},
		{"unicode", "größe 東京 ❤️ ‘x’ é", "größe 東京 ❤️ ‘x’ é"},
		{"line ends and tab", "a\nb\r\tc", `a\nb\r\tc`},
		{"escape sequence", "\x1b[2Jx\x07\x00\x7f", `\x1b[2Jx\x07\x00\x7f`},
		{"c1", "a\u009bb", `a\u{009B}b`},
		{"bidi", "a\u202eb\u2066c\u200ed\u061ce", `a\u{202E}b\u{2066}c\u{200E}d\u{061C}e`},
		{"zero width", "a\u200bb\u200dc\ufeffd\u2060e", `a\u{200B}b\u{200D}c\u{FEFF}d\u{2060}e`},
		{"tags", "a\U000e0041b", `a\u{E0041}b`},
		{"invalid", "a\xffb\xc3", `a\xffb\xc3`},
		{"surrogate half", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"no-break space", "rm\u00a0-rf", `rm\u{00A0}-rf`},
		{"line separator", "a\u2028b", `a\u{2028}b`},
		{"fillers", "a\u3164b\u2800c\u034fd", `a\u{3164}b\u{2800}c\u{034F}d`},
		{"hidden selectors", "a\U000e0101b\ufe01", `a\u{E0101}b\u{FE01}`},
		{"replacement character itself", "a\ufffdb", "a\ufffdb"},
		{"private use", "\ue000", `\u{E000}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(tt.in); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestOneLine(t *testing.T) {
	for _, tt := range []struct {
		in   string
		max  int
		want string
	}{
		{"short", 10, "short"},
		{"  a \n\t b  ", 10, "a b"},
		{"exactly", 7, "exactly"},
		{"exactly!", 7, "exactl…"},
		{"exactly  ", 7, "exactly"},
		{"äöüß", 3, "äö…"},
		{"a\x1b[31mb", 20, `a\x1b[31mb`},
		{"ab\u202ecd", 5, `ab\u…`},
		{"abc", 1, "…"},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{"", 5, ""},
		{"a", 1, "a"},
	} {
		if got := Line(tt.in, tt.max); got != tt.want {
			t.Errorf("Line(%q, %d) = %q, want %q", tt.in, tt.max, got, tt.want)
		}
	}
}

// For any input, the output is valid, visible and stays the same.
func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"", "a b", "\x1b]0;x\x07", "\u202e\U000e0041\xff", "a\u00a0\u3000b", "\n \n"} {
		f.Add(s, 8)
	}
	f.Fuzz(func(t *testing.T, s string, max int) {
		p := Text(s)
		if firstUnprintable(p) != len(p) || strings.ContainsAny(p, "\n\r\t\x1b") {
			t.Fatalf("Text(%q) = %q holds something to escape", s, p)
		}
		if Text(p) != p {
			t.Fatalf("Text(%q) is not idempotent", s)
		}
		line := Line(s, max)
		if n := utf8.RuneCountInString(line); n > max && n > 0 {
			t.Fatalf("Line(%q, %d) has %d runes", s, max, n)
		}
		if firstUnprintable(line) != len(line) {
			t.Fatalf("Line(%q, %d) = %q holds something to escape", s, max, line)
		}
	})
}

// A device of characters is taken for a terminal.
func TestVerdictIsColouredOnATerminal(t *testing.T) {
	device, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	if got := Verdict(device, "ask"); got != "\x1b[33mask  \x1b[0m" {
		t.Errorf("on a terminal: %q", got)
	}
	if got := Verdict(&strings.Builder{}, "ask"); got != "ask  " {
		t.Errorf("elsewhere: %q", got)
	}
	t.Setenv("NO_COLOR", "1")
	if got := Verdict(device, "ask"); got != "ask  " {
		t.Errorf("with NO_COLOR: %q", got)
	}
}
