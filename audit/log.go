// Package audit is the decision log: JSON lines in one directory, written by
// many short-lived processes at once and read back whole.
//
// [Log.Write] appends one entry with one write(2), secrets masked, never longer than 1 MiB. Each line holds a hash of
// the line before, so writers take a lock, for a moment each. Where it is not to be had within a second (a process is
// stopped that has it), the line is written all the same, and says so. A writer that is killed damages no line but its
// own. A file of more than 16 MiB is renamed to decisions-TIME.jsonl by the next writer; nothing is ever deleted.
//
// [Verify] follows the hashes through all files, and finds what was changed, removed or put in between.
//
// [Read] yields all lines, oldest first, [Newest] newest first. A line that cannot be read is reported as a [Problem],
// and the reader goes on behind it. docs/decision-log.md describes the lines.
package audit

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nodgate/nod/internal/lines"
)

// FileName is the current file's name in the state directory.
const FileName = "decisions.jsonl"

// DefaultMaxBytes is the size from which on a file is rotated.
const DefaultMaxBytes = 16 << 20

const rotatedStamp = "20060102T150405.000000000Z" // the time in a rotated file's name; it sorts by age

// Log writes the decision log. It is safe for concurrent use, by goroutines and by processes. Make one with [Open].
type Log struct {
	// MaxBytes is the size from which on the file is rotated; 0 is DefaultMaxBytes. It is set before the first Write.
	MaxBytes int64

	name string
	mu   sync.Mutex
	file *lines.File
	wait time.Duration // for the file's lock
}

// Open opens the log in dir, nod's state directory, and makes what is missing of it. It refuses a directory or file
// that is not this user's alone, and a file that is not a regular one, with an error that says what to do.
func Open(dir string) (*Log, error) {
	if err := lines.PrivateDir(dir); err != nil {
		return nil, fmt.Errorf("the decision log: %w", err)
	}
	l := &Log{name: filepath.Join(dir, FileName), wait: time.Second}
	if err := l.reopen(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *Log) reopen() error {
	file, err := lines.Open(l.name)
	if err != nil {
		return fmt.Errorf("the decision log: %w", err)
	}
	if l.file != nil {
		l.file.Close()
	}
	l.file = file
	return nil
}

// Write appends one entry. Version and, where it is zero, Time are filled in, secrets are masked and
// what is too long is shortened. An error means that the entry must be taken as not written; lines
// already there and lines that follow are intact.
func (l *Log) Write(e Entry) error {
	line, err := encode(e)
	if err != nil {
		return fmt.Errorf("the decision log: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	locked, err := l.settle()
	if err != nil {
		return err
	}
	if locked {
		defer l.file.Unlock()
	}
	err = l.file.AppendAfter(func(last []byte) []byte {
		if len(last) == 0 {
			last = l.lastRotated()
		}
		return linked(line, last, locked)
	})
	if err != nil {
		return fmt.Errorf("the decision log: %w", err)
	}
	return nil
}

// settle makes sure that l.file is the current file and not too large, and takes its lock. Who does not get the lock
// in time goes on without it, and does not rotate. What was rotated or moved away while this process waited is not
// written to.
func (l *Log) settle() (locked bool, err error) {
	for {
		locked = l.file.LockFor(l.wait)
		if l.file.Current() {
			size, err := l.file.Size()
			if err != nil || !locked || size < cmp.Or(l.MaxBytes, DefaultMaxBytes) {
				return locked, err
			}
			if err := l.rotate(); err != nil {
				return true, err
			}
		}
		if err := l.reopen(); err != nil { // closing releases the lock
			return false, err
		}
	}
}

// rotate renames the current file.
func (l *Log) rotate() error {
	target, err := rotatedName(filepath.Dir(l.name), time.Now())
	if err != nil {
		return err
	}
	if err := os.Rename(l.name, target); err != nil {
		return fmt.Errorf("the decision log: %w", err)
	}
	return nil
}

// lastRotated is the last line before the current file. What cannot be read is for Verify to find.
func (l *Log) lastRotated() (last []byte) {
	names, _ := rotatedFiles(filepath.Dir(l.name))
	if len(names) == 0 {
		return nil
	}
	file, err := lines.Open(names[len(names)-1])
	if err != nil {
		return nil
	}
	defer file.Close()
	last, _, _ = file.Last()
	return last
}

// rotatedName returns a name that sorts after all rotated files, even if the clock was set back.
func rotatedName(dir string, now time.Time) (string, error) {
	rotated, err := rotatedFiles(dir)
	if err != nil {
		return "", err
	}
	if n := len(rotated); n > 0 {
		last := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(rotated[n-1]), "decisions-"), ".jsonl")
		if t, err := time.Parse(rotatedStamp, last); err == nil && !now.After(t) {
			now = t.Add(time.Nanosecond)
		}
	}
	return filepath.Join(dir, "decisions-"+now.UTC().Format(rotatedStamp)+".jsonl"), nil
}

// rotatedFiles lists the rotated files of dir, oldest first. A directory that does not exist has none.
func rotatedFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "decisions-") && strings.HasSuffix(e.Name(), ".jsonl") {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(names)
	return names, err
}

// Close closes the log.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
