package shell

// marks are what options, and the sheet itself, left for finish.
type marks uint32

const (
	markMakes    marks = 1 << iota // it writes a file of its own
	markLists                      // it only lists, tests or prints
	markPrints                     // it writes to the standard output
	markExtracts                   // it takes files out of an archive
	markLinks                      // it may leave links that lead anywhere
	markExact                      // the last argument is the file itself, no directory to fill
	markMirrors                    // what is not in the source goes
	markLoses                      // what was there before is not kept
	markMessage                    // a message is given, so that no editor opens
	markWordy                      // it wants a message
	markOpens                      // it opens an editor, message or not
	markNamed                      // git: a new branch is named; ln: a link is replaced, not followed
	markStaged                     // git restore: the index
	markWorktree                   // git restore: the working tree
	markDeletion                   // git branch: a branch is deleted
	markRemotes                    // git branch: of a remote
	markSeveral                    // git fetch: all arguments are remotes
	markPrunes                     // git fetch: what is gone there goes here
	markApart                      // xargs: what it reads is not what it is fed
	markOvertree                   // git puts files into the working tree
	markKeeps                      // git keeps what was there
	markQuery                      // gh: a query of GraphQL
	markWhole                      // kubectl: whole objects
)

func (m marks) has(one marks) bool { return m&one != 0 }

// markOf is the mark that a word of a sheet leaves, 0 for none.
func markOf(word string) marks {
	for i, w := range [...]string{"makes", "lists", "prints", "extracts", "links", "exact", "mirrors", "loses",
		"message", "wordy", "opens", "named", "staged", "worktree", "deletion", "remotes", "several", "prunes",
		"apart"} {
		if w == word {
			return 1 << i
		}
	}
	return 0
}
