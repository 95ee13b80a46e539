package masks

import "strings"

// passes bounds how often a text is scanned again after something in it was
// masked. Two are the rule.
const passes = 8

// Text does for plain text (a command, a file's content, a message) what
// [Mask] does for JSON. It reads each byte a bounded number of times.
//
// Nothing that a shell could run disappears: see [Mask].
func Text(s string) string { return maskAll(s, false) }

// Command masks the text of a command or of a program: the names of programs in it
// stay, whatever they look like, and so does what an expression may run.
func Command(s string) string { return maskAll(s, true) }

func maskAll(s string, command bool) string {
	for range passes {
		masked := maskOnce(s, command)
		if masked == s {
			break
		}
		s = masked // what was masked may change how the rest reads
	}
	return s
}

func maskOnce(s string, command bool) string {
	if len(s) < 4 {
		return s
	}
	sc := scanner{text: text{s}, command: command}
	for sc.pos < len(s) {
		sc.step()
	}
	if sc.out == nil {
		return s
	}
	return string(append(sc.out, s[sc.from:]...))
}

// text is what is read; its methods look, and change nothing.
type text struct{ in string }

// scanner reads text from left to right, once. It knows a little of shell
// quoting, which is also that of most languages; where it guesses wrong it
// masks too much or too little of one value and finds its way back.
type scanner struct {
	text
	out   []byte
	from  int    // in[:from] is in out
	pos   int    // the next byte
	quote byte   // the quote that is open, 0 for none
	tool  tool   // the program whose options are being read
	word  string // the word before this one, on this line
	// Addresses and web tokens that begin before these were looked at.
	atless, jwtless int
	command         bool // the text is a command's
	alone           bool // a quoted value is one constant, and ends with its quote
	expanded        map[string]bool
	data            *bool     // see runsData; nil until it is asked for
	decodes         bool      // and makes other texts of it
	literals        *literals // what a shell takes as it stands; nil until it is asked for
}

// tool is a program that takes passwords as arguments.
type tool uint8

const (
	noTool tool = iota
	curl
	mysql
	sshpass
	redis
	ldap
	zip
	login // any program's login command, and .netrc
)

func (s *scanner) step() {
	i := s.pos
	switch c := s.in[i]; c {
	case '\n', ';', '|', '&':
		s.tool, s.word = noTool, ""
		s.pos++
	case '\\':
		s.pos++
		if s.pos < len(s.in) && isQuote(s.in[s.pos]) {
			s.pos++ // an escaped quote opens and closes nothing
		}
	case '"', '\'', '`':
		s.toggle(c)
		s.pos++
	case '=', ':':
		s.assignment(i)
	case ',':
		s.pair(i)
	default:
		s.other(i)
	}
}

func (s *scanner) other(i int) {
	if s.in[i] == '-' && strings.HasPrefix(s.in[i:], pemBegin) {
		if n := pemTitle(s.in[i:]); n > 0 {
			s.keyBlock(i + n)
			return
		}
	}
	if s.boundary(i) {
		s.start(i)
		return
	}
	s.pos++
}

func (s *scanner) toggle(c byte) {
	switch s.quote {
	case 0:
		s.quote = c
	case c:
		s.quote = 0
	}
}

// put replaces in[a:b] by a marker, unless nothing secret can stand there.
func (s *scanner) put(a, b int) {
	if a >= b || isMarker(s.in[a:b]) || isReference(s.in[a:b]) {
		return
	}
	s.out = append(append(s.out, s.in[s.from:a]...), marker(b-a)...)
	s.from = b
}

// boundary reports whether something may begin at i: not in the middle of a
// word. What an escape such as \n or %3D ends with is no word.
func (t text) boundary(i int) bool {
	return i == 0 || !isAlnum(t.in[i-1]) || i > 1 && t.in[i-2] == '\\' || i > 2 && t.in[i-3] == '%'
}

// start handles what begins at i: a token, or a word.
func (s *scanner) start(i int) {
	if n := max(tokenLen(s.in[i:]), s.jwt(i)); n > 0 {
		s.token(i, i+n)
		return
	}
	if n := webhook(s.in[i:]); n > 0 {
		s.pos = i + n
		s.hide(s.pos, s.until(i+n, "?;&|()$\\,"))
		return
	}
	s.pos = s.pastWord(i)
	if i == 0 || isSpace(s.in[i-1]) || isQuote(s.in[i-1]) || strings.IndexByte("=(/,:;|&\\", s.in[i-1]) >= 0 {
		s.startWord(i)
	}
}

// pastWord returns where the next boundary after i can be.
func (t text) pastWord(i int) int {
	n := i + 1
	if !isTokenByte(t.in[i]) {
		return n // the word begins behind it
	}
	if i > 1 && t.in[i-1] != '\\' && t.in[i-1] != '%' && t.in[i-2] != '%' {
		for n < len(t.in) && isAlnum(t.in[n]) {
			n++
		}
	}
	return n
}

// wordLimit bounds the words that are looked at.
const wordLimit = 64

func (t text) wordEnd(i int) int {
	end := i
	for end < len(t.in) && end-i < wordLimit && (isTokenByte(t.in[end]) || t.in[end] == '.') {
		end++
	}
	return end
}

// startWord handles keywords, programs and options that a secret follows.
func (s *scanner) startWord(i int) {
	end := s.wordEnd(i)
	w := s.in[i:end]
	if w == "" {
		return
	}
	before := s.word
	s.word = w
	switch w[0] {
	case '-':
		s.option(i, end)
		return
	case 'b', 'B', 'p', 'P':
		if s.scheme(w, end) || s.quoted(w, before, end) {
			return
		}
	}
	if (before == "set" || before == "config") && secretName(w) || s.tool == login && strings.EqualFold(w, "password") {
		s.argument(end)
		return
	}
	s.program(w)
}

