//go:build unix

package cli

import (
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/version"
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

// The newest release is where the address leads, and nothing that looks otherwise.
func TestNewestRelease(t *testing.T) {
	for location, want := range map[string]string{
		"/releases/tag/v" + version.String(): "It is the newest release.",
		"https://x/nod/releases/tag/v9.9.0":  "The newest release is 9.9.0.",
		"/releases":                          "names none.",
		"/releases/tag/v9.9.0; rm -rf":       "names none.",
		"":                                   "names none.",
	} {
		asked := ""
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked += r.Method + r.URL.String()
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusFound)
		}))
		if got := released(t.Context(), srv.URL+"/latest"); !strings.HasSuffix(got, want) || asked != "HEAD/latest" {
			t.Errorf("%q: %s, asked %s", location, got, asked)
		}
		srv.Close()
	}
}
