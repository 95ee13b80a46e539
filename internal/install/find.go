package install

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	rows "github.com/nodgate/nod/internal/hosts"
)

// Presence says by what an agent shows on this machine.
type Presence struct {
	Agent string
	// Program is the absolute path of its program, "" where PATH has none.
	Program string
	// Config is its directory in the home directory, "" where there is none.
	Config string
}

// Find lists the agents that have a program in PATH or a directory in the home
// directory. It starts nothing.
func Find(home, path string) []Presence {
	var all []Presence
	for _, h := range hosts() {
		p := Presence{Agent: h.agent, Program: findProgram(h.programName(), path)}
		if dir := h.configDir(); dir != "" && filepath.IsAbs(home) {
			if info, err := os.Stat(filepath.Join(home, dir)); err == nil && info.IsDir() {
				p.Config = filepath.Join(home, dir)
			}
		}
		if p.Program != "" || p.Config != "" {
			all = append(all, p)
		}
	}
	return all
}

func (h host) programName() string { return cmp.Or(rows.ByName(h.agent).Program, h.agent) }

// configDir is the directory that holds a user's hooks, below home: one step
// down, two where that is everybody's or another agent's.
func (h host) configDir() string {
	parts := strings.Split(h.user, "/")
	most := 1
	if parts[0] == ".config" || len(parts) > 2 && sharesHome(h.agent, parts[0]) {
		most = 2
	}
	if len(parts) <= most {
		return ""
	}
	return filepath.Join(parts[:most]...)
}

// findProgram returns the first program of that name in a PATH, made
// absolute; "" if there is none. Relative elements are passed over: what they
// mean depends on the directory.
func findProgram(name, path string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		at := filepath.Join(dir, name)
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return at
		}
	}
	return ""
}

// sharesHome reports whether a directory is the first of another agent's own too.
func sharesHome(agent, dir string) bool {
	return slices.ContainsFunc(hosts(), func(h host) bool {
		own := rows.ByName(h.agent).Home
		return h.agent != agent && len(own) > 0 && own[0] == dir
	})
}
