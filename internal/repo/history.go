package repo

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// What commits hold is looked at for the names of files, newest first, and no
// further than maxObjects: how old a secret may be that is found depends on how
// much each commit changes. Nothing is known where revisions are not kept in
// plain files (reftable) or objects stand in another repository's store: see
// [Repo.Beyond].

// File is a file as a tree holds it.
type File struct {
	Name string // below the top
	id   string
}

// Same reports whether two files have the same content.
func (f File) Same(o File) bool { return f.id == o.id }

// Tracked returns the files of the index that pick lets pass. What was only promised
// (git add -N), or is no file there and lies as a file in the working tree, is one
// that the index has nothing of.
func (r *Repo) Tracked(pick func(File) bool) (files []File) {
	if !r.load() {
		return nil
	}
	for _, e := range r.index.entries {
		f := File{e.name, e.id}
		switch file := e.mode&0o170000 == 0o100000; {
		case !pick(f):
		case file && !e.intent:
			files = append(files, f)
		default:
			if info, err := r.files.Lstat(r.Top + "/" + e.name); file || err == nil && info.Mode.IsRegular() {
				files = append(files, File{Name: e.name})
			}
		}
	}
	return files
}

// Differs reports whether the working tree has something else than the index
// for a tracked file, or nothing.
func (r *Repo) Differs(f File) bool { return !r.same(r.Top+"/"+f.Name, f.id) }

// Content returns what a file holds. ok is false where that cannot be said.
func (r *Repo) Content(f File) (data []byte, ok bool) {
	o, ok := r.object(f.id)
	return o.data, ok && o.kind == blobObject
}

// maxTags bounds how many tags of tags are followed.
const maxTags = 16

// Blob returns the file without a name whose content a revision names.
func (r *Repo) Blob(rev string) (f File, ok bool) {
	id, ok := r.Revision(rev)
	id, o, there := tagged(r, id)
	return File{id: id}, ok && (!there || o.kind == blobObject)
}

// tagged goes through tags to what they are of.
func tagged(r *Repo, id string) (string, object, bool) {
	o, there := r.object(id)
	for range maxTags {
		if o.kind != tagObject {
			break
		}
		id = r.raw(field(o.data, "object"))
		o, there = r.object(id)
	}
	return id, o, there
}

// In returns the files of a revision's tree that pick lets pass. known is false
// where not all of the tree was looked at.
func (r *Repo) In(rev string, pick func(File) bool) (files []File, known bool) {
	id, ok := r.Revision(rev)
	if !ok {
		return nil, false
	}
	w := treeWalk{repo: r, pick: pick, known: true}
	w.compare("", "", r.treeOf(id))
	return w.files, w.known
}

// Staged returns the files of a revision's tree that pick lets pass, but for
// those below directories of which the index has the same.
func (r *Repo) Staged(rev string, pick func(File) bool) (files []File) {
	id, ok := r.Revision(rev)
	if !ok || !r.load() {
		return nil
	}
	w := treeWalk{repo: r, pick: pick, same: r.index.treeIDs(r.size())}
	w.compare("", "", r.treeOf(id))
	return w.files
}

// Between returns the files that differ between the trees of two revisions.
func (r *Repo) Between(one, other string, pick func(File) bool) (files []File, known bool) {
	a, ok := r.Revision(one)
	b, also := r.Revision(other)
	if !ok || !also {
		return nil, false
	}
	w := treeWalk{repo: r, pick: pick, known: true}
	w.compare("", r.treeOf(a), r.treeOf(b))
	return w.files, w.known
}

// Range is a set of commits: what can be reached from some revisions and not
// from others.
type Range struct {
	From, Not []string
	Most      int  // of the newest; 0 is all
	Parents   bool // merges count against each of their parents, not the first alone
}

