package grammar

import "strings"

// Segments cuts a text where a shell, or a string of another language, may begin or end a command, at quotes too or
// not. Quotes and backslashes are taken off.
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
