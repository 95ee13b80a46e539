package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// maxModule bounds how much of a go.mod or go.work is read.
const maxModule = 256 << 10

// maxClimb bounds how many directories are looked into for one.
const maxClimb = 64

// goToolchain reports the toolchain that the go command downloads and runs, in
// its own place, because a go.mod or go.work says so. Which version is
// installed is not known, so any toolchain line counts.
func (a *analysis) goToolchain(inv *invocation) {
	if chosen, ok := a.inherits("GOTOOLCHAIN"); ok && chosen == "local" || a.away != "" || a.env.Files == nil {
		return
	}
	if inv.st.dir == "" {
		a.unknown(PartWords, inv.raw, "which toolchain go runs is not known")
		return
	}
	dir := path.Clean(inv.st.dir)
	for range maxClimb {
		for _, name := range [...]string{"go.mod", "go.work"} {
			if a.namesToolchain(strings.TrimSuffix(dir, "/") + "/" + name) {
				a.does(Run, "toolchain", inv.raw)
				return
			}
		}
		if dir == "/" || slices.Contains(a.env.Roots, dir) {
			return
		}
		dir = path.Dir(dir)
	}
}

// namesToolchain reports whether a file has a toolchain line. One that exists
// and cannot be read may have.
func (a *analysis) namesToolchain(name string) bool {
	if !a.exists(name) {
		return false
	}
	real, err := view.Resolve(a.env.Files, name)
	if err != nil {
		return true
	}
	data, err := a.env.Files.Read(real, maxModule)
	if err != nil {
		info, lerr := a.env.Files.Lstat(real)
		return lerr != nil || !info.Mode.IsDir()
	}
	a.rests(real, data)
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		if f := strings.Fields(line); len(f) > 0 && strings.HasPrefix(f[0], "toolchain") && !(len(f) == 2 && f[1] == "default") {
			return true
		}
	}
	return false
}

// goHome reports whether a verb of go asks for nothing but the modules that
// go.mod names, from where go fetches them if nobody says otherwise.
func (u *use) goHome() bool {
	switch u.heading {
	case "doc", "generate", "list", "mod graph", "mod why", "mod verify":
	default:
		return false
	}
	for _, name := range [...]string{"GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOVCS", "GOFLAGS", "GOENV", "GOAUTH",
		"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		if _, ok := u.inherits(name); ok || u.inv.st.lookup(name) != nil {
			return false
		}
	}
	for _, w := range u.inv.args {
		if !w.known || w.many || w.glob > 0 || strings.Contains(w.text, "@") || strings.HasPrefix(strings.TrimLeft(w.text, "-"), "http") {
			return false
		}
	}
	return true
}
