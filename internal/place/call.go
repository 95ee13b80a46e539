package place

import (
	"encoding/json"

	"github.com/nodgate/nod/internal/shell"
)

// Call is a tool call as the rooms of the gate look at it: where it is, what its
// command does, and what the agent sent. The rooms share it, and none changes it.
type Call struct {
	At     *Workspace
	Report *shell.Report // of the command; empty where the call has none

	// The others say what the fields of the same names say of a nod.Call.
	Agent, Tool, RawTool, URL, Command string
	Dialect                            shell.Dialect
	Input                              json.RawMessage
	Paths, Roots                       []string
	Edits                              []Edit
	MCP                                *MCP // nil: the tool is no MCP server's
	StdinUnseen                        bool
}

// IsEdit reports whether the call changes exactly the files in Paths.
func (c *Call) IsEdit() bool { return IsEditTool(c.Tool) }

// IsEditTool reports whether a tool changes exactly the files in a call's Paths.
func IsEditTool(tool string) bool {
	switch tool {
	case "file_edit", "file_write", "notebook_edit", "apply_patch":
		return true
	}
	return false
}

// Edit is what an edit tool does to one file.
type Edit struct {
	Path, Old, New string
	All            bool // every occurrence of Old
	Whole          bool // New is the file's whole new content
	Deletes        bool // the file is not there afterwards
	Moved          bool // what the file holds lives on under the next edit's path
}

// MCP names a tool of an MCP server.
type MCP struct {
	Server, Tool string
	Named        bool // the host says which part of the name is the server's
	Brought      bool // the server's definition stands in the repository
}
