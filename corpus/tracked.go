package corpus

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/nodgate/nod/internal/view"
)

// ignored is the project's ignore file.
const ignored = "/vendor/lib/\ndist/\n*.log\n.env\n.env.production\n/certs/*.key\n"

// tracked puts files under version control: the project's index lists them
// with the content they had when they were added.
func tracked(m *view.Memory) {
	added := []struct{ name, then, now string }{
		{".env.example", "STRIPE_KEY=\n", "STRIPE_KEY=\n"},
		{".gitignore", ignored, ignored},
		{"docs/hooks.md", "hooks\n", "hooks\n"},
		{"src/draft.js", "export const draft = 1;\n", "export const draft = 2;\n"},
		{"src/old/a.js", "a\n", "a\n"},
		{"src/old/b.js", "b\n", "b\n"},
		{"src/tax.js", "export const tax = 7;\n", "export const tax = 7;\n"},
	}
	git := Project + "/.git/"
	index := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), uint32(len(added)))
	for _, f := range added {
		id := blobID(f.then)
		index = slices.Concat(index, indexEntry(f.name, id[:]))
		name := hex.EncodeToString(id[:])
		m.File(git+"objects/"+name[:2]+"/"+name[2:], loose(f.then), 0o444).File(Project+"/"+f.name, f.now, 0o644)
	}
	sum := sha1.Sum(index)
	m.File(git+"index", string(index)+string(sum[:]), 0o644)
	m.File(Project+"/dist/app.js", "\n", 0o644).File(Project+"/dist/local.sqlite", "x", 0o644)
	m.File(Project+"/debug.log", "x\n", 0o644)
}

// loose is what git's file of a blob holds.
func loose(content string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write([]byte("blob " + strconv.Itoa(len(content)) + "\x00" + content))
	if closed := w.Close(); err != nil || closed != nil {
		panic("a buffer refuses what is written to it")
	}
	return b.String()
}

func blobID(content string) [sha1.Size]byte {
	return sha1.Sum([]byte("blob " + strconv.Itoa(len(content)) + "\x00" + content))
}

// indexEntry is an entry of version 2: times and owner 0, an ordinary file.
func indexEntry(name string, id []byte) []byte {
	entry := make([]byte, 24, 62+len(name)+8)
	entry = binary.BigEndian.AppendUint32(entry, 0o100644)
	entry = append(entry, make([]byte, 12)...)
	entry = binary.BigEndian.AppendUint16(append(entry, id...), uint16(len(name)))
	entry = append(entry, name...)
	return append(entry, make([]byte, 8-len(entry)%8)...)
}
