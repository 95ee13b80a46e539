//go:build unix

// Package session is what nod remembers of an agent's session from one hook
// process to the next: one append-only file per root session, below
// STATE/sessions, named by a hash so that no session id becomes a file name.
//
// # What it may be used for
//
// The agent runs as the same user; layer 0 keeps its tools away from this
// file, and code that it runs can forge it all the same. So what is read here
// may tighten an answer, or keep nod from saying something twice, and nothing
// else:
//
//   - [Session.Root]: the first directory seen stays the workspace root, so
//     that a later cd cannot move it. The caller still refuses roots that are
//     none (/, the home directory).
//   - [Session.Seen]: to stay silent where the agent asks a person after nod
//     had said ask. Never to allow.
//   - [Session.Cost]: to show, and to stop at a limit. Never to lift one.
//   - [Session.Standing]: whether what a project command runs is what it was
//     when the session began. It takes back what an allow rule would clear,
//     and stops doing so once that very content was let run.
//   - [Session.Taint], [Session.Origin], [Session.History]: what came in that
//     others wrote or that hides text, what was written and downloaded, whether a secret was
//     touched and something sent. They tighten, and tell the model.
//   - [Session.Ask]: which prompts may still be open. It makes of an ask a
//     denial.
//   - [Session.Denials], [Session.Denied]: to call a person, and to deny what
//     was denied. Never to allow.
//   - [Session.LetRun]: to tell the model that a person let this very call run
//     when the host asked them. Never to allow; what a person approves
//     beforehand is kept elsewhere (internal/approval).
//
// # The file
//
// JSON lines of at most 64 KiB, written like the decision log's: one write(2)
// each, no lock in the way. Reading is bounded: the first 8 KiB for the root,
// the last 256 KiB for all else. Lines that are torn or foreign are skipped.
// A file that is not this user's alone is refused, which the caller must take
// as: nothing is known of this session, not even its root.
package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/jsonline"
	"github.com/nodgate/nod/internal/lines"
)

const (
	headLimit = 8 << 10 // where the root must stand
	costLimit = 2 << 10
	tailLimit = 256 << 10 // how far back anything else is looked for
	lineLimit = 64 << 10
	version   = 1

	maxText = 300
)

// Session is the memory of one session. It is safe for concurrent use, by
// goroutines and by processes. Make one with [Open]; nil remembers nothing.
type Session struct {
	file *lines.File // nil: it remembers nothing
	made atomic.Bool // Root recorded the root
	mu   sync.Mutex
	tail []byte // the end of the file as of the last look; nil: not looked
	size int64  // the file's size then
}

// Answer is what was said to a call.
type Answer struct {
	Call    string    // the agent's id of the call
	At      time.Time // zero: now
	Digest  string    // see [Digest]
	Tool    string
	Verdict string  // allow, ask or deny
	Said    string  // what the agent was told: allow, ask, deny or abstained
	Cost    float64 // US dollars; what is negative or no number counts as 0
	// Judged is what the model said, if anything, and Why is its reason.
	Judged Judged
	Why    string
	// Key names the call where the person was asked about it; see [Session.LetRun].
	Key string
	// Definitions are what project commands of the call run by, see
	// [Definition]; Changes are the files that the call may change, real.
	Definitions []string
	Changes     []string
	// Downloads are those of Changes that the call fetched; Secret says that it
	// touches a secret store, Sends that it may send data out.
	Downloads     []string
	Secret, Sends bool
	// Taint says what text of others the call puts before the agent; "" is none.
	// It stays with the session as that of an [Outcome] does.
	Taint string
}

// Judged is what a model said of a call.
type Judged string

// What a model may have said; the zero value is nothing, as after a failure.
const (
	Passed  Judged = "passed"
	Blocked Judged = "blocked"
)

// Outcome is what became of a call.
type Outcome struct {
	Call   string
	At     time.Time // zero: now
	Tool   string
	Failed bool
	Error  string // kept to 300 bytes, secrets masked
	Took   time.Duration
	// Taint says what the call returned that people do not see; "" is nothing.
	// It stays with the session until the session ends.
	Taint string
}

// SeenCall is an earlier answer to a call.
type SeenCall struct {
	At            time.Time
	Call          string
	Verdict, Said string
}

// What a line is about.
const (
	kindRoot = "root"
	kindPre  = "pre"  // a call was answered
	kindPost = "post" // a call ran, or failed to
)

