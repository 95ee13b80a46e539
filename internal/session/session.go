// Package session is what nod remembers of an agent's session from one hook process to the
// next: one append-only file per root session, below STATE/sessions, named by a hash.
//
// Layer 0 keeps the agent's tools away from this file, and code that the agent runs can
// forge it all the same. So what is read here may tighten an answer, tell the model
// something, or keep nod from saying something twice, and it never allows.
//
// The file holds JSON lines of at most 64 KiB, one write(2) each. Reading is bounded: the first 8 KiB for the
// root, the last 128 KiB for all else. Lines that are torn or foreign are skipped. A file that is not this user's
// alone is refused, which the caller must take as: nothing is known of this session, not even its root.
package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nodgate/nod/audit"
	"github.com/nodgate/nod/internal/lines"
)

const (
	headLimit = 8 << 10   // where the root must stand
	tailLimit = 128 << 10 // how far back anything else is looked for
	carriers  = 32        // lines in which what was spent is looked for
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
	tail []line // what stood at the end of the file at the last look
	size int64  // how far the file was read

	sum   float64 // what it had cost when it was as long as sumAt
	sumAt int64
}

// Record is what was said to a call, or what became of it.
type Record struct {
	Call   string    `json:"call_id,omitempty"` // the agent's id of the call
	At     time.Time `json:"time"`              // zero: now
	Digest string    `json:"digest,omitempty"`  // see [Digest]
	Tool   string    `json:"tool,omitempty"`
	Said   string    `json:"said,omitempty"`     // what the agent was told: allow, ask, deny or abstained
	Cost   float64   `json:"cost_usd,omitempty"` // US dollars; what is negative or no number counts as 0
	// Judged is what the model said, if anything, and Why is its reason.
	Judged Judged `json:"judged,omitempty"`
	Why    string `json:"why,omitempty"`
	Key    string `json:"key,omitempty"` // names the call where a person was asked about it; see [Session.LetRun]
	// Definitions are what project commands of the call run by, see
	// [Definition]; Changes are the files that the call may change, real.
	Definitions []string `json:"runs,omitempty"`
	Changes     []string `json:"changes,omitempty"`
	Secret      bool     `json:"secret,omitempty"` // it touches a secret store
	Edit        bool     `json:"edit,omitempty"`   // it edits a file
	// Marks are the patterns of rules over time that the call matches.
	Marks  []string `json:"marks,omitempty"`
	Failed bool     `json:"failed,omitempty"`
	Error  string   `json:"error,omitempty"` // secrets masked
}

// Judged is what a model said of a call.
type Judged string

// What a model may have said; the zero value is nothing, as after a failure.
const (
	Passed  Judged = "passed"
	Blocked Judged = "blocked"
)

// What a line is about.
const (
	kindRoot  = "root"
	kindPre   = "pre"   // a call was answered
	kindPost  = "post"  // a call ran, or failed to
	kindAsk   = "ask"   // a person is about to be asked about a call
	kindSpent = "spent" // what a call has cost, in a day's file
)

// line is a record, or the root, as it stands in the file.
type line struct {
	V    int    `json:"v"`
	Kind string `json:"kind"`
	Root string `json:"root,omitempty"`
	Record
	Row int `json:"row,omitempty"` // blocked in a row, this one included
	All int `json:"all,omitempty"` // blocked in all
	// Sum is what the session has cost so far, this record included. The highest sum in sight counts.
	Sum float64 `json:"sum_usd,omitempty"`
}

