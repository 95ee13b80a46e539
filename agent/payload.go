package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/nodgate/nod/fault"
)

// Payloads are read by a scanner of our own. encoding/json matches keys
// without regard to case and takes the last of two, so that
// {"command":"rm -rf /","Command":"ls"} reads "ls" in Go and "rm -rf /" in the
// agent's JavaScript. Whoever can shape a payload could show the gate another
// call than the one that runs. Here a text has one reading or none:
//
//   - a key is matched byte by byte, and two equal keys in one object are
//     refused at any depth;
//   - where nod reads a key, another one that differs in case only (Unicode
//     simple folding, so ſ is s and K is k) is refused;
//   - invalid UTF-8, half a surrogate pair, text after the end, nesting over
//     maxDepth and more than maxPayload bytes are refused.
//
// Unknown keys are fine, and what nod does not read may hold "a" and "A".
const (
	maxPayload = 16 << 20
	maxDepth   = 64
	// manyKeys is where comparing each key with each other one gives way to a
	// map, so that a hostile object costs no quadratic time.
	manyKeys = 16
)

// member is one key of an object with its value, as written.
type member struct {
	key   []byte // decoded
	value json.RawMessage
	at    int // offset of the value in the whole text
	node  int // of the walk, if there is one
}

// object is a JSON object whose text has been checked to the last byte. Its
// values share the payload's memory.
type object struct {
	members []member
	path    string // key path of the object, "" at the top
	walk    *walk  // what found it; nil in a payload, which is checked as a whole
}

// readPayload checks the whole text and returns its top level.
func readPayload(text []byte) (object, error) {
	if len(text) > maxPayload {
		return object{}, badInput(fmt.Errorf("%d bytes; at most %d MiB are read", len(text), maxPayload>>20))
	}
	o, err := readObject(text, scanner{depth: maxDepth})
	if err != nil {
		return object{}, badInput(err)
	}
	return o, nil
}

// readReport is readPayload for events that only report: what a program
// printed may have been cut in the middle of a character, and half a
// surrogate pair reads as U+FFFD. Never for a call that is to be decided.
func readReport(text []byte) (object, error) {
	if len(text) > maxPayload {
		return readPayload(text)
	}
	o, err := readObject(text, scanner{depth: maxDepth, halve: true})
	if err != nil {
		return object{}, badInput(err)
	}
	return o, nil
}

// errHalf is in the chain of a refusal for half a surrogate pair.
var errHalf = errors.New("half a surrogate pair")

// badInput wraps what is wrong with a payload.
func badInput(err error) error {
	return &fault.Error{Kind: fault.BadInput, Message: "the payload cannot be read", Cause: err}
}

// readObject checks text with the limits of s and returns its members.
func readObject(text []byte, s scanner) (object, error) {
	s.text = text
	s.collect = true
	s.members = make([]member, 0, 16)
	s.keys = make([][]byte, 0, 24)
	s.trail = make([]step, 0, 8)
	if err := s.document(); err != nil {
		return object{}, err
	}
	return object{members: s.members}, nil
}

// scanner walks one JSON text (RFC 8259) from front to back.
type scanner struct {
	text  []byte
	at    int
	level int
	depth int  // levels that are allowed
	halve bool // half a surrogate pair is read as U+FFFD
	// collect asks for the members of the outermost object.
	collect bool
	members []member
	keys    [][]byte // of the objects that are open, innermost last
	trail   []step   // where we are, for messages
}

// step is a key or an index on the way to the current value.
type step struct {
	key   []byte
	index int
}

func (s *scanner) document() error {
	s.space()
	if s.at == len(s.text) {
		return s.fail("it is empty")
	}
	if s.text[s.at] != '{' {
		return s.fail("an object is expected")
	}
	if err := s.value(); err != nil {
		return err
	}
	if s.space(); s.at != len(s.text) {
		return s.fail("text follows the end")
	}
	return nil
}

