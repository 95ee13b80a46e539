package place

import (
	"io/fs"
	"path"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// homeLink is a name below home that is a link: ~/.zshrc in a home whose settings lie
// in a repository.
type homeLink struct {
	name string // below home, with a slash in front
	real string // where it leads
}

// maxHomeNames bounds how many names of a directory below home are looked at.
const maxHomeNames = 4096

// findHomeLinks looks at the hidden names of home, and into the directories there in
// which people link what is theirs.
func (m *Machine) findHomeLinks() (links []homeLink) {
	if m.Home == "" {
		return nil
	}
	for _, dir := range append([]string{""}, linkedDirectories()...) {
		entries, _ := m.Files.Entries(m.Home+dir, maxHomeNames) // most are not there
		for _, e := range entries {
			name := dir + "/" + e.Name
			if e.Type&fs.ModeSymlink != 0 && (dir != "" || strings.HasPrefix(e.Name, ".")) {
				links = append(links, homeLink{name, m.Real(m.Home + name)})
			}
		}
	}
	return links
}

// linkedDirectories are those below home in which people link single files and
// directories into a repository: settings, keys, programs, and what agents take.
func linkedDirectories() []string {
	return []string{"/bin", "/.local", "/.local/bin", "/.local/state/nod", "/.ssh", "/.aws", "/.kube", "/.docker",
		"/.gnupg", "/.cargo", "/.vim", "/.emacs.d", "/.config", "/.config/nod", "/.config/git", "/.config/git/hooks",
		"/.config/systemd/user", "/.config/autostart", "/.config/environment.d", "/.config/fish",
		"/.config/fish/conf.d", "/.config/fish/functions", "/.config/nvim", "/.config/emacs", "/.config/tmux",
		"/.config/direnv", "/.config/mise", "/.config/zsh", "/.config/pip", "/.config/opencode",
		"/.config/opencode/plugin", "/.claude", "/.claude/agents", "/.claude/commands", "/.claude/skills",
		"/.claude/hooks", "/.claude/output-styles", "/.claude/plugins", "/.codex", "/.codex/prompts", "/.codex/skills",
		"/.codex/rules", "/.gemini", "/.gemini/commands", "/.gemini/extensions", "/.gemini/policies", "/.qwen",
		"/.copilot", "/.copilot/agents", "/.copilot/skills", "/.cursor", "/.agents/skills", "/.pi/agent/extensions"}
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
