package shell

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/view"
)

// Limits of what is read of the files that say what a line runs.
const (
	maxDefinition  = 64 << 20
	maxDefinitions = 48
	maxClimb       = 64 // directories above
)

// defined records a file, by its name, as a definition of the current command.
func (d *draft) defined(name string) {
	if d.machine.env.Files == nil {
		return
	}
	real, err := view.Resolve(d.machine.env.Files, name)
	if err != nil {
		d.define(path.Clean(name), "")
		return
	}
	if strings.Contains(real, "/node_modules/") {
		return // what is installed is nobody's definition
	}
	data, err := d.machine.env.Files.Read(real, maxDefinition)
	switch _, lerr := d.machine.env.Files.Lstat(real); {
	case err == nil:
		d.rests(real, data)
		d.define(real, digest(data))
	case errors.Is(lerr, fs.ErrNotExist):
		d.define(real, Absent)
	default:
		d.define(real, "")
	}
}

// define records what the current command is defined by. A definition over the limit
// counts as a definition that cannot be read.
func (d *draft) define(name, sum string) {
	one := Definition{Path: name, SHA256: sum, Command: d.command}
	list := d.report.Definitions
	if len(list) >= maxDefinitions {
		one.SHA256 = ""
	}
	if !slices.Contains(list, one) && len(list) < 2*maxDefinitions {
		d.report.Definitions = append(list, one)
	}
}

// task records the file in which a task runner finds what it runs: the nearest of
// these names, in the directory of the command or above. What is looked for before it,
// and is not there, is recorded as absent: who makes it decides what runs.
func (d *draft) task(names string, inv *invocation) {
	if d.machine.env.Files == nil || inv.st.dir == "" {
		return
	}
	dir, absent := path.Clean(inv.st.dir), []string(nil)
	for range maxClimb {
		for name := range strings.FieldsSeq(names) {
			file := path.Join(dir, name)
			if !d.machine.exists(file) {
				absent = append(absent, file)
				continue
			}
			for _, missing := range absent[:min(len(absent), maxAbsent)] {
				d.define(missing, Absent)
			}
			d.defined(file)
			return
		}
		if dir == "/" {
			return
		}
		dir = path.Dir(dir)
	}
}

const maxAbsent = 12 // bounds how many names are recorded that are looked for before a file

// unstable takes back the content of definitions that the line itself may change: what was read is not what will run.
func (d *draft) unstable() {
	for i, one := range d.report.Definitions {
		for _, e := range d.report.Effects {
			if (e.Kind == Write || e.Kind == Delete) && e.Place != Null && e.Place != Network &&
				(e.Target == "" || view.Within(d.machine.env.Files, e.Target, one.Path)) {
				d.report.Definitions[i].SHA256 = ""
			}
		}
	}
}

// rests records that the report rests on what a file says.
func (d *draft) rests(name string, data []byte) {
	e := Evidence{Path: name, SHA256: digest(data)}
	if !slices.Contains(d.report.Read, e) {
		d.report.Read = append(d.report.Read, e)
	}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
