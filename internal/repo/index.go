package repo

import (
	"crypto/sha1"
	"encoding/binary"
	"sort"
	"strconv"
	"strings"
)

// index is the list of tracked files, sorted by name as git keeps it.
type index struct {
	entries []File
	trees   string // the extension that says which trees the entries make
}

// written are the directories, with a slash behind, whose entries git has written as a tree.
func (x index) written() map[string]bool {
	written := map[string]bool{}
	type level struct {
		dir  string
		left int
	}
	var levels []level
	for rest := x.trees; rest != ""; {
		name, tail, _ := strings.Cut(rest, "\x00")
		line, tail, found := strings.Cut(tail, "\n")
		count, below, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(below)
		if !found || err != nil || count != "-1" && len(tail) < sha1.Size {
			return nil
		}
		for len(levels) > 0 && levels[len(levels)-1].left == 0 {
			levels = levels[:len(levels)-1]
		}
		dir := ""
		if len(levels) > 0 {
			above := &levels[len(levels)-1]
			above.left--
			dir = above.dir + name + "/"
		}
		if levels = append(levels, level{dir, n}); count != "-1" {
			written[dir], tail = true, tail[sha1.Size:]
		}
		rest = tail
	}
	return written
}

// File is an entry of the index.
type File struct {
	Name   string // below the top
	id     string // raw bytes
	mode   uint32
	stage  uint8
	intent bool // added without content (git add -N)
}

// find returns the entry of a name; of a conflict one of its stages.
func (x index) find(name string) (File, bool) {
	i := sort.Search(len(x.entries), func(i int) bool { return x.entries[i].Name >= name })
	if i < len(x.entries) && x.entries[i].Name == name {
		return x.entries[i], true
	}
	return File{}, false
}

// holds reports whether something at or below a name is tracked.
func (x index) holds(name string) bool {
	if _, ok := x.find(name); ok {
		return true
	}
	i := sort.Search(len(x.entries), func(i int) bool { return x.entries[i].Name >= name+"/" })
	return i < len(x.entries) && strings.HasPrefix(x.entries[i].Name, name+"/")
}

// parseIndex reads versions 2 to 4.
func parseIndex(data string) (index, error) {
	const size = sha1.Size
	if len(data) < 12+size || data[:4] != "DIRC" {
		return index{}, errIndex
	}
	version, count := be32(data[4:]), int(be32(data[8:]))
	if version < 2 || version > 4 || count > len(data)/(42+size) {
		return index{}, errIndex
	}
	x := index{entries: make([]File, 0, count)}
	at, before := 12, ""
	for range count {
		e, next, ok := parseEntry(data[:len(data)-size], at, version, before)
		if !ok || e.Name < before || e.mode == 0o40000 { // a sparse index has directories
			return index{}, errIndex
		}
		x.entries = append(x.entries, e)
		at, before = next, e.Name
	}
	trees, err := extensions(data[at : len(data)-size])
	x.trees = trees
	return x, err
}

func parseEntry(data string, at int, version uint32, before string) (e File, next int, ok bool) {
	const fixed, size = 40, sha1.Size // times, device, inode, mode, owner, size; then the object's name
	head := at + fixed + size + 2
	if head+3 > len(data) {
		return e, 0, false
	}
	e.mode = be32(data[at+24:])
	e.id = data[at+fixed : at+fixed+size]
	high := data[at+fixed+size]
	e.stage = high >> 4 & 3
	if high&0x40 != 0 { // from version 3 on
		e.intent = data[head]&0x20 != 0
		head += 2
	}
	if version == 4 { // the name begins as the one before it
		strip, size := stripped(data[head:])
		if size < 1 || strip > len(before) {
			return e, 0, false
		}
		head, e.Name = head+size, before[:len(before)-strip]
	}
	end := strings.IndexByte(data[head:], 0)
	if end < 0 || e.Name == "" && end == 0 {
		return e, 0, false
	}
	e.Name += data[head : head+end]
	if next = head + end + 1; version < 4 {
		next = at + (head+end-at+8)&^7
	}
	return e, next, next <= len(data)
}

// stripped reads how much of the name before is not in the next, in size bytes; size 0 is an error.
func stripped(data string) (strip, size int) {
	for size < min(5, len(data)) {
		b := data[size]
		strip |= int(b & 0x7f)
		if size++; b&0x80 == 0 {
			return strip, size
		}
		strip = (strip + 1) << 7
	}
	return 0, 0
}

// extensions refuses those that change what the entries mean: the ones that must
// be understood (a small first letter), but for a sparse index without directories.
func extensions(rest string) (trees string, err error) {
	for len(rest) >= 8 {
		name, size := rest[:4], int(be32(rest[4:]))
		if size > len(rest)-8 || name[0] >= 'a' && name != "sdir" {
			return "", errIndex
		}
		if name == "TREE" {
			trees = rest[8 : 8+size]
		}
		rest = rest[8+size:]
	}
	if rest != "" {
		return "", errIndex
	}
	return trees, nil
}

func be32(s string) uint32 { return binary.BigEndian.Uint32([]byte(s[:4])) }
