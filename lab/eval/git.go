package main

import (
	"fmt"
	"sync"

	"github.com/nodgate/nod/corpus"
)

// cleanRepository is what .git of a clean repository holds as git makes it, in which one commit holds no file: the
// virtual world has none, and an index that named files would say that all of them were deleted.
var cleanRepository = sync.OnceValue(func() map[string]string {
	tree, treeName := corpus.GitObject("tree", "")
	who := "dev <dev@example.com> 1767225600 +0000"
	commit, commitName := corpus.GitObject("commit",
		fmt.Sprintf("tree %s\nauthor %s\ncommitter %s\n\nfirst\n", treeName, who, who))
	return map[string]string{
		"HEAD": "ref: refs/heads/main\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = " +
			"false\n\tlogallrefupdates = true\n",
		"index":           corpus.GitIndex(nil),
		"refs/heads/main": commitName + "\n",
		"objects/" + treeName[:2] + "/" + treeName[2:]:     tree,
		"objects/" + commitName[:2] + "/" + commitName[2:]: commit,
	}
})
