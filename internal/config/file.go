package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/team"
	"github.com/nodgate/nod/internal/view"
)

const (
	// maxSettings bounds a managed or user file.
	maxSettings = 1 << 20
	// maxRepository bounds a .nod.toml.
	maxRepository = 64 << 10
)

// layer reads a managed or user file, over what the files below it say. found is false for a missing file.
func (p Places) layer(source Source, below *scalars) (l layer, found bool, err error) {
	if source.Path == "" {
		return layer{}, false, nil
	}
	real, text, err := p.readSettings(source.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return layer{}, false, nil
	case err != nil:
		return layer{}, false, located(source.Path, err)
	}
	l, err = readLayer(p, source, text, below)
	l.real = real
	p.apply(&l)
	return l, true, located(source.Path, err)
}

func located(name string, err error) error {
	var p *problem
	switch {
	case err == nil:
		return nil
	case errors.As(err, &p):
		return failure(shown(name) + ":" + err.Error())
	}
	return failure(shown(name) + ": " + err.Error())
}

// readSettings reads a file that only its owner may change. The error is fs.ErrNotExist for none.
func (p Places) readSettings(name string) (real string, text []byte, err error) {
	if !isAbs(name) {
		return "", nil, errors.New("not an absolute name; write one")
	}
	if text, drafted := p.draft[name]; drafted {
		real, err = view.Resolve(p.Files, name)
		return real, text, err
	}
	real, text, err = p.read(path.Clean(name), maxSettings, p.checkOwner)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := p.Files.Lstat(path.Clean(name)); err == nil && info.Mode&fs.ModeSymlink != 0 {
			return "", nil, fmt.Errorf("a link to %s, which does not exist; correct or remove the link", shown(real))
		}
		return "", nil, fs.ErrNotExist
	}
	return real, text, err
}

// isAbs reports whether a name begins at the root, or on Windows at a drive.
func isAbs(name string) bool { return path.IsAbs(name) || filepath.IsAbs(name) }

// read follows name to a regular file, which check may refuse. The error is fs.ErrNotExist for none.
func (p Places) read(name string, limit int64, check func(real string, info view.Info) error) (real string,
	text []byte, err error) {
	if real, err = view.Resolve(p.Files, name); err != nil {
		return "", nil, fmt.Errorf("cannot be followed (%v); make it readable, or correct its links", plain(err))
	}
	info, err := p.Files.Lstat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return real, nil, fs.ErrNotExist
	case err != nil:
		return real, nil, fmt.Errorf("cannot be looked at (%v); make it readable, or remove it", plain(err))
	case !info.Mode.IsRegular():
		return real, nil, errors.New("not a regular file")
	case info.Size > limit:
		return real, nil, fmt.Errorf("%d bytes, more than the %d that are read; shorten it", info.Size, limit)
	}
	if check != nil {
		if err := check(real, info); err != nil {
			return real, nil, err
		}
	}
	if text, err = p.Files.Read(real, limit); err != nil {
		return real, nil, fmt.Errorf("cannot be read (%v); make it readable, or remove it", plain(err))
	}
	return real, text, nil
}

func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (p Places) checkOwner(real string, info view.Info) error {
	switch {
	case info.UID != 0 && info.UID != p.UID:
		return fmt.Errorf("owned by user %d, neither root nor you (%d); take it over with chown, or remove it",
			info.UID, p.UID)
	case info.Mode.Perm()&0o022 != 0:
		return fmt.Errorf("writable by others (mode %#o); run: chmod go-w %s", info.Mode.Perm(), quoteForShell(real))
	}
	return p.checkAbove(real)
}

// checkAbove refuses a place where anyone could put another file instead.
func (p Places) checkAbove(real string) error {
	for dir := path.Dir(real); ; dir = path.Dir(dir) {
		info, err := p.Files.Lstat(dir)
		if err != nil {
			return fmt.Errorf("its directory %s cannot be looked at (%v); make it readable", shown(dir), plain(err))
		}
		if info.Mode.Perm()&0o002 != 0 && info.Mode&fs.ModeSticky == 0 {
			return fmt.Errorf("anyone can replace it, since its directory %s is writable by all; run: chmod o-w %s",
				shown(dir), quoteForShell(dir))
		}
		if dir == "/" {
			return nil
		}
	}
}

