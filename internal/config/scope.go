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
	"github.com/nodgate/nod/internal/view"
)

// Scope is one [[repository]] of a managed or user file: rules for the sessions of one repository.
type Scope struct {
	Path   string // real path
	Origin string // FILE:LINE
	Rules  int    // entries of all its lists
	Here   bool   // Root belongs to it, so that the entries are among the lists
}

// scoped is a Scope with its entries.
type scoped struct {
	Scope
	lists [listCount]listed
}

// scopeText is a [[repository]] as it is decoded.
type scopeText struct {
	Path string `toml:"path"`
	listTexts
}

func (r *reader) repository(i int, t scopeText) {
	table := fmt.Sprintf("repository.%d", i)
	s := scoped{Scope: Scope{Origin: originOf(r.layer.source, r.doc.at(table).line)}}
	if t.Path == "" {
		r.fail(table, "a [[repository]] needs path, the repository's directory; add it")
		return
	}
	s.Path, _ = r.directory(table+".path", "path", t.Path)
	for n := range s.lists {
		s.lists[n] = r.addedList(n, table+".", &t.listTexts, s.Path)
		s.Rules += len(s.lists[n].items)
	}
	r.layer.scopes = append(r.layer.scopes, s)
}

// addedList reads a list that only adds, to a repository's rules.
func (r *reader) addedList(i int, prefix string, texts *listTexts, scope string) listed {
	l := r.list(i, prefix, texts)
	name := lists()[i].name
	if l.present && !lists()[i].scoped {
		r.fail(prefix+name, "%s is no list of a [[repository]]; put it at the top of the file", name)
	}
	for j, text := range texts.all()[i] {
		if text == defaultsMark {
			r.fail(fmt.Sprintf("%s%s.%d", prefix, name, j),
				"%s: a [[repository]] only adds; put %q into the list at the top of the file", name, defaultsMark)
		}
	}
	for j := range l.items {
		l.items[j].Scope = scope
	}
	return l
}

func (p Places) apply(l *layer) {
	for i := range l.scopes {
		s := &l.scopes[i]
		if s.Here = p.Root != "" && p.belongs(p.Root, s.Path); !s.Here {
			continue
		}
		for j := range s.lists {
			for _, item := range s.lists[j].items {
				item.Rule.Within = p.Root
				l.added[j] = append(l.added[j], item)
			}
		}
	}
}

// belongs reports whether a workspace root, a real path, is a repository, a plain directory of it, or one of its
// linked worktrees. Another repository inside it does not belong to it: what that runs is other people's code.
func (p Places) belongs(root, repository string) bool {
	top := p.top(root)
	return root == repository || top == repository || top != "" && p.mainOf(top) == repository
}

// top returns the nearest directory from dir upwards that holds a .git; "" without one, or where a look fails.
func (p Places) top(dir string) string {
	for ; dir != "/" && dir != "."; dir = path.Dir(dir) {
		_, err := p.Files.Lstat(dir + "/.git")
		switch {
		case err == nil:
			return dir
		case !errors.Is(err, fs.ErrNotExist):
			return ""
		}
	}
	return ""
}

// mainOf returns the main repository of top, if top is a linked worktree, else "". The .git file of top names the
// repository. Any archive may bring such a file, so what git keeps in the repository itself must say the same.
func (p Places) mainOf(top string) string {
	own, ok := p.named(top+"/.git", "gitdir: ")
	main, linked := strings.CutSuffix(path.Dir(own), "/.git/worktrees")
	if !ok || !linked {
		return ""
	}
	if back, ok := p.named(own+"/gitdir", ""); !ok || back != top+"/.git" {
		return ""
	}
	return main
}

// named returns the real path that stands behind a word, in a file of one line.
func (p Places) named(file, word string) (real string, ok bool) {
	info, err := p.Files.Lstat(file)
	if err != nil || !info.Mode.IsRegular() {
		return "", false
	}
	text, err := p.Files.Read(file, 4096)
	name, says := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), word)
	if err != nil || !says || name == "" || strings.ContainsAny(name, "\r\n\x00") {
		return "", false
	}
	if !isAbs(name) {
		name = path.Dir(file) + "/" + name
	}
	real, err = view.Resolve(p.Files, name)
	return real, err == nil
}

