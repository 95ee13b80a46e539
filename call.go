package nod

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
	"github.com/nodgate/nod/transcript"
)

// Files is a read-only view of a file system, on which names are resolved: Lstat(name) (FileInfo, error) and
// Readlink(name) (string, error) of the name itself; Read(name, limit) ([]byte, error) of a regular file and of nothing
// else, so that reading never blocks; List(name, limit) ([]string, error), unsorted. More than limit is an error, and
// what is not there is fs.ErrNotExist. Names are absolute, slash-separated and clean. Implementations are safe for
// concurrent use. [OnDisk] is the real file system.
type Files = view.Files

// FileInfo is what deciding needs to know of a file: Mode, Size, Links (hard links; more than 1 means
// that another name shares the content), UID, Dev and Inode (the identity of the file on its
// machine), Born (in Unix nanoseconds; 0 is not known).
type FileInfo = view.Info

// OnDisk returns the real file system.
func OnDisk() Files { return view.Disk{} }

// Dialect is the shell grammar of a command; the zero value means that bash and zsh must agree.
type Dialect = shell.Dialect

// The dialects. Of PowerShell only what speaks against a line is read; what a shell does that is Unread is unknown.
const (
	Unstated   = shell.Unstated
	Bash       = shell.Bash
	Posix      = shell.Posix
	Zsh        = shell.Zsh
	Interp     = shell.Interp
	PowerShell = shell.PowerShell
	Unread     = shell.Unread
)

// Call is one tool call that an agent wants to make. The zero value of every field is the strictest:
// what is not said is not known, and what is not known is not allowed.
type Call struct {
	ID    string // the agent's own, "" where it has none
	Agent string // the adapter's name, such as "claude-code"
	// Session is the agent's id of the session; for a sub-agent that of its root. It never becomes a
	// file name unhashed.
	Session string
	// Tool is the canonical name ("read_file", "file_edit", "bash" ...); "" where the adapter's table
	// does not know the tool. A name that merely looks canonical in a payload must not end up here.
	Tool    string
	RawTool string // the agent's spelling, for the log and the prompt
	// Input is the arguments as sent. It goes whole into the prompt. Where Command, Paths, Edits or
	// URL is missing it is read from here, and where Input is missing the prompt has these instead.
	Input json.RawMessage

	Command string // the shell command of a "bash" call, in the grammar Dialect
	Dialect Dialect
	// Paths are the files that the call names, as written: for an edit all that it would change, for
	// a read or search where it would look.
	Paths []string
	Edits []Edit // what an edit would change, where the payload says so
	URL   string // what a fetch would fetch
	MCP   *MCP   // server and tool of an MCP call; nil for all others

	// Dir is the absolute directory against which relative names resolve. It follows the agent's cd
	// and says nothing about the workspace.
	Dir string
	// Roots are the workspace roots, the session's own first. They come from what the agent cannot
	// move, never from arguments.
	Roots []string
	// Environ is the environment that a command would inherit, as os.Environ gives it. Where it has
	// no PATH, nod does not know which program a name stands for, and asks.
	Environ []string

	// Interactive says that a person can be asked now. False (headless) turns what would be asked
	// after a failure into a denial.
	Interactive bool
	HostJudges  bool // says that the agent has a judge of its own that takes over where nod is silent
	// Asking is called where a person is about to be asked about the call, once. It says which other prompt
	// of the host's may be open at that time, if its answer could let this call run too; "" means none.
	Asking func() string
	// Rewrites reports whether the host runs what it is handed ([Decision].Instead) in the place of
	// the command. Then a call that may run behind nod's boundary is allowed. nil: it does not.
	Rewrites func() bool

	// Rewritten says how the host may make another call of this one before it runs, and what to do instead. Such a
	// call is denied. Unread says which argument nod does not know, which may name another file, directory or
	// machine: layers 0 to 3 deny such a call for what they see, and allow nothing.
	Rewritten, Unread string
	// Keeps says that the host keeps the shell for the next call: a command that may leave it in
	// another directory, or with other variables, is denied.
	Keeps bool
	// Outlives says that what the command starts is not ended with the session, StdinUnseen that the agent can type
	// into a program that has started, and nod is not shown what. Layers 0 to 3 allow no such command.
	Outlives, StdinUnseen bool

	// Transcript yields the conversation, newest turn first. Only layer 4 calls it, at most once a
	// decision. nil means no transcript. It ends with [transcript.ErrEarlier] where it does not show all
	// turns. What tools returned it may shorten or leave out: no model is shown it.
	Transcript func(context.Context) iter.Seq2[transcript.Turn, error]
	// Opening is the first thing that the person said in the session, false where that is not known.
	Opening func(context.Context) (transcript.Turn, bool)
}

// Edit is one replacement in a file: of Old by New, once or (All) everywhere. With Whole New is
// the file's whole new content, and Old is "". Deletes says that the file is not there
// afterwards, Moved that what it holds lives on under the next edit's path.
type Edit = place.Edit

// MCP names a tool of a Model Context Protocol server. Named says that the host says which part
// of the name is the server's, Brought that the server's definition stands in the repository.
type MCP = place.MCP
