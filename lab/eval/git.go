package main

import (
	"fmt"
	"io/fs"

	"github.com/nodgate/nod/corpus"
)

// gitFile is a file below .git.
type gitFile struct {
	name, content string
	perm          fs.FileMode
}

// gitFiles is a clean repository as git makes it, with one commit without files:
// the virtual world has no files, and an index that named files would say that
// all of them were deleted.
func gitFiles() []gitFile {
	tree, treeName := corpus.GitObject("tree", "")
	who := "dev <dev@example.com> 1767225600 +0000"
	commit, commitName := corpus.GitObject("commit",
		fmt.Sprintf("tree %s\nauthor %s\ncommitter %s\n\nfirst\n", treeName, who, who))
	return []gitFile{
		{"HEAD", "ref: refs/heads/main\n", 0o644},
		{"config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = " +
			"false\n\tlogallrefupdates = true\n", 0o644},
		{"index", corpus.GitIndex(nil), 0o644},
		{"refs/heads/main", commitName + "\n", 0o644},
		{"objects/" + treeName[:2] + "/" + treeName[2:], tree, 0o444},
		{"objects/" + commitName[:2] + "/" + commitName[2:], commit, 0o444},
	}
}
