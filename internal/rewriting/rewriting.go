// Package rewriting remembers of which host programs it was proven that they run
// the command which a hook hands them in place of the model's (package trial proves it).
// Only before such a program does nod answer with a command of its own: another
// one may run what the model wrote, outside of the boundary.
//
// A hook asks [Proven] at each such call, so this package starts nothing, and
// whatever it cannot tell is a no.
package rewriting

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// name is the file in nod's state directory.
const name = "rewriting.json"

// maxBytes is more than one row for each host takes.
const maxBytes = 64 << 10

// Program is a file as it was when it was looked at.
type Program struct {
	Path    string `json:"program"` // real
	Size    int64  `json:"size"`
	MTime   int64  `json:"mtime_ns"`
	Version string `json:"version,omitempty"` // as it says, "" where it was not asked
}

// row is what is known of one host.
type row struct {
	Program
	When time.Time `json:"when"`
	Off  string    `json:"off,omitempty"` // why the proof holds no longer
}

// Look returns the program that a path leads to. It comes before the trial, so
// that [Record] can tell whether the file was replaced meanwhile.
func Look(program, version string) (Program, error) {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return Program{}, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return Program{}, err
	}
	return Program{real, info.Size(), info.ModTime().UnixNano(), version}, nil
}

// same reports whether both are the same file, whatever it says of its version.
func (p Program) same(o Program) bool {
	return p.Path == o.Path && p.Size == o.Size && p.MTime == o.MTime
}

// Record remembers that a host's program, looked at before the trial, was proven.
func Record(stateDir, host string, p Program) error {
	now, err := Look(p.Path, "")
	if err == nil && !p.same(now) {
		err = fmt.Errorf("%s was replaced while it was tried; try again: nod doctor", p.Path)
	}
	if err != nil {
		return err
	}
	return change(stateDir, func(all map[string]row) { all[host] = row{Program: p, When: time.Now().UTC()} })
}

// Forget switches a host's proof off and keeps why, until it is proven again: a
// call was seen to run otherwise than nod handed it over.
func Forget(stateDir, host, why string) error {
	return change(stateDir, func(all map[string]row) {
		r := all[host]
		r.Off = why
		all[host] = r
	})
}

// Recorded reports whether the proof is of the program that a path leads to.
func Recorded(stateDir, host, program string) bool {
	r, ok := holding(stateDir, host)
	now, err := Look(program, "")
	return ok && err == nil && r.same(now)
}

// SwitchedOff says why a host's proof was switched off, "" where it was not.
func SwitchedOff(stateDir, host string) string {
	all, _ := read(stateDir)
	return all[host].Off
}

// holding returns the proof of a host that was not switched off.
func holding(stateDir, host string) (p Program, ok bool) {
	all, err := read(stateDir)
	r, found := all[host]
	return r.Program, err == nil && found && r.Off == "" && r.Path != ""
}

func read(stateDir string) (all map[string]row, err error) {
	f, err := os.Open(filepath.Join(stateDir, name))
	if errors.Is(err, os.ErrNotExist) {
		return map[string]row{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes))
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove it, then: nod doctor", f.Name(), err)
	}
	return all, nil
}

// change reads, changes and writes under a lock, so that two hooks do not undo
// each other's Forget. A file that cannot be read proves nothing, and is begun anew.
func change(stateDir string, do func(map[string]row)) error {
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(stateDir, name+".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	all, err := read(stateDir)
	if err != nil || all == nil {
		all = map[string]row{}
	}
	do(all)
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return replace(stateDir, append(text, '\n'))
}

// replace puts a whole new file into the old one's place.
func replace(stateDir string, text []byte) (err error) {
	f, err := os.CreateTemp(stateDir, "."+name+".*")
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
	return os.Rename(f.Name(), filepath.Join(stateDir, name))
}
