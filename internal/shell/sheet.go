package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/commands"
)

// sheet is what the data says of a program, or of one of its subcommands.
type sheet struct {
	name     string // as the user knows it: "git remote add"
	heading  string // of the section: "remote add"
	all      string // the whole file
	sections map[string]*section
	own      *section   // for this subcommand
	more     []*section // others whose options count too

	args, none, deep, always, code, skip string

	task  string // names of the file that says what it runs
	home  string // who says whether it asks its usual host
	hands string // where among its words a command begins that it runs

	inert, free, posix, oneDash, sub, inherit, responses bool

	interprets bool   // what it is fed is code
	is         Traits // what is told of it to those who judge
}

// section is what stands under one heading: directives, a line each, and options by
// their spellings.
type section struct {
	directives []string
	options    map[string]option
}

// option is one line of the data.
type option struct {
	arg  byte   // '=' takes an argument, '?' may have one attached, 0 none
	role string // of the argument
	rest string // what else it does
}

// sheet returns what is known of a program.
func (m *machine) sheet(name string) (*sheet, bool) {
	for _, s := range m.sheets {
		if s.name == name {
			return s, true
		}
	}
	text, _, ok := commands.Find(name)
	if !ok {
		return nil, false
	}
	s := newSheet(name, text)
	m.sheets = append(m.sheets, s)
	return s, true
}

// newSheet is what a file of the data says of a program.
func newSheet(name, text string) *sheet {
	s := &sheet{name: name, all: text, sections: sectionsOf(text)}
	s.own = s.sections[""]
	if member, ok := s.sections["@"+name]; ok {
		s.more = append(s.more, s.own) // what the whole family has
		s.own = member
	}
	shared := s.more // directives may add sections whose own do not count
	s.directives(s.own)
	for _, family := range shared {
		s.directives(family)
	}
	return s
}

// sectionsOf cuts a file at its headings, which stand side by side where subcommands are
// alike: [ps][ls].
func sectionsOf(text string) map[string]*section {
	now := &section{options: map[string]option{}}
	sections := map[string]*section{"": now}
	text = strings.ReplaceAll(text, "\\\n", "") // options that go on
	for line := range strings.Lines(text) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "" || line[0] == '#' || line[0] == '$':
		case line[0] == '[':
			now = &section{options: map[string]option{}}
			for heading := range strings.SplitSeq(strings.Trim(line, "[]"), "][") {
				sections[heading] = now
			}
		default:
			now.add(line)
		}
	}
	return sections
}

// add takes a line of options, or a directive.
func (s *section) add(line string) {
	words := strings.Fields(line)
	n := slices.IndexFunc(words, func(w string) bool { return !isSpelling(w) })
	if n < 0 {
		n = len(words)
	}
	if n == 0 {
		s.directives = append(s.directives, line)
		return
	}
	var o option
	rest := words[n:]
	if len(rest) > 0 && (rest[0][0] == '=' || rest[0][0] == '?') {
		o.arg, o.role, rest = rest[0][0], rest[0][1:], rest[1:]
	}
	o.rest = strings.Join(rest, " ")
	for _, spelling := range words[:n] {
		s.options[spelling] = o
	}
}

// isSpelling: -x, --long, +NUM, and key= of programs such as dd.
func isSpelling(word string) bool {
	return len(word) > 1 && (word[0] == '-' || word[0] == '+' || word[len(word)-1] == '=' && word[0] != '=')
}

// under returns the sheet of a subcommand: its own section, or the one for any other ([*]).
func (s *sheet) under(sub string) (*sheet, bool) {
	path := strings.TrimSpace(s.heading + " " + sub)
	own, ok := s.sections[path]
	if !ok || sub == "" || strings.IndexByte("*@=", sub[0]) >= 0 {
		own, ok = s.sections[strings.TrimSpace(s.heading+" *")]
	}
	if !ok || sub == "" {
		return nil, false
	}
	out := &sheet{name: s.name + " " + sub, heading: path, all: s.all, sections: s.sections, own: own,
		oneDash: s.oneDash, home: s.home}
	if s.inherit {
		out.more = append([]*section{s.own}, s.more...)
		out.inherit = true
	}
	out.directives(own)
	return out, true
}

// directives heeds those of a section. Of those that say one thing the first counts.
func (s *sheet) directives(from *section) {
	texts := map[string]*string{"args": &s.args, "none": &s.none, "deep": &s.deep, "code": &s.code, "skip": &s.skip,
		"task": &s.task, "home": &s.home, "hands": &s.hands}
	flags := map[string]*bool{"inert": &s.inert, "free": &s.free, "posix": &s.posix, "single": &s.oneDash,
		"sub": &s.sub, "inherit": &s.inherit, "responses": &s.responses, "interprets": &s.interprets}
	for _, line := range from.directives {
		word, rest, _ := strings.Cut(line, " ")
		text, flag := texts[word], flags[word]
		switch {
		case text != nil:
			*text = cmp.Or(*text, rest)
		case flag != nil:
			*flag = true
			s.inert = s.inert || s.free
		case word == "does":
			s.always = strings.TrimSpace(s.always + " " + rest)
		case word == "is":
			s.is |= traitsOf(rest)
		case word == "use":
			s.uses(rest)
		}
	}
}

// uses adds sections that others share.
func (s *sheet) uses(names string) {
	for name := range strings.FieldsSeq(names) {
		if shared, ok := s.sections["="+name]; ok {
			s.more = append(s.more, shared)
			s.directives(shared)
		}
	}
}

// lists reports whether a list of a program's sheet holds a word.
func lists(text, name, word string) bool {
	for head := "\nlist " + name + " "; ; {
		_, after, found := strings.Cut(text, head)
		if !found {
			return false
		}
		line, _, _ := strings.Cut(after, "\n")
		for w := range strings.FieldsSeq(line) {
			if w == word {
				return true
			}
		}
		text = after[len(line):]
	}
}

// listed are the words of a list of a program's sheet, which may have several lines.
func listed(text, name string) (words []string) {
	for _, line := range strings.Split(text, "\nlist "+name+" ")[1:] {
		line, _, _ = strings.Cut(line, "\n")
		words = append(words, strings.Fields(line)...)
	}
	return words
}

// optionsRead reports whether some option names a file that is read.
func (s *sheet) optionsRead() bool {
	for _, from := range append([]*section{s.own}, s.more...) {
		for _, o := range from.options {
			if o.role == "read" {
				return true
			}
		}
	}
	return false
}

// lookup finds an option by its full spelling.
func (s *sheet) lookup(name string) (option, bool) {
	if o, ok := s.own.options[name]; ok {
		return o, true
	}
	for _, from := range s.more {
		o, ok := from.options[name]
		// -v of the program is not -v of its subcommand.
		ofProgram := strings.HasPrefix(o.rest, "alone") && s.heading != "" && name != "--help" &&
			!(s.oneDash && name == "-help")
		if ok && !ofProgram {
			return o, true
		}
	}
	return option{}, false
}

// long finds a long option, also as the negation that --[no-]x stands for.
func (s *sheet) long(name string) (option, bool) {
	if o, ok := s.lookup(name); ok {
		return o, true
	}
	positive, negated := strings.CutPrefix(name, "--no-")
	if !negated {
		return s.lookup("--[no-]" + strings.TrimPrefix(name, "--"))
	}
	_, ok := s.lookup("--[no-]" + positive)
	return option{}, ok // a negation takes no argument and undoes an effect
}
