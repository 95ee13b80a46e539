package repo

import "strings"

// Setting is a line of a file of git's settings (git-config(1)).
type Setting struct {
	Name string // section.key or section.subsection.key, in lower case but for the subsection
	Text string // what stands behind the equals sign, as it is written; "" where none does
}

// Settings reads a file of git's settings. ok is false where a heading has no end; the
// list holds what stands before it. A line that may go on in the next, or end before in
// a comment, is there in both readings.
func Settings(text string) (list []Setting, ok bool) {
	section := ""
	for _, line := range configLines(strings.TrimPrefix(text, "\ufeff")) {
		for line = strings.TrimSpace(line); line != "" && line[0] == '['; {
			end := headingEnd(line)
			if end < 0 {
				return list, false
			}
			section, line = sectionName(line[1:end]), strings.TrimSpace(line[end+1:])
		}
		if line != "" && line[0] != '#' && line[0] != ';' {
			key, text, _ := strings.Cut(line, "=")
			name := section + "." + strings.ToLower(strings.TrimSpace(key))
			list = append(list, Setting{name, strings.TrimSpace(text)})
		}
	}
	return list, true
}

// Key is the last part of the name.
func (s Setting) Key() string { return s.Name[strings.LastIndexByte(s.Name, '.')+1:] }

// Value is what a setting means: without its quotes, and without the backslashes before
// those that belong to it. A comment behind it stays.
func (s Setting) Value() string {
	var b strings.Builder
	for i := 0; i < len(s.Text); i++ {
		switch {
		case s.Text[i] == '"':
		case s.Text[i] == '\\' && i+1 < len(s.Text):
			i++
			b.WriteByte(escaped(s.Text[i]))
		default:
			b.WriteByte(s.Text[i])
		}
	}
	return strings.TrimSpace(b.String())
}

func escaped(c byte) byte {
	switch c {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'b':
		return '\b'
	}
	return c
}

// maxJoined bounds how many lines are read as a single line.
const maxJoined = 64

// configLines are the lines of a configuration file. A line that ends in a backslash
// goes on in the next, but not where the backslash stands in a comment: a line that
// may hold a comment is here with what follows it, and what follows stands alone too.
func configLines(text string) (lines []string) {
	physical := strings.Split(text, "\n")
	for i := 0; i < len(physical); i++ {
		whole, next := strings.TrimSuffix(physical[i], "\r"), i+1
		for ; strings.HasSuffix(whole, "\\") && next < min(len(physical), i+maxJoined); next++ {
			whole = strings.TrimSuffix(whole, "\\") + strings.TrimSuffix(physical[next], "\r")
		}
		lines = append(lines, whole)
		if !strings.ContainsAny(whole, "#;") {
			i = next - 1
		}
	}
	return lines
}

// headingEnd returns where the heading that a line begins with ends, -1 if
// nowhere. A bracket in quotes belongs to the name.
func headingEnd(line string) int {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case quoted && line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ']' && !quoted:
			return i
		}
	}
	return -1
}

// sectionName turns `remote "origin"` into remote.origin.
func sectionName(heading string) string {
	name, sub, ok := strings.Cut(heading, " ")
	if !ok {
		return strings.ToLower(strings.TrimSpace(heading))
	}
	return strings.ToLower(name) + "." + strings.Trim(strings.TrimSpace(sub), `"`)
}

// HooksPaths are what the repository's settings say of core.hooksPath.
func (r *Repo) HooksPaths() (dirs []string) {
	text, err := r.files.Read(r.Common+"/config", 256<<10)
	if err != nil {
		return nil
	}
	settings, _ := Settings(string(text))
	for _, s := range settings {
		if s.Name == "core.hookspath" {
			dirs = append(dirs, s.Value())
		}
	}
	return dirs
}
