package corpus

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/nodgate/nod/internal/view"
)

// ignored is the project's ignore file.
const ignored = "/vendor/lib/\ndist/\n*.log\n.env\n.env.production\n/certs/*.key\n"

// tracked puts files under version control: the project's index lists them
// with the content they had when they were added.
func tracked(m *view.Memory) {
	git := Project + "/.git/"
	var index []GitEntry
	for _, f := range []struct{ name, then, now string }{
		{".env.example", "STRIPE_KEY=\n", "STRIPE_KEY=\n"},
		{".gitignore", ignored, ignored},
		{"docs/hooks.md", "hooks\n", "hooks\n"},
		{"src/draft.js", "export const draft = 1;\n", "export const draft = 2;\n"},
		{"src/old/a.js", "a\n", "a\n"},
		{"src/old/b.js", "b\n", "b\n"},
		{"src/tax.js", "export const tax = 7;\n", "export const tax = 7;\n"},
	} {
		packed, id := GitObject("blob", f.then)
		index = append(index, GitEntry{f.name, id})
		m.File(git+"objects/"+id[:2]+"/"+id[2:], packed, 0o444).File(Project+"/"+f.name, f.now, 0o644)
	}
	m.File(git+"index", GitIndex(index), 0o644)
}

// GitObject returns what git's file of an object holds, and the object's name.
func GitObject(kind, content string) (packed, id string) {
	object := fmt.Sprintf("%s %d\x00%s", kind, len(content), content)
	sum := sha1.Sum([]byte(object))
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write([]byte(object))
	if closed := w.Close(); err != nil || closed != nil {
		panic("a buffer refuses what is written to it")
	}
	return b.String(), hex.EncodeToString(sum[:])
}

// GitEntry is a file in an index, and the name of its object.
type GitEntry struct{ Name, ID string }

// GitIndex is an index of version 2: of each entry times and owner are 0, and it
// is an ordinary file. Entries stand in the order of their names.
func GitIndex(entries []GitEntry) string {
	index := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), uint32(len(entries)))
	for _, e := range entries {
		id, err := hex.DecodeString(e.ID)
		if err != nil {
			panic("no name of an object: " + e.ID)
		}
		entry := append(binary.BigEndian.AppendUint32(make([]byte, 24), 0o100644), make([]byte, 12)...)
		entry = binary.BigEndian.AppendUint16(append(entry, id...), uint16(len(e.Name)))
		entry = append(entry, e.Name...)
		index = append(index, append(entry, make([]byte, 8-len(entry)%8)...)...)
	}
	sum := sha1.Sum(index)
	return string(index) + string(sum[:])
}
