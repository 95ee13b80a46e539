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

// definitions are the files that say what commands of the line run. nod reads none
// of them into harmlessness: it records what they hold, so that an approval is of
// that content.
type definitions struct {
	machine *machine
	out     *draft
}

// defined records a file, by its name, as a definition of the current command.
func (f *definitions) defined(name string) {
	if f.machine.env.Files == nil || f.out.away != "" {
		return
	}
	real, err := view.Resolve(f.machine.env.Files, name)
	if err != nil {
		f.define(path.Clean(name), "")
		return
	}
	if strings.Contains(real, "/node_modules/") {
		return // what is installed is nobody's definition
	}
	data, err := f.machine.env.Files.Read(real, maxDefinition)
	switch _, lerr := f.machine.env.Files.Lstat(real); {
	case err == nil:
		f.rests(real, data)
		f.define(real, digest(data))
	case errors.Is(lerr, fs.ErrNotExist):
		f.define(real, Absent)
	default:
		f.define(real, "")
	}
}

// define records what the current command is defined by. One of too many counts as
// one that cannot be read.
func (f *definitions) define(name, sum string) {
	d := Definition{Path: name, SHA256: sum, Command: f.out.command}
	list := f.out.report.Definitions
	if slices.Contains(list, d) || len(list) >= 2*maxDefinitions {
		return
	}
	if len(list) >= maxDefinitions {
		d.SHA256 = ""
	}
	f.out.report.Definitions = append(list, d)
}

// task records the file in which a task runner finds what it runs: the nearest of
// these names, in the directory of the command or above. What is looked for before it,
// and is not there, is recorded as absent: who makes it decides what runs.
func (f *definitions) task(names string, inv *invocation) {
	if f.machine.env.Files == nil || inv.st.dir == "" {
		return
	}
	dir, absent := path.Clean(inv.st.dir), []string(nil)
	for range maxClimb {
		for name := range strings.FieldsSeq(names) {
			file := path.Join(dir, name)
			if !f.machine.exists(file) {
				absent = append(absent, file)
				continue
			}
			for _, missing := range absent[:min(len(absent), maxAbsent)] {
				f.define(missing, Absent)
			}
			f.defined(file)
			return
		}
		if dir == "/" {
			return
		}
		dir = path.Dir(dir)
	}
}

// maxAbsent bounds how many names are recorded that are looked for before a file.
const maxAbsent = 12

// unstable takes back the content of definitions that the line itself may change:
// what was read is not what will run.
func (f *definitions) unstable() {
	for i, d := range f.out.report.Definitions {
		for _, e := range f.out.report.Effects {
			if (e.Kind == Write || e.Kind == Delete) && e.Place != Null && e.Place != Network &&
				(e.Target == "" || view.Within(f.machine.env.Files, e.Target, d.Path)) {
				f.out.report.Definitions[i].SHA256 = ""
			}
		}
	}
}

// rests records that the report rests on what a file says.
func (f *definitions) rests(name string, data []byte) {
	e := Evidence{Path: name, SHA256: digest(data)}
	if !slices.Contains(f.out.report.Read, e) {
		f.out.report.Read = append(f.out.report.Read, e)
	}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
