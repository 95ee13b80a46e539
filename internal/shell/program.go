package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// program is what PATH makes of a name.
type program struct {
	name    string
	path    string // the PATH that was searched, or the directory of a name with a slash
	real    string
	foreign bool
	shim    bool   // a file beside the directory says which program it is
	fault   string // why it is not known; "" if it is
}

// element is one directory of PATH.
type element struct {
	name    string
	real    string // "" if there is no such directory
	foreign bool
}

// find resolves a program name as the shell would.
func (m *machine) find(name string, st state) program {
	if strings.IndexByte(name, '/') >= 0 {
		return m.findAt(name, st)
	}
	list, ok := m.searchPath(st)
	if !ok {
		return program{name: name, fault: "this runs a program by name, and PATH is not known"}
	}
	p := m.found(name, list)
	p.foreign = p.foreign || p.shim && namesPrograms(m, st.dir)
	return p
}

// found searches once for each name.
func (m *machine) found(name, list string) program {
	for i := range m.programs {
		if p := &m.programs[i]; p.name == name && p.path == list {
			return *p
		}
	}
	p := m.search(name, list)
	p.name, p.path = name, list
	m.programs = append(m.programs, p)
	return p
}

// namesPrograms reports whether a file of the directory or of any above, but for the
// home directory, may tell a version manager (asdf, mise, pyenv, rbenv, volta) to run a
// program at some path in place of an installed version: "nodejs path:./tools" in
// .tool-versions (read: asdf-vm.com, mise.jdx.dev).
func namesPrograms(m *machine, dir string) bool {
	if dir == "" {
		return true
	}
	for ; dir != m.env.Home; dir = path.Dir(dir) {
		for _, name := range [...]string{".tool-versions", ".python-version", ".ruby-version", ".node-version",
			".java-version", ".go-version", ".nvmrc"} {
			data, err := m.env.Files.Read(dir+"/"+name, maxHeeded)
			if slices.ContainsFunc(strings.Fields(string(data)), isPathVersion) ||
				err != nil && m.exists(dir+"/"+name) {
				return true
			}
		}
		for _, name := range [...]string{"mise.toml", ".mise.toml", "mise.local.toml", ".mise.local.toml",
			"mise/config.toml", ".config/mise.toml", ".rtx.toml"} {
			data, err := m.env.Files.Read(dir+"/"+name, maxHeeded)
			if mayHoldPath(string(data)) || err != nil && m.exists(dir+"/"+name) {
				return true
			}
		}
		for _, name := range [...]string{".mise", ".config/mise", ".prototools", ".volta"} {
			if m.exists(dir + "/" + name) {
				return true
			}
		}
		if dir == "/" {
			break
		}
	}
	return false
}

// searchPath is the PATH in force.
func (m *machine) searchPath(st state) (string, bool) {
	if b := st.lookup("PATH"); b != nil {
		return b.text, b.known
	}
	if m.env.Files == nil {
		return "", false
	}
	return m.inherits("PATH")
}

// isPathVersion reports whether what stands for a version is a path: lts/iron is none.
func isPathVersion(word string) bool {
	return strings.HasPrefix(word, "path:") || strings.Contains(word, "..") || word != "" &&
		strings.IndexByte("./~\\", word[0]) >= 0
}

