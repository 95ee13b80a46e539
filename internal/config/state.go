package config

import (
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/nodgate/nod/internal/view"
)

// EnsureState makes p.State, mode 0700, with its parents, and refuses one
// that is a link, is somebody else's, may be used by others, or lies in a
// workspace (p.Root or one of roots, real paths). The error says what to do.
func EnsureState(p Places, roots []string) error {
	if !path.IsAbs(p.State) {
		return fmt.Errorf("the state directory %q is not absolute; name one, or set HOME", p.State)
	}
	if p.Files == nil {
		p.Files = view.Disk{}
	}
	real, err := view.Resolve(p.Files, p.State)
	if err != nil {
		return fmt.Errorf("%s cannot be followed: %w", shown(p.State), plain(err))
	}
	if root := p.workspaceRoot(); root != "" {
		roots = append([]string{root}, roots...)
	}
	if root, ok := p.inside(roots, real); ok {
		return fmt.Errorf("the state directory %s lies in the workspace %s, where an agent may write; start "+
			"in another directory", shown(p.State), shown(root))
	}
	if err := os.MkdirAll(p.State, 0o700); err != nil {
		return err
	}
	return CheckState(p)
}

// CheckState refuses a state directory that is not there, is a link, is
// somebody else's, or may be used by others.
func CheckState(p Places) error {
	if p.Files == nil {
		p.Files = view.Disk{}
	}
	info, err := p.Files.Lstat(p.State)
	switch {
	case err != nil:
		return fmt.Errorf("state directory %s: %w", shown(p.State), plain(err))
	case info.Mode&fs.ModeSymlink != 0:
		return fmt.Errorf("state directory %s is a link; put a directory there", shown(p.State))
	case !info.Mode.IsDir():
		return fmt.Errorf("state directory %s is no directory; remove what is there", shown(p.State))
	}
	if err := checkPrivate(p.State, info, p.UID); err != nil {
		return fmt.Errorf("state directory %s: %w", shown(p.State), err)
	}
	return nil
}
