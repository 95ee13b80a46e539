package llm

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// What is accepted reads the same for a reader that takes keys as they are
// (the standard library's maps), and holds the three fields and nothing else.
func FuzzDecodeInput(f *testing.F) {
	for _, seed := range []string{
		allowInput, `{"reason":"r","should_block":true,"thinking":""}`, `{}`, `[]`, `null`, "", "{",
		allowInput + allowInput,
		`{"thinking":"t","should_block":true,"should_block":false,"reason":"r"}`,
		`{"thinking":"\ud83d\ude00","should_block":true,"reason":"\\ud800"}`,
		`{"thinking":"\ud800","should_block":true,"reason":"r"}`, `{"thinking":"t","Should_Block":false,"reason":"r"}`,
		`{"thinking":"t","should_block":null,"reason":"r"}`, `{"thinking":{"a":[1]},"should_block":true,"reason":"r"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := decodeInput(text)
		if err != nil {
			if in != (input{}) {
				t.Errorf("%+v beside %v", in, err)
			}
			return
		}
		var m map[string]any
		if !utf8.Valid(text) || json.Unmarshal(text, &m) != nil || len(m) != 3 {
			t.Fatalf("accepted %q", text)
		}
		if m["should_block"] != in.shouldBlock || m["reason"] != in.reason || m["thinking"] != in.thinking {
			t.Errorf("%q was read as %+v", text, in)
		}
		if strings.Contains(in.reason+in.thinking, "\ufffd") && !strings.Contains(strings.ToLower(string(text)),
			"fffd") && !strings.Contains(string(text), "\ufffd") {
			t.Errorf("%q was repaired", text)
		}
		if n := strings.Count(string(text), "should_block"); n > 1 && strings.Count(in.reason+in.thinking,
			"should_block") < n-1 {
			t.Errorf("%q holds the decision twice", text)
		}
	})
}

// A document is accepted only if it is valid JSON. A document that the standard
// library's encoder wrote from a map always is.
func FuzzCheckDocument(f *testing.F) {
	for _, seed := range []string{"{}", `{"a":[{"b":1},{"b":2}]}`, `{"a":1,"A":2}`, `{"a":"\\ud800"}`, `{"a":"\ud800"}`,
		"[1]", `{"a":1}x`, "{\"a\":1}\n", `{"":{"":{}}}`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := parse(text)
		var m map[string]any
		decoded := json.Unmarshal(text, &m)
		if err == nil && (decoded != nil || m == nil) {
			t.Errorf("accepted %q: %v", text, decoded)
		}
		if decoded != nil || m == nil || len(m) != 1 {
			return
		}
		for key, value := range m {
			if _, nested := value.(map[string]any); nested {
				return
			}
			if _, nested := value.([]any); nested {
				return
			}
			again, _ := json.Marshal(map[string]any{key: value})
			if _, err := parse(again); err != nil {
				t.Errorf("refused %q: %v", again, err)
			}
		}
	})
}

func TestLoneSurrogates(t *testing.T) {
	for text, want := range map[string]bool{
		`\ud83d\ude00`: false, `\uD83D\uDE00`: false, `\ud83d`: true, `\ude00`: true, `\ude00\ud83d`: true,
		`\ud83d\n`: true, `\ud83d\u0041`: true, `\\ud83d`: false, `\\\ud83d`: true, `\u0041`: false,
		`\ud83d\ud83d\ude00`: true, "\ufffd": false, "\ufffd\\ud83d": true,
	} {
		for _, document := range []string{`{"a":"` + text + `"}`, `{"` + text + `":1}`} {
			if _, err := parse([]byte(document)); (err != nil) != want {
				t.Errorf("%s: %v", document, err)
			}
		}
	}
}