// Commits returns the files that commits change. known is false where not all
// of the commits were looked at.
func (r *Repo) Commits(commits Range, pick func(File) bool) (files []File, known bool) {
	w := treeWalk{repo: r, pick: pick, known: true}
	h := history{walk: &w, seen: map[string]bool{}, hidden: map[string]bool{}}
	for _, rev := range commits.Not {
		if id, ok := r.Revision(rev); ok {
			h.hidden[id] = true
			h.add(id)
		}
	}
	for _, rev := range commits.From {
		id, ok := r.Revision(rev)
		if w.known = w.known && ok; ok {
			h.add(id)
		}
	}
	for shown := 0; len(r.objects) < maxObjects && h.more() && (commits.Most == 0 || shown < commits.Most); {
		c := h.newest()
		if !h.hidden[c.id] {
			shown++
			w.change(c, commits.Parents)
		}
		if shown == commits.Most && commits.Most > 0 {
			break
		}
		for _, parent := range c.parents {
			h.hidden[parent] = h.hidden[parent] || h.hidden[c.id]
			h.add(parent)
		}
	}
	r.over = r.over || len(r.objects) >= maxObjects && h.more()
	return w.files, w.known && len(r.objects) < maxObjects
}

// history goes through commits, the newest first.
type history struct {
	walk         *treeWalk
	open         []commit
	seen, hidden map[string]bool
}

func (h *history) add(id string) {
	if h.seen[id] {
		return
	}
	h.seen[id] = true
	c, ok := h.walk.repo.commit(id)
	if h.walk.known = h.walk.known && ok; ok {
		c.id = id
		h.open = append(h.open, c)
	}
}

// more reports whether some commit that is waiting is to be shown.
func (h *history) more() bool {
	return slices.ContainsFunc(h.open, func(c commit) bool { return !h.hidden[c.id] })
}

func (h *history) newest() commit {
	next := 0
	for i, c := range h.open {
		if c.at > h.open[next].at {
			next = i
		}
	}
	c := h.open[next]
	h.open = slices.Delete(h.open, next, next+1)
	return c
}

// change looks at what a commit changes.
func (w *treeWalk) change(c commit, all bool) {
	if len(c.parents) == 0 {
		w.compare("", "", c.tree)
	}
	for i, parent := range c.parents {
		if i == 0 || all {
			w.compare("", w.repo.treeOf(parent), c.tree)
		}
	}
}

// At returns a file of a revision's tree.
func (r *Repo) At(rev, name string) (f File, ok bool) {
	id, _ := r.Revision(rev)
	w := treeWalk{repo: r, known: true}
	e := treeEntry{id: r.treeOf(id), dir: true}
	for part := range strings.SplitSeq(name, "/") {
		e = w.named(e.subtree(), part)
	}
	return File{name, e.id}, e.id != "" && !e.dir
}

// treeWalk looks at what differs between two trees.
type treeWalk struct {
	repo  *Repo
	pick  func(File) bool
	files []File
	known bool
	same  map[string]string // trees by directory that need no look
}

// maxTreePath bounds how deep trees are followed.
const maxTreePath = 2048

func (w *treeWalk) compare(dir, a, b string) {
	if a == b || a == "" && w.same[dir] == b {
		return
	}
	if len(dir) > maxTreePath {
		w.known = false
		return
	}
	was, ok := w.tree(a)
	is, also := w.tree(b)
	if !ok || !also {
		w.known = false
		return
	}
	for was != "" || is != "" {
		one, rest := w.entry(was)
		other, more := w.entry(is)
		switch order := strings.Compare(one.key(), other.key()); {
		case is == "" || was != "" && order < 0:
			was, other = rest, treeEntry{}
		case was == "" || order > 0:
			is, one = more, treeEntry{}
		default:
			was, is = rest, more
		}
		if one != other {
			w.differs(dir, one, other)
		}
	}
}

