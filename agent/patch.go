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
// A file that is moved is an edit of both names. ok is false for everything else, so that a patch
// has one reading or none: the host is more lenient (it takes white space around markers), and what
// it would make of such a text is not guessed.
func readPatch(text string) (edits []nod.Edit, ok bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	last := len(lines) - 1
	if last < 2 || lines[0] != "*** Begin Patch" || lines[last] != "*** End Patch" ||
		strings.ContainsAny(text, "\r\x00") {
		return nil, false
	}
	for i := 1; i < last; {
		marker, _ := strings.CutPrefix(lines[i], "*** ")
		kind, name, named := strings.Cut(marker, " File: ")
		end := i + 1
		for end < last && !(strings.HasPrefix(lines[end], "*** ") && strings.Contains(lines[end], " File: ")) {
			end++
		}
		section, ok := patchSection(kind, name, lines[i+1:end])
		if !ok || !named || !plainName(name) || marker == lines[i] {
			return nil, false
		}
		edits, i = append(edits, section...), end
	}
	return edits, true
}

// plainName refuses a name that another reader may trim.
func plainName(name string) bool { return name != "" && strings.TrimSpace(name) == name }

// patchSection reads what a patch says of one file.
func patchSection(kind, name string, body []string) (edits []nod.Edit, ok bool) {
	switch kind {
	case "Add":
		var text strings.Builder
		for _, line := range body {
			if !strings.HasPrefix(line, "+") {
				return nil, false
			}
			text.WriteString(line[1:] + "\n")
		}
		return []nod.Edit{{Path: name, New: text.String(), Whole: true}}, true
	case "Delete":
		return []nod.Edit{{Path: name, Whole: true, Deletes: true}}, len(body) == 0
	case "Update":
		if len(body) > 0 && strings.HasPrefix(body[0], "*** Move to: ") {
			to := strings.TrimPrefix(body[0], "*** Move to: ")
			hunks, ok := patchHunks(to, body[1:]) // what the new name held is gone, and so is the old name
			return append([]nod.Edit{{Path: name, Whole: true, Moved: true}, {Path: to, Whole: true}}, hunks...),
				ok && plainName(to)
		}
		hunks, ok := patchHunks(name, body)
		if len(hunks) == 0 {
			hunks = []nod.Edit{{Path: name}}
		}
		return hunks, ok
	}
	return nil, false
}

func patchHunks(name string, body []string) (hunks []nod.Edit, ok bool) {
	var before, after strings.Builder
	open := false
	flush := func() {
		if open {
			hunks = append(hunks, nod.Edit{Path: name, Old: before.String(), New: after.String()})
		}
		before.Reset()
		after.Reset()
		open = true
	}
	for i, line := range body {
		op := " "
		if line != "" {
			op = line[:1]
		}
		rest := strings.TrimPrefix(line, op) + "\n"
		switch {
		case line == "*** End of File" && i > 0:
			continue
		case strings.HasPrefix(strings.TrimSpace(line), "***"): // the host may take it for a marker
			return nil, false
		case line == "@@" || strings.HasPrefix(line, "@@ "):
			flush()
			continue
		case !strings.Contains(" -+", op):
			return nil, false
		}
		open = true
		if op != "+" {
			before.WriteString(rest)
		}
		if op != "-" {
			after.WriteString(rest)
		}
	}
	if open {
		flush()
	}
	return hunks, true
}