// Digest names a call by what it would do: the tool, and its input without
// regard to blanks between JSON tokens. The order of keys counts.
func Digest(tool string, input []byte) string {
	var compact bytes.Buffer
	if json.Compact(&compact, input) == nil {
		input = compact.Bytes()
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d %s", len(tool), tool)
	h.Write(input)
	return hex.EncodeToString(h.Sum(nil))
}

// Open opens the memory of an agent's session in nod's state directory and makes what is missing of it. An
// empty sessionID gives a Session that remembers nothing, see [Session.Remembers].
func Open(stateDir, agent, sessionID string) (*Session, error) {
	if sessionID == "" {
		return &Session{}, nil
	}
	file, err := openBelow(stateDir, FileName(stateDir, agent, sessionID))
	if err != nil {
		return nil, fmt.Errorf("the session's memory: %w", err)
	}
	return &Session{file: file}, nil
}

// openBelow opens a file in a directory of the state directory, and makes what is missing.
func openBelow(stateDir, name string) (*lines.File, error) {
	for _, d := range []string{stateDir, filepath.Dir(name)} {
		if err := lines.PrivateDir(d); err != nil {
			return nil, err
		}
	}
	return lines.Open(name)
}

const dirName = "sessions"

// FileName is where [Open] keeps the memory of a session.
func FileName(stateDir, agent, sessionID string) string {
	sum := sha256.Sum256([]byte(agent + "\x00" + sessionID))
	return filepath.Join(stateDir, dirName, hex.EncodeToString(sum[:16])+".jsonl")
}

// Remembers reports whether anything is kept: false for an empty session id and for nil.
func (s *Session) Remembers() bool { return s != nil && s.file != nil }

// Close closes the file.
func (s *Session) Close() error {
	if !s.Remembers() {
		return nil
	}
	return s.file.Close()
}

// Root returns the workspace root of the session, an absolute path: the root that was recorded first. If no root is
// recorded yet, it records first; if several processes do so at once, one of them wins. On an error no root is known.
// A Session that remembers nothing returns first.
func (s *Session) Root(first string) (string, error) {
	if !s.Remembers() {
		return first, nil
	}
	known, err := s.first()
	if known.Root != "" || err != nil {
		return known.Root, err
	}
	if !path.IsAbs(first) {
		return "", fmt.Errorf("%s: %q cannot be a workspace root: not an absolute path", s.file.Name(), first)
	}
	now := Record{At: time.Now().UTC()}
	if err := s.append(line{Kind: kindRoot, Root: path.Clean(first), Record: now}); err != nil {
		return "", err
	}
	s.made.Store(true)
	if known, err = s.first(); known.Root == "" && err == nil {
		err = fmt.Errorf("%s: no root stands in its first 8 KiB; remove the file if it is damaged", s.file.Name())
	}
	return known.Root, err
}

// New reports whether [Session.Root] has just begun the session's file.
func (s *Session) New() bool { return s != nil && s.made.Load() }

// begun is a line that names the root, for itself: to prepare package json for whole lines takes long.
type begun struct {
	V    int       `json:"v"`
	Kind string    `json:"kind"`
	Root string    `json:"root"`
	At   time.Time `json:"time"`
}

// first reads the first valid root line of the head; a head without such a line is no error.
func (s *Session) first() (begun, error) {
	head := make([]byte, headLimit)
	n, err := s.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return begun{}, err
	}
	for raw := range bytes.Lines(head[:n]) {
		var l begun
		if bytes.HasSuffix(raw, []byte("\n")) && json.Unmarshal(raw, &l) == nil &&
			l.V == version && l.Kind == kindRoot && path.IsAbs(l.Root) {
			return l, nil
		}
	}
	return begun{}, nil
}

// parse yields the whole lines of a text, and skips torn and foreign lines.
func parse(text []byte) iter.Seq[line] {
	return func(yield func(line) bool) {
		for raw := range bytes.Lines(text) {
			var l line
			if bytes.HasSuffix(raw, []byte("\n")) && json.Unmarshal(raw, &l) == nil &&
				(l.V == version || l.V == 0 && l.Kind == "" && l.Sum > 0) && // what a day has cost, of an earlier nod
				!yield(l) {
				return
			}
		}
	}
}

// Answer notes what was said to a call.
func (s *Session) Answer(r Record) error { return s.record(kindPre, r) }

// Outcome notes what became of a call.
func (s *Session) Outcome(r Record) error { return s.record(kindPost, r) }

// kept is a record as it may be written: complete, masked and short.
func (r Record) kept() Record {
	if r.At.IsZero() {
		r.At = time.Now()
	}
	if !(r.Cost > 0) || math.IsInf(r.Cost, 0) {
		r.Cost = 0
	}
	r.At, r.Why, r.Error = r.At.UTC(), audit.MaskText(r.Why), audit.MaskText(r.Error)
	for _, text := range []*string{&r.Call, &r.Digest, &r.Tool, &r.Said, &r.Why, &r.Key, &r.Error} {
		*text = (*text)[:min(len(*text), maxText)]
	}
	return r
}

