package grammar

import "strings"

// LookedUp writes NAME for "$(which NAME)" and the like.
func LookedUp(text string) string {
	for _, way := range [...]string{"$(which ", "$(command -v ", "$(type -p ", "$(type -P ", "`which ",
		"`command -v "} {
		for from := 0; ; {
			at := strings.Index(text[from:], way)
			if at < 0 {
				break
			}
			from += at
			end := strings.IndexAny(text[from+len(way):], ")`\n")
			if end < 0 {
				break
			}
			name := strings.TrimSpace(text[from+len(way) : from+len(way)+end])
			text = strings.TrimSuffix(text[:from], `"`) + name + strings.TrimPrefix(text[from+len(way)+end+1:], `"`)
		}
	}
	return text
}

// Segments cuts a text where a shell, or a string of another language, may
// begin or end a command, at quotes too or not. Quotes and backslashes are
// taken off.
func Segments(text string, quotes bool) (list [][]string) {
	var words []string
	var word strings.Builder
	endWord := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
			word.Reset()
		}
	}
	end := func() {
		if endWord(); len(words) > 0 {
			list, words = append(list, words), nil
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t':
			endWord()
		case '\n', ';', '|', '&', '(', ')', '`', '<', '>', '!', ',', '[', ']':
			end()
		case '\'', '"':
			if quotes {
				end()
			}
		case '{', '}':
			if word.Len() == 0 || c == '}' && !strings.Contains(word.String(), "{") {
				end()
				continue
			}
			word.WriteByte(c)
		case '\\':
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
		default:
			word.WriteByte(c)
		}
	}
	end()
	return list
}
