package shell

import (
	"slices"
	"strings"
)

// marks are what options said that counts later.
type marks uint32

const (
	markLists    marks = 1 << iota // it only lists or tries
	markLinks                      // it may leave links that lead anywhere
	markLoses                      // git: what was there before is not kept
	markMessage                    // git: a message is given, so that no editor opens
	markOpens                      // git: it opens an editor, message or not
	markNamed                      // git: a new branch is named
	markStaged                     // git restore: the index
	markWorktree                   // git restore: the working tree
	markDeletion                   // git branch: a branch is deleted
	markRemotes                    // git branch: of a remote
	markDrop                       // the first positional role is taken by an option
	markInplace                    // what it reads it changes
	markDeletes                    // it removes what it finds
	markSend                       // what it asks of the network carries data
	markQuiet                      // what holds without arguments does not
	markInert                      // as the directive of that name
	markOvertree                   // git puts files into the working tree
	markKeeps                      // git keeps what was there
)

func (m marks) has(one marks) bool { return m&one != 0 }

// markOf is the mark that a word of a sheet leaves, 0 for none.
func markOf(word string) marks {
	i := slices.Index([]string{"lists", "links", "loses", "message", "opens", "named", "staged", "worktree", "deletion",
		"remotes", "drop", "inplace", "deletes", "send", "quiet", "inert"}, word)
	if i < 0 {
		return 0
	}
	return 1 << i
}

// finish does what a program does only after all its options are known.
func (u *use) finish() {
	for _, w := range u.inline {
		u.out.runsCode(u.inv, w)
	}
	if u.command {
		return
	}
	if u.marks.has(markLinks) {
		u.out.makesLink()
	}
	if strings.HasPrefix(u.code, "git") || u.marks.has(markOpens|markKeeps) {
		u.git().finishGit()
	}
	switch u.code {
	case "push":
		u.git().finishPush()
	case "golist":
		u.out.plainGit(u.out.repository(u.inv.st.dir), u.inv, "status") // for the version of a program
	case "ghapi":
		finishRequest(u)
	}
}
