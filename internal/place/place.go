// Package place says where the names of a call lead, and what stands there: in the workspace or out of it, guarded, a
// secret, the directory of an agent's own. It reads the file system through a view and decides nothing.
//
// A [Machine] is what is the same for each call of a gate; a [Workspace] is the place of one call. Both
// answer about real paths, links followed ([Machine.Real]); where nobody can say to which file a name
// leads, the answer is the strict answer, or an error.
package place

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/shell"
	"github.com/nodgate/nod/internal/view"
)

// Objection is what speaks against a call, in words for a person; "" is that nothing does. It is a type of
// its own, so that nobody takes it for what lets a call run.
type Objection string

// Because puts what a call does before why that is not settled, "" where nothing speaks against it.
func Because(does, why Objection) Objection {
	if why == "" {
		return ""
	}
	return does + why
}

// Options describe a machine.
type Options struct {
	Files view.Files // where names are resolved
	// Home is the absolute home directory. "": ~ leads nowhere and no directory is a workspace.
	Home  string
	Roots []string // workspace roots beside those of a call, absolute
	Self  []string // nod's own files and directories, absolute
	// Secrets and Guarded are the lists of the rules.
	Secrets, Guarded []string
}

// Machine is what is known of a machine before any call comes: its files, its home, and which of its names
// are secret or guarded. Make it with [New]. It is safe for concurrent use; nobody changes a field.
type Machine struct {
	Files          view.Files
	Home, RealHome string   // RealHome is where Home leads
	Roots          []string // as given
	// Secrets and Guards are the lists of the rules.
	Secrets, Guards paths.List
	// Self are nod's own files and directories, by each name; found once.
	Self func() []Own

	agentDirs func() ownDirs
}

// New returns the machine. What takes long is looked up when it is asked for.
func New(o Options) *Machine {
	m := &Machine{
		Files: o.Files, Home: o.Home, Roots: o.Roots,
		Secrets: paths.New(o.Secrets, o.Home), Guards: paths.New(o.Guarded, o.Home),
	}
	m.RealHome = m.Real(o.Home)
	m.Self = sync.OnceValue(func() []Own { return m.Owned(o.Self) })
	m.agentDirs = sync.OnceValue(m.findOwnDirs)
	return m
}

// On is the same machine with another view of its files, such as one that remembers for a moment.
func (m *Machine) On(files view.Files) *Machine {
	on := *m
	on.Files = files
	return &on
}

// Workspace is the place of one call: its directory, its environment and its usable roots. What it has
// looked up it keeps, since several layers ask. It is not safe for concurrent use; see [Workspace.Apart].
type Workspace struct {
	Machine *Machine
	Dir     string   // where the call runs, "" where that is not known
	Environ []string // of the call
	Roots   []string // usable roots, real ([Machine.UsableRoots]); nil: the call has no workspace
	// Wrote reports whether the session made the file of a real path. nil: nothing is known of that.
	Wrote func(real string) bool
	// Keeping collects what is kept before the call. nil: nothing is kept.
	Keeping *Keeping

	path   []string // PATH directories inside the roots, once looked
	looked bool
	repos  map[string]*repo.Repo // by directory, nil for no repository
	linked []alias               // what aliases found; nil: not looked yet
	hooks  []string              // directories of git's hooks; nil: not looked yet
	tops   []*top                // what lies in the roots, once looked

	readings []reading
}

// Apart is a copy that looks up for itself, for another goroutine.
func (w *Workspace) Apart() *Workspace {
	return &Workspace{Machine: w.Machine, Dir: w.Dir, Environ: w.Environ, Roots: w.Roots, Wrote: w.Wrote,
		Keeping: w.Keeping}
}

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

// Keeping collects what is kept before a call replaces or deletes it: files of the
// workspace whose bytes git does not have, and objects of git's that nothing names after
// the call. nil collects nothing. It is not safe for concurrent use.
type Keeping struct {
	files   map[string]bool
	objects []Object
}

// Object is a commit of git's that a call leaves without a name.
type Object struct{ Repo, Name, What string }

// Take notes a file by its real name.
func (k *Keeping) Take(name string) {
	if k.files == nil {
		k.files = map[string]bool{}
	}
	k.files[name] = true
}

// TakeObject notes an object of git's.
func (k *Keeping) TakeObject(o Object) {
	if !slices.Contains(k.objects, o) {
		k.objects = append(k.objects, o)
	}
}

// Kept are the files that were noted, in order, and the objects.
func (k *Keeping) Kept() (files []string, objects []Object) {
	if k == nil {
		return nil, nil
	}
	return slices.Sorted(maps.Keys(k.files)), k.objects
}
