package hosts

import "strings"

// People keep their settings in a repository, from which a manager puts them
// into place: as links (stow, rcm, dotbot), as copies (chezmoi), or built
// (home-manager, nix-darwin). What is written there runs once it is put in
// place, so it counts under the name that it will have.
//
// Sources: chezmoi.io/reference/source-state-attributes, the manuals of GNU
// stow, rcm, yadm and home-manager; the directories' names are usage.

// isDotfiles recognises the directory of such a repository by its name.
func isDotfiles(dir string) bool {
	switch dir {
	case "dots", ".dots", "rcfiles", ".rcfiles", "chezmoi", ".chezmoi", "yadm", "home-manager", "nixos", "nixos-config",
		"nix-config", "nix-darwin", "dotbot", ".homesick", "homeshick":
		return true
	}
	return len(dir) >= len("dotfiles") && strings.Contains(dir, "d") && strings.Contains(dir, "f") &&
		strings.Contains(strings.Map(unseparated, dir), "dotfiles")
}

// behindDotfiles is what of a path lies in a repository of dotfiles.
func behindDotfiles(name string) (below string, ok bool) {
	for below = strings.Trim(name, "/"); ; {
		dir, rest, more := strings.Cut(below, "/")
		if below = rest; !more || isDotfiles(dir) {
			return below, more
		}
	}
}

// unseparated drops what separates the words of a name.
func unseparated(r rune) rune {
	if r == '-' || r == '_' || r == '.' {
		return -1
	}
	return r
}

// chezmoi's words before a name; they may follow each other in its own order.
var attributes = []string{"private_", "executable_", "readonly_", "encrypted_", "exact_", "symlink_", "modify_",
	"create_", "empty_", "remove_", "external_", "literal_"}

// InPlace returns the names that a file of a repository of dotfiles may have
// once it is put into place, each with a slash before it; nil for any other
// file. name is absolute, in small letters.
func InPlace(name string) (names []string) {
	below, ok := behindDotfiles(name)
	if !ok {
		return nil
	}
	parts := strings.Split(below, "/")
	plain := make([]string, len(parts))
	for i, part := range parts {
		plain[i] = named(part)
	}
	names = append(names, "/"+strings.Join(plain, "/"))
	for i := range plain { // of a package of stow's, of rcm: zsh/zshrc
		rest := strings.Join(plain[i:], "/")
		names = append(names, "/."+rest, "/.config/"+rest, "/library/"+rest)
	}
	return names
}

// named is the name that chezmoi gives to what is called part in its source.
func named(part string) string {
	for again := true; again; {
		again = false
		for _, a := range attributes {
			if rest, ok := strings.CutPrefix(part, a); ok && rest != "" {
				part, again = rest, true
			}
		}
	}
	if rest, ok := strings.CutPrefix(part, "dot_"); ok {
		part = "." + rest
	}
	for _, end := range [...]string{".tmpl", ".literal", ".symlink", ".template"} {
		part = strings.TrimSuffix(part, end)
	}
	return part
}

// isSourced recognises what the files that shells start with take in by usage.
func isSourced(base string) bool {
	switch base {
	case "aliases", "alias", "functions", "exports", "path", "extra", "env", "variables", "options", "prompt":
		return true
	}
	for _, start := range [...]string{"bashrc", "bash_", "zshrc", "zshenv", "zprofile", "zlog", "profile", "kshrc",
		"cshrc", "inputrc", "gitconfig"} {
		if strings.HasPrefix(base, start) {
			return true
		}
	}
	for _, end := range [...]string{".zsh", ".bash", ".fish", ".nu", ".elv", ".tmux", ".vim", ".zsh-theme"} {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	return false
}

// RunsInPlace reports whether a file of a repository of dotfiles is run when it
// is put into place: a script of chezmoi's, what home-manager builds, a hook.
func RunsInPlace(name string) bool {
	if _, ok := behindDotfiles(name); !ok {
		return false
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	return isSourced(strings.TrimPrefix(named(base), ".")) || strings.HasPrefix(base, "run_") ||
		strings.HasPrefix(base, ".chezmoi") || strings.Contains(name, "/.chezmoi") || strings.HasSuffix(base, ".nix") ||
		base == ".stowrc" || base == ".rcrc" || strings.HasPrefix(base, "install.conf.") ||
		strings.Contains(name, "/yadm/bootstrap") || strings.Contains(name, "/yadm/hooks/")
}
