package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nodgate/nod/internal/lines"
	"github.com/nodgate/nod/internal/system"
	"github.com/nodgate/nod/internal/view"
)

// SetWord writes a key at the top of the user's settings file, and leaves everything else in it as it is: comments,
// order, line ends. It makes the file (0600) and its directory (0700) where they are missing, and writes through a
// link. A file that cannot be read as settings is left alone; the error is then a *[fault.Error].
func SetWord(p Places, key, word string) error {
	return p.editUser(func(text []byte) ([]byte, error) { return p.withWord(text, key, word) })
}

// withWord returns the text with a key at its top set to a word, and checks that it is.
func (p Places) withWord(text []byte, key, word string) ([]byte, error) {
	if _, err := p.readBack(text); err != nil {
		return nil, err
	}
	return changed(text, func(d *document, said map[string]any) ([]byte, error) {
		said[key] = word
		return d.withTop(key, strconv.Quote(word)), nil
	})
}

func (p Places) readBack(text []byte) (layer, error) {
	all := standard()
	return readLayer(p, Source{Path: p.User, Level: User}, text, &all)
}

// withTop changes a key's value where there is one, else puts it at the top of the file.
func (d *document) withTop(key, value string) []byte {
	if at, ok := d.places[key]; ok {
		return bytes.Join([][]byte{d.text[:at.start], []byte(value), d.text[at.end:]}, nil)
	}
	return append([]byte(key+" = "+value+lineEnd(d.text)), d.text...)
}

func lineEnd(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// Entry is one entry of one list, to be written.
type Entry struct{ List, Text string }

// AddRepository writes a [[repository]] of root, a real path, with the entries at the end of the user's settings
// file, and leaves everything else in it as it is, as [SetWord] does. What it would write is read back first: a file
// that could not be used after, or would say something else, is left alone.
func AddRepository(p Places, root string, entries []Entry) error {
	return p.editUser(func(text []byte) ([]byte, error) {
		if _, err := p.readBack(text); err != nil {
			return nil, err
		}
		edited := append(bytes.Clone(text), repositoryTable(text, root, entries)...)
		after, err := p.readBack(edited)
		if err != nil {
			return nil, err
		}
		n := len(after.scopes)
		if n == 0 || after.scopes[n-1].Path != root || after.scopes[n-1].Rules != len(entries) {
			return nil, errors.New("the rules could not be written so that they read the same; write them by hand")
		}
		return edited, nil
	})
}

func repositoryTable(text []byte, root string, entries []Entry) string {
	var b strings.Builder
	if len(text) > 0 && text[len(text)-1] != '\n' {
		b.WriteString("\n")
	}
	if len(text) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("# written by nod init\n[[repository]]\npath = " + quoteTOML(root) + "\n")
	for _, l := range lists() {
		var lines string
		for _, e := range entries {
			if e.List == l.name && l.scoped {
				lines += "  " + quoteTOML(e.Text) + ",\n"
			}
		}
		if lines != "" {
			b.WriteString(l.name + " = [\n" + lines + "]\n")
		}
	}
	return strings.ReplaceAll(b.String(), "\n", lineEnd(text))
}

// quoteTOML writes a basic string. Control characters do not get here: what is written is read back.
func quoteTOML(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func (p Places) editUser(edit func(text []byte) ([]byte, error)) error {
	p = p.onDisk()
	return replace(p, p.User, p.readSettings, edit)
}

// replace writes what becomes of a file, which may be missing. Its owner, mode and group stay.
func replace(p Places, name string, read func(string) (string, []byte, error),
	edit func(text []byte) ([]byte, error)) error {
	perm, group := fs.FileMode(0o600), -1
	real, text, err := read(name)
	if errors.Is(err, fs.ErrNotExist) {
		real, err = view.Resolve(p.Files, name)
	} else if info, wrong := os.Lstat(view.Native(real)); err == nil && wrong == nil {
		var is system.File
		is, err = system.Describe(view.Native(real), info)
		perm, group = info.Mode().Perm(), is.GID
		if err == nil && is.UID != system.User() {
			err = fmt.Errorf("owned by user %d; only that user changes it", is.UID)
		}
	}
	if err == nil {
		text, err = edit(text)
	}
	if err != nil {
		return located(name, err)
	}
	real = view.Native(real)
	if err := os.MkdirAll(path.Dir(real), 0o700); err != nil {
		return err
	}
	return lines.Replace(real, text, perm, group)
}

// MaxPause is the longest pause. A pause is mode observe for a time: nod's state directory holds its beginning
// and its end, and whoever reads the settings looks at the clock, so that nothing has to run for it to end.
const (
	MaxPause  = 24 * time.Hour
	pauseFile = "/pause"
)

// Pause pauses nod from now on, or ends a pause where the time is 0. The caller has made sure that a person wants it.
func Pause(p Places, d time.Duration) error {
	if d == 0 && p.State == "" {
		return nil
	}
	if d == 0 {
		if err := os.Remove(p.State + pauseFile); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := lines.PrivateDir(p.State); err != nil {
		return err
	}
	now := p.onDisk().Now().UTC()
	times := now.Format(time.RFC3339) + " " + now.Add(d).Format(time.RFC3339) + "\n"
	return lines.Replace(p.State+pauseFile, []byte(times), 0o600, -1)
}

// paused is until when nod is paused, the zero time where it is not: also where the times cannot be read, are
// further apart than a pause may be, or begin later than now, since then a clock was set back.
func (p Places) paused() time.Time {
	if p.State == "" {
		return time.Time{}
	}
	_, text, err := p.read(p.State+pauseFile, 100, func(real string, info view.Info) error {
		return checkPrivate(real, info, p.UID)
	})
	from, until, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	begin, noBegin := time.Parse(time.RFC3339, from)
	end, noEnd := time.Parse(time.RFC3339, until)
	now := p.Now()
	if errors.Join(err, noBegin, noEnd) != nil || now.Before(begin) || !now.Before(end) || end.Sub(begin) > MaxPause {
		return time.Time{}
	}
	return end
}

// pause observes where nod is paused, unless the organisation says which mode holds.
func (s *Settings) pause(p Places, layers []layer) {
	ruled := func(l layer) bool { return l.source.Level == Managed && l.modeLine > 0 }
	if s.Mode != Enforce || slices.ContainsFunc(layers, ruled) {
		return
	}
	if s.Paused = p.paused(); !s.Paused.IsZero() {
		s.Mode, s.ModeOrigin = Observe, "a pause until "+s.Paused.Local().Format(time.DateTime)
	}
}
