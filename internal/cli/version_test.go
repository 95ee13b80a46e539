//go:build unix

package cli

import (
	"runtime/debug"
	"testing"
)

// What a build says of itself is on a second line: a checkout its revision and date, the module cache its version.
func TestBuilt(t *testing.T) {
	set := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	vcs := []debug.BuildSetting{set("vcs.revision", "0123456789abcdef"), set("vcs.time", "2026-11-29T20:00:00Z")}
	for want, info := range map[string]*debug.BuildInfo{
		"": {},
		"revision 0123456789ab of 2026-11-29T20:00:00Z\n": {Settings: vcs},
		"revision 0123456789ab of 2026-11-29T20:00:00Z, with changes\n": {
			Settings: append(vcs[:2:2], set("vcs.modified", "true"))},
		"module v0.2.0\n": {Main: debug.Module{Version: "v0.2.0", Sum: "h1:x"}},
	} {
		if got := built(info); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := built(nil); got != "" {
		t.Errorf("%q of no record", got)
	}
}
