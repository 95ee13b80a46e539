package shell

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"github.com/nodgate/nod/internal/view"
)

// maxHeeded bounds how much of a file that a program heeds is read.
const maxHeeded = 256 << 10

// heeder looks for what makes a program run, load or change what its arguments
// do not say.
type heeder struct {
	machine *machine
	defs    *definitions
	out     *draft
	*sheet
	inv *invocation
}

func (u *use) heeder() *heeder {
	return &heeder{machine: u.machine, defs: &u.defs, out: &u.out, sheet: u.sheet, inv: u.inv}
}

// heed reports what the directive heeds of a sheet names: files and variables
// that can make the program run, load or change what its arguments do not say.
func (h *heeder) heed() {
	if h.out.away != "" {
		return
	}
	if h.machine.env.Files == nil || h.inv.st.dir == "" {
		h.out.unknown(PartWords, h.inv.raw, "what "+h.sheet.name+", and nod does not know what it finds where it runs")
		return
	}
	for line := range strings.SplitSeq(h.heeds, "\n") {
		names, words, _ := strings.Cut(line, " : ")
		for name := range strings.FieldsSeq(names) {
			if found := h.heeded(name, words); found != "" {
				h.out.effect(Effect{Kind: Run, Target: found, Words: h.inv.raw, Part: PartWords,
					Note: grammar.Escaped(path.Base(found)) + " may say what"})
				return
			}
		}
	}
}

// heeded returns what was found of one name: a variable, a program that lies
// where the agent or anyone can write, a file of the directory that the program runs in (a final *
// stands for any ending), a file at home, or one of the directory or any above.
func (h *heeder) heeded(name, words string) string {
	if variable, ok := strings.CutPrefix(name, "$"); ok {
		return h.inheritsAny(variable)
	}
	if program, ok := strings.CutPrefix(name, "@"); ok {
		if p := h.machine.find(program, h.inv.st); p.foreign {
			return program
		}
		return ""
	}
	dir := path.Clean(h.inv.st.dir)
	if prefix, ok := strings.CutSuffix(name, "*"); ok {
		return h.beginning(dir, strings.TrimPrefix(prefix, "./"))
	}
	if own, ok := strings.CutPrefix(name, "~/"); ok {
		if h.machine.env.Home == "" {
			return own // where that is nobody knows
		}
		return h.holds(path.Join(h.machine.env.Home, own), words)
	}
	if here, ok := strings.CutPrefix(name, "./"); ok {
		return h.holds(path.Join(dir, here), words)
	}
	if any, ok := strings.CutPrefix(name, "**/"); ok {
		return h.around(dir, any, words)
	}
	return h.above(dir, name, words)
}

// around looks for a file above, in and below a directory, and the same for each
// argument that is there.
func (h *heeder) around(dir, name, words string) string {
	starts := []string{dir}
	for _, w := range h.inv.args {
		abs, ok := absolute(w, h.inv.st)
		if ok && w.glob > 0 {
			abs, _ = globDir(abs, len(abs)-len(w.text)+w.glob-1)
		}
		if ok && h.machine.exists(abs) {
			starts = append(starts, abs)
		}
	}
	for _, start := range starts {
		if real, err := view.Resolve(h.machine.env.Files, start); err == nil {
			start = real
		}
		left := maxHeededDirs
		if found := cmp.Or(h.above(start, name, words), h.below(start, name, words, &left)); found != "" {
			return found
		}
	}
	return ""
}

// maxHeededDirs is how many directories are looked through for settings.
const maxHeededDirs = 3000

// below looks through all directories below, left of them at most.
func (h *heeder) below(dir, name, words string, left *int) string {
	entries, err := h.machine.env.Files.Entries(dir, maxHeededNames)
	if *left--; *left < 0 {
		return dir
	}
	if err != nil {
		if info, err := h.machine.env.Files.Lstat(dir); err == nil && info.Mode.IsDir() {
			return dir // what is in it cannot be told
		}
		return ""
	}
	for _, e := range entries {
		found := ""
		switch {
		case e.Name == name:
			found = h.holds(path.Join(dir, name), words)
		case e.Type.IsDir():
			found = h.below(path.Join(dir, e.Name), name, words, left)
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// maxHeededNames is how many names of a directory are looked at.
const maxHeededNames = 20_000

// above looks in a directory and in all above it.
func (h *heeder) above(dir, name, words string) string {
	if real, err := view.Resolve(h.machine.env.Files, dir); err == nil {
		dir = real
	}
	for range maxClimb {
		if found := h.holds(path.Join(dir, name), words); found != "" &&
			(dir != h.machine.env.Home || slices.Contains(h.machine.env.Roots, dir)) {
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
func (h *heeder) inheritsAny(name string) string {
	prefix, any := strings.CutSuffix(name, "*")
	for _, have := range h.machine.env.Ambient {
		if text, _ := h.machine.inherits(have); text != "" && (have == name || any && strings.HasPrefix(have, prefix)) {
			return "$" + have
		}
	}
	return ""
}

func (h *heeder) beginning(dir, prefix string) string {
	const enough = 4096
	h.defs.watches(watched{path: path.Join(dir, prefix), command: h.out.command, heeded: true, begins: true})
	names, err := h.machine.env.Files.List(dir, enough)
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
func (h *heeder) holds(name, words string) string {
	h.defs.watches(watched{path: name, command: h.out.command, heeded: true})
	if !h.machine.exists(name) {
		return ""
	}
	if words == "" {
		return name
	}
	real, err := view.Resolve(h.machine.env.Files, name)
	if err != nil {
		return name
	}
	h.defs.watches(watched{path: real, command: h.out.command, heeded: true})
	if h.defs.settingsElsewhere(name, real); words == "-" {
		return ""
	}
	data, err := h.machine.env.Files.Read(real, maxHeeded)
	if err != nil {
		return name
	}
	h.defs.rests(real, data)
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
	for _, sign := range [...]string{`\u`, `\U`, `\x`, "\\\n", "\\\r\n", "\x00"} { // the last is of UTF-16
		if strings.Contains(text, sign) {
			return true
		}
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
