package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/nodgate/nod/internal/printable"
)

// RepositoryName is the repository's file, in its workspace root.
const RepositoryName = ".nod.toml"

// Bounds of a file that nobody vouched for, whose rules are compared with every call.
const (
	maxUntrustedRules = 200
	maxUntrustedRule  = 300 // bytes
)

// repository is a .nod.toml, as far as it counts.
type repository struct {
	found   bool
	source  Source
	lists   [listCount]listed
	notices []string
}

// repository reads Root's file. Root is a real path or "".
func (p Places) repository() repository {
	name := path.Join(p.Root, RepositoryName)
	info, err := p.Files.Lstat(name)
	if p.Root == "" || errors.Is(err, fs.ErrNotExist) {
		return repository{}
	}
	repo := repository{found: true, source: Source{Path: name, Level: Repository}}
	var text []byte
	if err == nil && !info.Mode.IsRegular() {
		err = errors.New("not a regular file")
	} else {
		_, _, text, err = p.read(name, maxRepository, nil)
	}
	if err != nil {
		repo.notices = []string{fmt.Sprintf("%s: %v; it was left out", shown(name), err)}
		return repo
	}
	repo.source.SHA256 = hash(text)
	repo.read(p.Known, text)
	return repo
}

// read takes the command patterns that tighten, and names the rest in one notice.
func (r *repository) read(known func(string) bool, text []byte) {
	said := map[string]any{}
	doc, err := decode(text, &said)
	if err != nil {
		r.notices = []string{fmt.Sprintf("%s:%v; it was left out", shown(r.source.Path), err)}
		return
	}
	r.source.Used = true
	u := untrusted{source: r.source, known: known, doc: doc}
	r.lists[listSoftDeny] = u.list(listSoftDeny, said)
	r.lists[listHardDeny] = u.list(listHardDeny, said)
	for _, key := range slices.Sorted(maps.Keys(said)) {
		u.leaveOut(key)
	}
	if len(u.left) > 0 {
		r.notices = []string{fmt.Sprintf("%s may only deny, so this was left out: %s; a [[repository]] in your own "+
			"settings may say it", shown(r.source.Path), printable.Line(strings.Join(u.left, ", "), 200))}
	}
}

// untrusted reads the lists of a file that nobody vouched for.
type untrusted struct {
	source Source
	known  func(string) bool
	doc    *document
	taken  int
	left   []string // what was left out, quoted
}

func (u *untrusted) leaveOut(what string) {
	u.left = append(u.left, strconv.Quote(printable.Line(what, 60)))
}

// list takes a list out of what the file says.
func (u *untrusted) list(i int, said map[string]any) listed {
	l := lists()[i]
	elements, ok := said[l.name].([]any)
	if !ok {
		return listed{}
	}
	delete(said, l.name)
	got := listed{present: true}
	for n, element := range elements {
		text, _ := element.(string)
		if item, ok := u.pattern(l, text, n); ok {
			got.items = append(got.items, item)
		} else if text != defaultsMark {
			u.leaveOut(text)
		}
	}
	return got
}

// pattern accepts a command pattern and nothing else.
func (u *untrusted) pattern(l list, text string, n int) (Item, bool) {
	if text == defaultsMark || len(text) > maxUntrustedRule || u.taken >= maxUntrustedRules ||
		strings.ContainsFunc(text, unicode.IsControl) {
		return Item{}, false
	}
	item, err := newItem(l, text, u.source, u.doc.at(fmt.Sprintf("%s.%d", l.name, n)).line)
	known := func(program string) bool { return u.known == nil || u.known(program) }
	if err != nil || !item.Rule.IsPattern(known) {
		return Item{}, false
	}
	u.taken++
	item.Rule.Untrusted = true
	return item, true
}