func (s *scanner) value() error {
	if s.at == len(s.text) {
		return s.cutOff()
	}
	switch c := s.text[s.at]; c {
	case '{':
		return s.object()
	case '[':
		return s.array()
	case '"':
		_, err := s.str()
		return err
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return s.number()
		}
	}
	return s.fail("a value is expected")
}

// enter steps into an object or array.
func (s *scanner) enter() error {
	if s.level++; s.level > s.depth {
		return s.fail(fmt.Sprintf("more than %d levels", s.depth))
	}
	s.at++
	s.space()
	return nil
}

// leave steps over the closing bracket.
func (s *scanner) leave() {
	s.level--
	s.at++
}

func (s *scanner) object() error {
	if err := s.enter(); err != nil {
		return err
	}
	if s.peek() == '}' {
		s.leave()
		return nil
	}
	seen := keySet{first: len(s.keys)}
	for {
		if err := s.member(&seen); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
			s.space()
		case '}':
			s.leave()
			s.keys = s.keys[:seen.first]
			return nil
		default:
			return s.expected("',' or '}'")
		}
	}
}

// member reads one key, its colon and its value.
func (s *scanner) member(seen *keySet) error {
	if s.peek() != '"' {
		return s.expected("a key")
	}
	start := s.at
	raw, err := s.str()
	if err != nil {
		return err
	}
	key := raw
	if bytes.IndexByte(raw, '\\') >= 0 {
		key = []byte(unescape(raw))
	}
	s.trail = append(s.trail, step{key: key})
	if seen.has(s.keys, key) {
		s.at = start
		return s.fail("the key stands twice")
	}
	s.keys = append(s.keys, key)
	if s.space(); s.peek() != ':' {
		return s.expected("':'")
	}
	s.at++
	s.space()
	start = s.at
	if err := s.value(); err != nil {
		return err
	}
	if s.collect && s.level == 1 {
		s.members = append(s.members, member{key: key, value: s.text[start:s.at], at: start})
	}
	s.trail = s.trail[:len(s.trail)-1]
	return nil
}

// keySet finds a second equal key in one object.
type keySet struct {
	first int                 // index of the object's first key in scanner.keys
	many  map[string]struct{} // all of them, once there are more than manyKeys
}

func (k *keySet) has(keys [][]byte, key []byte) bool {
	own := keys[k.first:]
	if len(own) < manyKeys {
		for _, other := range own {
			if bytes.Equal(other, key) {
				return true
			}
		}
		return false
	}
	if k.many == nil {
		k.many = make(map[string]struct{}, 2*manyKeys)
		for _, other := range own {
			k.many[string(other)] = struct{}{}
		}
	}
	_, found := k.many[string(key)]
	k.many[string(key)] = struct{}{}
	return found
}

func (s *scanner) array() error {
	if err := s.enter(); err != nil {
		return err
	}
	if s.peek() == ']' {
		s.leave()
		return nil
	}
	s.trail = append(s.trail, step{})
	here := len(s.trail) - 1
	for {
		if err := s.value(); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
			s.trail[here].index++
			s.space()
		case ']':
			s.leave()
			s.trail = s.trail[:here]
			return nil
		default:
			return s.expected("',' or ']'")
		}
	}
}

// str reads a string and returns what stands between its quotes.
func (s *scanner) str() ([]byte, error) {
	s.at++
	start := s.at
	for {
		s.plain()
		if s.at == len(s.text) {
			return nil, s.cutOff()
		}
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return s.text[start : s.at-1], nil
		case c == '\\' && s.at+1 < len(s.text) && isSimple(s.text[s.at+1]):
			s.at += 2
		case c == '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
		case c < 0x20:
			return nil, s.fail(fmt.Sprintf("control character %#02x in a string", c))
		default:
			r, size := utf8.DecodeRune(s.text[s.at:])
			if r == utf8.RuneError && size == 1 {
				return nil, s.fail("invalid UTF-8")
			}
			s.at += size
		}
	}
}

