package audit

import "strings"

// assignment handles what stands around the = or : at i: a URL, or a name
// and its value.
func (s *scanner) assignment(i int) {
	rest := s.in[i:]
	switch {
	case strings.HasPrefix(rest, "://"):
		s.url(i + 3)
		return
	case strings.HasPrefix(rest, "::"):
		s.pos = i + 2
		return
	}
	end := i + 1
	for end < len(s.in) && end-i < 3 && (s.in[end] == '=' || s.in[end] == '>') {
		end++
	}
	s.pos = end
	name, quoted := s.nameBefore(i)
	if !secretName(name) {
		return
	}
	a := s.blanks(end)
	if quoted {
		a = s.space(a)
	}
	op := s.in[i:end]
	compares := strings.HasPrefix(op, "==") || i > 0 && strings.IndexByte("!<>", s.in[i-1]) >= 0
	switch {
	case a == len(s.in), compares && !isQuote(s.in[a]):
	case op == "=" && a > end && !isSpace(s.in[i-1]) && !looksRandom(s.in[a:s.wordEnd(a)]):
		// NAME= command: an empty value in a shell
	case isHeader(name) && !isQuote(s.in[a]):
		s.header(a)
	default:
		s.mask(a)
	}
}

func (s *scanner) space(i int) int {
	for i < len(s.in) && isSpace(s.in[i]) {
		i++
	}
	return i
}

// pair handles "name", "value".
func (s *scanner) pair(i int) {
	s.pos = i + 1
	name, quoted := s.nameBefore(i)
	a := s.space(i + 1)
	if quoted && a < len(s.in) && (isQuote(s.in[a]) || s.in[a] == '\\') && secretName(name) {
		s.mask(a)
	}
}

// nameBefore returns the name that ends before i, and whether it is quoted.
// "api key" and the like are one name.
func (s *scanner) nameBefore(i int) (name string, quoted bool) {
	end := i
	for end > 0 && i-end < 4 && strings.IndexByte(" \t!+?<>:", s.in[end-1]) >= 0 {
		end--
	}
	for n := 0; end > 0 && n < 4 && strings.IndexByte("\"'`]\\)", s.in[end-1]) >= 0; n++ {
		quoted = quoted || isQuote(s.in[end-1])
		end--
	}
	start := s.nameStart(end)
	if strings.EqualFold(s.in[start:end], "key") && start > 0 && s.in[start-1] == ' ' {
		start = s.nameStart(start - 1)
	}
	return s.in[start:end], quoted
}

func (s *scanner) nameStart(end int) int {
	start := end
	for start > 0 && end-start < nameLimit && (isTokenByte(s.in[start-1]) || s.in[start-1] == '.') {
		start--
	}
	return start
}

func isHeader(name string) bool {
	n := strings.ToLower(name)
	return strings.HasSuffix(n, "authorization") || strings.HasSuffix(n, "cookie")
}

// header masks the rest of a header's line; its scheme stays.
func (s *scanner) header(a int) {
	b := a
	for b < len(s.in) && s.in[b] != '\n' && s.in[b] != '\r' && s.in[b] != '\\' {
		if c := s.in[b]; isQuote(c) && (s.quote == 0 || c == s.quote) {
			break
		}
		b++
	}
	scheme := a
	for scheme < b && (isAlnum(s.in[scheme]) || s.in[scheme] == '-') {
		scheme++
	}
	if after := s.blanks(scheme); after > scheme && after < b {
		a = after
	}
	for b > a && isSpace(s.in[b-1]) {
		b--
	}
	s.hide(a, b)
	s.pos = b
}

// value finds the value that starts at i: what of it to hide, and where to go
// on reading.
func (s *scanner) value(i int) (a, b, next int) {
	if i >= len(s.in) {
		return i, i, i
	}
	depth := 0
	for i+depth < len(s.in) && s.in[i+depth] == '\\' {
		depth++
	}
	if open := i + depth; open < len(s.in) && isQuote(s.in[open]) && (depth > 0 || !s.closes(open)) {
		return s.inQuotes(open, depth)
	}
	end := s.bare(i)
	return i, s.trim(i, end), end
}

// closes reports whether the quote at i ends a string rather than begins one.
// An apostrophe further up may have confused the count, so that what follows
// counts too.
func (s *scanner) closes(i int) bool {
	if s.in[i] != s.quote {
		return false
	}
	return i+1 == len(s.in) || isSpace(s.in[i+1]) || strings.IndexByte(";|&)],}", s.in[i+1]) >= 0
}

// inQuotes handles a value whose opening quote is at open, behind depth
// backslashes.
func (s *scanner) inQuotes(open, depth int) (a, b, next int) {
	q := s.in[open]
	slashes := 0
	for i := open + 1; i < len(s.in); i++ {
		switch c := s.in[i]; {
		case c == '\\':
			slashes++
			continue
		case c == q && (depth == 0 && slashes%2 == 0 || depth > 0 && slashes <= depth):
			return s.closed(open, i-slashes*min(depth, 1), i+1)
		case c == '$' && q == '"' && slashes == 0 && strings.HasPrefix(s.in[i:], "$("):
			if depth == 0 {
				s.toggle(q)
			}
			return open + 1, i, i
		}
		slashes = 0
	}
	line := strings.IndexByte(s.in[open+1:], '\n') // never closed
	if line < 0 {
		return open + 1, len(s.in), len(s.in)
	}
	return open + 1, open + 1 + line, open + 1 + line
}

