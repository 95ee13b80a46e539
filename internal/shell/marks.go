package shell

// marks are what options left for finish.
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
	markOvertree                   // git puts files into the working tree
	markKeeps                      // git keeps what was there
	markQuery                      // gh: a query of GraphQL
	markChanges                    // gh: a query that may change something
)

func (m marks) has(one marks) bool { return m&one != 0 }

// markOf is the mark that a word of a sheet leaves, 0 for none.
func markOf(word string) marks {
	for i, w := range [...]string{"lists", "links", "loses", "message", "opens", "named", "staged", "worktree",
		"deletion", "remotes"} {
		if w == word {
			return 1 << i
		}
	}
	return 0
}
