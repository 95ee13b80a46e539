package confine

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxNames bounds how many names of a workspace are looked at for secrets, and maxStored how many of a store.
const (
	maxNames  = 500_000
	maxStored = 100_000
)

// masker takes the secrets of a workspace out of what is seen of it.
type masker struct {
	root, mask string
	hidden     func(path string) bool
	names      []string
}

// walk looks at every name. What packages brought along (node_modules,
// site-packages) holds certificates and keys of tests, and none of the person's.
func (m *masker) walk(stores []shown) error {
	seen := 0
	err := filepath.WalkDir(m.root, func(name string, d fs.DirEntry, err error) error {
		seen++
		switch {
		case seen > maxNames:
			return fmt.Errorf("%s has more than %d names", m.root, maxNames)
		case name == m.root:
			return err
		case err != nil:
			return filepath.SkipDir // what cannot be read here cannot be read inside
		}
		below := name[len(m.root)+1:]
		switch {
		case d.IsDir() && (d.Name() == ".git" || exists(name+"/HEAD") && exists(name+"/objects") &&
			exists(name+"/refs")): // by another name (git's is_git_directory)
			return orSkip(m.git(below), d)
		case m.hides(name):
			m.names = append(m.names, below)
			return orSkip(whiteout(m.root, m.mask, below), d)
		case d.Type().IsRegular() && slices.Contains([]string{".gitmodules", ".lfsconfig", "hgrc"}, d.Name()):
			return m.clean(below)
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "site-packages"):
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.otherNames(stores)
}

func (m *masker) hides(name string) bool { return m.hidden != nil && m.hidden(name) }

// orSkip leaves out what lies below a directory.
func orSkip(err error, d fs.DirEntry) error {
	if err == nil && d.IsDir() {
		return filepath.SkipDir
	}
	return err
}

type inode struct{ device, number uint64 } // a file, under any of its names

// linked is the inode of a file that has further names.
func linked(d fs.DirEntry) (node inode, ok bool) {
	info, err := d.Info()
	if err != nil || !info.Mode().IsRegular() {
		return inode{}, false
	}
	s := info.Sys().(*syscall.Stat_t)
	return inode{s.Dev, s.Ino}, s.Nlink > 1
}

// otherNames takes those names of secrets out of the workspace that no pattern knows: hard links. All names are
// looked at once more, where a secret has further names at all.
func (m *masker) otherNames(stores []shown) error {
	secrets, stores := map[inode]bool{}, slices.Clone(stores)
	for _, name := range m.names {
		name = filepath.Join(m.root, name)
		if real, err := filepath.EvalSymlinks(name); err == nil { // a link's target may have further names
			stores = append(stores, shown{name, real})
		}
	}
	for _, s := range stores {
		seen := 0
		err := filepath.WalkDir(s.real, func(_ string, d fs.DirEntry, err error) error {
			if seen++; seen > maxStored {
				return fmt.Errorf("%s, which holds secrets, has more than %d names", s.name, maxStored)
			}
			if err != nil {
				return nil // what cannot be read here cannot be read inside
			}
			if node, more := linked(d); more {
				secrets[node] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(secrets) == 0 {
		return nil
	}
	return filepath.WalkDir(m.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if node, more := linked(d); more && secrets[node] && !m.hides(name) {
			m.names = append(m.names, below(m.root, name))
			return whiteout(m.root, m.mask, below(m.root, name))
		}
		return nil
	})
}

// git looks at the settings of a repository and of those of its submodules:
// an address may hold a password, a header a token.
func (m *masker) git(below string) error {
	return filepath.WalkDir(filepath.Join(m.root, below), func(name string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(m.root, name)
		switch {
		case err != nil || relErr != nil:
			return relErr // what cannot be read here cannot be read inside
		case d.IsDir() && (slices.Contains([]string{"objects", "refs", "hooks", "lfs", "annex"}, d.Name()) ||
			strings.HasSuffix(name, "/logs/refs/remotes")): // of fetches, which name no address
			return filepath.SkipDir
		case strings.Contains(d.Name(), "credential"):
			return whiteout(m.root, m.mask, rel)
		case d.Type().IsRegular() && !isGitsOwn(d.Name()) && isSmall(d):
			return m.clean(rel)
		}
		return nil
	})
}

// isSmall reports whether a file may be one of settings.
func isSmall(d fs.DirEntry) bool {
	info, err := d.Info()
	return err != nil || info.Size() <= 1<<20
}

// isGitsOwn knows the files of a repository in which git keeps names of files and of objects, and no addresses.
func isGitsOwn(name string) bool {
	return strings.HasPrefix(name, "sharedindex.") || slices.Contains([]string{"index", "HEAD", "ORIG_HEAD",
		"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "packed-refs", "shallow", "gitdir", "commondir", "description",
		"exclude", "attributes", "sparse-checkout"}, name)
}

// clean puts a copy without keys over a file that holds keys.
func (m *masker) clean(name string) error {
	text, err := os.ReadFile(filepath.Join(m.root, name))
	if err != nil {
		return whiteout(m.root, m.mask, name)
	}
	plain := withoutKeys(text)
	if bytes.Equal(plain, text) {
		return nil
	}
	if err := directories(m.mask, filepath.Dir(name), m.root, false); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.mask, name), plain, 0o600)
}

// withoutKeys leaves out the lines that may hold a password or a token, each with those on which it goes on.
func withoutKeys(text []byte) []byte {
	var out, whole bytes.Buffer
	end := func() {
		if !holdsKey(whole.String()) {
			out.Write(whole.Bytes())
		}
		whole.Reset()
	}
	for line := range bytes.Lines(text) {
		whole.Write(line)
		if !bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte{'\\'}) {
			end()
		}
	}
	end()
	return out.Bytes()
}

// holdsKey reports whether a line may hold a password: in an address, behind a key whose
// name says so, or among the words of a program. The names of sections and branches stay.
func holdsKey(line string) bool {
	low := strings.ToLower(strings.NewReplacer("\\\n", "", "\\\r\n", "").Replace(line))
	_, address, is := strings.Cut(low, "://")
	host, _, _ := strings.Cut(address, "/")
	key, value, set := strings.Cut(low, "=")
	speaks := func(text string, words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	}
	return is && strings.Contains(host, "@") || speaks(value, "authorization", "sshpass", "token", "passw") ||
		set && speaks(key, "extraheader", "token", "pass", "secret", "auth", "apikey", "helper") ||
		!set && speaks(low, "authorization")
}
