package hosts

import "strings"

// People keep their settings in a repository, from which a manager puts them into place (stow,
// rcm, dotbot, chezmoi, home-manager). What is written there runs once it is put in place.

// isDotfiles recognises the directory of such a repository by its name.
func isDotfiles(dir string) bool {
	switch dir {
	case "dots", ".dots", "rcfiles", ".rcfiles", "chezmoi", ".chezmoi", "yadm", "home-manager", "nixos", "nixos-config",
		"nix-config", "nix-darwin", "dotbot", ".homesick", "homeshick":
		return true
	}
	return strings.Contains(strings.NewReplacer("-", "", "_", "", ".", "").Replace(dir), "dotfiles")
}

// InDotfiles reports whether a file lies in a repository of dotfiles, and what of its path
// lies there. name is absolute, in small letters.
func InDotfiles(name string) (below string, ok bool) {
	for below = strings.Trim(name, "/"); ; {
		dir, rest, more := strings.Cut(below, "/")
		if below = rest; !more || isDotfiles(dir) {
			return below, more
		}
	}
}

// InPlace returns the names that a file of a repository of dotfiles may have at home, each
// with a slash before it; nil for any other file. name is absolute, in small letters.
func InPlace(name string) (names []string) {
	below, ok := InDotfiles(name)
	if !ok {
		return nil
	}
	// chezmoi's words before a name
	below = strings.NewReplacer("private_", "", "encrypted_", "", "readonly_", "", "dot_", ".").Replace(below)
	for rest, more := below, true; more; _, rest, more = strings.Cut(rest, "/") {
		names = append(names, "/"+rest, "/."+rest, "/.config/"+rest)
	}
	return names
}
