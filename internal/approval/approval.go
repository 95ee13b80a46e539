// Package approval keeps the calls that a person approved at a terminal, before
// the agent makes them again: STATE/approvals.jsonl.
//
// Whoever writes this file lets calls run. Layer 0 keeps every tool away from it, and `nod approve`, which
// writes it, refuses to run without a terminal or below an agent. Code that an agent was allowed to run as
// this user can forge it all the same, as it could the settings: docs/threat-model.md.
//
// The file holds a line of JSON for each approval. A line that this version would not have written counts
// for nothing and goes with the next change. The file is replaced as a whole, under a lock of its own.
package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/lines"
)

// Scope says for how long, and where, an approval holds.
type Scope string

// The scopes. Anything else approves nothing.
const (
	Once    Scope = "once"    // for the first call that matches
	Session Scope = "session" // in that session
)

// Approval is one call that a person approved.
type Approval struct {
	Version int    `json:"v"`   // set by this package
	ID      string `json:"id"`  // 8 hexadecimal digits
	Key     string `json:"key"` // names the call and the files that it would run
	Scope   Scope  `json:"scope"`
	// Agent and SessionID are those of the session that it holds in, "" for Once.
	Agent     string    `json:"agent"`
	SessionID string    `json:"session"`
	At        time.Time `json:"at"`
	Until     time.Time `json:"until"`
	// Tool, Dir and Call are what a person is shown, secrets masked.
	Tool string `json:"tool"`
	Dir  string `json:"dir"`
	Call string `json:"call"`
	// UsedAt and UsedBy say which call has used up an approval that holds once.
	UsedAt time.Time `json:"used_at"`
	UsedBy Caller    `json:"used_by"`
	// Prompted says that the host's prompt about that call was answered with the approval, or will not be: another
	// call of the key was made since, and a prompt does not say which of the two calls it is about.
	Prompted bool `json:"prompted"`
}

// Caller is the call that asks whether it was approved.
type Caller struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
	Call    string `json:"call"` // the agent's id of the call, "" where it has none
	// Prompt says that the host asks about a call that a hook has been asked about before, without saying which.
	Prompt bool `json:"prompt"`
}

// NewID is an approval's name. It guards nothing, so the runtime's generator will do.
func NewID() string { return fmt.Sprintf("%08x", rand.Uint32()) }

const (
	fileName = "approvals.jsonl"
	lockName = "approvals.lock"
	maxBytes = 256 << 10
	version  = 3
	// again is how long one call may ask twice: hosts have two seats, and two settings files may both name nod.
	again = 2 * time.Minute
	// early is how far a clock may have been set back since.
	early = time.Minute
)

// Holds reports whether the approval holds for a call of its key.
func (a Approval) Holds(by Caller, now time.Time) bool {
	if a.Key == "" || now.Before(a.At.Add(-early)) || !now.Before(a.Until) {
		return false
	}
	return a.Scope == Once && (a.UsedAt.IsZero() || a.usedBy(by, now)) ||
		a.Scope == Session && a.SessionID != "" && a.SessionID == by.Session && a.Agent == by.Agent
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

// passedOver reports whether another call arrived before the prompt of the call that used the approval up.
func (a Approval) passedOver(by Caller, now time.Time) bool {
	return a.Scope == Once && !a.Prompted && !by.Prompt && a.usedNear(by, now) && !a.usedBy(by, now)
}

// Kept reports whether there may be approvals in a state directory.
func Kept(stateDir string) bool {
	_, err := os.Lstat(filepath.Join(stateDir, fileName))
	return !errors.Is(err, fs.ErrNotExist)
}

// Use returns an approval of the call of that key, and uses it up if it holds once: of several that ask at
// the same time one gets it. An error approves nothing.
func Use(stateDir, key string, by Caller, now time.Time) (Approval, bool, error) {
	text, err := read(stateDir)
	if err != nil || key == "" || !bytes.Contains(text, []byte(key)) {
		return Approval{}, false, err
	}
	list := parse(text)
	best := pick(list, key, by, now)
	if best >= 0 && list[best].Scope != Once {
		return list[best], true, nil
	}
	if best < 0 && !slices.ContainsFunc(list, func(a Approval) bool { return a.Key == key && a.passedOver(by, now) }) {
		return Approval{}, false, nil
	}
	return useUp(stateDir, key, by, now)
}

// useUp notes the use of an approval that holds once.
func useUp(stateDir, key string, by Caller, now time.Time) (used Approval, ok bool, err error) {
	err = change(stateDir, func(list []Approval) []Approval {
		for i := range list {
			if list[i].Key == key && list[i].passedOver(by, now) {
				list[i].Prompted = true
			}
		}
		best := pick(list, key, by, now)
		if best < 0 {
			return list
		}
		a := &list[best]
		if a.UsedAt.IsZero() {
			a.UsedAt, a.UsedBy = now.UTC(), by
		}
		a.Prompted = a.Prompted || by.Prompt
		used, ok = *a, true
		return list
	})
	return used, ok && err == nil, err
}

// Ended notes that a call has come to its end: what it used up holds for no other call of its id. Some servers of
// models give every call the same id. A file that cannot be read approves nothing, so there is nothing to note.
func Ended(stateDir string, by Caller, now time.Time) error {
	if text, err := read(stateDir); err != nil || by.Call == "" || !bytes.Contains(text, []byte(by.Call)) {
		return nil
	}
	return change(stateDir, func(list []Approval) []Approval {
		return slices.DeleteFunc(list, func(a Approval) bool {
			return a.Scope == Once && a.usedNear(by, now) && a.UsedBy.Call == by.Call
		})
	})
}

// pick returns the index of an approval that holds, or -1. Approvals that hold once
// come last; among them the approval that this call has already used comes first.
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
	return live(parse(text), now), err
}

