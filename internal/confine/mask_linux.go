package confine

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
		case d.IsDir() && (d.Name() == ".git" || isGitDirectory(name)):
			return orSkip(m.git(m.root, below), d)
		case m.hidden != nil && m.hidden(name):
			m.names = append(m.names, below)
			return orSkip(whiteout(m.root, m.mask, below), d)
		case d.Type().IsRegular() && slices.Contains([]string{".gitmodules", ".lfsconfig", "hgrc"}, d.Name()):
			return m.clean(m.root, below)
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
		case d.IsDir() && strings.HasSuffix(name, "/logs/refs/remotes"):
			return filepath.SkipDir // of fetches into them, which name no address
		case d.IsDir() && (d.Name() == "objects" || d.Name() == "refs" || d.Name() == "hooks" ||
			d.Name() == "lfs" || d.Name() == "annex"):
			return filepath.SkipDir
		case strings.Contains(d.Name(), "credential"):
			return whiteout(root, m.mask, rel)
		case d.Type().IsRegular() && !isGitsOwn(d.Name()) && isSmall(d):
			return m.clean(root, rel)
		}
		return nil
	})
}

// isSmall reports whether a file may be one of settings.
func isSmall(d fs.DirEntry) bool {
	info, err := d.Info()
	return err != nil || info.Size() <= 1<<20
}

// isGitDirectory recognises a repository by another name than .git (git's is_git_directory).
func isGitDirectory(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// isGitsOwn knows the files of a repository in which git keeps names of files and of
// objects, and no addresses.
func isGitsOwn(name string) bool {
	switch name {
	case "index", "HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "packed-refs", "shallow",
		"gitdir", "commondir", "description", "exclude", "attributes", "sparse-checkout":
		return true
	}
	return strings.HasPrefix(name, "sharedindex.")
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

// withoutKeys leaves out the lines that may hold a password or a token, each with those
// on which it goes on.
func withoutKeys(text []byte) []byte {
	var out, whole bytes.Buffer
	for line := range bytes.Lines(text) {
		whole.Write(line)
		if plain := bytes.TrimRight(line, "\r\n"); bytes.HasSuffix(plain, []byte{'\\'}) {
			continue
		}
		if !holdsKey(whole.String()) {
			out.Write(whole.Bytes())
		}
		whole.Reset()
	}
	if !holdsKey(whole.String()) {
		out.Write(whole.Bytes())
	}
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
