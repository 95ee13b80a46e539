package history

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/hosts"
)

// File is one transcript.
type File struct {
	Path  string
	Agent string // the adapter's name
	Size  int64
}

// Place is a directory in which an agent keeps its transcripts.
type Place struct{ Agent, Dir string }

// Places are those of a home directory. getenv reads the variables by which the
// agents move theirs.
func Places(home string, getenv func(string) string) (places []Place) {
	if !filepath.IsAbs(home) {
		return nil
	}
	for _, a := range recorded() {
		if a.Name == opencode {
			places = append(places, opencodePlaces(home, getenv)...)
			continue
		}
		base := filepath.Join(home, a.Home[0])
		if moved := getenv(a.HomeVariable); filepath.IsAbs(moved) {
			base = moved
		}
		for _, name := range a.Sessions {
			dir := filepath.Join(base, name)
			if below, ok := strings.CutPrefix(name, "~/"); ok {
				dir = filepath.Join(home, below)
			}
			if moved := getenv(a.SessionsVariable); filepath.IsAbs(moved) {
				dir = moved
			}
			places = append(places, Place{a.Name, dir})
		}
	}
	return places
}

// recorded are the agents whose transcripts are read.
func recorded() []hosts.Agent {
	return slices.DeleteFunc(hosts.Agents(), func(a hosts.Agent) bool { return len(a.Sessions) == 0 })
}

// Agents are the names of those, in order.
func Agents() (names []string) {
	for _, a := range recorded() {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}

// Find lists the transcripts. What cannot be listed is passed over and told in
// problems.
func Find(places []Place) (files []File, problems []string) {
	for _, p := range places {
		if p.Agent == opencode {
			files = append(files, opencodeStores(p.Dir)...)
			continue
		}
		found, wrong := below(p.Dir, p.Agent)
		files, problems = append(files, found...), append(problems, wrong...)
	}
	return files, problems
}

// below walks one directory. It does not follow links.
func below(dir, agent string) (files []File, problems []string) {
	filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name != dir {
				problems = append(problems, err.Error())
			}
			return nil
		}
		if info, err := d.Info(); err == nil && d.Type().IsRegular() && strings.HasSuffix(name, ".jsonl") {
			files = append(files, File{Path: name, Agent: agent, Size: info.Size()})
		}
		return nil
	})
	return files, problems
}
