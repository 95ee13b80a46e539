package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// Entry is one entry of one list, to be written.
type Entry struct{ List, Text string }

// AddRepository writes a [[repository]] of root, a real path, with the entries
// at the end of the user's settings file, and leaves everything else in it as
// it is. It makes the file (0600) and its directory (0700) where they are
// missing. What it would write is read back first: a file that could not be
// used after, or would say something else, is left alone; the error is then a
// *[fault.Error].
func AddRepository(p Places, root string, entries []Entry) error {
	return p.editUser(func(text []byte) ([]byte, error) {
		source := Source{Path: p.User, Level: User}
		before, err := readLayer(p, source, text)
		if err != nil {
			return nil, located(p.User, err)
		}
		edited := append(bytes.Clone(text), repositoryTable(text, root, entries)...)
		after, err := readLayer(p, source, edited)
		if err != nil {
			return nil, located(p.User, err)
		}
		if n := len(after.scopes); n != len(before.scopes)+1 || !after.scopes[n-1].says(root, entries) {
			return nil, failure(fmt.Sprintf("%s: the rules could not be written so that they read the "+
				"same; write them by hand", shown(p.User)))
		}
		return edited, nil
	})
}

// says reports whether the scope is what was to be written.
func (s scoped) says(root string, entries []Entry) bool {
	left := s.Rules
	for _, e := range entries {
		found := false
		for i, name := range listNames() {
			for _, item := range s.lists[i].items {
				found = found || name == e.List && item.Text == e.Text
			}
		}
		if !found {
			return false
		}
		left--
	}
	return s.Path == root && left == 0
}

// repositoryTable is the text to append, in the line ends of the file.
func repositoryTable(text []byte, root string, entries []Entry) string {
	var b strings.Builder
	if len(text) > 0 && text[len(text)-1] != '\n' {
		b.WriteString("\n")
	}
	if len(text) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("# written by nod init\n[[repository]]\npath = " + quoteTOML(root) + "\n")
	for _, name := range scopedKeys()[1:] {
		var lines string
		for _, e := range entries {
			if e.List == name {
				lines += "  " + quoteTOML(e.Text) + ",\n"
			}
		}
		if lines != "" {
			b.WriteString(name + " = [\n" + lines + "]\n")
		}
	}
	if bytes.Contains(text, []byte("\r\n")) {
		return strings.ReplaceAll(b.String(), "\n", "\r\n")
	}
	return b.String()
}

// quoteTOML writes a basic string. Control characters do not get here: what is
// written is read back.
func quoteTOML(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// editUser replaces the user's file with what edit makes of it.
func (p Places) editUser(edit func(text []byte) ([]byte, error)) error {
	if p.Files == nil {
		p.Files = view.Disk{}
	}
	real, text, err := p.readSettings(p.User)
	perm := fs.FileMode(0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if real, err = view.Resolve(p.Files, p.User); err != nil {
			return err
		}
		if err := os.MkdirAll(path.Dir(real), 0o700); err != nil {
			return err
		}
	case err != nil:
		return failure(fmt.Sprintf("%s: %v", shown(p.User), err))
	default:
		info, err := p.Files.Lstat(real)
		if err != nil {
			return err
		}
		perm = info.Mode.Perm()
	}
	edited, err := edit(text)
	if err != nil {
		return err
	}
	return replaceFile(real, edited, perm)
}
