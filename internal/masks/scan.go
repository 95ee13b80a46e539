package masks

import "strings"

// Text does for plain text (a command, a file's content, a message) what
// [Mask] does for JSON. It reads each byte a bounded number of times.
func Text(s string) string { return scan(s, false) }

// Command masks the text of a command or of a program. The word that a command begins with
// stays, also if it looks like a key.
func Command(s string) string { return scan(s, true) }

func scan(in string, command bool) string {
	s := scanner{in: in, command: command}
	for s.pos < len(in) {
		s.step()
	}
	return string(append(s.out, in[s.from:]...))
}

// scanner reads text from left to right, once. It knows a little of shell quoting, which is also that of most
// languages; where it guesses wrong it masks too much or too little of one value and finds its way back.
type scanner struct {
	in       string
	out      []byte
	from     int    // in[:from] is in out
	pos      int    // the next byte
	quote    byte   // the quote that is open, 0 for none
	tool     string // the program whose options are being read
	command  bool   // the text is a command's
	expanded map[string]bool
}

func (s *scanner) step() {
	i := s.pos
	switch c := s.in[i]; {
	case c == '\n' || c == ';' || c == '|' || c == '&':
		s.tool = ""
		s.pos++
	case c == '\\':
		s.pos = min(i+2, len(s.in)) // what is escaped opens and closes nothing
		if i+1 < len(s.in) && s.in[i+1] == '\n' {
			s.pos = i + 1
		}
	case isQuote(c):
		switch s.quote {
		case 0:
			s.quote = c
		case c:
			s.quote = 0
		}
		s.pos++
	case c == '$':
		s.pos = s.reference(i)
	case c == '=' || c == ':':
		s.assignment(i)
	case c == '-' && strings.HasPrefix(s.in[i:], pemBegin):
		s.keyBlock(i + len(pemBegin))
	case s.begins(i):
		s.start(i)
	default:
		s.pos++
	}
}

// begins reports whether a word may begin at i. The end of an escape such as \n or %3D is no part of a word.
func (s *scanner) begins(i int) bool {
	return i == 0 || !isAlnum(s.in[i-1]) || i > 1 && s.in[i-2] == '\\' || i > 2 && s.in[i-3] == '%'
}

// hide replaces in[a:b] by a marker; a marker stays.
func (s *scanner) hide(a, b int) {
	s.pos = max(s.pos, b)
	if a > 0 && s.in[a-1] == '$' {
		a++ // $[ is an operator
	}
	if a >= b || a < s.from || strings.HasPrefix(s.in[a:b], "masked-") {
		return
	}
	s.out = append(append(s.out, s.in[s.from:a]...), marker(b-a)...)
	s.from = b
}

// startsCommand reports whether the first word of a command may begin at i, or a comment.
func (s *scanner) startsCommand(i int) bool {
	if s.in[i] == '#' {
		return true
	}
	before := strings.TrimRight(s.in[max(0, i-nameLimit):i], " \t\"'\\")
	return before == "" || strings.IndexByte(";|&(){}\n`!", before[len(before)-1]) >= 0
}

// start handles what begins at i: a key, a token, or a word that a secret may follow.
func (s *scanner) start(i int) {
	rest := s.in[i:]
	s.pos = i + 1
	if n := tokenLen(rest, i == 0 || !isTokenByte(s.in[i-1])); n > 0 && !(s.command && s.startsCommand(i)) {
		s.hide(i, i+n)
		return
	}
	end := i
	for end < len(s.in) && end-i < nameLimit && (isTokenByte(s.in[end]) || s.in[end] == '.') {
		end++
	}
	s.word(i, end)
}

// word handles keywords, programs and options that a secret follows.
func (s *scanner) word(i, end int) {
	w := s.in[i:end]
	next := s.blanks(end)
	follows := next > end && next < len(s.in)
	switch {
	case w == "":
	case w[0] == '-':
		s.option(w, i, end, next)
	case follows && (strings.EqualFold(w, "bearer") || strings.EqualFold(w, "basic")):
		if b := s.runEnd(next); looksRandom(s.in[next:b]) {
			s.hide(next, b)
		}
	case shortOption(w) != "":
		s.tool = w
	}
}

