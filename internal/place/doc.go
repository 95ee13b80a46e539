// Package place says where the names of a call lead, and what stands there: in
// the workspace or out of it, guarded, a secret, the directory of an agent's
// own. It reads the file system through a view and decides nothing.
//
// A [Machine] is what is the same for each call of a gate; a [Workspace] is the
// place of one call. Both answer about real paths, links followed
// ([Machine.Real]); where nobody can say to which file a name leads, the answer
// is the strict answer, or an error.
package place

import (
	"sync"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/repo"
	"github.com/nodgate/nod/internal/view"
)

// Objection is what speaks against a call, in words for a person; "" is that
// nothing does. It is a type of its own, so that nobody takes it for what lets
// a call run.
type Objection string

// Because puts what a call does before why that is not settled, "" where
// nothing speaks against it.
func Because(does, why Objection) Objection {
	if why == "" {
		return ""
	}
	return does + why
}

// Options describe a machine.
type Options struct {
	// Files is where names are resolved.
	Files view.Files
	// Home is the absolute home directory. "": ~ leads nowhere and no
	// directory is a workspace.
	Home string
	// Roots are workspace roots beside those of a call, absolute.
	Roots []string
	// Self are nod's own files and directories, absolute.
	Self []string
	// Secrets and Guarded are the lists of the rules.
	Secrets, Guarded []string
}

// Machine is what is known of a machine before any call comes: its files, its
// home, and which of its names are secret or guarded. Make it with [New]. It
// is safe for concurrent use; nobody changes a field.
type Machine struct {
	Files          view.Files
	Home, RealHome string   // RealHome is where Home leads
	Roots          []string // as given
	// Secrets and Guards are the lists of the rules.
	Secrets, Guards paths.List
	// Self are nod's own files and directories, by each name; found once.
	Self func() []Own

	agentDirs func() []agentDir
}

// New returns the machine. What takes long is looked up when it is asked for.
func New(o Options) *Machine {
	m := &Machine{
		Files: o.Files, Home: o.Home, Roots: o.Roots,
		Secrets: paths.New(o.Secrets, o.Home), Guards: paths.New(o.Guarded, o.Home),
	}
	m.RealHome = m.Real(o.Home)
	m.Self = sync.OnceValue(func() []Own { return m.Owned(o.Self) })
	m.agentDirs = sync.OnceValue(m.ownDirs)
	return m
}

// Workspace is the place of one call: its directory, its environment and its
// usable roots. What it has looked up it keeps, since several layers ask. It is
// not safe for concurrent use; see [Workspace.Apart].
type Workspace struct {
	Machine *Machine
	Dir     string   // where the call runs, "" where that is not known
	Environ []string // of the call
	Roots   []string // usable roots, real ([Machine.UsableRoots]); nil: the call has no workspace
	// Wrote reports whether the session made the file of a real path. nil: nothing is
	// known of that.
	Wrote func(real string) bool
	// Keeping collects what is kept before the call. nil: nothing is kept.
	Keeping *Keeping

	path     []string // PATH directories inside the roots, once looked
	looked   bool
	named    []reading             // where the call's paths lead
	repos    map[string]*repo.Repo // by directory, nil where there is none
	linked   []alias               // what aliases found; nil: not looked yet
	hooks    []string              // directories of git's hooks; nil: not looked yet
	settings map[string][]string   // texts of agents' settings, by root, once looked
}

// Apart is a copy that looks up for itself, for another goroutine.
func (w *Workspace) Apart() *Workspace {
	return &Workspace{Machine: w.Machine, Dir: w.Dir, Environ: w.Environ, Roots: w.Roots, Wrote: w.Wrote,
		Keeping: w.Keeping}
}
