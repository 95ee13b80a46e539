package eval

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io/fs"
)

// gitFile is a file below .git.
type gitFile struct {
	name, content string
	perm          fs.FileMode
}

// gitFiles is a clean repository as git makes it, in which one commit holds no
// file: the virtual world has none, and an index that named files would say
// that all of them were deleted.
func gitFiles() []gitFile {
	tree, treeName := gitObject("tree", "")
	who := "dev <dev@example.com> 1767225600 +0000"
	commit, commitName := gitObject("commit",
		fmt.Sprintf("tree %s\nauthor %s\ncommitter %s\n\nfirst\n", treeName, who, who))
	return []gitFile{
		{"HEAD", "ref: refs/heads/main\n", 0o644},
		{"config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = " +
			"false\n\tlogallrefupdates = true\n", 0o644},
		{"index", emptyIndex(), 0o644},
		{"refs/heads/main", commitName + "\n", 0o644},
		{"objects/" + treeName[:2] + "/" + treeName[2:], tree, 0o444},
		{"objects/" + commitName[:2] + "/" + commitName[2:], commit, 0o444},
	}
}

// gitObject returns a loose object and its name.
func gitObject(kind, content string) (packed, name string) {
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

// emptyIndex is an index of version 2 without entries: a header and its sum.
func emptyIndex() string {
	head := "DIRC\x00\x00\x00\x02\x00\x00\x00\x00"
	sum := sha1.Sum([]byte(head))
	return head + string(sum[:])
}
