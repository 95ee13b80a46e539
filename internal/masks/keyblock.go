package masks

import "strings"

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	// keyLine is the shortest line of a key that is not its last.
	keyLine = 16
)

// pemTitle returns the length of the title that a private key begins with, 0
// for none.
func pemTitle(s string) int {
	title := s[len(pemBegin):min(len(s), 96)]
	n := strings.Index(title, "-----")
	if n < 0 || !strings.Contains(title[:n], "PRIVATE KEY") || strings.ContainsAny(title[:n], "\n;|&$") {
		return 0
	}
	return len(pemBegin) + n + 5
}

// keyBlock hides the lines of a private key, each by itself, from i on: to its
// end, or as far as they look like a key's.
func (s *scanner) keyBlock(i int) {
	for s.pos = i; ; {
		i = s.betweenLines(s.pos)
		if strings.HasPrefix(s.in[i:], pemEnd) {
			s.pos = i + len(pemEnd)
			return
		}
		end := i
		for end < len(s.in) && isBase64(s.in[end]) {
			end++
		}
		next := s.betweenLines(end)
		switch last := next == len(s.in) || strings.HasPrefix(s.in[next:], pemEnd); {
		case end > i && end < len(s.in) && (s.in[end] == ':' || s.in[end] == '-'): // Proc-Type: 4,ENCRYPTED
			if end = strings.IndexByte(s.in[i:], '\n'); end < 0 || end > 96 {
				return
			}
			s.pos = i + end
		case end-i >= keyLine, end > i && last:
			s.token(i, end)
		default:
			return
		}
	}
}

// betweenLines returns where the next line of a key begins: behind blanks,
// escaped newlines, and the quotes that a language puts around each line.
func (t text) betweenLines(i int) int {
	for i < len(t.in) {
		switch c := t.in[i]; {
		case isSpace(c), c == '"', c == '\'', c == ',':
			i++
		case c == '+' && i+1 < len(t.in) && isSpace(t.in[i+1]):
			i++
		case c == '\\' && i+1 < len(t.in) && strings.IndexByte("nr\n\"", t.in[i+1]) >= 0:
			i += 2
		default:
			return i
		}
	}
	return i
}

func isBase64(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }
