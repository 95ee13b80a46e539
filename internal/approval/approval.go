//go:build unix

// Package approval keeps the calls that a person approved at a terminal, before
// the agent makes them again: STATE/approvals.jsonl.
//
// # What it rests on
//
// Whoever writes this file lets calls run. It lies in nod's state directory,
// which layer 0 keeps every tool away from; `nod approve` writes it, which
// layer 0 denies to an agent, and which refuses to run without a terminal or
// below an agent. It is this user's alone, and refused otherwise. Code that an
// agent was allowed to run as this user can forge it all the same, as it could
// the settings: docs/threat-model.md.
//
// # The file
//
// A line of JSON for each approval, of one spelling: a line that this package
// would not have written so makes the whole file count for nothing. A line of
// an earlier version is kept, listed, and approves nothing: what its key
// promised was less. The file is replaced as a whole, under a lock of its own,
// so that a reader sees what was there before or after. It is at most 256 KiB
// long.
//
// A reader that finds no file has read nothing. [Use] decodes the file only
// where it holds the key that it is asked about.
package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nodgate/nod/internal/jsonline"
	"github.com/nodgate/nod/internal/lines"
)

// Scope says for how long, and where, an approval holds.
type Scope string

// The scopes. Anything else approves nothing.
const (
	Once       Scope = "once"       // for the first call that matches
	Session    Scope = "session"    // in that session
	Repository Scope = "repository" // in sessions with that workspace root
	Standing   Scope = "standing"   // in every session
)

// Approval is one call that a person approved.
type Approval struct {
	ID    string // 8 hexadecimal digits
	Key   string // names the call and the files that it would run
	Scope Scope
	// Agent and SessionID are those of the session that it holds in; Root is
	// the workspace root, real. Each is "" where the scope does not ask for it.
	Agent, SessionID, Root string
	At, Until              time.Time // Until is zero for no end
	// Tool, Dir and Call are what a person is shown, secrets masked.
	Tool, Dir, Call string
	// UsedAt and UsedBy say which call has used up one that holds once.
	UsedAt time.Time
	UsedBy Caller
	// Prompted says that the host's prompt about that call was answered with
	// it, or will not be: another call of the key was made since, and a prompt
	// does not say about which of them it is.
	Prompted bool
	// Earlier says that an earlier version of nod made it. It holds for nothing.
	Earlier bool
}

// Caller is the call that asks whether it was approved.
type Caller struct {
	Agent, Session string
	Root           string // the session's workspace root, real; not kept
	Call           string // the agent's id of the call, "" where it has none
	// Prompt says that the host asks about a call that a hook has been asked
	// about before, without saying which.
	Prompt bool
}

const (
	fileName = "approvals.jsonl"
	lockName = "approvals.lock"
	maxBytes = 256 << 10
	version  = 2
	earlier  = 1 // bound to less of what a call runs
	// again is how long one call may ask twice: hosts have two seats, and two
	// settings files may both name nod.
	again = 2 * time.Minute
	// early is how far a clock may have been set back since.
	early = time.Minute
)

// Holds reports whether the approval holds for a call of its key.
func (a Approval) Holds(by Caller, now time.Time) bool {
	if a.Key == "" || a.Earlier || now.Before(a.At.Add(-early)) || !a.Until.IsZero() && !now.Before(a.Until) {
		return false
	}
	switch a.Scope {
	case Once:
		return !a.Until.IsZero() && (a.UsedAt.IsZero() || a.usedBy(by, now))
	case Session:
		return a.SessionID != "" && a.SessionID == by.Session && a.Agent == by.Agent
	case Repository:
		return a.Root != "" && a.Root == by.Root
	}
	return a.Scope == Standing
}

// usedBy reports whether it is the very call which used it up that asks again:
// by its id, or once, by a prompt without one.
func (a Approval) usedBy(by Caller, now time.Time) bool {
	switch {
	case !a.usedNear(by, now):
		return false
	case by.Call != "":
		return a.UsedBy.Call == by.Call
	}
	return by.Prompt && !a.UsedBy.Prompt && !a.Prompted
}

// usedNear reports whether a call of the same session has just used it up.
func (a Approval) usedNear(by Caller, now time.Time) bool {
	return !a.UsedAt.IsZero() && by.Session != "" && a.UsedBy.Session == by.Session && a.UsedBy.Agent == by.Agent &&
		now.Sub(a.UsedAt).Abs() <= again
}

// passedOver reports whether a call that is not the one which used it up comes
// before that call's prompt has.
func (a Approval) passedOver(by Caller, now time.Time) bool {
	return a.Scope == Once && !a.Earlier && !a.Prompted && !by.Prompt && a.usedNear(by, now) && !a.usedBy(by, now)
}

// over reports whether nothing can come of the approval any more.
func (a Approval) over(now time.Time) bool {
	return !a.Until.IsZero() && !now.Before(a.Until) || !a.UsedAt.IsZero() && now.Sub(a.UsedAt).Abs() > again
}

