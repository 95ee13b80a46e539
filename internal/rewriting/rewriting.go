// Package rewriting remembers proven host programs: a proven program runs the command that a hook hands it in place
// of the model's (package trial proves it). Only before such a program does nod answer with a command of its own.
// Another program may run what the model wrote, outside of the boundary.
//
// A hook asks [Proven] at each such call, so this package starts nothing. What it cannot tell is a no.
package rewriting

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nodgate/nod/internal/lines"
)

// Program is a file as it was when it was looked at.
type Program struct {
	Path    string `json:"program"` // real
	Size    int64  `json:"size"`
	MTime   int64  `json:"mtime_ns"`
	Version string `json:"version,omitempty"` // as it says, "" where it was not asked
}

// Asker is what starts a host's hooks and reads what they answer: a program, and
// the script that it runs where it is an interpreter.
type Asker struct {
	Program Program `json:"program"`
	Script  Program `json:"script,omitzero"`
	started time.Time
}

// proof is what is known of one host.
type proof struct {
	Found Program   `json:"found"` // what PATH leads to, which may start another program
	Asker Asker     `json:"asker"`
	When  time.Time `json:"when"`
	Off   string    `json:"off,omitempty"` // why it holds no longer
}

// file is one for each host, so that the hook of one host does not undo what another host's hook writes.
func file(stateDir, host string) string { return filepath.Join(stateDir, "rewriting-"+host+".json") }

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

// same reports whether both are the same file. The version that the program states does not count.
func (p Program) same(o Program) bool {
	return p.Path == o.Path && p.Size == o.Size && p.MTime == o.MTime
}

// same reports whether both run the same files.
func (a Asker) same(o Asker) bool { return a.Program.same(o.Program) && a.Script.same(o.Script) }

// Record remembers that a host was proven: its program, looked at before the trial, and
// what asked the hook during the trial.
func Record(stateDir, host string, found Program, asker Asker) error {
	for _, p := range []Program{found, asker.Program, asker.Script} {
		if p == (Program{}) {
			continue
		}
		now, err := Look(p.Path, "")
		if err == nil && !p.same(now) {
			err = fmt.Errorf("%s was replaced while it was tried; try again: nod doctor", p.Path)
		}
		if err != nil {
			return err
		}
	}
	return write(stateDir, host, proof{Found: found, Asker: asker, When: time.Now().UTC()})
}

// Forget switches a host's proof off and keeps why, until it is proven again: a
// call was seen to run otherwise than nod handed it over.
func Forget(stateDir, host, why string) error {
	p := read(stateDir, host)
	p.Off = why
	return write(stateDir, host, p)
}

// Recorded reports whether the proof is of the program that a path leads to. off says why a proof was switched off.
func Recorded(stateDir, host, program string) (ok bool, off string) {
	p := read(stateDir, host)
	now, err := Look(program, "")
	return p.holds() && err == nil && p.Found.same(now), p.Off
}

func (p proof) holds() bool { return p.Asker.Program.Path != "" && p.Off == "" }

// read returns the proof of a host. A file that cannot be read proves nothing.
func read(stateDir, host string) (p proof) {
	text, err := os.ReadFile(file(stateDir, host))
	if err != nil || json.Unmarshal(text, &p) != nil {
		return proof{}
	}
	return p
}

// write puts a whole new file into the old one's place.
func write(stateDir, host string, p proof) error {
	text, _ := json.MarshalIndent(p, "", "  ") // texts, numbers and times
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return err
	}
	return lines.Replace(file(stateDir, host), append(text, '\n'), 0o600, -1)
}
