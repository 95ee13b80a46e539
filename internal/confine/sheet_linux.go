package confine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// sheet is an overlay over all of a directory, of which a run sees and writes
// some parts. To make, mount and remove an overlay that can be written takes
// about two milliseconds, so the caches share the sheet over the home directory.
type sheet struct {
	top    string
	number int // of the overlay
	shown  []shown
}

// shown is a directory that a run sees, by its name and by its real path.
type shown struct{ name, real string }

// write shows a directory with a layer that stays for the next run.
func (l *layout) write(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	top := real
	if within(l.o.Home, real) && l.mountedBelow(l.o.Home) == "" {
		top = l.o.Home
	}
	s := l.sheet(top)
	s.shown = append(s.shown, shown{dir, real})
	l.put(dir, "--bind", filepath.Join(l.plan.At(s.number), below(top, real)), dir)
	return nil
}

// sheet is the one over a directory; what it is made of is known at the end.
func (l *layout) sheet(top string) *sheet {
	i := slices.IndexFunc(l.sheets, func(s *sheet) bool { return s.top == top })
	if i < 0 {
		i = len(l.sheets)
		l.sheets = append(l.sheets, &sheet{top: top, number: len(l.plan.Overlays)})
		l.plan.Overlays = append(l.plan.Overlays, "")
	}
	return l.sheets[i]
}

// sewn finishes the sheets.
func (l *layout) sewn() error {
	for _, s := range l.sheets {
		lower := escape(s.top)
		mask, err := l.mask(s.number, s.top, s.shown...)
		if mask != "" {
			lower = escape(mask) + ":" + lower
		}
		upper, upperErr := l.layer(s)
		written, writeErr := l.written(upper, s.number)
		if err := errors.Join(err, upperErr, writeErr); err != nil {
			return err
		}
		l.plan.Overlays[s.number] = "lowerdir=" + lower + written
	}
	return nil
}

// layer is what is written into a sheet. The directories are made in it
// beforehand: those above them may be another user's, whom the kernel cannot
// copy. None of them is a link that an earlier run put there.
func (l *layout) layer(s *sheet) (upper string, err error) {
	sum := sha256.Sum256([]byte(s.top))
	upper = filepath.Join(l.kept, "layer-"+hex.EncodeToString(sum[:4]))
	err = os.Mkdir(upper, 0o700)
	if errors.Is(err, os.ErrExist) {
		err = nil
	}
	for _, dir := range s.shown {
		as := func(name, at string) error { return copyMode(filepath.Join(s.top, name), at) }
		err = errors.Join(err, plain(upper, below(s.top, dir.real), as))
	}
	return upper, err
}

// present are the stores that are there. Each is looked for once, since there are
// hundreds of names of stores and many directories that one may lie in. real is ""
// for a link that leads nowhere.
func present(names []string) (stores []shown) {
	for _, name := range names {
		if _, err := os.Lstat(name); err == nil {
			real, _ := filepath.EvalSymlinks(name)
			stores = append(stores, shown{name, real})
		}
	}
	return stores
}

// mask is a layer that takes the stores that lie in parts of a directory out of
// what is seen of it, "" where there are none: by their own names, and by where a
// link leads.
func (l *layout) mask(number int, top string, parts ...shown) (mask string, err error) {
	for _, store := range l.stores {
		for _, part := range parts {
			for at, in := range map[string]string{store.name: part.name, store.real: part.real} {
				if !within(in, at) || at == in {
					continue
				}
				if mask == "" {
					mask, err = l.newMask(top, number)
				}
				if err = errors.Join(err, whiteout(top, mask, below(top, part.real+at[len(in):]))); err != nil {
					return "", err
				}
			}
		}
	}
	return mask, nil
}

// mountedBelow is what is mounted below a directory, "" where nothing is. The
// kernel gives nobody an overlay over such a directory: what lies below the mount
// would be seen. Where the kernel does not say what is mounted, something may be.
func (l *layout) mountedBelow(dir string) string {
	if l.mounts == nil {
		l.mounts = mounts()
	}
	i := slices.IndexFunc(l.mounts, func(m string) bool { return m == anywhere || m != dir && within(dir, m) })
	if i < 0 {
		return ""
	}
	return l.mounts[i]
}

// anywhere stands for a mount of which nobody knows the place.
const anywhere = "something unknown (/proc/self/mountinfo cannot be read)"

// mounts is where file systems are mounted.
func mounts() (all []string) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return []string{anywhere}
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			all = append(all, unescape(fields[4]))
		}
	}
	return all
}

// unescape reads the octal numbers for blanks in what the kernel lists.
func unescape(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// below is a path without the directory that it lies in, "." where it is it.
func below(dir, path string) string {
	if dir == path {
		return "."
	}
	return path[len(strings.TrimSuffix(dir, "/"))+1:]
}
