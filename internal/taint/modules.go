package taint

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

const (
	// maxModules bounds how many directories of modules are looked into.
	maxModules = 64
	// maxModuleFile bounds the file of a module that is read.
	maxModuleFile = 1 << 20
)

// Modules says why a look-up of the modules that go.mod names is left open, "" if it is
// not: which names are asked for, and of whom, stands in files that the session has
// changed, or this very line, so that they can carry anything out.
func (c *Call) Modules(e shell.Effect) place.Objection {
	if e.Declared != "go.mod" {
		return ""
	}
	for _, name := range c.moduleFiles(e) {
		if c.changed(name) {
			return place.Objection("this asks the network for what " + printable.Text(name) +
				" names, which has changed: " + printable.Text(e.Words))
		}
	}
	return ""
}

// changed reports whether a file is another than the session began with. Where nobody
// remembers that, git says whether it is another than what was added.
func (c *Call) changed(name string) bool {
	for _, e := range c.Report.Effects {
		if (e.Kind == shell.Write || e.Kind == shell.Delete) && (e.Target == name || e.Target == "") &&
			e.Place != shell.Null {
			return true
		}
	}
	real := c.At.Machine.Real(name)
	if c.Session != nil {
		return c.Session.Origin(real) != ""
	}
	r, ok := c.At.Repository(real)
	return ok && r.Lost(real) != ""
}

// moduleFiles are the files that say which modules are looked for: in the directories
// above where the command runs, and in those that such a file names.
func (c *Call) moduleFiles(e shell.Effect) (names []string) {
	dirs := c.moduleDirs(e)
	for i := 0; i < len(dirs) && i < maxModules; i++ {
		for _, base := range [...]string{"go.mod", "go.sum", "go.work", "go.work.sum"} {
			name := path.Join(dirs[i], base)
			text, err := c.At.Machine.Files.Read(c.At.Machine.Real(name), maxModuleFile)
			if err != nil && !c.changed(name) {
				continue
			}
			names = append(names, name)
			for word := range strings.FieldsSeq(string(text)) {
				word = strings.Trim(word, "\"`()")
				if !strings.HasPrefix(word, ".") && !path.IsAbs(word) || strings.HasSuffix(base, ".sum") {
					continue
				}
				if !path.IsAbs(word) {
					word = path.Join(dirs[i], word)
				}
				if word = path.Clean(word); !slices.Contains(dirs, word) {
					dirs = append(dirs, word)
				}
			}
		}
	}
	for _, o := range c.Report.Effects { // -modfile
		if o.Kind == shell.Read && o.Command == e.Command && o.Target != "" {
			names = append(names, o.Target, strings.TrimSuffix(o.Target, ".mod")+".sum")
		}
	}
	return names
}

// moduleDirs are the directories from where a command runs up to the root.
func (c *Call) moduleDirs(e shell.Effect) (dirs []string) {
	start := c.At.Dir
	if e.Command >= 0 && e.Command < len(c.Report.Commands) {
		command := c.Report.Commands[e.Command]
		start = command.Dir
		for i, w := range command.Words {
			value, joined := strings.CutPrefix(w.Value, "-C=")
			if w.Value == "-C" && i+1 < len(command.Words) {
				value, joined = command.Words[i+1].Value, true
			}
			switch {
			case joined && path.IsAbs(value):
				start = value
			case joined:
				start = path.Join(start, value)
			}
		}
	}
	for dir := path.Clean(start); path.IsAbs(dir); dir = path.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == "/" {
			break
		}
	}
	return dirs
}
