// Package question keeps the calls that wait for a person: STATE/questions.
//
// The hook asks: [Ask] writes ID.json, and [Pending.Wait] waits for ID.answer until the question's time is over.
// Whoever has a person before it (nod ask, nod watch, nod ui) lists what waits with [Open] and answers with
// [Question.Answer]. Exactly one answer counts. An answer file is made whole and under a name that must not exist yet;
// the hook closes its question in the same way, so that an answer is either in time or refused.
//
// A question belongs to the process that waits for it and holds its lock: when the process ends, however that
// comes, the question is over. An answer names the question's id and the call's key, so that it fits no other call.
// The hook makes an approval of a yes and decides anew: where a file that the call would run has changed in
// the meantime the key is another, and the approval does not fit.
//
// Whoever writes this directory lets calls run. Layer 0 keeps every tool away from it, and those who answer make
// sure that no agent is above them. Code that an agent was allowed to run as this user can forge an answer
// all the same, as it could the settings: docs/threat-model.md.
package question

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/printable"
)

const (
	version  = 1
	maxBytes = 1 << 20
	pause    = 50 * time.Millisecond // between two looks for an answer
	// stale is how old a file must be that belongs to no question before it is removed.
	stale = time.Hour
)

// Scope says how far a yes holds. Anything else than these is no yes.
type Scope string

// The scopes. Repository and Always are rules that the person's settings get; the waiting call itself runs once.
const (
	Once       Scope = "once"
	Session    Scope = "session"
	Repository Scope = "repository"
	Always     Scope = "always"
)

// Question is one call that waits for a person.
type Question struct {
	Version int    `json:"v"`
	ID      string `json:"id"`  // the decision's id
	Key     string `json:"key"` // names the call and the files that it would run
	// Once says that a yes can hold for this one time only; Lasting is the allow rule that a scope of Repository or
	// Always writes, "" where no rule would clear the call.
	Once    bool   `json:"once,omitempty"`
	Lasting string `json:"lasting,omitempty"`

	Agent   string `json:"agent"`
	Session string `json:"session"`
	CallID  string `json:"call_id,omitempty"`
	Tool    string `json:"tool,omitempty"`
	RawTool string `json:"raw_tool"`
	Dir     string `json:"dir,omitempty"`
	Root    string `json:"root,omitempty"`
	// Input is masked as in the log. InputBytes is its length where only its beginning is here.
	Input      json.RawMessage `json:"input,omitempty"`
	InputBytes int             `json:"input_bytes,omitempty"`
	// Does says what the call does, a line each, and Lost what of it cannot be undone. Reason is why nod asks.
	Does   []string  `json:"does,omitempty"`
	Lost   string    `json:"lost,omitempty"`
	Reason string    `json:"reason"`
	Asked  time.Time `json:"asked"`
	Until  time.Time `json:"until"`
	// Link is the SHA-256 of the word in the link that was sent to the person, in hexadecimal digits; "" for none.
	Link string `json:"link,omitempty"`
}

// Answer is what a person said.
type Answer struct {
	Version int       `json:"v"`
	ID      string    `json:"id"`
	Key     string    `json:"key"`
	Yes     bool      `json:"yes"`
	Scope   Scope     `json:"scope,omitempty"`
	By      string    `json:"by"` // "a terminal", "the page", "a link" ...
	At      time.Time `json:"at"`
}

// What becomes of an answer that does not count.
var (
	ErrGone     = errors.New("that question is over: it was answered, its time is up, or its agent has gone")
	ErrAnswered = errors.New("that question was answered already")
	ErrFits     = errors.New("that answer does not fit the question")
)

func dirOf(stateDir string) string { return filepath.Join(stateDir, "questions") }

// Title is a question in words that no shell, no JSON and no chat takes for anything else, whatever the call says.
func Title(agent, tool, dir string) string {
	plain := func(text string) string {
		return printable.Line(strings.Map(func(r rune) rune {
			if r < 0x80 && (strings.ContainsRune("._-", r) || unicode.IsLetter(r) || unicode.IsDigit(r)) {
				return r
			}
			return -1
		}, text), 60)
	}
	return plain(agent) + " wants to use " + plain(tool) + " in " + plain(path.Base(dir))
}

