package place

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// homeLink is a hidden name below home that is a link: ~/.zshrc in a home whose
// settings lie in a repository.
type homeLink struct {
	name string // below home, with a slash in front
	real string // where it leads
}

// maxHomeNames bounds how many names of a directory below home are looked at.
const maxHomeNames = 4096

// findHomeLinks looks at home and, since settings lie there too, into its hidden
// directories, but not deeper.
func (m *Machine) findHomeLinks() (links []homeLink) {
	if m.Home == "" {
		return nil
	}
	entries, _ := m.Files.Entries(m.Home, maxHomeNames) // what cannot be listed leads nowhere that is known
	for _, e := range entries {
		switch name := "/" + e.Name; {
		case !strings.HasPrefix(e.Name, "."):
		case e.Type&fs.ModeSymlink != 0:
			links = append(links, homeLink{name, m.Real(m.Home + name)})
		case e.Type.IsDir() && holdsSettings(e.Name):
			below, _ := m.Files.Entries(m.Home+name, maxHomeNames)
			for _, b := range below {
				if b.Type&fs.ModeSymlink != 0 {
					links = append(links, homeLink{name + "/" + b.Name, m.Real(m.Home + name + "/" + b.Name)})
				}
			}
		}
	}
	return links
}

// holdsSettings are the directories of home in which people link single files.
func holdsSettings(name string) bool {
	return slices.Contains([]string{".config", ".local", ".ssh", ".aws", ".kube", ".docker", ".gnupg", ".claude",
		".codex", ".gemini", ".qwen", ".copilot", ".cursor", ".vim", ".emacs.d"}, name)
}

// namesAtHome are the names below home by which a file of a workspace is used: a
// link there leads to it, or to a directory in which it lies. A link to the
// workspace itself, or above it, is a way to get there and no setting.
func (m *Machine) namesAtHome(real string) (names []string) {
	for _, link := range m.homeLinks() {
		if view.Below(link.real, real) && link.real != m.Home && link.real != m.RealHome &&
			!isRepositoryTop(m.Files, link.real) {
			names = append(names, link.name+strings.TrimPrefix(real, link.real))
		}
	}
	return names
}

func isRepositoryTop(files view.Files, dir string) bool {
	_, err := files.Lstat(path.Join(dir, ".git"))
	return err == nil
}