// shortOption is the short option of a program that a secret stands behind, "" for none.
func shortOption(program string) string {
	switch program {
	case "curl":
		return "-u"
	case "mysql", "mysqldump", "mysqladmin", "mariadb", "sshpass", "login":
		return "-p"
	case "redis-cli":
		return "-a"
	}
	return ""
}

// option handles "--password VALUE" and the short options of known programs.
func (s *scanner) option(w string, start, end, next int) {
	s.pos = end
	short := s.blanks(min(start+2, end))
	switch option := shortOption(s.tool); {
	case s.tool == "curl" && (w == "--user" || w == "--proxy-user"):
		s.behind(next, ':')
	case option != "" && strings.HasPrefix(w, option) && s.tool == "curl":
		s.behind(short, ':')
	case option != "" && strings.HasPrefix(w, option) && (len(w) > 2 || !strings.HasPrefix(s.tool, "m")):
		s.value(short, 0) // -p alone makes mysql ask
	case next > end && next < len(s.in) && s.in[next] != '-' && optionTakesSecret(w):
		s.value(next, 0)
	}
}

// behind hides what follows the first separator in the word at i.
func (s *scanner) behind(i int, separator byte) {
	var open byte
	for ; i < len(s.in) && (isQuote(s.in[i]) || isValueByte(s.in[i])); i++ {
		switch c := s.in[i]; {
		case c == separator:
			s.value(i+1, open)
			return
		case isQuote(c) && s.closes(i):
			return
		case isQuote(c):
			open = c
		}
	}
}

func (s *scanner) blanks(i int) int {
	for i < len(s.in) && (s.in[i] == ' ' || s.in[i] == '\t') {
		i++
	}
	return i
}

// assignment handles what stands around the = or : at i: a URL, or a name and its value.
func (s *scanner) assignment(i int) {
	end := i + 1
	for end < len(s.in) && end-i < 3 && strings.IndexByte("=:>", s.in[end]) >= 0 {
		end++
	}
	s.pos = end
	if strings.HasPrefix(s.in[i:], "://") {
		s.url(i + 3)
		return
	}
	name, quoted := s.nameBefore(i)
	op := s.in[i:end]
	if strings.HasPrefix(op, "::") || !secretName(name) {
		return
	}
	a := s.blanks(end)
	for quoted && a < len(s.in) && (s.in[a] == '\n' || s.in[a] == '\r') {
		a = s.blanks(a + 1)
	}
	compares := strings.HasPrefix(op, "==") || i > 0 && strings.IndexByte("!<>", s.in[i-1]) >= 0
	switch {
	case a == len(s.in), compares && !isQuote(s.in[a]):
	case op == "=" && a > end && s.in[i-1] != ' ' && s.in[i-1] != '\t': // NAME= command: empty, in a shell
	case op == "=" && s.expands(name): // what may run is shown
	case hasAnySuffix(strings.ToLower(name), "authorization", "cookie") && !isQuote(s.in[a]):
		s.header(a)
	default:
		s.value(a, 0)
	}
}

// nameBefore returns the name that ends before i, and whether it is quoted. "api key" and the like are one name.
func (s *scanner) nameBefore(i int) (name string, quoted bool) {
	before := strings.TrimRight(s.in[max(0, i-2*nameLimit):i], " \t!+?<>:")
	bare := strings.TrimRight(before, "\"'`]\\)")
	quoted = strings.ContainsAny(before[len(bare):], "\"'`")
	start := nameStart(bare)
	if strings.EqualFold(bare[start:], "key") && start > 0 && bare[start-1] == ' ' {
		start = nameStart(bare[:start-1])
	}
	return bare[start:], quoted
}