// RepositoryOf returns the directory that a [[repository]] for sessions in dir would name: the repository that dir
// lies in, the main one for a linked worktree, else dir itself; a real path. The home directory or / is an error.
func RepositoryOf(p Places, dir string) (string, error) {
	p = p.onDisk()
	real, err := p.usableRoot(dir)
	if err != nil {
		return "", err
	}
	top := p.top(real)
	if top == "" {
		return real, nil
	}
	if top, err = p.usableRoot(top); err != nil {
		return real, nil // a home directory under git is no repository
	}
	if main := p.mainOf(top); main != "" {
		return p.usableRoot(main)
	}
	return top, nil
}

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

	known func(string) bool
	doc   *document
	taken int
	left  []string // what was left out, quoted
}

func (p Places) repository() repository {
	name := path.Join(p.Root, RepositoryName)
	if p.Root == "" {
		return repository{}
	}
	_, text, err := p.readRepository(name)
	if errors.Is(err, fs.ErrNotExist) {
		return repository{}
	}
	repo := repository{found: true, source: Source{Path: name, Level: Repository}, known: p.Known}
	if err != nil {
		repo.notices = []string{fmt.Sprintf("%s: %v; it was left out", shown(name), err)}
		return repo
	}
	repo.read(text)
	return repo
}

// readRepository reads a repository's file, which is no link. The error is fs.ErrNotExist for none.
func (p Places) readRepository(name string) (real string, text []byte, err error) {
	if text, drafted := p.draft[name]; drafted {
		return name, text, nil
	}
	if info, err := p.Files.Lstat(name); err == nil && !info.Mode.IsRegular() {
		return name, nil, errors.New("not a regular file")
	}
	return p.read(name, maxRepository, nil)
}

func (r *repository) read(text []byte) {
	said := map[string]any{}
	var err error
	if r.doc, err = decode(text, &said); err != nil {
		r.notices = []string{fmt.Sprintf("%s:%v; it was left out", shown(r.source.Path), err)}
		return
	}
	r.lists[listSoftDeny] = r.list(listSoftDeny, said)
	r.lists[listHardDeny] = r.list(listHardDeny, said)
	for _, key := range slices.Sorted(maps.Keys(said)) {
		r.leaveOut(key)
	}
	if len(r.left) > 0 {
		r.notices = []string{fmt.Sprintf("%s may only deny, so this was left out: %s; a [[repository]] in your own "+
			"settings may say it", shown(r.source.Path), printable.Line(strings.Join(r.left, ", "), 200))}
	}
}

func (r *repository) leaveOut(what string) {
	r.left = append(r.left, strconv.Quote(printable.Line(what, 60)))
}

func (r *repository) list(i int, said map[string]any) listed {
	l := lists()[i]
	elements, ok := said[l.name].([]any)
	if !ok {
		return listed{}
	}
	delete(said, l.name)
	got := listed{present: true}
	for n, element := range elements {
		text, _ := element.(string)
		if item, ok := r.pattern(l, text, n); ok {
			got.items = append(got.items, item)
		} else if text != defaultsMark {
			r.leaveOut(text)
		}
	}
	return got
}

// pattern accepts a command pattern and nothing else.
func (r *repository) pattern(l list, text string, n int) (Item, bool) {
	if text == defaultsMark || len(text) > maxUntrustedRule || r.taken >= maxUntrustedRules ||
		strings.ContainsFunc(text, unicode.IsControl) {
		return Item{}, false
	}
	item, err := newItem(l, text, r.source, r.doc.at(fmt.Sprintf("%s.%d", l.name, n)).line)
	known := func(program string) bool { return r.known == nil || r.known(program) }
	if err != nil || !item.Rule.IsPattern(known) {
		return Item{}, false
	}
	r.taken++
	item.Rule.Untrusted = true
	return item, true
}
