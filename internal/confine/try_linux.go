//go:build amd64 || arm64

package confine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Try runs a line behind the boundary, in a workspace made for it below the home directory. nil: the boundary can be
// made, and holds what it says about the network and the workspace.
func Try(ctx context.Context, home string) error {
	cache := filepath.Join(home, ".cache/nod/confine")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	root, err := os.MkdirTemp(cache, "try")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	space := filepath.Join(root, "workspace")
	if err := os.Mkdir(space, 0o700); err != nil {
		return err
	}
	o := Options{Line: tryLine, Dir: space, Root: space, Home: home, Cache: filepath.Join(root, "cache"),
		Keep: func(string, bool) string { return "" }}
	result, err := Run(ctx, o)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(space, "made")); err != nil || result.Code != 7 {
		return fmt.Errorf("%w: a line that was tried ended with %d, and what it wrote is not there", ErrUnavailable,
			result.Code)
	}
	return nil
}

// tryLine fails where there is an interface beside the loopback.
const tryLine = `test "$(grep -c : /proc/net/dev)" -le 1 || exit 1; echo x > made && exit 7`
