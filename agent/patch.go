package agent

import (
	"strings"

	"github.com/nodgate/nod"
)

// readPatch reads the text of apply_patch (Codex 0.169.0 and those that took
// the format over) into the files that it changes:
//
//	*** Begin Patch
//	*** Add File: NAME           lines that begin with +
//	*** Delete File: NAME
//	*** Update File: NAME        hunks: @@, and lines that begin with a
//	*** Move to: NAME            blank, - or +
//	*** End Patch
//
// A file that is moved is an edit of both names. ok is false for everything
// else, so that a patch has one reading or none: the host is more lenient (it
// takes white space around markers), and what it would make of such a text is
// not guessed.
func readPatch(text string) (edits []nod.Edit, ok bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 3 || lines[0] != "*** Begin Patch" || lines[len(lines)-1] != "*** End Patch" {
		return nil, false
	}
	var p patchReader
	for _, line := range lines[1 : len(lines)-1] {
		if !p.line(line) {
			return nil, false
		}
	}
	p.close()
	return p.edits, len(p.edits) > 0
}

// patchReader collects the section of one file.
type patchReader struct {
	edits    []nod.Edit
	kind     string // "Add", "Delete", "Update" or ""
	name, to string
	hunks    []nod.Edit // of Update; Path is filled in at the end
	old, new strings.Builder
	inHunk   bool
	body     bool // a line of the section's body was read
}

func (p *patchReader) line(line string) bool {
	if strings.ContainsAny(line, "\r\x00") {
		return false
	}
	if marker, isMarker := strings.CutPrefix(line, "*** "); isMarker {
		return p.marker(marker)
	}
	if strings.HasPrefix(strings.TrimSpace(line), "***") {
		return false // the host may take it for a marker
	}
	p.body = true
	switch {
	case p.kind == "Add" && strings.HasPrefix(line, "+"):
		p.new.WriteString(line[1:] + "\n")
		return true
	case p.kind != "Update":
		return false
	case line == "@@" || strings.HasPrefix(line, "@@ "):
		p.flush()
		p.inHunk = true
		return true
	}
	p.inHunk = true
	return p.hunkLine(line)
}

// flush ends a hunk.
func (p *patchReader) flush() {
	if p.inHunk {
		p.hunks = append(p.hunks, nod.Edit{Old: p.old.String(), New: p.new.String()})
	}
	p.inHunk = false
	p.old.Reset()
	p.new.Reset()
}

func (p *patchReader) hunkLine(line string) bool {
	op, rest := byte(' '), ""
	if line != "" {
		op, rest = line[0], line[1:]
	}
	switch op {
	case ' ':
		p.old.WriteString(rest + "\n")
		p.new.WriteString(rest + "\n")
	case '-':
		p.old.WriteString(rest + "\n")
	case '+':
		p.new.WriteString(rest + "\n")
	default:
		return false
	}
	return true
}

func (p *patchReader) marker(marker string) bool {
	if marker == "End of File" {
		return p.kind == "Update" && p.body
	}
	if to, isMove := strings.CutPrefix(marker, "Move to: "); isMove {
		first := p.kind == "Update" && !p.body && p.to == ""
		p.to = to
		return first && plainName(to)
	}
	kind, name, found := strings.Cut(marker, " File: ")
	if !found || kind != "Add" && kind != "Delete" && kind != "Update" || !plainName(name) {
		return false
	}
	p.close()
	*p = patchReader{edits: p.edits, kind: kind, name: name}
	return true
}

// plainName refuses a name that another reader may trim.
func plainName(name string) bool { return name != "" && strings.TrimSpace(name) == name }

// close ends the section of a file.
func (p *patchReader) close() {
	switch p.kind {
	case "Add":
		p.edits = append(p.edits, nod.Edit{Path: p.name, New: p.new.String(), Whole: true})
	case "Delete":
		p.edits = append(p.edits, nod.Edit{Path: p.name, Whole: true, Deletes: true})
	case "Update":
		p.flush()
		p.update()
	}
}

func (p *patchReader) update() {
	name := p.name
	if p.to != "" { // what the new name held is gone, and so is the old name
		p.edits = append(p.edits, nod.Edit{Path: p.name, Whole: true, Moved: true}, nod.Edit{Path: p.to, Whole: true})
		name = p.to
	}
	for _, h := range p.hunks {
		h.Path = name
		p.edits = append(p.edits, h)
	}
	if p.to == "" && len(p.hunks) == 0 {
		p.edits = append(p.edits, nod.Edit{Path: name})
	}
}
