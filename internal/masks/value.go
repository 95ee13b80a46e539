package masks

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
	case op == "=" && a > end && !isSpace(s.in[i-1]):
		// NAME= command: an empty value in a shell
	case op == "=" && s.runsLater(name):
		// what the text runs is shown
	case s.inCode(name, i, a):
		s.constant(a)
	case isHeader(name) && !isQuote(s.in[a]):
		s.header(a)
	default:
		s.mask(a)
	}
}

func (t text) space(i int) int {
	for i < len(t.in) && isSpace(t.in[i]) {
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
func (t text) nameBefore(i int) (name string, quoted bool) {
	end := i
	for end > 0 && i-end < 4 && strings.IndexByte(" \t!+?<>:", t.in[end-1]) >= 0 {
		end--
	}
	for n := 0; end > 0 && n < 4 && strings.IndexByte("\"'`]\\)", t.in[end-1]) >= 0; n++ {
		quoted = quoted || isQuote(t.in[end-1])
		end--
	}
	start := t.nameStart(end)
	if strings.EqualFold(t.in[start:end], "key") && start > 0 && t.in[start-1] == ' ' {
		start = t.nameStart(start - 1)
	}
	return t.in[start:end], quoted
}

func (t text) nameStart(end int) int {
	start := end
	for start > 0 && end-start < nameLimit && (isTokenByte(t.in[start-1]) || t.in[start-1] == '.') {
		start--
	}
	return start
}

func isHeader(name string) bool {
	n := strings.ToLower(name)
	return strings.HasSuffix(n, "authorization") || strings.HasSuffix(n, "cookie")
}

// header masks what follows a header's name; its scheme stays. It ends where
// something could follow that a shell would run.
func (s *scanner) header(a int) {
	b := s.lineEnd(a)
	scheme := a
	for scheme < b && (isAlnum(s.in[scheme]) || s.in[scheme] == '-') {
		scheme++
	}
	if after := s.blanks(scheme); after > scheme && after < b {
		a = after
	}
	s.hide(a, s.unblank(a, b))
	for s.more() {
	}
}

// more hides the value of another NAME=VALUE of a cookie.
func (s *scanner) more() bool {
	if s.pos >= len(s.in) || s.in[s.pos] != ';' {
		return false
	}
	name := s.blanks(s.pos + 1)
	equals := name
	for equals < len(s.in) && (isTokenByte(s.in[equals]) || s.in[equals] == '.') {
		equals++
	}
	if equals == name || equals == len(s.in) || s.in[equals] != '=' {
		return false
	}
	s.pos = equals + 1
	return s.hide(s.pos, s.cookieEnd(s.pos))
}

// cookieEnd is where the value of a cookie ends that begins at a.
func (s *scanner) cookieEnd(a int) int {
	line := s.lineEnd(a)
	for a < line && !isSpace(s.in[a]) {
		a++
	}
	return a
}

// cookies masks the values of curl -b 'NAME=VALUE; ...'; a file's name is left.
func (s *scanner) cookies(a int) {
	b, _, _ := s.value(a)
	name, _, ok := strings.Cut(s.in[b:s.lineEnd(b)], "=")
	if !ok || strings.ContainsAny(name, " /") {
		return
	}
	if a < b && s.quote == 0 && isQuote(s.in[a]) {
		s.quote = s.in[a]
	}
	s.pos = b + len(name) + 1
	s.hide(s.pos, s.cookieEnd(s.pos))
	for s.more() {
	}
}

// lineEnd is where the rest of a line ends that begins at a: at a quote that
// closes, or at what a shell would read as more than a word.
func (s *scanner) lineEnd(a int) int {
	for b := a; b < len(s.in); b++ {
		c := s.in[b]
		if c == '\r' || c == '\\' || operator(s.in[b:]) || isQuote(c) && (s.quote == 0 || c == s.quote) {
			return b
		}
	}
	return len(s.in)
}

func (t text) unblank(a, b int) int {
	for b > a && isSpace(t.in[b-1]) {
		b--
	}
	return b
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
	if open := i + depth; open < len(s.in) && isQuote(s.in[open]) && (depth > 0 || !closes(s.in[open:], s.quote)) {
		return s.inQuotes(open, depth)
	}
	end := s.bare(i)
	return i, s.trim(i, end), end
}

// closes reports whether the quote that text begins with ends a string, which began
// with quote, rather than begins another. An apostrophe further up may have confused
// the count, so that what follows counts too.
func closes(text string, quote byte) bool {
	if text[0] != quote {
		return false
	}
	return len(text) == 1 || isSpace(text[1]) || strings.IndexByte(";|&)],}", text[1]) >= 0
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
		case q == '"' && slashes == 0 && (c == '`' || strings.HasPrefix(s.in[i:], "$(")),
			depth > 0 && s.quote != '"' && operator(s.in[i:]):
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
	if !s.alone && next < len(s.in) && (isAlnum(s.in[next]) || isQuote(s.in[next]) && s.in[next] != s.quote ||
		strings.IndexByte("_$\\@%+/.-", s.in[next]) >= 0) && end == next-1 {
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
		case c == '`':
			return i
		case c == '$' && strings.HasPrefix(s.in[i:], "${"):
			end := i + braces(s.in[i:], s.quote)
			if !isReference(s.in[i:end]) {
				return i
			}
			i = end
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

// braces returns the length of the ${...} that text begins with, as far as one that
// only names a variable goes.
func braces(text string, quote byte) (n int) {
	n = 2
	for n < len(text) && n < 4*nameLimit && text[n] != '}' && text[n] != '\n' && text[n] != quote {
		n++
	}
	for n < len(text) && text[n] == '}' {
		n++
	}
	return n
}

// trim drops the brackets and commas behind a bare value that close what was
// opened before it.
func (t text) trim(a, b int) int {
	for b > a {
		var opener byte
		switch t.in[b-1] {
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
		if strings.IndexByte(t.in[a:b], opener) >= 0 {
			return b
		}
		b--
	}
	return b
}

// addressLimit bounds how much of an address is looked at.
const addressLimit = 1 << 10

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
func (t text) until(i int, stops string) int {
	end := min(len(t.in), i+addressLimit)
	for i < end && !isSpace(t.in[i]) && !isQuote(t.in[i]) && t.in[i] != '<' && t.in[i] != '>' &&
		strings.IndexByte(stops, t.in[i]) < 0 {
		i++
	}
	return i
}

// userinfo masks the password in in[a:at], or a user that is a token.
func (s *scanner) userinfo(a, at int) {
	user, password, ok := strings.Cut(s.in[a:at], ":")
	if len(user) >= 16 && looksRandom(user) && strings.IndexByte(user, '/') < 0 {
		s.token(a, a+len(user))
	}
	port, _, path := strings.Cut(password, "/")
	if !ok || path && isNumber(port) || strings.IndexByte(user, '/') >= 0 {
		s.pos = a + len(user)
		return
	}
	a += len(user) + 1
	s.pos = a
	for i := a; i < at; i++ {
		if operator(s.in[i:]) {
			at = i
		}
	}
	s.hide(a, at)
}
