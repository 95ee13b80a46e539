package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"
	"time"

	"github.com/nodgate/nod/internal/view"
)

// Trust says that a person accepted a repository's file.
type Trust struct {
	Root   string    `json:"root"`   // real path
	SHA256 string    `json:"sha256"` // hex, of the file's bytes
	At     time.Time `json:"at"`
}

// trustFile is State/trust.json.
type trustFile struct {
	V       int     `json:"v"`
	Trusted []Trust `json:"trusted"`
}

const (
	trustName    = "trust.json"
	trustVersion = 1
	maxTrust     = 1 << 20
)

// trusts reports whether the root's file of that hash is trusted. An error is
// one line for the person, and trusts nothing.
func (p Places) trusts(root, sha256 string) (bool, error) {
	list, err := Trusts(p)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list, func(t Trust) bool { return t.Root == root && t.SHA256 == sha256 }), nil
}

// Trusts returns what is trusted, by root. It refuses a list that somebody
// else may have written, or that lies in p.Root.
func Trusts(p Places) ([]Trust, error) {
	if p.State == "" {
		return nil, nil
	}
	if p.Files == nil {
		p.Files = view.Disk{}
	}
	name := path.Join(p.State, trustName)
	list, err := p.readTrust(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; nothing is trusted until it is corrected or removed", shown(name), err)
	}
	return list, nil
}

func (p Places) readTrust(name string) ([]Trust, error) {
	if info, err := p.Files.Lstat(name); err == nil && !info.Mode.IsRegular() {
		return nil, errors.New("not a regular file")
	}
	_, _, text, err := p.read(name, maxTrust, func(real string, info view.Info) error {
		if p.Root != "" && view.Within(p.Files, p.Root, real) {
			return errors.New("it lies in the workspace, where an agent may write")
		}
		return checkPrivate(real, info, p.UID)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseTrust(text)
}

func parseTrust(text []byte) ([]Trust, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var f trustFile
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("not the list that nod writes (%v)", err)
	}
	if f.V != trustVersion {
		return nil, fmt.Errorf("version %d, and this nod reads %d", f.V, trustVersion)
	}
	return f.Trusted, nil
}

// AddTrust writes that t is trusted, in place of what was trusted at that
// root. p.Files is the disk, and the caller has called [EnsureState].
func AddTrust(p Places, t Trust) error {
	return p.changeTrust(func(list []Trust) []Trust {
		list = append(without(list, t.Root), t)
		slices.SortFunc(list, func(a, b Trust) int { return bytes.Compare([]byte(a.Root), []byte(b.Root)) })
		return list
	})
}

// RemoveTrust takes the root off the list, and reports whether it was on it.
// It asks of the caller what AddTrust does.
func RemoveTrust(p Places, root string) (bool, error) {
	removed := false
	err := p.changeTrust(func(list []Trust) []Trust {
		kept := without(list, root)
		removed = len(kept) < len(list)
		return kept
	})
	return removed, err
}

func without(list []Trust, root string) []Trust {
	return slices.DeleteFunc(slices.Clone(list), func(t Trust) bool { return t.Root == root })
}

// changeTrust rewrites the list under a lock, by renaming a whole new file
// into place.
func (p Places) changeTrust(change func([]Trust) []Trust) error {
	unlock, err := lock(path.Join(p.State, "trust.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	list, err := Trusts(p)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(trustFile{trustVersion, change(list)}, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(path.Join(p.State, trustName), append(text, '\n'), 0o600)
}

// lock takes an exclusive lock on a file that it makes. The kernel gives it
// back when the process ends, however it ends.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return func() { f.Close() }, nil
}

// replaceFile writes a new file beside name and renames it into place, so
// that a reader sees the old text or the new one.
func replaceFile(name string, text []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(path.Dir(name), "."+path.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