// Pending is a question of this process that is open.
type Pending struct {
	q    Question
	dir  string
	lock *lines.File
}

// Ask puts a question. It is open until [Pending.Close]. An error means that nobody sees it.
func Ask(stateDir string, q Question) (p *Pending, err error) {
	q.Version = version
	if !plain(q.ID) || q.Key == "" || !q.Until.After(q.Asked) {
		return nil, fmt.Errorf("a question needs an id, a key and a time: %w", ErrFits)
	}
	text, err := json.Marshal(q)
	if err == nil && len(text) > maxBytes {
		err = fmt.Errorf("a question of %d bytes is too long to be shown", len(text))
	}
	dir := dirOf(stateDir)
	if err == nil {
		err = errors.Join(lines.PrivateDir(stateDir), lines.PrivateDir(dir))
	}
	if err != nil {
		return nil, err
	}
	lock, err := lines.Open(filepath.Join(dir, q.ID+".lock"))
	if err != nil {
		return nil, err
	}
	p = &Pending{q, dir, lock}
	if !lock.Lock() {
		lock.Close()
		return nil, fmt.Errorf("%s is held by another process", lock.Name())
	}
	if err := lines.Replace(p.file(".json"), text, 0o600, -1); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Pending) file(kind string) string { return filepath.Join(p.dir, p.q.ID+kind) }

// Wait returns the person's answer. ok is false where nobody answered in time; ctx ends the waiting early. After it no
// other answer counts. An answer that does not fit is no.
func (p *Pending) Wait(ctx context.Context, now func() time.Time) (a Answer, ok bool) {
	for ctx.Err() == nil && now().Before(p.q.Until) {
		if _, err := os.Lstat(p.file(".answer")); err == nil {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	closing := Answer{Version: version, ID: p.q.ID, Key: p.q.Key, By: "nobody", At: now().UTC()}
	if put(p.dir, p.q.ID, closing) == nil {
		return closing, false
	}
	text, err := lines.Read(p.file(".answer"), maxBytes)
	if err != nil || json.Unmarshal(text, &a) != nil || p.q.fits(a) != nil {
		return Answer{By: "an answer that does not fit"}, true
	}
	return a, true
}

// Close takes the question away. What was answered stays for a while, so that nobody answers it again.
func (p *Pending) Close() {
	_ = os.Remove(p.file(".json"))
	_ = p.lock.Close()
	_ = os.Remove(p.lock.Name())
}

// fits reports whether an answer is one to the question, given in time.
func (q Question) fits(a Answer) error {
	switch {
	case a.Version != version || a.ID != q.ID || a.Key != q.Key || a.At.Before(q.Asked) || a.At.After(q.Until):
		return ErrFits
	case a.Yes && !slices.Contains(q.Scopes(), a.Scope):
		return fmt.Errorf("%w: it cannot hold %q", ErrFits, a.Scope)
	}
	return nil
}

// Scopes are those that a yes to the question may have: none where a person cannot see all of the call.
func (q Question) Scopes() []Scope {
	if q.InputBytes > 0 {
		return nil
	}
	scopes := []Scope{Once}
	if !q.Once && q.Session != "" {
		scopes = append(scopes, Session)
	}
	if q.Lasting != "" {
		if q.Root != "" {
			scopes = append(scopes, Repository)
		}
		scopes = append(scopes, Always)
	}
	return scopes
}

// Answer answers the question. It returns ErrGone, ErrAnswered or ErrFits where the answer does not count.
// The caller has made sure that a person wants it; a rule that the scope asks for is the caller's to write.
func (q Question) Answer(stateDir string, yes bool, scope Scope, by string, now time.Time) error {
	a := Answer{Version: version, ID: q.ID, Key: q.Key, Yes: yes, By: by, At: now.UTC()}
	if yes {
		a.Scope = scope
	}
	open, err := Find(stateDir, q.ID, now)
	if err != nil {
		return err
	}
	if err := open.fits(a); err != nil {
		return err
	}
	return put(dirOf(stateDir), q.ID, a)
}

// put makes an answer file whole, and fails if there is one.
func put(dir, id string, a Answer) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+id+".*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Link(f.Name(), filepath.Join(dir, id+".answer")); errors.Is(err, fs.ErrExist) {
		return ErrAnswered
	}
	return err
}