func (w *treeWalk) differs(dir string, a, b treeEntry) {
	name := dir + a.name
	if a.name == "" {
		name = dir + b.name
	}
	for _, e := range [...]treeEntry{a, b} {
		if f := (File{name, e.id}); e.id != "" && !e.dir && w.pick(f) {
			w.files = append(w.files, f)
		}
	}
	if a.dir || b.dir {
		w.compare(name+"/", a.subtree(), b.subtree())
	}
}

type treeEntry struct {
	name, id string
	dir      bool
}

// key is what trees are sorted by.
func (e treeEntry) key() string {
	if e.dir {
		return e.name + "/"
	}
	return e.name
}

func (e treeEntry) subtree() string {
	if e.dir {
		return e.id
	}
	return ""
}

// tree returns the bytes of a tree, "" for no tree.
func (w *treeWalk) tree(id string) (data string, ok bool) {
	if id == "" {
		return "", true
	}
	o, ok := w.repo.object(id)
	return string(o.data), ok && o.kind == treeObject
}

// entry takes the first entry off a tree; a submodule has no content.
func (w *treeWalk) entry(tree string) (e treeEntry, rest string) {
	if tree == "" {
		return treeEntry{}, ""
	}
	head, rest, found := strings.Cut(tree, "\x00")
	mode, name, named := strings.Cut(head, " ")
	if !found || !named || len(rest) < w.repo.size() {
		w.known = false
		return treeEntry{}, ""
	}
	e = treeEntry{name: name, dir: mode == "40000"}
	if mode != "160000" {
		e.id = rest[:w.repo.size()]
	}
	return e, rest[w.repo.size():]
}

// named finds an entry of a tree.
func (w *treeWalk) named(tree, name string) treeEntry {
	rest, _ := w.tree(tree)
	for rest != "" {
		var e treeEntry
		if e, rest = w.entry(rest); e.name == name {
			return e
		}
	}
	return treeEntry{}
}

type commit struct {
	id      string // of the commit, or of a tag that leads to it
	tree    string
	parents []string
	at      int64
}

// commit reads one, also through tags.
func (r *Repo) commit(id string) (c commit, ok bool) {
	id, o, ok := tagged(r, id)
	if !ok || o.kind != commitObject {
		return commit{}, false
	}
	head, _, _ := strings.Cut(string(o.data), "\n\n")
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "tree":
			c.tree = r.raw(value)
		case "parent":
			c.parents = append(c.parents, r.raw(value))
		case "committer":
			words := strings.Fields(value)
			c.at, _ = strconv.ParseInt(words[max(0, len(words)-2)], 10, 64)
		}
	}
	if r.isShallow(id) {
		c.parents = nil // git shows such a commit as if it were the first
	}
	return c, c.tree != ""
}

// isShallow reports whether the history is cut off at a commit.
func (s *store) isShallow(id string) bool {
	if s.shallow == nil {
		s.shallow = map[string]bool{}
		data, err := s.files.Read(s.Common+"/shallow", maxShallow)
		s.over = s.over || err != nil && !errors.Is(err, fs.ErrNotExist)
		for line := range strings.Lines(string(data)) {
			id, _ := hex.DecodeString(strings.TrimSpace(line))
			s.shallow[string(id)] = true
		}
	}
	return s.shallow[id]
}

// maxShallow bounds how much of the list of commits is read at which a history is
// cut off.
const maxShallow = 1 << 20

func field(data []byte, key string) string {
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, key); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// treeOf is the tree of a commit; a tree is its own, also through tags.
func (r *Repo) treeOf(id string) string {
	if c, ok := r.commit(id); ok {
		return c.tree
	}
	id, _, _ = tagged(r, id)
	return id
}

func (r *Repo) raw(written string) string {
	id, err := hex.DecodeString(written)
	if err != nil || len(id) != r.size() {
		return ""
	}
	return string(id)
}

