package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// maxHeeded bounds how much of a file that a program heeds is read.
const maxHeeded = 256 << 10

// heed reports what the directive heeds of a sheet names: files and variables
// that can make the program run, load or change what its arguments do not say.
func (u *use) heed() {
	if u.heeds == "" || u.out.away != "" {
		return
	}
	if u.machine.env.Files == nil || u.inv.st.dir == "" {
		u.out.unknown(PartWords, u.inv.raw, "what "+u.sheet.name+" finds where it runs is not known")
		return
	}
	for line := range strings.SplitSeq(u.heeds, "\n") {
		names, words, _ := strings.Cut(line, " : ")
		for name := range strings.FieldsSeq(names) {
			if found := u.heeded(name, words); found != "" {
				u.out.effect(Effect{Kind: Run, Target: found, Words: u.inv.raw, Part: PartWords,
					Note: grammar.Escaped(path.Base(found)) + " may say what"})
				return
			}
		}
	}
}

// heeded returns what was found of one name: a variable, a program that lies
// where the agent or anyone can write, a file of the directory that the program runs in (a final *
// stands for any ending), or one
// of it or any above.
func (u *use) heeded(name, words string) string {
	if variable, ok := strings.CutPrefix(name, "$"); ok {
		return u.inheritsAny(variable)
	}
	if program, ok := strings.CutPrefix(name, "@"); ok {
		if p := u.machine.find(program, u.inv.st); p.foreign {
			return program
		}
		return ""
	}
	dir := path.Clean(u.inv.st.dir)
	if prefix, ok := strings.CutSuffix(name, "*"); ok {
		return u.beginning(dir, strings.TrimPrefix(prefix, "./"))
	}
	if here, ok := strings.CutPrefix(name, "./"); ok {
		return u.holds(path.Join(dir, here), words)
	}
	if real, err := view.Resolve(u.machine.env.Files, dir); err == nil {
		dir = real
	}
	for range maxClimb {
		if found := u.holds(path.Join(dir, name), words); found != "" &&
			(dir != u.machine.env.Home || slices.Contains(u.machine.env.Roots, dir)) {
			return found
		}
		if dir == "/" {
			return ""
		}
		dir = path.Dir(dir)
	}
	return dir
}

// inheritsAny returns an inherited variable of that name, or whose name begins
// so where it ends in a star.
func (u *use) inheritsAny(name string) string {
	prefix, any := strings.CutSuffix(name, "*")
	for _, have := range u.machine.env.Ambient {
		if text, _ := u.machine.inherits(have); text != "" && (have == name || any && strings.HasPrefix(have, prefix)) {
			return "$" + have
		}
	}
	return ""
}

func (u *use) beginning(dir, prefix string) string {
	const enough = 4096
	u.defs.watches(watched{path: path.Join(dir, prefix), command: u.analysis.out.command, heeded: true, begins: true})
	names, err := u.machine.env.Files.List(dir, enough)
	if err != nil {
		return dir
	}
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			return path.Join(dir, name)
		}
	}
	return ""
}

// holds returns the name of a file that is there and holds one of the words;
// without words it is enough that it is there. What the line does to it
// counts: it is watched.
func (u *use) holds(name, words string) string {
	u.defs.watches(watched{path: name, command: u.analysis.out.command, heeded: true})
	if !u.machine.exists(name) {
		return ""
	}
	if words == "" {
		return name
	}
	real, err := view.Resolve(u.machine.env.Files, name)
	if err != nil {
		return name
	}
	u.defs.watches(watched{path: real, command: u.analysis.out.command, heeded: true})
	data, err := u.machine.env.Files.Read(real, maxHeeded)
	if err != nil {
		return name
	}
	u.defs.rests(real, data)
	for word := range strings.FieldsSeq(words) {
		if holdsWord(string(data), word) {
			return name
		}
	}
	return ""
}

// holdsWord reports whether a text holds a word between others, or may spell
// it with escapes.
func holdsWord(text, word string) bool {
	if strings.Contains(text, `\u`) || strings.Contains(text, `\U`) || strings.Contains(text, `\x`) {
		return true
	}
	part := func(c byte) bool {
		return c == '-' || c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(word)
		if (i == 0 || !part(text[i-1])) && (from == len(text) || !part(text[from])) {
			return true
		}
	}
}