// plain skips the ASCII characters that stand for themselves in a string:
// nearly all of them, so this loop is what a payload costs.
func (s *scanner) plain() {
	rest := s.text[s.at:]
	for i, c := range rest {
		if c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			s.at += i
			return
		}
	}
	s.at = len(s.text)
}

// isSimple reports whether a backslash and c are an escape.
func isSimple(c byte) bool {
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// escape reads \uXXXX, or two of them that are one character.
func (s *scanner) escape() error {
	rest := s.text[s.at:]
	if len(rest) < 2 {
		s.at = len(s.text)
		return s.cutOff()
	}
	if rest[1] != 'u' {
		return s.fail("an unknown escape")
	}
	high, ok := hex4(rest)
	if !ok {
		return s.fail(`four hexadecimal digits are expected after \u`)
	}
	size := 6
	if utf16.IsSurrogate(high) {
		low, ok := hex4(rest[6:])
		switch {
		case ok && utf16.DecodeRune(high, low) != utf8.RuneError:
			size = 12
		case !s.halve:
			return fmt.Errorf("%w: %w", s.fail("a character is cut in two"), errHalf)
		}
	}
	s.at += size
	return nil
}

// hex4 reads \uXXXX at the front of b.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

func (s *scanner) number() error {
	if s.peek() == '-' {
		s.at++
	}
	switch {
	case s.peek() == '0':
		s.at++
	case !s.digits():
		return s.expected("a digit")
	}
	if s.peek() == '.' {
		if s.at++; !s.digits() {
			return s.expected("a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return s.expected("a digit")
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.at
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at > start
}

func (s *scanner) word(w string) error {
	if !bytes.HasPrefix(s.text[s.at:], []byte(w)) {
		return s.fail("a value is expected")
	}
	s.at += len(w)
	return nil
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end; a NUL byte is valid nowhere.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) expected(what string) error {
	if s.at >= len(s.text) {
		return s.cutOff()
	}
	return s.fail(what + " is expected")
}

func (s *scanner) cutOff() error { return s.fail("it ends too early") }

func (s *scanner) fail(what string) error {
	return at(s.at, s.where(), what)
}

// at says what is wrong and where.
func at(offset int, path, what string) error {
	if path != "" {
		path = " (" + path + ")"
	}
	return fmt.Errorf("byte %d%s: %s", offset, path, what)
}

func (s *scanner) where() string {
	var path string
	for _, t := range s.trail {
		if t.key == nil {
			path += "[" + strconv.Itoa(t.index) + "]"
			continue
		}
		path = join(path, t.key)
	}
	return path
}

// join appends a key to a key path, shortened, and quoted unless it is plain.
func join(path string, key []byte) string {
	name := string(key[:min(len(key), 60)])
	if !isPlain(name) {
		name = strconv.QuoteToASCII(name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func isPlain(name string) bool {
	for _, c := range []byte(name) {
		if letter := 'a' <= c|0x20 && c|0x20 <= 'z'; !letter && c != '_' && c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// unescape decodes the inside of a string that the scanner has accepted.
func unescape(raw []byte) string {
	next := bytes.IndexByte(raw, '\\')
	if next < 0 {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for ; next >= 0; next = bytes.IndexByte(raw, '\\') {
		out = append(out, raw[:next]...)
		r, size := unescapeOne(raw[next:])
		out = utf8.AppendRune(out, r)
		raw = raw[next+size:]
	}
	return string(append(out, raw...))
}

// unescapeOne decodes the escape at the front of b and says how long it is.
func unescapeOne(b []byte) (r rune, size int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r, _ = hex4(b)
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		low, _ := hex4(b[6:])
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return r, 6
		}
		return r, 12
	}
	return rune(b[1]), 2
}
