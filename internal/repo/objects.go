package repo

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// Objects are read for one question: which files does a commit change. Commits,
// trees and tags are small; what is larger is a blob that nobody needs.
const (
	maxObject  = 1 << 20
	maxObjects = 400 // read for one decision
	maxDeltas  = 60  // of one object
)

const (
	commitObject = iota + 1
	treeObject
	blobObject
	tagObject
	_
	offsetDelta
	namedDelta
)

type object struct {
	kind int
	data []byte
}

// store is the objects of a repository. It remembers what it has read.
type store struct {
	Common string // the git directory that holds the objects

	files     view.Files
	sha256    bool
	objects   map[string]object // by raw name; the zero value is none
	packNames []string
	fans      map[string][]byte // how pack indexes begin
	unpacked  map[place]object
	unzip     io.Reader
	shallow   map[string]bool // raw names of commits without their parents; nil: not looked yet
	over      bool            // an object was not read since it was one too many
}

func (s *store) size() int {
	if s.sha256 {
		return sha256.Size
	}
	return sha1.Size
}

// has reports whether the object is in the repository's own store.
func (s *store) has(id string) bool {
	name := hex.EncodeToString([]byte(id))
	info, err := s.files.Lstat(s.Common + "/objects/" + name[:2] + "/" + name[2:])
	return err == nil && info.Mode.IsRegular() && info.Size > 0 ||
		slices.ContainsFunc(s.packFiles(), func(pack string) bool {
			_, ok := s.locate(pack, id)
			return ok
		})
}

// digest is the name of an object that consists of these parts, in raw bytes.
func (s *store) digest(parts ...[]byte) string {
	h := sha1.New()
	if s.sha256 {
		h = sha256.New()
	}
	for _, part := range parts {
		h.Write(part)
	}
	return string(h.Sum(nil))
}

// damaged reports whether the file of an object does not hold what its name says.
// A pack has a checksum, and is believed; so is what is too large to be read.
func (s *store) damaged(id string) bool {
	name := hex.EncodeToString([]byte(id))
	data, err := s.files.Read(s.Common+"/objects/"+name[:2]+"/"+name[2:], maxFile)
	if err != nil {
		return false
	}
	plain, ok := s.inflate(data, maxFile)
	return !ok && len(plain) <= maxFile || ok && s.digest(plain) != id
}

// object reads a loose or packed object by its raw name. false where it is not
// in the repository's own store, too large, damaged, or one too many.
func (s *store) object(id string) (object, bool) {
	if o, ok := s.objects[id]; ok {
		return o, o.kind != 0
	}
	if len(id) == 0 {
		return object{}, false
	}
	if len(s.objects) >= maxObjects {
		s.over = true
		return object{}, false
	}
	o := s.loose(id)
	if o.kind == 0 {
		o = s.packed(id, 0)
	}
	if s.objects == nil {
		s.objects = map[string]object{}
	}
	s.objects[id] = o
	return o, o.kind != 0
}

// Beyond reports whether what was asked for may stand where nothing is looked
// at: behind more objects than are read for one decision, in refs that are not
// plain files, or in another repository's store.
func (r *Repo) Beyond() bool {
	if r.over || r.Unread(false) {
		return true
	}
	config, err := r.files.Read(r.Common+"/config", 1<<20)
	text := strings.ToLower(string(config))
	return err != nil && !r.missing("config") || strings.Contains(text, "reftable") ||
		strings.Contains(text, "promisor") || !r.missing("objects/info/alternates")
}

// Unread reports whether the repository has an index that cannot be read here, such as
// a split index, so that nothing is known of what git has; or, for what lays the index
// beside commits, commits and no index at all.
func (r *Repo) Unread(beside bool) bool {
	if r.load() {
		return false
	}
	_, commits := r.base("HEAD")
	return r.fault != notInGit || beside && commits
}

