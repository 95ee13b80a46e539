package wiring

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/nodgate/nod/internal/hosts"
	"github.com/nodgate/nod/internal/paths"
)

// NameByte reports whether a byte may be part of a name, so that a name that
// ends before it is not the beginning of a longer name.
func NameByte(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// settingsNames are where agents are set up, and settingsKeys what silences their
// hooks, in small letters.
var (
	settingsNames = sync.OnceValue(func() paths.List { return paths.New(hosts.Settings(), "") })
	settingsKeys  = sync.OnceValue(func() (keys []string) {
		for _, a := range hosts.Agents() {
			for _, key := range a.Keys {
				if key = strings.ToLower(key); !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
		}
		return keys
	})
)

// IsSettings reports whether a path is where an agent's hooks are
// registered or silenced.
func IsSettings(real string) bool {
	last := paths.FoldName(path.Base(real))
	if last == "nod.js" {
		return settingsNames().Match(real)
	}
	for _, ext := range [...]string{".json", ".toml", ".jsonc"} {
		if strings.HasSuffix(last, ext) {
			return settingsNames().Match(real)
		}
	}
	return false
}
