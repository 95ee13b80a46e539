// Package ancestry says whether a coding agent is above a process: [Above] lists the processes above this one, [Peer]
// those that hold the other end of a connection with theirs above them, and [Agent] finds the agent among them.
//
// This stops accidents. An agent that means to can detach a process from itself and take its mark off; layer 0 and
// managed settings are what stands against that.
package ancestry

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
)

// Process is a process, as far as the system tells.
type Process struct {
	PID  int
	Name string // as the system lists it, often cut off at 15 bytes
	Exe  string // the program's file, "" where that may not be known
	Args []string
}

// ErrUnseen says that the system does not tell which process holds the other end of a connection: it is another
// user's, another machine's, or the system is not Linux.
var ErrUnseen = errors.New("the process at the other end of the connection cannot be seen")

// Marked returns the agent whose mark an environment bears, also where the process left its parent.
func Marked(getenv func(name string) string) (string, bool) {
	for _, a := range hosts.Agents() {
		for _, name := range a.Marks {
			if getenv(name) != "" {
				return a.Name + ", by " + name, true
			}
		}
	}
	return "", false
}

// Agent returns the first coding agent of a list.
func Agent(above []Process) (string, bool) {
	for _, a := range above {
		if name, ok := a.agent(); ok {
			return name, true
		}
	}
	return "", false
}

// agent returns the coding agent that the process is. An agent shows as its process name, as the program that was
// started, as the directory above "versions" (Claude Code installs itself so), or as the script or package that an
// interpreter runs.
func (a Process) agent() (string, bool) {
	candidates := []string{a.Name, path.Base(a.Exe)}
	if dir := path.Dir(a.Exe); path.Base(dir) == "versions" {
		candidates = append(candidates, path.Base(path.Dir(dir)))
	}
	if len(a.Args) > 0 {
		candidates = append(candidates, path.Base(a.Args[0]))
		if runsScripts(path.Base(a.Args[0])) || runsScripts(path.Base(a.Exe)) {
			candidates = append(candidates, script(a.Args[1:])...)
		}
	}
	names := hosts.Processes()
	for _, c := range candidates {
		if name := plainName(c); slices.Contains(names, name) {
			return name, true
		}
	}
	return "", false
}

// plainName takes off what a login shell, an installer or Windows puts around a name.
func plainName(s string) string {
	s = strings.ToLower(strings.TrimPrefix(s, "-"))
	for _, suffix := range []string{".exe", ".js", ".mjs", ".cjs", ".py", ".sh"} {
		s = strings.TrimSuffix(s, suffix)
	}
	return s
}

// runsScripts reports whether a program's arguments name what really runs.
func runsScripts(base string) bool {
	name := strings.TrimRight(plainName(base), "0123456789.")
	return slices.Contains([]string{"node", "nodejs", "bun", "deno", "python", "tsx", "electron"}, name)
}

// script returns the names under which an interpreter's script, or its packages, may be known.
func script(args []string) []string {
	var names []string
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		names = append(names, path.Base(arg))
		for _, dir := range []string{"/node_modules/", "/site-packages/"} {
			if _, inside, ok := strings.Cut(arg, dir); ok {
				names = append(names, strings.Split(inside, "/")...)
			}
		}
	}
	return names
}
