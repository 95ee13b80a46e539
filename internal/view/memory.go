package view

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// Memory is a file system held in memory, for tests, the demo and any world
// that does not exist here. Make one with [NewMemory].
type Memory struct {
	mu    sync.RWMutex
	nodes map[string]*node    // by key: the name, folded where Fold is set
	below map[string][]string // the keys of what lies in a directory, by its key
	fold  bool
	win   bool
	next  uint64
}

type node struct {
	info Info
	data []byte
	link string
}

var _ Files = (*Memory)(nil)

// NewMemory returns a world with only the root directory. With fold, names
// differ only by more than case, as on default macOS and Windows volumes.
func NewMemory(fold bool) *Memory {
	m := &Memory{nodes: map[string]*node{}, below: map[string][]string{}, fold: fold}
	m.put("/", &node{info: Info{Mode: fs.ModeDir | 0o755}})
	return m
}

// NewWindows returns a world whose names are Windows' ([Windows]), with the drive C.
func NewWindows() *Memory {
	m := NewMemory(true)
	m.win = true
	return m.Dir("/c", 0o755)
}

// Windows reports whether names are Windows'.
func (m *Memory) Windows() bool { return m.win }

func (m *Memory) key(name string) string {
	if m.fold {
		return strings.ToLower(name)
	}
	return name
}

func (m *Memory) put(name string, n *node) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	n.info.Inode, n.info.Dev = m.next, 1
	if n.info.Links == 0 {
		n.info.Links = 1
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if _, ok := m.nodes[m.key(dir)]; !ok {
			m.next++
			m.add(dir, &node{info: Info{Mode: fs.ModeDir | 0o755, Links: 1, Dev: 1, Inode: m.next}})
		}
		if dir == "/" {
			break
		}
	}
	m.add(name, n)
}

// add puts a node there, in the list of its directory too.
func (m *Memory) add(name string, n *node) {
	key := m.key(name)
	if _, ok := m.nodes[key]; !ok && name != "/" {
		dir := path.Dir(key)
		m.below[dir] = append(m.below[dir], key)
	}
	m.nodes[key] = n
}

// File puts a regular file there, with its parents.
func (m *Memory) File(name, content string, mode fs.FileMode) *Memory {
	m.put(name, &node{info: Info{Mode: mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid), Size: int64(len(content))},
		data: []byte(content)})
	return m
}

// Dir puts a directory there, with its parents. mode may carry fs.ModeSticky.
func (m *Memory) Dir(name string, mode fs.FileMode) *Memory {
	m.put(name, &node{info: Info{Mode: mode | fs.ModeDir}})
	return m
}

// Link puts a symbolic link there.
func (m *Memory) Link(name, target string) *Memory {
	m.put(name, &node{info: Info{Mode: fs.ModeSymlink | 0o777}, link: target})
	return m
}

// Special puts a device, FIFO or socket there.
func (m *Memory) Special(name string, mode fs.FileMode) *Memory {
	m.put(name, &node{info: Info{Mode: mode}})
	return m
}

// Chown sets the owner of what is there.
func (m *Memory) Chown(name string, uid uint32) *Memory {
	return m.change(name, func(i *Info) { i.UID = uid })
}

// Hard sets the count of hard links of what is there.
func (m *Memory) Hard(name string, links uint64) *Memory {
	return m.change(name, func(i *Info) { i.Links = links })
}

func (m *Memory) change(name string, to func(*Info)) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	to(&m.nodes[m.key(name)].info)
	return m
}

// Remove takes away a name and all below it.
func (m *Memory) Remove(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.nodes {
		if Below(m.key(name), key) {
			delete(m.nodes, key)
			delete(m.below, key)
		}
	}
	dir := path.Dir(m.key(name))
	m.below[dir] = slices.DeleteFunc(m.below[dir], func(key string) bool { return key == m.key(name) })
}

func (m *Memory) get(name string) (*node, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if n, ok := m.nodes[m.key(name)]; ok {
		return n, nil
	}
	if clean := path.Clean(name); clean != name {
		if n, ok := m.nodes[m.key(clean)]; ok {
			return n, nil
		}
	}
	return nil, fs.ErrNotExist // common, so without the name, which would be a copy
}

func (m *Memory) Lstat(name string) (Info, error) {
	n, err := m.get(name)
	if err != nil {
		return Info{}, err
	}
	return n.info, nil
}

func (m *Memory) Readlink(name string) (string, error) {
	n, err := m.get(name)
	if err != nil {
		return "", err
	}
	if n.info.Mode&fs.ModeSymlink == 0 {
		return "", fmt.Errorf("%s: not a link", name)
	}
	return n.link, nil
}

func (m *Memory) Read(name string, limit int64) ([]byte, error) {
	n, err := m.get(name)
	switch {
	case err != nil:
		return nil, err
	case !n.info.Mode.IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", name)
	case int64(len(n.data)) > limit:
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that are read", name, len(n.data), limit)
	}
	return n.data, nil
}

func (m *Memory) List(name string, limit int) (names []string, err error) {
	entries, err := m.Entries(name, limit)
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names, err
}

// Entries is List with what each name is.
func (m *Memory) Entries(name string, limit int) ([]Entry, error) {
	n, err := m.get(name)
	if err != nil {
		return nil, err
	}
	if !n.info.Mode.IsDir() {
		return nil, fmt.Errorf("%s: not a directory", name)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	keys := m.below[m.key(path.Clean(name))]
	if len(keys) > limit {
		return nil, fmt.Errorf("%s: more than %d names", name, limit)
	}
	entries := make([]Entry, 0, len(keys))
	for _, key := range keys {
		entries = append(entries, Entry{path.Base(key), m.nodes[key].info.Mode.Type()})
	}
	return entries, nil
}