// Kept reports whether there may be approvals in a state directory.
func Kept(stateDir string) bool {
	_, err := os.Lstat(filepath.Join(stateDir, fileName))
	return !errors.Is(err, fs.ErrNotExist)
}

// Use returns an approval of the call of that key, and uses it up if it holds
// once: of several that ask at the same time one gets it. An error approves
// nothing.
func Use(stateDir, key string, by Caller, now time.Time) (Approval, bool, error) {
	text, err := read(stateDir)
	if err != nil || key == "" || !bytes.Contains(text, []byte(key)) {
		return Approval{}, false, err
	}
	list, err := parse(text)
	if err != nil {
		return Approval{}, false, err
	}
	best := pick(list, key, by, now)
	if best >= 0 && list[best].Scope != Once {
		return list[best], true, nil
	}
	if best < 0 && !slices.ContainsFunc(list, func(a Approval) bool { return a.Key == key && a.passedOver(by, now) }) {
		return Approval{}, false, nil
	}
	return useUp(stateDir, key, by, now)
}

// useUp notes the use of one that holds once.
func useUp(stateDir, key string, by Caller, now time.Time) (used Approval, ok bool, err error) {
	err = change(stateDir, func(list []Approval) ([]Approval, error) {
		for i := range list {
			if list[i].Key == key && list[i].passedOver(by, now) {
				list[i].Prompted = true
			}
		}
		best := pick(list, key, by, now)
		if best < 0 {
			return list, nil
		}
		a := &list[best]
		if a.UsedAt.IsZero() {
			a.UsedAt, a.UsedBy = now.UTC(), Caller{Agent: by.Agent, Session: by.Session, Call: by.Call,
				Prompt: by.Prompt}
		}
		a.Prompted = a.Prompted || by.Prompt
		used, ok = *a, true
		return list, nil
	})
	if err != nil {
		return Approval{}, false, err
	}
	return used, ok, nil
}

// Ended notes that a call has come to its end: what it used up holds for no other
// call of its id. Some servers of models give every call the same id. A file that
// cannot be read approves nothing, so there is nothing to note.
func Ended(stateDir string, by Caller, now time.Time) error {
	if text, err := read(stateDir); err != nil || by.Call == "" || !bytes.Contains(text, []byte(by.Call)) {
		return nil
	}
	return change(stateDir, func(list []Approval) ([]Approval, error) {
		return slices.DeleteFunc(list, func(a Approval) bool {
			return a.Scope == Once && a.usedNear(by, now) && a.UsedBy.Call == by.Call
		}), nil
	})
}

// pick returns the index of an approval that holds, -1 for none; one that holds
// once comes last, and of those what the call has used already comes first.
func pick(list []Approval, key string, by Caller, now time.Time) int {
	best := -1
	for i, a := range list {
		if a.Key != key || !a.Holds(by, now) {
			continue
		}
		if best < 0 || list[best].Scope == Once &&
			(a.Scope != Once || list[best].UsedAt.IsZero() && !a.UsedAt.IsZero()) {
			best = i
		}
	}
	return best
}

// List returns what is approved, oldest first, without what is over.
func List(stateDir string, now time.Time) ([]Approval, error) {
	text, err := read(stateDir)
	if err != nil {
		return nil, err
	}
	list, err := parse(text)
	return live(list, now), err
}

func live(list []Approval, now time.Time) []Approval {
	var kept []Approval
	for _, a := range list {
		if !a.over(now) {
			kept = append(kept, a)
		}
	}
	return kept
}

// Add keeps an approval, and drops what is over. The caller has made sure that
// a person wants it.
func Add(stateDir string, a Approval, now time.Time) error {
	if _, ok := decode(a.marshal()); !ok {
		return errors.New("an approval that could not be read back")
	}
	return change(stateDir, func(list []Approval) ([]Approval, error) { return append(live(list, now), a), nil })
}

// Revoke takes the approval of that ID away, and reports whether there was one.
func Revoke(stateDir, id string) (found bool, err error) {
	err = change(stateDir, func(list []Approval) ([]Approval, error) {
		var kept []Approval
		for _, a := range list {
			if a.ID == id {
				found = true
				continue
			}
			kept = append(kept, a)
		}
		return kept, nil
	})
	return found && err == nil, err
}

var (
	errDamaged = errors.New("approvals.jsonl holds a line that nod has not written; nothing in it counts " +
		"until that is removed")
	errBusy = errors.New("approvals.lock is held by another process")
)

func parse(text []byte) ([]Approval, error) {
	var list []Approval
	for raw := range bytes.Lines(text) {
		a, ok := decode(bytes.TrimSuffix(raw, []byte("\n")))
		if !ok {
			return nil, errDamaged
		}
		list = append(list, a)
	}
	return list, nil
}

