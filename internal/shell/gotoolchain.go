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
func (ts *tasks) goToolchain(inv *invocation) {
	if chosen, ok := ts.machine.inherits("GOTOOLCHAIN"); ok && chosen == "local" || ts.out.away != "" ||
		ts.machine.env.Files == nil {
		return
	}
	if inv.st.dir == "" {
		ts.out.unknown(PartWords, inv.raw, "this runs go, and nod cannot tell which toolchain")
		return
	}
	dir := path.Clean(inv.st.dir)
	for range maxClimb {
		for _, name := range [...]string{"go.mod", "go.work"} {
			if ts.namesToolchain(strings.TrimSuffix(dir, "/") + "/" + name) {
				ts.out.does(Run, "toolchain", inv.raw)
				return
			}
		}
		if dir == "/" || slices.Contains(ts.machine.env.Roots, dir) {
			return
		}
		dir = path.Dir(dir)
	}
}

// namesToolchain reports whether a file has a toolchain line. One that exists
// and cannot be read may have.
func (ts *tasks) namesToolchain(name string) bool {
	if !ts.machine.exists(name) {
		return false
	}
	real, err := view.Resolve(ts.machine.env.Files, name)
	if err != nil {
		return true
	}
	ts.defs.settingsElsewhere(name, real)
	data, err := ts.machine.env.Files.Read(real, maxModule)
	if err != nil {
		info, lerr := ts.machine.env.Files.Lstat(real)
		return lerr != nil || !info.Mode.IsDir()
	}
	ts.defs.rests(real, data)
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		if f := strings.Fields(line); len(f) > 0 && strings.HasPrefix(f[0], "toolchain") &&
			!(len(f) == 2 && f[1] == "default") {
			return true
		}
	}
	return false
}

// goHome reports whether a verb of go asks for nothing but the modules that
// go.mod names, from where go fetches them if nobody says otherwise.
func (ts *tasks) goHome(inv *invocation, heading string) bool {
	switch heading {
	case "doc", "list", "mod graph", "mod why", "mod verify":
	default:
		return false
	}
	for _, name := range [...]string{"GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOINSECURE", "GOVCS",
		"GOFLAGS", "GOENV", "GOAUTH", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		if _, ok := ts.machine.inherits(name); ok || inv.st.lookup(name) != nil {
			return false
		}
	}
	for _, w := range inv.args {
		switch option := strings.TrimLeft(w.text, "-"); {
		case !w.known, w.many, w.glob > 0, strings.Contains(w.text, "@"), strings.HasPrefix(option, "http"),
			strings.HasPrefix(option, "versions"): // of any module, whose name is that of a host
			return false
		}
	}
	return true
}