// checkPrivate refuses a file that anybody but the user may use.
func checkPrivate(name string, info view.Info, uid uint32) error {
	switch {
	case info.UID != uid:
		return fmt.Errorf("owned by user %d, not you (%d); take it over with chown", info.UID, uid)
	case info.Mode.Perm()&0o077 != 0:
		return fmt.Errorf("others may use it (mode %#o); run: chmod go= %s", info.Mode.Perm(), quoteForShell(name))
	}
	return nil
}

func originOf(source Source, line int) string {
	return shown(source.Path) + ":" + strconv.Itoa(line)
}

func shown(name string) string { return printable.Text(name) }

func quoteForShell(name string) string {
	if !strings.ContainsAny(name, " '$`&|;<>()*?[]#~!{}\\\"") {
		return shown(name)
	}
	return "'" + strings.ReplaceAll(shown(name), "'", `'\''`) + "'"
}

// ownSecrets are keys, tokens and dumps; a link counts by both names. No list lets them go.
func (p Places) ownSecrets(s Settings) (own []Item) {
	names := append(s.Model.KeyFiles(), s.Log.DumpDir)
	if s.Policy != nil && p.State != "" { // the token is in it
		names = append(names, p.State+"/team/"+team.MemberFile)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		own = append(own, Item{List: "secrets", Text: path.Clean(name), Origin: "nod's own"})
		if real, err := view.Resolve(p.Files, name); err == nil && real != path.Clean(name) {
			own = append(own, Item{List: "secrets", Text: real, Origin: "nod's own"})
		}
	}
	return unique(own)
}

// checkPlaces refuses settings, keys and dumps that lie where an agent may write.
func (p Places) checkPlaces(layers []layer, s Settings) error {
	roots := s.Roots
	if p.Root != "" {
		roots = append([]string{p.Root}, roots...)
	}
	for _, l := range layers {
		if root, ok := p.inside(roots, l.real); ok {
			return failure(fmt.Sprintf("%s: lies in the workspace %s, where an agent may write; move it out, or start "+
				"the agent in another directory", shown(l.source.Path), shown(root)))
		}
	}
	type named struct{ key, name string }
	names := []named{{"ca_file", s.Model.CAFile}, {"dump_dir", s.Log.DumpDir}}
	for _, file := range s.Model.KeyFiles() {
		names = append(names, named{"key_file", file})
	}
	for _, f := range names {
		if f.name == "" || len(roots) == 0 {
			continue
		}
		real, err := view.Resolve(p.Files, f.name)
		if err != nil {
			return failure(fmt.Sprintf("%s: %s cannot be followed (%v); correct it in the settings", shown(f.name),
				f.key, err))
		}
		if root, ok := p.inside(roots, real); ok {
			return failure(fmt.Sprintf("%s: %s lies in the workspace %s, where an agent may write; move it out",
				shown(f.name), f.key, shown(root)))
		}
	}
	return nil
}

// inside returns the root that holds the real path; "" is in none.
func (p Places) inside(roots []string, real string) (string, bool) {
	for _, root := range roots {
		if view.Within(p.Files, root, real) {
			return root, true
		}
	}
	return "", false
}

// Key reads the key file. The error is a *[fault.Error] of the kind [fault.NoKey]. Without a key file it returns "".
func (m Target) Key(files view.Files, uid uint32) (string, error) {
	if m.KeyFile == "" {
		return "", nil
	}
	key, err := readKey(files, m.KeyFile, uid, m.Provider == "vertex")
	if err != nil {
		return "", &fault.Error{Kind: fault.NoKey, Message: fmt.Sprintf("key file %s: %v", shown(m.KeyFile), err)}
	}
	return key, nil
}

// EnvironmentKey reports whether a key from the environment may be used. A repository can set variables, so such a key
// goes to the vendor's own address only, and never stands in for a key file.
func (m Target) EnvironmentKey() bool { return m.KeyFile == "" && m.Endpoint == "" }

// readKey reads one line, or, of a provider whose keys are documents, the text.
func readKey(files view.Files, name string, uid uint32, document bool) (string, error) {
	_, text, err := Places{Files: files}.read(name, 64<<10, func(real string, info view.Info) error {
		return checkPrivate(real, info, uid)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("it does not exist; write the key into it, mode 0600")
	}
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(text))
	if key == "" || !document && strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("it does not hold one key; write the key into it, and nothing else")
	}
	return key, nil
}