func nameStart(s string) int {
	start := len(s)
	for start > 0 && (isTokenByte(s[start-1]) || s[start-1] == '.') {
		start--
	}
	return start
}

// expands reports whether the text expands a variable of that name, and so
// may run its value: password=rm; $password -rf x.
func (s *scanner) expands(name string) bool {
	if s.expanded == nil {
		s.expanded = map[string]bool{}
		for _, after := range strings.Split(s.in, "$")[1:] {
			after = strings.TrimLeft(after[:min(len(after), nameLimit)], "{!#")
			s.expanded[after[:len(after)-len(strings.TrimLeft(after, letters+"_"))]] = true
		}
	}
	return s.expanded[name]
}

// header hides what follows a header's name; its scheme stays, which does not look random.
func (s *scanner) header(a int) {
	scheme := a
	for scheme < len(s.in) && (isAlnum(s.in[scheme]) || s.in[scheme] == '-') {
		scheme++
	}
	next := s.blanks(scheme)
	if next > scheme && next < len(s.in) && strings.IndexByte("\n;|&", s.in[next]) < 0 &&
		!looksRandom(s.in[a:scheme]) {
		a = next
	}
	s.value(a, 0)
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// isValueByte reports whether c may be hidden: it ends no word, begins no expansion and joins nothing.
func isValueByte(c byte) bool { return c > ' ' && strings.IndexByte("\"'`\\$;|&<>(){}[],#\x7f", c) < 0 }

func (s *scanner) runEnd(i int) int {
	for i < len(s.in) && isValueByte(s.in[i]) {
		i++
	}
	return i
}

// value hides the words of the value that starts at i, in the quote that is open: a value in
// quotes up to the closing quote, any other up to a blank or an operator. What a shell would
// put in place of a part is left, and ends the value where it is a command.
func (s *scanner) value(i int, open byte) {
	for i < len(s.in) && !s.endsValue(i, open) {
		switch c := s.in[i]; {
		case c == '\\' && i+1 < len(s.in) && isQuote(s.in[i+1]):
			i++
		case c == '\\' && i+1 < len(s.in) && !isValueByte(s.in[i+1]):
			i += 2
		case c == open:
			if open, i = 0, i+1; i < len(s.in) && !isAlnum(s.in[i]) && !isQuote(s.in[i]) { // and not a"b"c
				s.pos = max(s.pos, i)
				return
			}
		case isQuote(c) && open == 0:
			open = c
			i++
		case c == '$' && open != '\'':
			i = s.reference(i)
		case isValueByte(c), c == '$':
			end := max(s.runEnd(i), i+1)
			for open == '\'' && end < len(s.in) && s.in[end] == '$' && !s.endsValue(end, open) {
				end = s.runEnd(end + 1)
			}
			if end == len(s.in) || s.in[end] != '(' { // what is called: print(1)
				s.hide(i, end)
			}
			i = end
		default:
			i++
		}
	}
	s.pos = max(s.pos, min(i, len(s.in)))
}

// endsValue reports whether a value ends before i.
func (s *scanner) endsValue(i int, open byte) bool {
	switch c := s.in[i]; {
	case c == '\n', c == '`', strings.HasPrefix(s.in[i:], "$("), strings.HasPrefix(s.in[i:], "${") && !s.names(i):
		return true
	case open != 0, c == '$':
		return false
	case c == '\\':
		return i+1 == len(s.in) || s.in[i+1] == '\n'
	case isQuote(c):
		return s.closes(i)
	default:
		return !isValueByte(c)
	}
}

// reference returns where the name of the variable at i ends, which is no secret.
func (s *scanner) reference(i int) int {
	start := min(i+1, len(s.in))
	if start < len(s.in) && strings.IndexByte("{-?!@*", s.in[start]) >= 0 {
		start++
	}
	for i = start; i < len(s.in) && (s.in[i] == '_' || isAlnum(s.in[i])); {
		i++
	}
	return i
}

// names reports whether the ${ at i only names a variable.
func (s *scanner) names(i int) bool {
	body, _, closed := strings.Cut(s.in[i:min(len(s.in), i+4*nameLimit)], "}")
	return closed && strings.Trim(body, "${ ._-"+letters) == ""
}

// closes reports whether the quote at i ends the string that is open, rather than begins
// another: an apostrophe further up may have confused the count.
func (s *scanner) closes(i int) bool {
	return s.in[i] == s.quote && (i+1 == len(s.in) || strings.IndexByte(" \t\r\n;|&)],}", s.in[i+1]) >= 0)
}

// addressLimit bounds how much of an address is looked at.
const addressLimit = 512

// url hides the password of user:password@ at the start of an authority. A
// password with a slash in it is not allowed there and occurs.
func (s *scanner) url(start int) {
	end := start
	for end < len(s.in) && end-start < addressLimit && (isValueByte(s.in[end]) || s.in[end] == '$' ||
		strings.IndexByte("{}", s.in[end]) >= 0) {
		end++
	}
	authority := s.in[start:end]
	if i := strings.IndexAny(authority, "/?#"); i >= 0 && strings.Contains(authority[:i], "@") {
		authority = authority[:i]
	}
	at := strings.LastIndexByte(authority, '@')
	colon := strings.IndexByte(authority, ':')
	if at >= 0 && (colon < 0 || colon > at) && isToken(authority[:at]) {
		s.hide(start, start+at)
		return
	}
	if at < 0 || colon < 0 || colon > at || strings.Contains(authority[:colon], "/") {
		return
	}
	port, _, path := strings.Cut(authority[colon+1:at], "/")
	if path && strings.Trim(port, "0123456789") == "" || strings.Contains(authority[:at], "?") {
		return
	}
	for i := start + colon + 1; i < start+at; {
		if !isValueByte(s.in[i]) { // a reference
			return
		}
		b := min(s.runEnd(i), start+at)
		s.hide(i, b)
		i = b
	}
}

// isToken tells a token that stands for the user of an address from a name.
func isToken(user string) bool {
	return len(user) >= 16 && strings.ContainsAny(user, "0123456789") && strings.Trim(user, letters+"_-=") == ""
}

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END "
	// keyLine is the shortest line of a key that is not its last.
	keyLine = 16
)