// scheme handles "Bearer TOKEN" and "Basic TOKEN".
func (s *scanner) scheme(w string, end int) bool {
	if !strings.EqualFold(w, "bearer") && !strings.EqualFold(w, "basic") {
		return false
	}
	a := s.blanks(end)
	b := a
	for b < len(s.in) && (isTokenByte(s.in[b]) || strings.IndexByte("._~+/=", s.in[b]) >= 0) {
		b++
	}
	if a == end || !looksRandom(s.in[a:b]) {
		return false
	}
	s.hide(a, b)
	return true
}

// quoted handles PASSWORD 'x' and IDENTIFIED BY 'x' of SQL.
func (s *scanner) quoted(w, before string, end int) bool {
	if !(strings.EqualFold(w, "by") && strings.EqualFold(before, "identified")) &&
		!strings.EqualFold(w, "password") && !strings.EqualFold(w, "passwd") && !strings.EqualFold(w, "passphrase") {
		return false
	}
	a := s.blanks(end)
	if a == end || a == len(s.in) || !isQuote(s.in[a]) || s.in[a] == s.quote || s.command && s.isWord(a) {
		return false
	}
	s.mask(a)
	return true
}

// program notes that the options of a program follow.
func (s *scanner) program(w string) {
	switch w {
	case "curl", "curl.exe", "xh", "http", "https":
		s.tool = curl
	case "mysql", "mysqldump", "mysqladmin", "mariadb", "mariadb-dump", "mongosh", "mongo", "mongodump":
		s.tool = mysql
	case "sshpass":
		s.tool = sshpass
	case "redis-cli":
		s.tool = redis
	case "ldapsearch", "ldapmodify", "ldapadd", "ldappasswd":
		s.tool = ldap
	case "zip", "unzip", "7z", "7za":
		s.tool = zip
	case "login":
		s.tool = login
	}
}

// option handles "--password VALUE" and the short options of known programs.
func (s *scanner) option(i, end int) {
	w := s.in[i:end]
	switch {
	case s.tool == mysql && strings.HasPrefix(w, "-p") && i+2 < len(s.in) && !isSpace(s.in[i+2]):
		s.mask(i + 2)
	case w == "--from-literal" && end < len(s.in):
		s.fromLiteral(end)
	case s.tool == curl && w == "-b":
		s.cookies(s.blanks(end))
	case end < len(s.in) && (s.in[end] == ' ' || s.in[end] == '\t') && optionTakesSecret(w):
		s.argument(end)
	case s.tool == curl && (w == "--user" || w == "--proxy-user"):
		s.user(s.blanks(end))
	case s.tool == curl && (strings.HasPrefix(w, "-u") || strings.HasPrefix(w, "-U")):
		s.user(s.blanks(i + 2))
	case s.tool == sshpass && strings.HasPrefix(w, "-p"), s.tool == login && w == "-p",
		s.tool == zip && (strings.HasPrefix(w, "-P") || strings.HasPrefix(w, "-p")), s.tool == ldap &&
			w == "-w", s.tool == redis && w == "-a":
		s.mask(s.blanks(i + 2))
	}
}

// argument masks the word after an option, unless that is an option too.
func (s *scanner) argument(end int) {
	a := s.blanks(end)
	if a == end || a+1 < len(s.in) && s.in[a] == '-' && (s.in[a+1] == '-' || isAlnum(s.in[a+1])) {
		return
	}
	s.mask(a)
}

// user masks the password of user:password at a.
func (s *scanner) user(a int) {
	a, b, next := s.value(a)
	user, password, ok := strings.Cut(s.in[a:b], ":")
	if !ok || password == "" {
		return
	}
	s.pastValue(s.hide(a+len(user)+1, b), next)
}

// fromLiteral masks the value of kubectl's --from-literal=NAME=VALUE.
func (s *scanner) fromLiteral(end int) {
	a, b, next := s.value(end + 1)
	name, value, ok := strings.Cut(s.in[a:b], "=")
	if ok && value != "" {
		s.pastValue(s.hide(a+len(name)+1, b), next)
	}
}

func (t text) blanks(i int) int {
	for i < len(t.in) && (t.in[i] == ' ' || t.in[i] == '\t') {
		i++
	}
	return i
}

// mask hides the value at i and goes on behind it.
func (s *scanner) mask(i int) {
	a, b, next := s.value(i)
	if s.command && mayCall(s.in, a, b) {
		return // what stands in it is looked at by itself
	}
	s.pastValue(s.hide(a, b), next)
}

// mayCall reports whether what stands in the place of a value is code: token=rm(x),
// token=f"{rm()}", password "!rm -rf x".
func mayCall(text string, a, b int) bool {
	_, called, opens := strings.Cut(text[a:b], "(")
	return b < len(text) && text[b] == '(' || strings.HasPrefix(text[a:b], "!") ||
		opens && strings.Contains(called, ")")
}

// rescan is how much of a value that was not hidden whole is read again.
const rescan = 4 << 10

// pastValue goes on behind a value. Where only its beginning was hidden, what
// follows is looked at by itself; a long one only once.
func (s *scanner) pastValue(all bool, next int) {
	if all || next-s.pos > rescan {
		s.pos = max(next, s.pos)
	}
}