// line is an approval as it stands in the file.
type line struct {
	V       int       `json:"v"`
	ID      string    `json:"id"`
	Key     string    `json:"key"`
	Scope   Scope     `json:"scope"`
	At      time.Time `json:"at"`
	Until   time.Time `json:"until"`
	Agent   string    `json:"agent"`
	Session string    `json:"session"`
	Root    string    `json:"root"`
	Tool    string    `json:"tool"`
	Dir     string    `json:"dir"`
	Call    string    `json:"call"`
	UsedAt  time.Time `json:"used_at"`
	UsedBy  struct {
		Agent   string `json:"agent"`
		Session string `json:"session"`
		Call    string `json:"call"`
		Prompt  bool   `json:"prompt"`
	} `json:"used_by"`
	Prompted bool `json:"prompted"`
}

// decode reads a line of the one spelling that marshal has.
func decode(raw []byte) (a Approval, ok bool) {
	var l line
	if json.Unmarshal(raw, &l) != nil || l.V != version && l.V != earlier || !plain(l.ID, 8) || !plain(l.Key, 64) {
		return Approval{}, false
	}
	switch l.Scope {
	case Once, Session, Repository, Standing:
	default:
		return Approval{}, false
	}
	a = Approval{
		ID: l.ID, Key: l.Key, Scope: l.Scope, Agent: l.Agent, SessionID: l.Session, Root: l.Root, At: l.At,
		Until: l.Until,
		Tool:  l.Tool, Dir: l.Dir, Call: l.Call, UsedAt: l.UsedAt,
		UsedBy: Caller{Agent: l.UsedBy.Agent, Session: l.UsedBy.Session, Call: l.UsedBy.Call,
			Prompt: l.UsedBy.Prompt},
		Prompted: l.Prompted, Earlier: l.V == earlier,
	}
	return a, bytes.Equal(a.marshal(), raw)
}

// plain reports whether s is so many lower-case hexadecimal digits.
func plain(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}

func (a Approval) marshal() []byte {
	o := jsonline.New()
	v := int64(version)
	if a.Earlier {
		v = earlier
	}
	o.Int("v", v)
	o.Text("id", a.ID)
	o.Text("key", a.Key)
	o.Text("scope", string(a.Scope))
	o.Time("at", a.At.UTC())
	o.Time("until", a.Until.UTC())
	o.Text("agent", a.Agent)
	o.Text("session", a.SessionID)
	o.Text("root", a.Root)
	o.Text("tool", a.Tool)
	o.Text("dir", a.Dir)
	o.Text("call", a.Call)
	o.Time("used_at", a.UsedAt.UTC())
	o.In("used_by", func() {
		o.Text("agent", a.UsedBy.Agent)
		o.Text("session", a.UsedBy.Session)
		o.Text("call", a.UsedBy.Call)
		o.Raw("prompt", fmt.Append(nil, a.UsedBy.Prompt))
	})
	if !a.Earlier {
		o.Raw("prompted", fmt.Append(nil, a.Prompted))
	}
	return o.Bytes()
}

// read returns the file, nil where there is none. What others may have written
// is refused.
func read(stateDir string) ([]byte, error) {
	name := filepath.Join(stateDir, fileName)
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := private(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := lines.PrivateDir(stateDir); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxBytes:
		return nil, fmt.Errorf("%s is longer than %d KiB; revoke some, or remove it", name, maxBytes>>10)
	}
	return text, nil
}

// private reports whether the file is this user's alone.
func private(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || !info.Mode().IsRegular():
		return errors.New("not a regular file")
	case int(st.Uid) != os.Geteuid():
		return fmt.Errorf("owned by user %d, not by this one (%d)", st.Uid, os.Geteuid())
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("others may use it (mode %#o)", info.Mode().Perm())
	}
	return nil
}

// change rewrites the list under the lock.
func change(stateDir string, to func([]Approval) ([]Approval, error)) error {
	if err := lines.PrivateDir(stateDir); err != nil {
		return err
	}
	lock, err := lines.Open(filepath.Join(stateDir, lockName))
	if err != nil {
		return err
	}
	defer lock.Close()
	if !locked(lock) {
		return errBusy
	}
	defer lock.Unlock()
	text, err := read(stateDir)
	if err != nil {
		return err
	}
	list, err := parse(text)
	if err != nil {
		return err
	}
	if list, err = to(list); err != nil {
		return err
	}
	return write(stateDir, list)
}

// locked waits a second for the lock, at most: a stopped process must not stop
// all others.
func locked(f *lines.File) bool {
	for range 200 {
		if f.Lock() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// write puts a whole new file into the old one's place.
func write(stateDir string, list []Approval) (err error) {
	var text []byte
	for _, a := range list {
		text = append(append(text, a.marshal()...), '\n')
	}
	if len(text) > maxBytes {
		return errors.New("there are too many approvals; revoke some (nod approvals)")
	}
	f, err := os.CreateTemp(stateDir, "."+fileName+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(stateDir, fileName))
}
