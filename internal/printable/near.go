package printable

import "strings"

// Near returns text with absolute names as a person at work there would write them: what lies in the
// first of roots by its name below it, what lies below home with ~. Further roots keep their names,
// so that two files never share one.
func Near(text string, roots []string, home string) string {
	if !strings.Contains(text, "/") {
		return text
	}
	if len(roots) > 0 {
		text = replaced(text, roots[0], "", ".")
	}
	return replaced(text, home, "~/", "~")
}

// replaced writes names in text that lie below dir with inside in front, and dir
// as self. A name that only begins alike, or goes on in another, stays.
func replaced(text, dir, inside, self string) string {
	if len(dir) < 2 || dir[0] != '/' || strings.HasSuffix(dir, "/") || !strings.Contains(text, dir) {
		return text
	}
	var b strings.Builder
	before := byte(' ')
	for i := strings.Index(text, dir); i >= 0; i = strings.Index(text, dir) {
		if i > 0 {
			before = text[i-1]
		}
		b.WriteString(text[:i])
		text = text[i+len(dir):]
		switch starts := endsName(before); {
		case starts && len(text) > 1 && text[0] == '/' && text[1] != '/' && !endsName(text[1]):
			b.WriteString(inside)
			text = text[1:]
		case starts && (text == "" || text[0] == '/' || endsName(text[0])):
			b.WriteString(self)
		default:
			b.WriteString(dir)
		}
		before = dir[len(dir)-1]
	}
	return b.String() + text
}

// endsName reports whether a name cannot go on with a byte: what stands between
// words of a sentence or of a command line.
func endsName(c byte) bool { return strings.IndexByte(" \t\n\"'`=,;:()|&<>{}", c) >= 0 }