// Refs returns the names of all branches, tags, remote branches and stashes, at
// most so many; known is false where there may be more.
func (r *Repo) Refs(most int) (names []string, known bool) {
	names, known = []string{"HEAD"}, true
	packed, err := r.files.Read(r.Common+"/packed-refs", 4<<20)
	known = err == nil || r.missing("packed-refs")
	for line := range strings.Lines(string(packed)) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.HasPrefix(name, "refs/") {
			names = append(names, name)
		}
	}
	for dirs := []string{"refs"}; len(dirs) > 0 && len(names) < most; dirs = dirs[1:] {
		below, _ := r.files.List(r.Common+"/"+dirs[0], 1000)
		for _, n := range below {
			name := dirs[0] + "/" + n
			if info, err := r.files.Lstat(r.Common + "/" + name); err == nil && info.Mode.IsDir() {
				dirs = append(dirs, name)
			} else {
				names = append(names, name)
			}
		}
	}
	trees, err := r.files.List(r.Common+"/worktrees", most)
	known = known && (err == nil || r.missing("worktrees"))
	for _, tree := range trees {
		names = append(names, "worktrees/"+tree+"/HEAD")
		refs := "worktrees/" + tree + "/refs"
		if own, err := r.files.List(r.Common+"/"+refs, 2); len(own) > 0 || err != nil && !r.missing(refs) {
			known = false // refs of that working tree alone
		}
	}
	for i := range r.Stashes() {
		names = append(names, "stash@{"+strconv.Itoa(i)+"}")
	}
	return names[:min(len(names), most)], known && len(names) < most
}

func (r *Repo) missing(name string) bool {
	_, err := r.files.Lstat(r.Common + "/" + name)
	return err != nil
}

// Stashes are the names of the commits that were stashed, newest first.
func (r *Repo) Stashes() []string {
	return r.log("refs/stash")
}

// log returns what a ref was, newest first.
func (r *Repo) log(ref string) (ids []string) {
	for _, dir := range [...]string{r.Dir, r.Common} {
		data, err := r.files.Read(dir+"/logs/"+ref, 4<<20)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if words := strings.Fields(line); len(words) > 1 {
				ids = append(ids, words[1])
			}
		}
		slices.Reverse(ids)
		return ids
	}
	return nil
}

// Revision returns the raw name of the object that a revision means: a branch,
// a tag, the name of an object or how it begins, with ~N, ^N, ^{...} and @{N}
// behind.
func (r *Repo) Revision(rev string) (id string, ok bool) {
	if !r.load() && r.fault != notInGit || rev == "" || len(rev) > 512 {
		return "", false
	}
	base, steps := rev, ""
	if i := strings.IndexAny(rev, "~^"); i > 0 {
		base, steps = rev[:i], rev[i:]
	}
	if base, n, isLog := cutLog(base); isLog {
		ids := r.log(r.logged(base))
		if n >= len(ids) {
			return "", false
		}
		id = r.raw(ids[n])
	} else if id, ok = r.base(base); !ok {
		return "", false
	}
	for steps != "" && id != "" {
		id, steps = r.step(id, steps)
	}
	return id, id != ""
}

func cutLog(base string) (name string, n int, ok bool) {
	name, number, ok := strings.Cut(strings.TrimSuffix(base, "}"), "@{")
	if !ok {
		return base, 0, false
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return base, 0, false
	}
	return name, n, true
}

// logged is the ref whose reflog a name before @{N} means; without a name that is
// the branch that is checked out.
func (r *Repo) logged(name string) string {
	if name != "" {
		ref, _ := r.refName(name)
		return ref
	}
	_, text := r.refName("HEAD")
	if branch, ok := strings.CutPrefix(text, "ref: "); ok {
		return branch
	}
	return "HEAD"
}