func (s *Session) record(kind string, r Record) error {
	if !s.Remembers() {
		return nil
	}
	l := line{Kind: kind, Record: r.kept()}
	if l.Cost > 0 || l.Judged != "" {
		s.lines()        // so that little is left to read under the lock
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

// lock takes the file's lock, or goes without after two seconds.
func (s *Session) lock() (unlock func()) {
	if s.file.LockFor(2 * time.Second) {
		return s.file.Unlock
	}
	return func() {}
}

// append writes one line. Of a long line what it runs is forgotten, which only
// means that it is asked about again; that it changes something is not.
func (s *Session) append(l line) error {
	l.V = version
	raw, err := lines.JSON(l)
	if err == nil && len(raw) >= lineLimit {
		l.Definitions = nil
		if l.Changes != nil {
			l.Changes = []string{"/"}
		}
		raw, err = lines.JSON(l)
	}
	if l.Kind == kindRoot && len(raw) >= headLimit {
		return fmt.Errorf("%s: a workspace root of %d bytes is too long", s.file.Name(), len(l.Root))
	}
	if err == nil {
		err = s.file.Append(raw)
	}
	return err
}

// lines returns the lines at the end of the file, oldest first. They are shared and not to
// be changed. What cannot be read is not remembered.
func (s *Session) lines() []line {
	if !s.Remembers() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size, err := s.file.Size()
	if err != nil || size <= s.size {
		return s.tail
	}
	text := tailOf(s.file, s.size, size)
	s.tail = slices.AppendSeq(s.tail, parse(text))
	s.size = size - int64(len(text)-bytes.LastIndexByte(text, '\n')-1) // a line that is being written is read later
	return s.tail
}

// tailOf returns what stands between two places of a file, or of that the end, from the start of a line on.
func tailOf(file io.ReaderAt, from, to int64) []byte {
	start := max(from, to-tailLimit)
	buf := make([]byte, to-start)
	n, err := file.ReadAt(buf, start)
	if err != nil && err != io.EOF {
		return nil
	}
	if buf = buf[:n]; start > from {
		buf = buf[bytes.IndexByte(buf, '\n')+1:]
	}
	return buf
}

// Cost returns what the session has cost so far, in US dollars. Each line repeats the sum, so that the last
// have it: the largest of theirs, since lines that were written at once may carry different ones.
func (s *Session) Cost() float64 {
	if !s.Remembers() {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size, err := s.file.Size()
	if err != nil || size == s.sumAt {
		return s.sum
	}
	text := tailOf(s.file, max(0, size-headLimit), size)
	if bytes.Count(text, []byte("\n")) < carriers {
		text = tailOf(s.file, max(0, size-lineLimit-headLimit), size)
	}
	if s.sum, s.sumAt = 0, size; bytes.Contains(text, []byte(`"sum_usd":`)) {
		s.sum = largestSum(slices.Collect(parse(lastLines(text, carriers))))
	}
	return s.sum
}

// lastLines are the last n lines of a text, and what is behind them.
func lastLines(text []byte, n int) []byte {
	at := len(text)
	for ; n >= 0 && at > 0; n-- {
		at = bytes.LastIndexByte(text[:at], '\n')
	}
	return text[max(0, at):]
}

func largestSum(lines []line) (sum float64) {
	for _, l := range lines {
		sum = max(sum, l.Sum)
	}
	return sum
}

const spentDir = "spent" // holds one file a day, UTC: a time zone comes from an environment

func spentFile(now time.Time) string { return now.UTC().Format(time.DateOnly) + ".jsonl" }

// Spend adds to what the day has cost, in US dollars, all sessions together.
func Spend(stateDir string, now time.Time, cost float64) error {
	if !(cost > 0) || math.IsInf(cost, 0) {
		return nil
	}
	file, err := openBelow(stateDir, filepath.Join(stateDir, spentDir, spentFile(now)))
	if err != nil {
		return fmt.Errorf("what the day has cost: %w", err)
	}
	s := &Session{file: file}
	defer s.Close()
	defer s.lock()()
	return s.append(line{Kind: kindSpent, Record: Record{At: now.UTC(), Cost: cost}, Sum: s.Cost() + cost})
}

// Spent returns what the day has cost so far.
func Spent(stateDir string, now time.Time) (float64, error) {
	file, err := os.Open(filepath.Join(stateDir, spentDir, spentFile(now)))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	spent := slices.Collect(parse(tailOf(file, 0, info.Size())))
	if len(spent) == 0 && info.Size() > 0 {
		return 0, fmt.Errorf("%s is damaged; remove it", file.Name())
	}
	return largestSum(spent), nil
}

// pruneMin is the least age of what may be forgotten: a session whose root is forgotten
// takes a new one from its next call.
const pruneMin = 24 * time.Hour

// Prune removes the memory of sessions and days that were last written to longer than olderThan ago. It
// reads whole directories, so that it is not for every hook. Less than a day is refused.
func Prune(stateDir string, olderThan time.Duration) error {
	if olderThan < pruneMin {
		return fmt.Errorf("sessions younger than %v are kept", pruneMin)
	}
	var errs []error
	for _, dir := range [...]string{dirName, spentDir} {
		entries, err := os.ReadDir(filepath.Join(stateDir, dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err == nil && isOurs(e.Name()) && info.Mode().IsRegular() && time.Since(info.ModTime()) > olderThan {
				errs = append(errs, os.Remove(filepath.Join(stateDir, dir, e.Name())))
			}
		}
	}
	return errors.Join(errs...)
}

// isOurs reports whether a file is named by a hash or a day.
func isOurs(name string) bool {
	stem, ok := strings.CutSuffix(name, ".jsonl")
	_, err := time.Parse(time.DateOnly, stem)
	return ok && (err == nil || len(stem) == 32 && strings.Trim(stem, "0123456789abcdef") == "")
}
