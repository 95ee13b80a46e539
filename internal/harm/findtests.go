package harm

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nodgate/nod/internal/paths"
	"github.com/nodgate/nod/internal/shell"
)

// findTests is what the expression of a find says of the names that it passes on: for
// each part between -o, the globs that a name must match. What else a part says only
// narrows, and is not looked at.
type findTests struct {
	parts    []findPart
	maxDepth int
}

// findPart is what stands between two -o.
type findPart struct {
	globs  []string
	prunes bool // it only says where find does not go
	acts   bool // what stands behind the action narrows nothing
}

func newFindTests(terms []shell.Term) *findTests {
	f := &findTests{maxDepth: maxBelow}
	part, not, opened := findPart{}, false, 0
	for i, t := range terms {
		switch t.Name {
		case "-maxdepth":
			if n, err := strconv.Atoi(t.Value.Value); err == nil && t.Value.Known {
				f.maxDepth = n
			}
		case "-name", "-iname":
			if t.Value.Known && !not && !part.acts {
				part.globs = append(part.globs, t.Name+" "+t.Value.Value)
			}
		case "-prune":
			if part.prunes = !part.acts; part.acts { // it passes on what it prunes
				break
			}
			for i > 0 && terms[i-1].Name == ")" && opened < len(f.parts) { // all of the alternatives
				f.parts[opened].prunes = true
				opened++
			}
		case "-print", "-print0", "-printf", "-ls", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0",
			"-fprintf", "-fls":
			if part.acts = true; part.prunes {
				for i := range f.parts {
					f.parts[i].prunes = false
				}
			}
		case "(":
			if opened = len(f.parts); not { // what is in there may be anything
				f.parts = append(f.parts, findPart{})
			}
		case "-o", "-or", ",":
			f.parts, part = append(f.parts, part), findPart{}
		}
		not = t.Name == "!" || t.Name == "-not"
	}
	f.parts = append(f.parts, part)
	return f
}

func (f *findTests) tooDeep(below string) bool { return strings.Count(below, "/") >= f.maxDepth }

// may reports whether find may pass on what lies below its start. A part that prunes
// passes on nothing where another does.
func (f *findTests) may(below string) bool {
	return slices.ContainsFunc(f.parts, func(p findPart) bool {
		return !(p.prunes && !p.acts && len(f.parts) > 1) && !slices.ContainsFunc(p.globs, func(glob string) bool {
			return !paths.MayPass(glob, path.Base(below))
		})
	})
}