// line is a record, or the root, as it stands in the file.
type line struct {
	V       int       `json:"v"`
	Kind    string    `json:"kind"`
	Time    time.Time `json:"time"`
	Root    string    `json:"root,omitempty"`
	CallID  string    `json:"call_id,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	Digest  string    `json:"digest,omitempty"`
	Verdict string    `json:"verdict,omitempty"`
	Said    string    `json:"said,omitempty"`
	Cost    float64   `json:"cost_usd,omitempty"`
	Failed  bool      `json:"failed,omitempty"`
	Error   string    `json:"error,omitempty"`
	Took    int64     `json:"took_us,omitempty"`
	Runs    []string  `json:"runs,omitempty"`
	Changes []string  `json:"changes,omitempty"`
	Fetched []string  `json:"fetched,omitempty"`
	Secret  bool      `json:"secret,omitempty"`
	Sends   bool      `json:"sends,omitempty"`
	Taint   string    `json:"taint,omitempty"`
	Judged  Judged    `json:"judged,omitempty"`
	Row     int       `json:"row,omitempty"` // blocked in a row, this one included
	All     int       `json:"all,omitempty"` // blocked in all
	Why     string    `json:"why,omitempty"`
	Key     string    `json:"key,omitempty"`
	// Sum is what the session has cost so far, this record included. The
	// highest sum in sight counts.
	Sum float64 `json:"sum_usd"`
}

// Digest names a call by what it would do: the tool, and its input without
// regard to blanks between JSON tokens. The order of keys counts.
func Digest(tool string, input []byte) string {
	var compact bytes.Buffer
	if json.Compact(&compact, input) == nil {
		input = compact.Bytes()
	}
	h := sha256.New()
	io.WriteString(h, strconv.Itoa(len(tool))+" "+tool)
	h.Write(input)
	return hex.EncodeToString(h.Sum(nil))
}

// Open opens the memory of an agent's session in nod's state directory and
// makes what is missing of it. An empty sessionID gives a Session that
// remembers nothing, see [Session.Remembers].
func Open(stateDir, agent, sessionID string) (*Session, error) {
	if sessionID == "" {
		return &Session{}, nil
	}
	dir := filepath.Join(stateDir, dirName)
	for _, d := range []string{stateDir, dir} {
		if err := lines.PrivateDir(d); err != nil {
			return nil, fmt.Errorf("the session's memory: %w", err)
		}
	}
	file, err := lines.Open(filepath.Join(dir, fileName(agent, sessionID)))
	if err != nil {
		return nil, fmt.Errorf("the session's memory: %w", err)
	}
	return &Session{file: file}, nil
}

const dirName = "sessions"

// FileName is where [Open] keeps the memory of a session.
func FileName(stateDir, agent, sessionID string) string {
	return filepath.Join(stateDir, dirName, fileName(agent, sessionID))
}

func fileName(agent, sessionID string) string {
	sum := sha256.Sum256([]byte(agent + "\x00" + sessionID))
	return hex.EncodeToString(sum[:16]) + ".jsonl"
}

// Remembers reports whether anything is kept: false for an empty session id
// and for nil.
func (s *Session) Remembers() bool { return s != nil && s.file != nil }

// Close closes the file.
func (s *Session) Close() error {
	if !s.Remembers() {
		return nil
	}
	return s.file.Close()
}

// errNoRoot says that the start of the file was damaged.
var errNoRoot = errors.New("no root stands in its first 8 KiB; remove the file if it is damaged")

// Root returns the workspace root of the session, an absolute path: the one
// recorded first, whatever first says now. Where none is recorded yet first
// is, and of several processes that do so at once one wins. On an error no
// root is known. A Session that remembers nothing returns first.
func (s *Session) Root(first string) (string, error) {
	if !s.Remembers() {
		return first, nil
	}
	root, err := s.root()
	if root != "" || err != nil {
		return root, err
	}
	if !filepath.IsAbs(first) {
		return "", fmt.Errorf("%s: %q cannot be a workspace root: not an absolute path", s.file.Name(), first)
	}
	if err := s.append(line{Kind: kindRoot, Time: time.Now().UTC(), Root: filepath.Clean(first)}); err != nil {
		return "", err
	}
	s.made.Store(true)
	if root, err = s.root(); root == "" && err == nil {
		err = fmt.Errorf("%s: %w", s.file.Name(), errNoRoot)
	}
	return root, err
}

// New reports whether [Session.Root] has just begun the session's file.
func (s *Session) New() bool { return s != nil && s.made.Load() }

// root reads the first valid root line of the head; "" if there is none.
func (s *Session) root() (string, error) {
	head := make([]byte, headLimit)
	n, err := s.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	rest := head[:n]
	for {
		raw, after, ended := bytes.Cut(rest, []byte("\n"))
		if !ended {
			return "", nil // the end, or a line that is still being written
		}
		if bytes.Contains(raw, []byte(`"kind":"root"`)) {
			if root, ok := decodeRoot(raw); ok && filepath.IsAbs(root) {
				return root, nil
			}
		}
		rest = after
	}
}

// decodeRoot reads a root line, which every hook needs. One as [line.marshal]
// writes it is read without a JSON decoder, whose first use costs as much as
// the rest of opening a session.
func decodeRoot(raw []byte) (root string, ok bool) {
	if root, ok := plainRoot(raw); ok {
		return root, true
	}
	l, ok := decode(raw)
	return l.Root, ok && l.Kind == kindRoot
}

func plainRoot(raw []byte) (root string, ok bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(`{"v":`+strconv.Itoa(version)+`,"kind":"root","time":"`))
	if !ok {
		return "", false
	}
	_, rest, ok = bytes.Cut(rest, []byte(`","root":"`))
	value, end, closed := bytes.Cut(rest, []byte(`"`))
	if !ok || !closed || bytes.IndexByte(value, '\\') >= 0 || string(end) != `,"sum_usd":0}` {
		return "", false
	}
	return string(value), true
}

// decode reads a line strictly enough that what is torn or foreign is not one.
func decode(raw []byte) (l line, ok bool) {
	err := json.Unmarshal(raw, &l)
	return l, err == nil && l.V == version
}

// Answer notes what was said to a call.
func (s *Session) Answer(a Answer) error {
	return s.record(line{Kind: kindPre, Time: a.At, CallID: cut(a.Call), Tool: cut(a.Tool), Digest: cut(a.Digest),
		Verdict: cut(a.Verdict), Said: cut(a.Said), Cost: a.Cost, Runs: a.Definitions, Changes: a.Changes,
		Fetched: a.Downloads, Secret: a.Secret, Sends: a.Sends,
		Judged: a.Judged, Why: cut(audit.MaskText(a.Why)), Key: cut(a.Key),
		Taint: cut(a.Taint)})
}

// Outcome notes what became of a call.
func (s *Session) Outcome(o Outcome) error {
	return s.record(line{Kind: kindPost, Time: o.At, CallID: cut(o.Call), Tool: cut(o.Tool),
		Failed: o.Failed, Error: cut(audit.MaskText(o.Error)), Took: o.Took.Microseconds(),
		Taint: cut(o.Taint)})
}

func (s *Session) record(l line) error {
	if !s.Remembers() {
		return nil
	}
	if l.Time.IsZero() {
		l.Time = time.Now()
	}
	l.Time = l.Time.UTC()
	if l.Taint == "" {
		l.Taint = s.carried()
	}
	if !(l.Cost > 0) || math.IsInf(l.Cost, 0) {
		l.Cost = 0
	}
	if l.Cost > 0 || l.Judged != "" {
		defer s.lock()() // two sums that are made at once must not lose one
	}
	l.Sum = s.Cost() + l.Cost
	if l.Judged != "" {
		l.Row, l.All = s.Denials()
	}
	switch l.Judged {
	case Passed:
		l.Row = 0
	case Blocked:
		l.Row, l.All = l.Row+1, l.All+1
	}
	return s.append(l)
}

// lock takes the file's lock, or goes without after a tenth of a second: a
// stopped process must not stop all others.
func (s *Session) lock() (unlock func()) {
	for range 50 {
		if s.file.Lock() {
			return s.file.Unlock
		}
		time.Sleep(2 * time.Millisecond)
	}
	return func() {}
}

func cut(s string) string {
	if len(s) > maxText {
		return s[:maxText]
	}
	return s
}

// append writes one line. Of a long line what it runs is forgotten, which only
// means that it is asked about again; that it changes something is not.
func (s *Session) append(l line) error {
	l.V = version
	raw := l.marshal()
	if len(raw) >= lineLimit {
		l.Runs, l.Fetched = nil, nil
		if l.Changes != nil {
			l.Changes = []string{"/"}
		}
		raw = l.marshal()
	}
	if l.Kind == kindRoot && len(raw) >= headLimit {
		return fmt.Errorf("%s: a workspace root of %d bytes is too long", s.file.Name(), len(l.Root))
	}
	if err := s.file.Append(raw); err != nil {
		return errors.Join(err, s.spoil())
	}
	return nil
}

// marshal writes a line as its JSON tags have it, without reflection.
func (l line) marshal() []byte {
	o := jsonline.New()
	o.Int("v", int64(l.V))
	o.Text("kind", l.Kind)
	o.Time("time", l.Time)
	o.TextIf("root", l.Root)
	o.TextIf("call_id", l.CallID)
	o.TextIf("tool", l.Tool)
	o.TextIf("digest", l.Digest)
	o.TextIf("verdict", l.Verdict)
	o.TextIf("said", l.Said)
	o.FloatIf("cost_usd", l.Cost)
	o.TrueIf("failed", l.Failed)
	o.TextIf("error", l.Error)
	o.IntIf("took_us", l.Took)
	if len(l.Runs) > 0 {
		o.Texts("runs", l.Runs)
	}
	if len(l.Changes) > 0 {
		o.Texts("changes", l.Changes)
	}
	if len(l.Fetched) > 0 {
		o.Texts("fetched", l.Fetched)
	}
	o.TrueIf("secret", l.Secret)
	o.TrueIf("sends", l.Sends)
	o.TextIf("taint", l.Taint)
	o.TextIf("judged", string(l.Judged))
	o.IntIf("row", int64(l.Row))
	o.IntIf("all", int64(l.All))
	o.TextIf("why", l.Why)
	o.TextIf("key", l.Key)
	o.Float("sum_usd", l.Sum)
	return o.Bytes()
}

// end returns the end of the file, at most tailLimit bytes, from the start of
// a line on. It is shared and not to be changed. What cannot be read is not
// remembered.
func (s *Session) end() []byte {
	if !s.Remembers() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size, err := s.file.Size()
	if err != nil {
		return nil
	}
	if s.tail == nil || size != s.size {
		s.tail, s.size = s.last(tailLimit), size
	}
	return s.tail
}

// lineAround returns the line of buf in which i lies.
func lineAround(buf []byte, i int) []byte {
	start := bytes.LastIndexByte(buf[:i], '\n') + 1
	if n := bytes.IndexByte(buf[i:], '\n'); n >= 0 {
		return buf[start : i+n]
	}
	return buf[start:]
}

// needle is as much of a text as the vector instructions search for.
const needle = 56

// matches returns the valid lines that contain (the start of) text, oldest
// first. Searching for it is what keeps this fast; a quote in a value is
// escaped, so that `"digest":"` occurs as a key only.
func matches(buf []byte, text string) []line {
	text = text[:min(len(text), needle)]
	var found []line
	for at := 0; ; {
		i := bytes.Index(buf[at:], []byte(text))
		if i < 0 {
			return found
		}
		raw := lineAround(buf, at+i)
		if l, ok := decode(raw); ok {
			found = append(found, l)
		}
		at += i + len(text)
	}
}

// Seen returns the latest answer to the call of that digest that is still in
// sight.
func (s *Session) Seen(digest string) (SeenCall, bool) {
	for _, l := range slices.Backward(matches(s.end(), `"digest":`+quoted(digest))) {
		if l.Kind == kindPre && l.Digest == digest {
			return SeenCall{At: l.Time, Call: l.CallID, Verdict: l.Verdict, Said: l.Said}, true
		}
	}
	return SeenCall{}, false
}

// Answered reports whether the call of that digest was answered and the answer
// is still in sight.
func (s *Session) Answered(digest string) bool {
	_, ok := s.Seen(digest)
	return ok
}

func quoted(s string) string {
	q, _ := json.Marshal(s) // a string: cannot fail
	return string(q)
}

// Cost returns what the session has cost so far, in US dollars: the largest
// sum that one of the last lines carries, since lines that were written at
// once may carry different ones. It is asked for at every decision, so that a
// little of the file has to do.
func (s *Session) Cost() float64 {
	if sum, ok := largestSum(s.last(costLimit)); ok {
		return sum
	}
	sum, _ := largestSum(s.end())
	return sum
}

func largestSum(buf []byte) (sum float64, ok bool) {
	const key = `"sum_usd":`
	for {
		i := bytes.Index(buf, []byte(key))
		if i < 0 {
			return sum, ok
		}
		buf = buf[i+len(key):]
		n := bytes.IndexAny(buf, ",}\n")
		if n < 0 {
			return sum, ok
		}
		if n == 1 && buf[0] == '0' {
			ok = true
			continue
		}
		if v, err := strconv.ParseFloat(string(buf[:n]), 64); err == nil && v >= 0 && !math.IsInf(v, 0) {
			sum, ok = max(sum, v), true
		}
	}
}

// last returns the whole lines among the last bytes of the file.
func (s *Session) last(limit int64) []byte {
	if !s.Remembers() {
		return nil
	}
	size, err := s.file.Size()
	if err != nil {
		return nil
	}
	start := max(0, size-limit)
	buf := make([]byte, size-start)
	n, err := s.file.ReadAt(buf, start)
	if err != nil && err != io.EOF {
		return nil
	}
	if buf = buf[:n]; start > 0 {
		buf = buf[bytes.IndexByte(buf, '\n')+1:]
	}
	return buf
}
