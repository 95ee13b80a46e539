// Package confine runs a command line where it can harm the workspace alone: behind a boundary that the kernel
// holds against any code. docs/confine.md has the details.
//
// bubblewrap makes the boundary: namespaces of its own, no capability, no further user namespaces, a session of its
// own, and a filter of system calls ([filter]). The network is a loopback that leads nowhere.
//
// Nothing of the real file system is bound into it, since a bind, read-only or not, would let a program connect to a
// socket. What can be seen (the system, toolchains, caches of package managers, the workspace) is seen through
// overlays, and writes go to a layer of the run's own. Devices and bubblewrap's own program are on mounts that are
// read-only in the run's namespace. Secrets are taken out by a layer of whiteouts, so that they are not there;
// neither are home, /tmp, /run, /var and other processes.
//
// When all its processes have ended, the workspace's layer is applied to the real tree, name by name, below an open
// directory, with no link followed. Not applied, and named: what [Options.Keep] refuses, what was changed from
// outside meanwhile, links that lead out, devices, sockets. The layers over the caches are kept for the next run in
// the same workspace and are seen by confined runs only.
//
// Where the boundary cannot be made [Run] says why and has run nothing; there is no run with less. The processor and
// the disk of the home directory are not bounded.
package confine

import (
	_ "embed"
	"errors"
	"os"
	"slices"
	"strings"
	"time"
)

// Options say what is run and where. Every zero value is the strictest or an error.
type Options struct {
	Line string // the command line, for Shell
	// Shell runs it, absolute. "": /bin/sh.
	Shell string
	// Dir is where it starts and Root the workspace, both absolute and real. Dir lies in Root.
	Dir, Root string
	// Home is the home directory, absolute. It is hidden, but for toolchains.
	Home    string
	Environ []string // the environment of the caller; [Environment] says what stays
	Cache   string   // the directory that belongs to confine, absolute, on a file system with extended attributes
	// Settle finds out what the settings say, beside what takes the disk a while, and sets Stores, Hidden, Before and
	// Keep by it. With an error nothing is run. nil: they are set.
	Settle func(o *Options) error
	Stores []string // files and directories outside of the workspace that are not there for the run, absolute
	// Hidden says that a file or directory of the workspace, by its real path,
	// is not there for the run. nil hides nothing.
	Hidden func(path string) bool
	// Before is told, before anything is applied, which real files that may replace or
	// remove, so that they can be kept. nil: nobody is.
	Before func(names []string)
	// Keep says why what the run wrote at a real path of the workspace is not applied, "" if it is. nil applies
	// nothing. deletes says that the path is to go.
	Keep func(path string, deletes bool) (why string)
	// Repository is the git directory of a linked working tree, which is shown to be
	// read. "": the workspace has its own, or none.
	Repository string
	// Bubblewrap is bubblewrap's program. "": [Find].
	Bubblewrap string
	// Stdin, Stdout and Stderr are the run's. nil is /dev/null.
	Stdin, Stdout, Stderr *os.File
}

// Result is what became of a run.
type Result struct {
	Code int // the exit code; 128 and the signal where one ended the shell
	// Refused are names that the run changed and that are as they were.
	Refused []Refusal
	Stopped string   // says which bound ended the run, "" if none did
	Missed  []string // what a run that failed seems to have wanted and did not get, as far as its output tells
	Hidden  []string // the names of the workspace that were not there for the run
}

// Refusal is a name of the workspace that stays as it was.
type Refusal struct {
	Name string // below the workspace
	Why  string
}

// ErrUnavailable says that the boundary cannot be made here. Nothing ran.
var ErrUnavailable = errors.New("nothing can be confined here")

// ErrNotKept says that the line ran and that nothing of what it wrote was applied.
var ErrNotKept = errors.New("the line was run, and nothing that it wrote was kept")

const maxTime = time.Hour // how long a run may go on

//go:embed names.txt
var lists string

// names are those of a list in names.txt.
func names(list string) (all []string) {
	_, rest, _ := strings.Cut(lists, "\n"+list+":\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	return strings.Fields(text)
}

// Environment returns the variables that a run gets. They have names on a list, and say how programs behave; no
// program loads code or takes a key from them. A variable of another name may be a key. Package managers are told
// that there is no network, so that they say so at once.
func Environment(environ []string, home string) []string {
	out, known, flags := []string(nil), names("variables"), Variable(environ, "GOFLAGS")
	if strings.Contains(flags, "exec") { // starts other programs
		flags = ""
	}
	for _, kv := range environ {
		name, value, ok := strings.Cut(kv, "=")
		if ok && passes(known, name) && !speaksOfKeys(name) && !strings.Contains(value, "@") {
			out = append(out, kv)
		}
	}
	return append(out, "HOME="+home, "TMPDIR=/tmp", "NOD_CONFINED=1",
		"GOPROXY=off", "GOFLAGS="+flags, "npm_config_offline=true", "npm_config_update_notifier=false",
		"npm_config_fund=false", "npm_config_audit=false",
		"PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "UV_OFFLINE=1", "CARGO_NET_OFFLINE=true",
		"COREPACK_ENABLE_NETWORK=0", "HOMEBREW_NO_AUTO_UPDATE=1")
}

// passes reports whether a variable is in a list. A name that ends in * is a beginning.
func passes(list []string, name string) bool {
	return slices.ContainsFunc(list, func(known string) bool {
		begin, open := strings.CutSuffix(known, "*")
		return name == known || open && strings.HasPrefix(name, begin)
	})
}

// speaksOfKeys reports whether a name is that of a key, although the beginning of the name passes.
func speaksOfKeys(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSW", "KEY", "AUTH", "CREDENTIAL"},
		func(w string) bool { return strings.Contains(name, w) })
}

// Variable returns a variable of an environment; the last one counts.
func Variable(environ []string, name string) string {
	for _, kv := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}