func (s *store) loose(id string) object {
	name := hex.EncodeToString([]byte(id))
	data, err := s.files.Read(s.Common+"/objects/"+name[:2]+"/"+name[2:], maxObject)
	if err != nil {
		return object{}
	}
	plain, ok := s.inflate(data, maxObject)
	head, rest, found := bytes.Cut(plain, []byte{0})
	if !ok || !found {
		return object{}
	}
	kind, _, _ := strings.Cut(string(head), " ")
	return object{map[string]int{"commit": commitObject, "tree": treeObject, "blob": blobObject,
		"tag": tagObject}[kind], rest}
}

// inflate unpacks what begins data. One reader serves all objects: to make one
// costs more than most objects.
func (s *store) inflate(data []byte, limit int64) ([]byte, bool) {
	source := bytes.NewReader(data)
	if z, ok := s.unzip.(zlib.Resetter); ok {
		if z.Reset(source, nil) != nil {
			return nil, false
		}
	} else {
		fresh, err := zlib.NewReader(source)
		if err != nil {
			return nil, false
		}
		s.unzip = fresh
	}
	plain := bytes.NewBuffer(make([]byte, 0, min(limit, 16<<10)+bytes.MinRead))
	_, err := plain.ReadFrom(io.LimitReader(s.unzip, limit+1))
	return plain.Bytes(), err == nil && int64(plain.Len()) <= limit
}

// packFiles are the packs of the repository, without their endings.
func (s *store) packFiles() []string {
	if s.packNames == nil {
		s.packNames = []string{}
		dir := s.Common + "/objects/pack"
		names, _ := s.files.List(dir, 8*maxPacks)
		for _, name := range names {
			pack, ok := strings.CutSuffix(dir+"/"+name, ".idx")
			if _, err := s.files.Lstat(pack + ".pack"); ok && err == nil && len(s.packNames) < maxPacks {
				s.packNames = append(s.packNames, pack)
			}
		}
	}
	return s.packNames
}

func (s *store) packed(id string, depth int) object {
	for _, pack := range s.packFiles() {
		if at, ok := s.locate(pack, id); ok {
			return s.unpack(pack, at, depth)
		}
	}
	return object{}
}

// bucket reads the names of a pack that begin as id does. first is the place of
// the first among all, count how many the pack has.
func (s *store) bucket(pack, id string) (names []byte, first, count int) {
	const fan = 8
	head, known := s.fans[pack]
	if !known {
		head, _ = view.ReadAt(s.files, pack+".idx", 0, fan+256*4)
		if s.fans == nil {
			s.fans = map[string][]byte{}
		}
		s.fans[pack] = head
	}
	if len(head) < fan+256*4 || string(head[:fan]) != "\xfftOc\x00\x00\x00\x02" {
		return nil, 0, 0
	}
	upTo := func(b int) int { return int(be32(string(head[fan+4*b : fan+4*b+4]))) }
	if id[0] > 0 {
		first = upTo(int(id[0]) - 1)
	}
	end := upTo(int(id[0]))
	if count = upTo(255); first > end || end > count {
		return nil, 0, 0
	}
	names, _ = view.ReadAt(s.files, pack+".idx", fan+256*4+int64(first*s.size()), (end-first)*s.size())
	return names, first, count
}

// locate finds where an object stands in a pack.
func (s *store) locate(pack, id string) (at int64, ok bool) {
	names, first, count := s.bucket(pack, id)
	from, to := 0, len(names)/len(id)
	for from < to {
		mid := (from + to) / 2
		switch got := string(names[mid*len(id) : (mid+1)*len(id)]); {
		case got == id:
			return s.offset(pack, first+mid, count)
		case got < id:
			from = mid + 1
		default:
			to = mid
		}
	}
	return 0, false
}