// live leaves out approvals of which nothing can come any more.
func live(list []Approval, now time.Time) []Approval {
	return slices.DeleteFunc(list, func(a Approval) bool {
		return !now.Before(a.Until) || !a.UsedAt.IsZero() && now.Sub(a.UsedAt).Abs() > again
	})
}

// Add keeps an approval, and drops what is over. The caller has made sure that a person wants it.
func Add(stateDir string, a Approval, now time.Time) error {
	a.Version = version
	if !a.whole() {
		return errors.New("an approval that could not be read back")
	}
	return change(stateDir, func(list []Approval) []Approval { return append(live(list, now), a) })
}

// Revoke takes the approval of that ID away, and reports whether there was one.
func Revoke(stateDir, id string) (found bool, err error) {
	err = change(stateDir, func(list []Approval) []Approval {
		kept := slices.DeleteFunc(slices.Clone(list), func(a Approval) bool { return a.ID == id })
		found = len(kept) < len(list)
		return kept
	})
	return found && err == nil, err
}

// parse reads the lines, and leaves out approvals that this version does not write.
func parse(text []byte) (list []Approval) {
	for raw := range bytes.Lines(text) {
		var a Approval
		if json.Unmarshal(raw, &a) == nil && a.whole() {
			list = append(list, a)
		}
	}
	return list
}

// whole reports whether this version writes such an approval.
func (a Approval) whole() bool {
	return a.Version == version && len(a.ID) == 8 && len(a.Key) == 64 &&
		strings.Trim(a.ID+a.Key, "0123456789abcdef") == "" && (a.Scope == Once || a.Scope == Session)
}

// read returns the file, nil for a missing file. What others may have written is refused.
func read(stateDir string) ([]byte, error) {
	text, err := lines.Read(filepath.Join(stateDir, fileName), maxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = lines.PrivateDir(stateDir)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// change rewrites the list under the lock.
func change(stateDir string, to func([]Approval) []Approval) error {
	if err := lines.PrivateDir(stateDir); err != nil {
		return err
	}
	lock, err := lines.Open(filepath.Join(stateDir, lockName))
	if err != nil {
		return err
	}
	defer lock.Close()
	if !lock.LockFor(time.Second) {
		return errors.New("approvals.lock is held by another process")
	}
	defer lock.Unlock()
	text, err := read(stateDir)
	if err != nil {
		return err
	}
	return write(stateDir, to(parse(text)))
}

// write puts a whole new file into the old one's place.
func write(stateDir string, list []Approval) (err error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	for _, a := range list {
		err = errors.Join(err, encoder.Encode(a))
	}
	if err == nil && text.Len() > maxBytes {
		err = errors.New("there are too many approvals; revoke some (nod approvals)")
	}
	if err != nil {
		return err
	}
	return lines.Replace(filepath.Join(stateDir, fileName), text.Bytes(), 0o600, -1)
}
