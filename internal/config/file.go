package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/fault"
	"github.com/nodgate/nod/internal/view"
)

const (
	// maxSettings bounds a managed or user file.
	maxSettings = 1 << 20
	// maxRepository bounds a .nod.toml.
	maxRepository = 64 << 10
)

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// layer reads a managed or user file. found is false where there is none.
func (p Places) layer(name string, level Level) (l layer, found bool, err error) {
	if name == "" {
		return layer{}, false, nil
	}
	real, text, err := p.readSettings(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return layer{}, false, nil
	case err != nil:
		return layer{}, false, failure(fmt.Sprintf("%s: %v", shown(name), err))
	}
	source := Source{Path: name, Level: level, SHA256: hash(text), Trusted: true, Used: true}
	l, err = readLayer(p, source, text)
	l.real = real
	p.apply(&l)
	return l, true, located(name, err)
}

// located names the file that a problem lies in.
func located(name string, err error) error {
	if err == nil {
		return nil
	}
	return failure(shown(name) + ":" + err.Error())
}

// readSettings follows name to the real file, checks who may change it, and
// reads it. The error is fs.ErrNotExist where there is none.
func (p Places) readSettings(name string) (real string, text []byte, err error) {
	if !path.IsAbs(name) {
		return "", nil, fmt.Errorf("not an absolute name; write one")
	}
	if real, err = view.Resolve(p.Files, path.Clean(name)); err != nil {
		return "", nil, fmt.Errorf("cannot be followed (%v); make it readable, or correct its links", plain(err))
	}
	info, err := p.Files.Lstat(real)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, p.dangling(name, real)
	}
	if err != nil {
		return "", nil, fmt.Errorf("cannot be looked at (%v); make it readable, or remove it", plain(err))
	}
	if err := p.checkOwner(real, info); err != nil {
		return "", nil, err
	}
	if info.Size > maxSettings {
		return "", nil, fmt.Errorf("%d bytes, more than the %d that are read; shorten it", info.Size, maxSettings)
	}
	text, err = p.Files.Read(real, maxSettings)
	if err != nil {
		return "", nil, fmt.Errorf("cannot be read (%v); make it readable, or remove it", plain(err))
	}
	return real, text, nil
}

// dangling tells a settings file that is not there from a link that leads
// nowhere: whoever made the link means there to be settings.
func (p Places) dangling(name, real string) error {
	if info, err := p.Files.Lstat(path.Clean(name)); err == nil && info.Mode&fs.ModeSymlink != 0 {
		return fmt.Errorf("a link to %s, which does not exist; correct or remove the link", shown(real))
	}
	return fs.ErrNotExist
}

// plain takes the file's name off an error that repeats it.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// checkOwner refuses a file that somebody else could have written.
func (p Places) checkOwner(real string, info view.Info) error {
	switch {
	case !info.Mode.IsRegular():
		return fmt.Errorf("not a regular file; put the settings into one, or remove it")
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

func quoteForShell(name string) string {
	if !strings.ContainsAny(name, " '$`&|;<>()*?[]#~!{}\\\"") {
		return shown(name)
	}
	return "'" + strings.ReplaceAll(shown(name), "'", `'\''`) + "'"
}

// ownSecrets are files that the settings name and that no agent is to read:
// keys, and what models were asked and answered, by both names where it is a
// link. No entry of a list lets them go.
func (p Places) ownSecrets(s Settings) (own []Item) {
	for _, name := range append(keyFiles(s), s.Log.DumpDir) {
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

func keyFiles(s Settings) []string {
	files := []string{s.Model.KeyFile}
	for _, t := range s.Model.Fallbacks {
		files = append(files, t.KeyFile)
	}
	return files
}

// checkPlaces refuses settings, keys and dumps that lie where an agent may
// write. It runs last, since the roots stand in the settings themselves.
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
	for _, file := range keyFiles(s) {
		names = append(names, named{"key_file", file})
	}
	for _, f := range names {
		if err := p.checkOutside(roots, f.key, f.name); err != nil {
			return err
		}
	}
	return nil
}

func (p Places) checkOutside(roots []string, key, name string) error {
	if name == "" || len(roots) == 0 {
		return nil
	}
	real, err := view.Resolve(p.Files, name)
	if err != nil {
		return failure(fmt.Sprintf("%s: %s cannot be followed (%v); correct it in the settings", shown(name), key, err))
	}
	if root, ok := p.inside(roots, real); ok {
		return failure(fmt.Sprintf("%s: %s lies in the workspace %s, where an agent may write; move it out",
			shown(name), key, shown(root)))
	}
	return nil
}

// inside returns the root that holds the real path.
func (p Places) inside(roots []string, real string) (string, bool) {
	for _, root := range roots {
		if view.Within(p.Files, root, real) {
			return root, true
		}
	}
	return "", false
}

// Key reads the key file. The error is a *[fault.Error] of the kind
// [fault.NoKey]. Without a key file it returns "".
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

// EnvironmentKey reports whether a key from the environment may be used. A
// repository can set variables, so such a key goes to the vendor's own
// address only, and never stands in for a key file.
func (m Target) EnvironmentKey() bool { return m.KeyFile == "" && m.Endpoint == "" }

// readKey reads one line, or, of a provider whose keys are documents, the text.
func readKey(files view.Files, name string, uid uint32, document bool) (string, error) {
	real, err := view.Resolve(files, name)
	if err != nil {
		return "", err
	}
	info, err := files.Lstat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("it does not exist; write the key into it, mode 0600")
	case err != nil:
		return "", plain(err)
	case !info.Mode.IsRegular():
		return "", fmt.Errorf("not a regular file")
	case info.UID != uid:
		return "", fmt.Errorf("owned by user %d, not you (%d); take it over with chown", info.UID, uid)
	case info.Mode.Perm()&0o077 != 0:
		return "", fmt.Errorf("others may read it (mode %#o); run: chmod 600 %s", info.Mode.Perm(), quoteForShell(real))
	}
	text, err := files.Read(real, 64<<10)
	if err != nil {
		return "", plain(err)
	}
	key := strings.TrimSpace(string(text))
	if key == "" || !document && strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("it does not hold one key; write the key into it, and nothing else")
	}
	return key, nil
}

// Resident reports whether a process that outlives the call may ask the model:
// there is one, and no key would be looked for in an environment, which a
// repository can feed.
func (m ModelSettings) Resident() bool {
	return m.Provider != "" && !m.EnvironmentKey() && !slices.ContainsFunc(m.Fallbacks, Target.EnvironmentKey)
}