func (s *store) offset(pack string, place, count int) (at int64, ok bool) {
	table := int64(8 + 256*4 + count*(s.size()+4))
	data, err := view.ReadAt(s.files, pack+".idx", table+int64(4*place), 4)
	if err != nil || len(data) < 4 {
		return 0, false
	}
	at = int64(be32(string(data)))
	if at < 1<<31 {
		return at, true
	}
	data, err = view.ReadAt(s.files, pack+".idx", table+int64(4*count)+8*(at-1<<31), 8)
	if err != nil || len(data) < 8 {
		return 0, false
	}
	return int64(be32(string(data[:4])))<<32 | int64(be32(string(data[4:]))), true
}

// unpack reads the object at an offset of a pack, once, with those that it is a
// change of.
func (s *store) unpack(pack string, at int64, depth int) object {
	key := place{pack, at}
	o, known := s.unpacked[key]
	if !known {
		o = s.unpackNew(pack, at, depth)
		if s.unpacked == nil {
			s.unpacked = map[place]object{}
		}
		s.unpacked[key] = o
	}
	return o
}

type place struct {
	pack string
	at   int64
}

func (s *store) unpackNew(pack string, at int64, depth int) object {
	head, err := view.ReadAt(s.files, pack+".pack", at, 64)
	if err != nil || len(head) < 2 || depth > maxDeltas {
		return object{}
	}
	kind, size, n := int(head[0]>>4&7), int64(head[0]&15), 1
	for shift := 4; head[n-1]&0x80 != 0; shift += 7 {
		if n == len(head) || shift > 32 {
			return object{}
		}
		size |= int64(head[n]&0x7f) << shift
		n++
	}
	if size > maxObject {
		return object{}
	}
	var base object
	switch kind {
	case offsetDelta:
		back, used := backwards(head[n:])
		if n += used; back <= 0 || back > at {
			return object{}
		}
		base = s.unpack(pack, at-back, depth+1)
	case namedDelta:
		if n += s.size(); n > len(head) {
			return object{}
		}
		base = s.packed(string(head[n-s.size():n]), depth+1)
	}
	data, err := view.ReadAt(s.files, pack+".pack", at+int64(n), int(size+size/500+64))
	if err != nil {
		return object{}
	}
	plain, ok := s.inflate(data, size)
	switch {
	case !ok || int64(len(plain)) != size:
		return object{}
	case kind == offsetDelta || kind == namedDelta:
		return applyDelta(base, plain)
	}
	return object{kind, plain}
}

// backwards reads how far before a change its base stands.
func backwards(data []byte) (back int64, used int) {
	for i, b := range data[:min(len(data), 9)] {
		if i > 0 {
			back++
		}
		if back = back<<7 | int64(b&0x7f); b&0x80 == 0 {
			return back, i + 1
		}
	}
	return 0, 0
}

// applyDelta makes an object of another and what has changed.
func applyDelta(base object, delta []byte) object {
	_, delta = sizeOf(delta)
	size, delta := sizeOf(delta)
	if base.kind == 0 || size > maxObject {
		return object{}
	}
	out := make([]byte, 0, size)
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 { // new bytes
			if op == 0 || int(op) > len(delta) {
				return object{}
			}
			out, delta = append(out, delta[:op]...), delta[op:]
			continue
		}
		from, length := 0, 0
		for i := range 7 {
			if op>>i&1 == 0 {
				continue
			}
			if len(delta) == 0 {
				return object{}
			}
			if i < 4 {
				from |= int(delta[0]) << (8 * i)
			} else {
				length |= int(delta[0]) << (8 * (i - 4))
			}
			delta = delta[1:]
		}
		if length == 0 {
			length = 0x10000
		}
		if from+length > len(base.data) || len(out)+length > size {
			return object{}
		}
		out = append(out, base.data[from:from+length]...)
	}
	if len(out) != size {
		return object{}
	}
	return object{base.kind, out}
}

func sizeOf(delta []byte) (size int, rest []byte) {
	for i, b := range delta[:min(len(delta), 5)] {
		if size |= int(b&0x7f) << (7 * i); b&0x80 == 0 {
			return size, delta[i+1:]
		}
	}
	return maxObject + 1, nil
}
