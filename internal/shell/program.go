package shell

import (
	"path"
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
	fault   string // why it is not known; "" if it is
}

// element is one directory of PATH.
type element struct {
	name    string
	real    string // "" if there is no such directory
	foreign bool
}

// find resolves a program name as the shell would.
func (a *analysis) find(name string, st state) program {
	if strings.IndexByte(name, '/') >= 0 {
		return a.findAt(name, st)
	}
	list, ok := a.searchPath(st)
	if !ok {
		return program{name: name, fault: "PATH is not known"}
	}
	for i := range a.programs {
		if p := &a.programs[i]; p.name == name && p.path == list {
			return *p
		}
	}
	p := a.search(name, list)
	p.name, p.path = name, list
	a.programs = append(a.programs, p)
	return p
}

// searchPath is the PATH in force.
func (a *analysis) searchPath(st state) (string, bool) {
	if b := st.lookup("PATH"); b != nil {
		return b.text, b.known
	}
	if a.env.Files == nil {
		return "", false
	}
	return a.inherits("PATH")
}

func (a *analysis) search(name, list string) program {
	relative := false
	for rest, more := list, true; more; {
		var dir string
		dir, rest, more = strings.Cut(rest, ":")
		if !path.IsAbs(dir) {
			relative = true
			continue
		}
		el := a.element(dir)
		if el.real != "" {
			if p, ok := a.executable(el.real + "/" + name); ok {
				p.foreign = p.foreign || el.foreign || relative
				return p
			}
		}
		if a.mayFill(dir, el) {
			return program{real: path.Clean(dir) + "/" + name, foreign: true}
		}
	}
	if relative {
		return program{real: name, foreign: true}
	}
	return program{fault: grammar.Escaped(name) + " is not on PATH"}
}

// mayFill reports whether the line itself brought a directory into PATH that
// it could also make, or put programs into, before it uses it. What package
// managers bring (npm run) is apart: putting programs there is no new file of
// the project, but installed code.
func (a *analysis) mayFill(dir string, el element) bool {
	if strings.HasSuffix(dir, "/node_modules/.bin") {
		return false
	}
	inherited, _ := a.inherits("PATH")
	for rest, more := inherited, true; more; {
		var known string
		if known, rest, more = strings.Cut(rest, ":"); known == dir {
			return false
		}
	}
	if el.real != "" {
		return el.foreign
	}
	_, place := a.place(dir)
	return place == Workspace || place == Temporary
}

func (a *analysis) element(dir string) element {
	for i := range a.elements {
		if a.elements[i].name == dir {
			return a.elements[i]
		}
	}
	el := element{name: dir}
	info, err := a.env.Files.Lstat(path.Clean(dir))
	switch {
	case err != nil:
	case info.Mode.IsDir():
		el.real = path.Clean(dir)
	default:
		el.real, _ = view.Resolve(a.env.Files, dir)
		if info, err = a.env.Files.Lstat(el.real); err != nil || !info.Mode.IsDir() {
			el.real = ""
		}
	}
	if el.real != "" {
		el.foreign = a.writable(el.real, info)
	}
	a.elements = append(a.elements, el)
	return el
}

// writable reports whether the agent or anyone else can put files into a
// directory, or change this file: it lies in a workspace or a temporary
// directory, everyone may write it, or a stranger owns it.
func (a *analysis) writable(real string, info view.Info) bool {
	if info.Mode.Perm()&0o002 != 0 || temporary(real) {
		return true
	}
	if info.UID != 0 {
		home, err := a.env.Files.Lstat(a.realHome())
		if a.env.Home == "" || err != nil || home.UID != info.UID {
			return true
		}
	}
	if tmp, ok := a.inherits("TMPDIR"); ok && path.IsAbs(tmp) && path.Clean(tmp) != "/" && view.Below(path.Clean(tmp), real) {
		return true
	}
	for _, root := range a.env.Roots {
		if root != "" && view.Below(root, real) {
			return true
		}
	}
	return false
}

// executable looks at one candidate. ok is false if the shell would go on.
func (a *analysis) executable(name string) (p program, ok bool) {
	info, err := a.env.Files.Lstat(name)
	if err != nil {
		return p, false
	}
	real := name
	if !info.Mode.IsRegular() {
		if real, err = view.Resolve(a.env.Files, name); err != nil {
			return p, false
		}
		if info, err = a.env.Files.Lstat(real); err != nil || !info.Mode.IsRegular() {
			return p, false
		}
	}
	if info.Mode.Perm()&0o111 == 0 {
		return p, false
	}
	p.real = real
	p.foreign = a.writable(real, info)
	if dir := path.Dir(real); dir != path.Dir(name) && !p.foreign {
		if info, err := a.env.Files.Lstat(dir); err == nil {
			p.foreign = a.writable(dir, info)
		}
	}
	return p, true
}

func (a *analysis) findAt(name string, st state) program {
	abs, ok := a.absolute(word{value: constant(name)}, st)
	if !ok || a.env.Files == nil {
		return program{name: name, fault: "where " + grammar.Escaped(name) + " lies is not known"}
	}
	real, err := view.Resolve(a.env.Files, abs)
	if err != nil {
		return program{name: name, fault: grammar.Escaped(name) + " cannot be resolved"}
	}
	p, ok := a.executable(real)
	p.name = name
	switch {
	case ok:
		if info, err := a.env.Files.Lstat(path.Dir(real)); err == nil && !p.foreign {
			p.foreign = a.writable(path.Dir(real), info)
		}
	case a.placeOf(real) == Workspace || a.placeOf(real) == Temporary:
		// It may be made before it runs.
		p.real, p.foreign = real, true
	default:
		p.fault = grammar.Escaped(name) + " is no program that exists"
	}
	return p
}