// keyBlock hides the lines of a private key, whose title begins at i: to its end, or as
// far as nothing else is there. Words of a program are shorter than the lines of a key.
func (s *scanner) keyBlock(i int) {
	s.pos = i
	title, _, found := strings.Cut(s.in[i:min(len(s.in), i+96)], "-----")
	if !found || !strings.Contains(title, "PRIVATE KEY") || strings.ContainsAny(title, "\n;|&$") {
		return
	}
	for i += len(title) + 5; i < len(s.in) && !strings.HasPrefix(s.in[i:], pemEnd); {
		end := i
		for end < len(s.in) && (isAlnum(s.in[end]) || strings.IndexByte("+/=", s.in[end]) >= 0) {
			end++
		}
		switch {
		case end-i >= keyLine, end > i && strings.HasPrefix(s.in[s.betweenLines(end):], pemEnd):
			s.hide(i, end)
			i = end
		case end > i, s.in[i] == ':', s.in[i] == '-': // Proc-Type: 4,ENCRYPTED
			i = max(end, i+1)
		default:
			end = s.betweenLines(i)
			if end == i {
				return
			}
			i = end
		}
	}
	s.pos = max(s.pos, i)
}

// betweenLines returns where the next line of a key begins: behind blanks,
// escaped newlines, and the quotes that a language puts around each line.
func (s *scanner) betweenLines(i int) int {
	for i < len(s.in) {
		switch c := s.in[i]; {
		case strings.IndexByte(" \t\r\n\"',", c) >= 0:
			i++
		case c == '\\' && i+1 < len(s.in) && strings.IndexByte("nr\n\"", s.in[i+1]) >= 0:
			i += 2
		default:
			return i
		}
	}
	return i
}
