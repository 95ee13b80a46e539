package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

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
	text, err := p.readRepository(name)
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
func (p Places) readRepository(name string) ([]byte, error) {
	if info, err := p.Files.Lstat(name); err == nil && !info.Mode.IsRegular() {
		return nil, errors.New("not a regular file")
	}
	_, _, text, err := p.read(name, maxRepository, nil)
	return text, err
}

// readTrusted reads a file that a person vouched for.
func readTrusted(p Places, source Source, text []byte) (lists [listCount]listed, err error) {
	doc, err := parseDocument(text)
	if err != nil {
		return lists, located(source.Path, err)
	}
	var t listTexts
	if err = doc.checkRepository(); err == nil {
		err = doc.decode(&t)
	}
	if err != nil {
		return lists, located(source.Path, err)
	}
	r := &reader{places: p, doc: doc, layer: layer{source: source}}
	for i := range listCount {
		lists[i] = r.list(i, "", &t)
	}
	return lists, located(source.Path, r.err)
}

// checkRepository refuses the keys that a repository cannot set.
func (d *document) checkRepository() error {
	own := tables()
	for _, k := range d.keys {
		if k.table == "" && slices.Contains(own[""], k.name) && !slices.Contains(listsThat(list.mayBeTrusted), k.name) {
			return problemf(k.at(d.text), "a repository's file cannot set %s; put it into your own settings", k.name)
		}
	}
	return d.checkKeys(map[string][]string{"": listsThat(list.mayBeTrusted)})
}

func (l list) mayBeTrusted() bool { return l.trusted }

// listsThat names the lists for which something is true.
func listsThat(is func(list) bool) (names []string) {
	for _, l := range lists() {
		if is(l) {
			names = append(names, l.name)
		}
	}
	return names
}

// readUntrusted takes the command patterns that tighten, and names the rest in
// one notice.
func (r *repository) readUntrusted(known func(string) bool, text []byte) {
	doc, err := parseDocument(text)
	said := map[string]any{}
	if err == nil {
		control := doc.control
		doc.control = nil // leaves out one rule, not all
		err = doc.decode(&said)
		doc.control = control
	}
	if err != nil {
		r.leaveOut(fmt.Sprintf("%s:%v; it was left out", shown(r.source.Path), err))
		return
	}
	u := untrusted{source: r.source, known: known, doc: doc}
	for _, k := range doc.keys {
		switch {
		case k.table != "":
		case k.name == "soft_deny":
			r.lists[listSoftDeny] = u.list(listSoftDeny, said[k.name])
		case k.name == "hard_deny":
			r.lists[listHardDeny] = u.list(listHardDeny, said[k.name])
		default:
			u.leaveOut(k.name, k.at(doc.text))
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
	doc    *document
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
	left, more := u.left, ""
	if len(left) > 5 {
		left, more = left[:5], fmt.Sprintf(" and %d more", len(left)-5)
	}
	return fmt.Sprintf("%s is not trusted, so this was left out: %s%s; to read and accept it, run: nod trust %s",
		shown(u.source.Path), strings.Join(left, ", "), more, quoteForShell(path.Dir(u.source.Path)))
}

func (u *untrusted) list(i int, value any) listed {
	l := lists()[i]
	elements, ok := value.([]any)
	if !ok {
		u.leaveOut(l.name, u.doc.at(l.name))
		return listed{}
	}
	got := listed{present: true}
	for n, element := range elements {
		text, _ := element.(string)
		at := u.doc.at(fmt.Sprintf("%s.%d", l.name, n))
		if item, ok := u.pattern(l, text, at.line); ok {
			got.items = append(got.items, item)
		} else if text != defaultsMark {
			u.leaveOut(text, at)
		}
	}
	return got
}

// pattern accepts a command pattern and nothing else.
func (u *untrusted) pattern(l list, text string, line int) (Item, bool) {
	if text == defaultsMark || len(text) > maxUntrustedRule || u.taken >= maxUntrustedRules ||
		strings.ContainsFunc(text, unicode.IsControl) {
		return Item{}, false
	}
	item, err := newItem(l, text, u.source, line)
	known := func(program string) bool { return u.known == nil || u.known(program) }
	if err != nil || !item.Rule.IsPattern(known) {
		return Item{}, false
	}
	u.taken++
	item.Rule.Untrusted = true
	return item, true
}

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
	if f.Text, err = p.readRepository(f.Path); err != nil {
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