// Find returns the open question of that id.
func Find(stateDir, id string, now time.Time) (Question, error) {
	list, err := Open(stateDir, now)
	if err != nil {
		return Question{}, err
	}
	if i := slices.IndexFunc(list, func(q Question) bool { return q.ID == id }); i >= 0 {
		return list[i], nil
	}
	return Question{}, ErrGone
}

// Open lists the questions that wait, oldest first. It removes what belongs to no process any more.
func Open(stateDir string, now time.Time) (list []Question, err error) {
	dir := dirOf(stateDir)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = lines.PrivateDir(dir)
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		id, is := strings.CutSuffix(e.Name(), ".json")
		if !is {
			sweep(filepath.Join(dir, e.Name()), e, now)
			continue
		}
		if q, ok := read(dir, id); ok && !q.Until.Before(now) {
			list = append(list, q)
		}
	}
	slices.SortFunc(list, func(a, b Question) int { return a.Asked.Compare(b.Asked) })
	return list, nil
}

// read returns a question that its process still waits for and nobody has answered.
func read(dir, id string) (q Question, ok bool) {
	name := filepath.Join(dir, id)
	if !plain(id) || !held(name+".lock") {
		_ = os.Remove(name + ".json")
		return Question{}, false
	}
	text, err := lines.Read(name+".json", maxBytes)
	if err != nil || json.Unmarshal(text, &q) != nil || q.Version != version || q.ID != id {
		return Question{}, false
	}
	_, err = os.Lstat(name + ".answer")
	return q, errors.Is(err, fs.ErrNotExist)
}

// sweep removes what a process that was killed has left.
func sweep(name string, e fs.DirEntry, now time.Time) {
	info, err := e.Info()
	if err == nil && now.Sub(info.ModTime()) > stale && !(strings.HasSuffix(name, ".lock") && held(name)) {
		_ = os.Remove(name)
	}
}

// held reports whether a process holds the lock of that name. A lock that cannot be looked at is not held.
func held(name string) bool {
	if _, err := os.Lstat(name); err != nil {
		return false
	}
	f, err := lines.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	if !f.Lock() {
		return true
	}
	f.Unlock()
	return false
}

// Listen says that a person can be reached through this process until it calls stop, or ends.
func Listen(stateDir string) (stop func(), err error) {
	dir := dirOf(stateDir)
	if err := errors.Join(lines.PrivateDir(stateDir), lines.PrivateDir(dir)); err != nil {
		return nil, err
	}
	f, err := lines.Open(filepath.Join(dir, fmt.Sprintf("listening-%d-%d.lock", os.Getpid(), time.Now().UnixNano())))
	if err != nil {
		return nil, err
	}
	if !f.LockFor(time.Second) { // whoever looks whether it is held has it for a moment
		_ = f.Close()
		return nil, fmt.Errorf("%s is held by another process", f.Name())
	}
	return func() {
		_ = f.Close()
		_ = os.Remove(f.Name())
	}, nil
}

// Heard reports whether a process is there that shows questions to a person.
func Heard(stateDir string) bool {
	names, _ := filepath.Glob(filepath.Join(dirOf(stateDir), "listening-*.lock"))
	return slices.ContainsFunc(names, held)
}

// plain reports whether an id may be part of a file's name.
func plain(id string) bool {
	return id != "" && len(id) < 100 && strings.Trim(id, "0123456789abcdefT.-") == "" && id[0] != '.'
}