// refName finds the ref that a short name means, with the text of its file.
func (r *Repo) refName(name string) (ref, text string) {
	if name == "@" {
		name = "HEAD"
	}
	if path.Clean(name) != name || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "..") {
		return "", ""
	}
	for _, format := range [...]string{"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"} {
		for _, dir := range [...]string{r.Dir, r.Common} {
			data, err := r.files.Read(dir+"/"+format+name, 4096)
			if text = strings.TrimSpace(string(data)); err == nil && (format != "" || r.isRef(text)) {
				return format + name, text
			}
		}
		packed, err := r.files.Read(r.Common+"/packed-refs", 4<<20)
		if err != nil {
			continue
		}
		if before, _, ok := strings.Cut(string(packed), " "+format+name+"\n"); ok {
			return format + name, before[strings.LastIndexByte(before, '\n')+1:]
		}
	}
	if !strings.HasSuffix(name, "/HEAD") && name != "HEAD" {
		return r.refName("refs/remotes/" + name + "/HEAD")
	}
	return "", ""
}

// isRef reports whether a text is that of a file of a ref: git takes any file of its
// directory for one (git 2.39).
func (s *store) isRef(text string) bool {
	id, _, _ := strings.Cut(text, "\t")
	_, err := hex.DecodeString(id)
	return strings.HasPrefix(text, "ref: ") || err == nil && len(id) == 2*s.size()
}

func (r *Repo) base(name string) (id string, ok bool) {
	if id = r.raw(strings.ToLower(name)); id != "" { // before any ref of that name
		return id, true
	}
	for range 5 {
		_, text := r.refName(name)
		target, symbolic := strings.CutPrefix(text, "ref: ")
		if !symbolic {
			text, _, _ = strings.Cut(text, "\t")
			if id = r.raw(strings.TrimSpace(text)); id != "" {
				return id, true
			}
			break
		}
		name = strings.TrimSpace(target)
	}
	return r.abbreviated(strings.ToLower(name))
}

// abbreviated finds an object by how its name begins.
func (r *Repo) abbreviated(name string) (id string, ok bool) {
	if len(name) < 4 || len(name) > 2*r.size() || strings.Trim(name, "0123456789abcdef") != "" {
		return "", false
	}
	loose, _ := r.files.List(r.Common+"/objects/"+name[:2], 4096)
	for _, n := range loose {
		if strings.HasPrefix(n, name[2:]) {
			return r.raw(name[:2] + n), true
		}
	}
	begin, err := hex.DecodeString(name[:len(name)&^1])
	if err != nil {
		return "", false
	}
	for _, pack := range r.packFiles() {
		names, _, _ := r.bucket(pack, string(begin))
		for ; len(names) >= r.size(); names = names[r.size():] {
			if got := names[:r.size()]; strings.HasPrefix(string(got), string(begin)) &&
				strings.HasPrefix(hex.EncodeToString(got), name) {
				return string(got), true
			}
		}
	}
	return "", false
}

// step goes from a commit to an ancestor, or says what ^{...} means.
func (r *Repo) step(id, steps string) (next, rest string) {
	sign := steps[0]
	if strings.HasPrefix(steps, "^{") {
		kind, rest, _ := strings.Cut(steps[2:], "}")
		switch kind {
		case "tree":
			return r.treeOf(id), rest
		case "", "commit", "object":
			return id, rest
		}
		return "", "" // a search in messages, a blob
	}
	end := 1
	for end < len(steps) && '0' <= steps[end] && steps[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(steps[1:end])
	if end == 1 {
		n, err = 1, nil
	}
	if rest = steps[end:]; err != nil || n > maxObjects || rest != "" && rest[0] != '^' && rest[0] != '~' {
		return "", ""
	}
	if sign == '^' {
		c, ok := r.commit(id)
		switch {
		case n == 0:
			return id, rest
		case !ok || n > len(c.parents):
			return "", ""
		}
		return c.parents[n-1], rest
	}
	for range n {
		c, ok := r.commit(id)
		if !ok || len(c.parents) == 0 {
			return "", ""
		}
		id = c.parents[0]
	}
	return id, rest
}