// mayHoldPath reports whether settings of mise may name a path, or more than versions:
// path = "...", "path:...", _.source, an escape that spells either.
func mayHoldPath(text string) bool {
	return strings.Contains(text, "path") || strings.Contains(text, "_.") || strings.Contains(text, `\`)
}

func (m *machine) search(name, list string) program {
	relative, shadowed := false, false
	for rest, more := list, true; more; {
		var dir string
		dir, rest, more = strings.Cut(rest, ":")
		if !path.IsAbs(dir) || ofProcess(dir) {
			relative = true
			continue
		}
		el := m.element(dir)
		if el.real != "" {
			if p, ok := m.executable(el.real + "/" + name); ok {
				p.foreign, p.shim = p.foreign || el.foreign || relative || shadowed, path.Base(el.real) == "shims"
				return p
			}
			shadowed = shadowed || el.foreign && shadows(m, el.real, list)
		}
		if m.mayFill(dir, el) {
			return program{real: path.Clean(dir) + "/" + name, foreign: true}
		}
	}
	if relative {
		return program{real: name, foreign: true}
	}
	if slices.Contains(m.env.Brings, name) {
		return program{real: "/usr/bin/" + name}
	}
	return program{fault: "this runs " + grammar.Escaped(name) + ", which is not on PATH"}
}

// mayFill reports whether the line itself brought a directory into PATH that
// it could also make, or put programs into, before it uses it. What package
// managers bring (npm run) is apart: putting programs there is no new file of
// the project, but installed code.
func (m *machine) mayFill(dir string, el element) bool {
	if strings.HasSuffix(dir, "/node_modules/.bin") {
		return false
	}
	inherited, _ := m.inherits("PATH")
	for rest, more := inherited, true; more; {
		var known string
		if known, rest, more = strings.Cut(rest, ":"); known == dir {
			return false
		}
	}
	if el.real != "" {
		return el.foreign
	}
	_, place := m.place(dir)
	return place == Workspace || place == Temporary
}

func (m *machine) element(dir string) element {
	for i := range m.elements {
		if m.elements[i].name == dir {
			return m.elements[i]
		}
	}
	el := element{name: dir}
	info, err := m.env.Files.Lstat(path.Clean(dir))
	switch {
	case err != nil:
	case info.Mode.IsDir():
		el.real = path.Clean(dir)
	default:
		el.real, _ = view.Resolve(m.env.Files, dir)
		if info, err = m.env.Files.Lstat(el.real); err != nil || !info.Mode.IsDir() {
			el.real = ""
		}
	}
	if el.real != "" {
		el.foreign = m.writable(el.real, info)
	}
	m.elements = append(m.elements, el)
	return el
}

// writable reports whether the agent or anyone else can put files into a
// directory, or change this file: it lies in a workspace or a temporary
// directory, everyone may write it, or a stranger owns it.
func (m *machine) writable(real string, info view.Info) bool {
	if info.Mode.Perm()&0o002 != 0 || temporary(real) {
		return true
	}
	if info.UID != 0 {
		home, err := m.env.Files.Lstat(m.realHome())
		if m.env.Home == "" || err != nil || home.UID != info.UID {
			return true
		}
	}
	if tmp, ok := m.inherits("TMPDIR"); ok && path.IsAbs(tmp) && path.Clean(tmp) != "/" &&
		view.Below(path.Clean(tmp), real) {
		return true
	}
	for _, root := range m.env.Roots {
		if root != "" && view.Below(root, real) {
			return true
		}
	}
	return false
}

// executable looks at one candidate. ok is false if the shell would go on.
func (m *machine) executable(name string) (p program, ok bool) {
	info, err := m.env.Files.Lstat(name)
	if err != nil {
		return p, false
	}
	real := name
	if !info.Mode.IsRegular() {
		if real, err = view.Resolve(m.env.Files, name); err != nil {
			return p, false
		}
		if info, err = m.env.Files.Lstat(real); err != nil || !info.Mode.IsRegular() {
			return p, false
		}
	}
	if info.Mode.Perm()&0o111 == 0 {
		return p, false
	}
	p.real = real
	p.foreign = m.writable(real, info)
	if dir := path.Dir(real); dir != path.Dir(name) && !p.foreign {
		if info, err := m.env.Files.Lstat(dir); err == nil {
			p.foreign = m.writable(dir, info)
		}
	}
	return p, true
}

func (m *machine) findAt(name string, st state) program {
	abs, ok := absolute(word{value: constant(name)}, st)
	if !ok || m.env.Files == nil {
		return program{name: name,
			fault: "this runs " + grammar.Escaped(name) + ", and nod does not know where that lies"}
	}
	real, err := view.Resolve(m.env.Files, abs)
	if err != nil {
		return program{name: name,
			fault: "this runs " + grammar.Escaped(name) + ", and where that leads cannot be found out"}
	}
	p, ok := m.executable(real)
	p.name = name
	switch {
	case ok:
		if info, err := m.env.Files.Lstat(path.Dir(real)); err == nil && !p.foreign {
			p.foreign = m.writable(path.Dir(real), info)
		}
	case m.placeOf(real) == Workspace || m.placeOf(real) == Temporary:
		// It may be made before it runs.
		p.real, p.foreign = real, true
	default:
		p.fault = "this runs " + grammar.Escaped(name) + ", which is not there"
	}
	return p
}
