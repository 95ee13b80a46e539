package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// RepositoryName is the repository's file, in its workspace root.
const RepositoryName = ".nod.toml"

// Bounds of an untrusted file, whose rules are compared with every call.
const (
	maxUntrustedRules = 200
	maxUntrustedRule  = 300 // bytes
)

// repository is a .nod.toml, read as far as it is trusted. err is set for a
// trusted file only.
type repository struct {
	found   bool
	source  Source
	lists   [listCount]listed
	notices []string
	err     error
}

// repository reads Root's file. Root is a real path or "".
func (p Places) repository() repository {
	if p.Root == "" {
		return repository{}
	}
	name := path.Join(p.Root, RepositoryName)
	text, err := readRepository(p.Files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return repository{}
	}
	repo := repository{found: true, source: Source{Path: name, Level: Repository}}
	if err != nil {
		repo.leaveOut(fmt.Sprintf("%s: %v; it was left out", shown(name), err))
		return repo
	}
	repo.source.SHA256, repo.source.Used = hash(text), true
	trusted, err := p.trusts(p.Root, repo.source.SHA256)
	if err != nil {
		repo.notices = append(repo.notices, err.Error())
	}
	if trusted {
		repo.source.Trusted = true
		repo.lists, repo.err = readTrusted(p, repo.source, text)
		return repo
	}
	repo.readUntrusted(p.Known, text)
	return repo
}

func (r *repository) leaveOut(notice string) {
	r.source.Used = false
	r.notices = append(r.notices, notice)
}

// readRepository returns the text of a .nod.toml. The error is fs.ErrNotExist
// where there is none, and else says what is wrong without the file's name.
func readRepository(files view.Files, name string) ([]byte, error) {
	info, err := files.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, fmt.Errorf("cannot be looked at (%v)", plain(err))
	case !info.Mode.IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size > maxRepository:
		return nil, fmt.Errorf("%d bytes, more than the %d that are read", info.Size, maxRepository)
	}
	text, err := files.Read(name, maxRepository)
	if err != nil {
		return nil, fmt.Errorf("cannot be read (%v)", plain(err))
	}
	return text, nil
}

// trustedList reports whether a trusted file may hold the list.
func trustedList(i int) bool { return i <= listHosts }

// readTrusted reads a file that a person vouched for. The error is a
// *fault.Error.
func readTrusted(p Places, source Source, text []byte) ([listCount]listed, error) {
	doc, err := parseDocument(text)
	if err != nil {
		return [listCount]listed{}, located(source.Path, err)
	}
	l := layer{source: source}
	r := &reader{places: p, layer: &l}
	names := listNames()
	for _, n := range doc.root.children {
		i := slices.Index(names[:], n.key)
		switch {
		case i >= 0 && trustedList(i):
			l.lists[i] = r.list(i, n)
		case slices.Contains(topKeys(), n.key):
			r.fail(n.at, "a repository's file cannot set %s; put it into your own settings", n.key)
		default:
			r.unknown(n, "", names[:listHosts+1])
		}
	}
	return l.lists, located(source.Path, r.err)
}

// readUntrusted takes the command patterns that tighten, and names the rest in
// one notice.
func (r *repository) readUntrusted(known func(string) bool, text []byte) {
	doc, err := parseDocument(text)
	if err != nil {
		r.leaveOut(fmt.Sprintf("%s:%v; it was left out", shown(r.source.Path), err))
		return
	}
	u := untrusted{source: r.source, known: known}
	for _, n := range doc.root.children {
		switch n.key {
		case "soft_deny":
			r.lists[listSoftDeny] = u.list(listSoftDeny, n)
		case "hard_deny":
			r.lists[listHardDeny] = u.list(listHardDeny, n)
		default:
			u.leaveOut(n.key, n.at)
		}
	}
	if len(u.left) > 0 {
		r.notices = append(r.notices, u.notice())
	}
}

// untrusted reads the lists of a file that nobody vouched for.
type untrusted struct {
	source Source
	known  func(string) bool
	taken  int
	left   []string // what was left out, with its line
}

func (u *untrusted) leaveOut(what string, at position) {
	if len(what) > 60 {
		what = strings.ToValidUTF8(what[:60], "") + "..."
	}
	u.left = append(u.left, fmt.Sprintf("%s (line %d)", strconv.Quote(what), at.line))
}

func (u *untrusted) notice() string {
	shownLeft, more := u.left, ""
	if len(u.left) > 5 {
		shownLeft, more = u.left[:5], fmt.Sprintf(" and %d more", len(u.left)-5)
	}
	return fmt.Sprintf("%s is not trusted, so this was left out: %s%s; to read and accept it, run: nod trust %s",
		shown(u.source.Path), strings.Join(shownLeft, ", "), more, quoteForShell(path.Dir(u.source.Path)))
}

func (u *untrusted) list(i int, n *node) listed {
	if n.form != isList {
		u.leaveOut(n.key, n.at)
		return listed{}
	}
	got := listed{present: true}
	for _, element := range n.items {
		if item, ok := u.pattern(i, element); ok {
			got.items = append(got.items, item)
		} else if element.text != defaultsMark {
			u.leaveOut(element.text, element.valueAt)
		}
	}
	return got
}

// pattern accepts a command pattern and nothing else.
func (u *untrusted) pattern(i int, n *node) (Item, bool) {
	r := &reader{}
	text := r.str(n)
	if text == nil || *text == defaultsMark || len(*text) > maxUntrustedRule || u.taken >= maxUntrustedRules {
		return Item{}, false
	}
	item, err := newItem(i, *text, u.source, n.valueAt.line)
	if err != nil || !item.Rule.IsPattern(u.isKnown) {
		return Item{}, false
	}
	u.taken++
	item.Rule.Untrusted = true
	return item, true
}

func (u *untrusted) isKnown(program string) bool { return u.known == nil || u.known(program) }

// RepositoryFile is a .nod.toml as a person is shown it before trusting it.
type RepositoryFile struct {
	Path, Root string // real paths
	Text       []byte
	SHA256     string // of Text
	Trusted    bool
	// Items is what a trusted file of this text says.
	Items []Item
}

// ReadRepository reads the .nod.toml of p.Root as if it were trusted. The
// error is a *[fault.Error]; it wraps fs.ErrNotExist where there is none.
func ReadRepository(p Places) (RepositoryFile, error) {
	if p.Files == nil {
		p.Files = view.Disk{}
	}
	root, err := p.usableRoot(p.Root)
	if err != nil {
		return RepositoryFile{}, failure(err.Error())
	}
	f := RepositoryFile{Path: path.Join(root, RepositoryName), Root: root}
	if f.Text, err = readRepository(p.Files, f.Path); err != nil {
		bad := failure(shown(f.Path) + ": there is no file to trust")
		bad.Cause = err
		return f, bad
	}
	f.SHA256 = hash(f.Text)
	lists, err := readTrusted(p, Source{Path: f.Path, Level: Repository}, f.Text)
	if err != nil {
		return f, err
	}
	for _, l := range lists {
		f.Items = append(f.Items, splice(l.items, nil)...)
	}
	f.Trusted, err = p.trusts(root, f.SHA256)
	if err != nil {
		return f, failure(err.Error())
	}
	return f, nil
}