// closed handles a value in quotes that end before next. In a shell the word
// may go on: "a"b'c'.
func (s *scanner) closed(open, end, next int) (a, b, after int) {
	if next < len(s.in) && (isAlnum(s.in[next]) || isQuote(s.in[next]) && s.in[next] != s.quote || strings.IndexByte("_$\\@%+/.-", s.in[next]) >= 0) && end == next-1 {
		saved := s.quote
		s.quote = 0
		after = s.bare(next)
		s.quote = saved
		if after > next {
			return open, after, after
		}
	}
	return open + 1, end, next
}

// bare returns the end of a value that starts without a quote.
func (s *scanner) bare(i int) int {
	for i < len(s.in) {
		c := s.in[i]
		switch {
		case isSpace(c), strings.IndexByte(";|&<>", c) >= 0, c == s.quote, strings.HasPrefix(s.in[i:], "$("):
			return i
		case c == '$' && strings.HasPrefix(s.in[i:], "${"):
			i = s.braces(i)
		case c == '\\':
			if i+1 < len(s.in) && isQuote(s.in[i+1]) && s.quote != 0 {
				return i
			}
			i += 2
		case isQuote(c) && s.quote == 0:
			n := strings.IndexByte(s.in[i+1:], c)
			if n < 0 {
				return i
			}
			i += n + 2
		default:
			i++
		}
	}
	return len(s.in)
}

// braces returns the end of the ${...} at i.
func (s *scanner) braces(i int) int {
	end := i + 2
	for end < len(s.in) && s.in[end] != '}' && s.in[end] != '\n' && s.in[end] != s.quote {
		end++
	}
	for end < len(s.in) && s.in[end] == '}' {
		end++
	}
	return end
}

// trim drops the brackets and commas behind a bare value that close what was
// opened before it.
func (s *scanner) trim(a, b int) int {
	for b > a {
		var opener byte
		switch s.in[b-1] {
		case ',':
			b--
			continue
		case ')':
			opener = '('
		case ']':
			opener = '['
		case '}':
			opener = '{'
		default:
			return b
		}
		if strings.IndexByte(s.in[a:b], opener) >= 0 {
			return b
		}
		b--
	}
	return b
}

// url handles what may be user:password@ at the start of an authority. A
// password with a slash in it is not allowed there and occurs.
func (s *scanner) url(start int) {
	s.pos = start
	end := s.until(start, "/?#")
	if at := strings.LastIndexByte(s.in[start:end], '@'); at >= 0 {
		s.userinfo(start, start+at)
		return
	}
	if s.atless > start {
		return // this run was searched before
	}
	s.atless = s.until(start, "")
	if at := strings.LastIndexByte(s.in[start:s.atless], '@'); at >= 0 {
		s.userinfo(start, start+at)
	}
}

// until returns where an address ends that began before i, or the first of
// the stops in it.
func (s *scanner) until(i int, stops string) int {
	for i < len(s.in) && !isSpace(s.in[i]) && !isQuote(s.in[i]) && s.in[i] != '<' && s.in[i] != '>' &&
		strings.IndexByte(stops, s.in[i]) < 0 {
		i++
	}
	return i
}

// userinfo masks the password in in[a:at], or a user that is a token.
func (s *scanner) userinfo(a, at int) {
	user, password, ok := strings.Cut(s.in[a:at], ":")
	if len(user) >= 16 && looksRandom(user) && strings.IndexByte(user, '/') < 0 {
		s.hide(a, a+len(user))
	}
	port, _, path := strings.Cut(password, "/")
	if !ok || path && isNumber(port) || strings.IndexByte(user, '/') >= 0 {
		s.pos = a + len(user)
		return
	}
	s.hide(a+len(user)+1, at)
	s.pos = at
}

const pemBegin = "-----BEGIN "

// pemLen returns the length of the private key block that s starts with, 0
// for none: to its end, or as far as it looks like one.
func pemLen(s string) int {
	title := s[len(pemBegin):min(len(s), 96)]
	n := strings.Index(title, "-----")
	if n < 0 || !strings.Contains(title[:n], "PRIVATE KEY") || strings.ContainsAny(title[:n], "\n;|&$") {
		return 0
	}
	i := len(pemBegin) + n + 5
	for i < len(s) && isPEM(s[i]) {
		if strings.HasPrefix(s[i:], "-----END ") {
			end := i + len("-----END ")
			if n := strings.Index(s[end:min(len(s), end+96)], "-----"); n >= 0 {
				return end + n + 5
			}
		}
		i++
	}
	return i
}

// isPEM reports whether c occurs inside a key block, with its headers and
// with the quoting of a language around its lines.
func isPEM(c byte) bool {
	return isAlnum(c) || isSpace(c) || strings.IndexByte("+/=\\\"',:.-_()@", c) >= 0
}
