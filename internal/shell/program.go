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
	real    string
	foreign bool
	fault   string // why it is not known; "" if it is
}

// element is one directory of PATH.
type element struct {
	name    string
	real    string // "" if there is no such directory
	foreign bool
}

// find resolves a program name as the shell would, once for each name.
func (m *machine) find(name string, st state) program {
	if strings.IndexByte(name, '/') >= 0 {
		return m.findAt(name, st)
	}
	list, ok := m.inherits("PATH")
	if !ok || m.env.Files == nil {
		return program{name: name, fault: "this runs a program by name, and PATH is not known"}
	}
	for i := range m.programs {
		if p := &m.programs[i]; p.name == name {
			return *p
		}
	}
	p := m.search(name, list)
	p.name = name
	m.programs = append(m.programs, p)
	return p
}

func (m *machine) search(name, list string) program {
	relative := false
	for rest, more := list, true; more; {
		var dir string
		dir, rest, more = strings.Cut(rest, ":")
		if !path.IsAbs(dir) {
			relative = true
			continue
		}
		el := m.element(dir)
		if el.real != "" {
			if p, ok := m.executableNamed(el.real + "/" + name); ok {
				p.foreign = p.foreign || el.foreign || relative
				return p
			}
		}
	}
	if relative {
		return program{real: name, foreign: true}
	}
	if m.env.Brings != nil && slices.Contains(m.env.Brings(), name) {
		return program{real: "/usr/bin/" + name}
	}
	return program{fault: "this runs " + grammar.Escaped(name) + ", which is not on PATH"}
}

func (m *machine) element(dir string) element {
	for i := range m.elements {
		if m.elements[i].name == dir {
			return m.elements[i]
		}
	}
	el := element{name: dir}
	if real, err := view.Resolve(m.env.Files, dir); err == nil {
		if info, err := m.env.Files.Lstat(real); err == nil && info.Mode.IsDir() {
			el.real, el.foreign = real, m.writable(real, info)
		}
	}
	m.elements = append(m.elements, el)
	return el
}

// writable reports whether the agent or anyone else can put files into a directory, or change this file: it lies in a
// workspace or a temporary directory, everyone may write it, or a stranger owns it.
func (m *machine) writable(real string, info view.Info) bool {
	if info.Mode.Perm()&0o002 != 0 || IsTemporary(real) {
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
	return slices.ContainsFunc(m.env.Roots, func(root string) bool { return root != "" && view.Below(root, real) })
}

// executableNamed looks at the names that a program may have in a directory: on Windows with an ending.
func (m *machine) executableNamed(name string) (p program, ok bool) {
	endings := []string{""}
	if view.Windows(m.env.Files) {
		endings = []string{"", ".ps1", ".com", ".exe", ".bat", ".cmd", ".vbs", ".vbe", ".js", ".jse", ".wsf", ".wsh",
			".msc"}
	}
	for _, ending := range endings {
		if p, ok = m.executable(name + ending); ok {
			break
		}
	}
	return p, ok
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
	if info.Mode.Perm()&0o111 == 0 && !view.Windows(m.env.Files) {
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
	abs, ok := m.absolute(word{value: constant(name)}, st)
	real, err := "", error(nil)
	if ok && m.env.Files != nil {
		real, err = view.Resolve(m.env.Files, abs)
	}
	if real == "" || err != nil {
		return program{name: name, fault: "this runs " + grammar.Escaped(name) + ", wherever that lies"}
	}
	p, ok := m.executableNamed(real)
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
