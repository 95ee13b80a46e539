package confine

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxNames bounds how many names of a workspace are looked at for secrets.
const maxNames = 500_000

// masker takes the secrets of a workspace out of what is seen of it.
type masker struct {
	root, mask string
	hidden     func(path string) bool
	names      []string
	seen       int
}

// walk looks at every name. What packages brought along (node_modules,
// site-packages) holds certificates and keys of tests, and none of the person's.
func (m *masker) walk() error {
	return filepath.WalkDir(m.root, func(name string, d fs.DirEntry, err error) error {
		if m.seen++; m.seen > maxNames {
			return fmt.Errorf("%s has more than %d names", m.root, maxNames)
		}
		if name == m.root {
			return err
		}
		below := name[len(m.root)+1:]
		switch {
		case err != nil:
			return filepath.SkipDir // what cannot be read here cannot be read inside
		case d.Name() == ".git":
			if d.IsDir() {
				err = m.git(m.root, below)
			}
			return orSkip(err, d)
		case m.hidden != nil && m.hidden(name):
			m.names = append(m.names, below)
			return orSkip(whiteout(m.root, m.mask, below), d)
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "site-packages"):
			return filepath.SkipDir
		}
		return nil
	})
}

// orSkip leaves out what lies below a directory.
func orSkip(err error, d fs.DirEntry) error {
	if err == nil && d.IsDir() {
		return filepath.SkipDir
	}
	return err
}

// git looks at the settings of a repository and of those of its submodules:
// an address may hold a password, a header a token.
func (m *masker) git(root, below string) error {
	return filepath.WalkDir(filepath.Join(root, below), func(name string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, name)
		switch {
		case err != nil || relErr != nil:
			return relErr // what cannot be read here cannot be read inside
		case d.IsDir() && (d.Name() == "objects" || d.Name() == "refs" || d.Name() == "logs" || d.Name() == "hooks"):
			return filepath.SkipDir
		case d.Name() == "config" || d.Name() == "config.worktree" || d.Name() == "FETCH_HEAD":
			return m.clean(root, rel)
		case d.Name() == "credentials" || d.Name() == ".git-credentials":
			return whiteout(root, m.mask, rel)
		}
		return nil
	})
}

// clean puts a file without its keys over one that holds some.
func (m *masker) clean(root, name string) error {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return whiteout(root, m.mask, name)
	}
	plain := withoutKeys(text)
	if bytes.Equal(plain, text) {
		return nil
	}
	if err := parents(root, m.mask, name); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.mask, name), plain, 0o600)
}

// withoutKeys leaves out the lines that may hold a password or a token.
func withoutKeys(text []byte) []byte {
	var out bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		low := strings.ToLower(lines.Text())
		_, address, is := strings.Cut(low, "://")
		host, _, _ := strings.Cut(address, "/")
		secret := is && strings.Contains(host, "@")
		for _, word := range []string{"extraheader", "token", "passw", "secret", "authorization", "helper"} {
			secret = secret || strings.Contains(low, word)
		}
		if !secret {
			out.WriteString(lines.Text() + "\n")
		}
	}
	return out.Bytes()
}
