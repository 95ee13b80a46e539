package shell

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/commands"
)

// sheet is what the data says of a program, or of one of its subcommands. Options are
// looked up in the text, and nothing else of it is parsed.
type sheet struct {
	name    string   // as the user knows it: "git remote add"
	heading string   // of the section: "remote add"
	all     string   // the whole file
	own     string   // the lines for this subcommand
	more    []string // of other sections whose options count too

	args, none, deep, always, code, skip string

	task  string // names of the file that says what it runs
	home  string // who says whether it asks its usual host
	hands string // where among its words a command begins that it runs

	inert, free, posix, oneDash, sub, inherit, responses bool

	interprets bool   // what it is fed is code
	is         Traits // what is told of it to those who judge
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
	s := &sheet{name: name, all: text, own: untilHeading(text)}
	if member, ok := s.section("@" + name); ok {
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

// section returns the lines under a heading. Headings stand side by side where subcommands are alike: [ps][ls].
func (s *sheet) section(name string) (string, bool) {
	for at, heading := 0, "["+name+"]"; ; at += len(heading) {
		next := strings.Index(s.all[at:], heading)
		if next < 0 {
			return "", false
		}
		at += next
		if line := strings.LastIndexByte(s.all[:at], '\n') + 1; s.all[line] == '[' {
			_, body, _ := strings.Cut(s.all[at:], "\n")
			return untilHeading(body), true
		}
	}
}

// untilHeading are the lines before the next heading. Options may go on in a further line.
func untilHeading(text string) string {
	if strings.HasPrefix(text, "[") {
		return ""
	}
	text, _, _ = strings.Cut(text, "\n[")
	return strings.ReplaceAll(text, "\\\n", "")
}

// lookupIn finds an option in the lines of a section.
func lookupIn(section, name string) (o option, found bool) {
	if !isSpelling(name) || !strings.Contains(section, name) {
		return option{}, false
	}
	for line := range strings.Lines(section) {
		if !strings.Contains(line, name) {
			continue
		}
		words := strings.Fields(line)
		n := slices.IndexFunc(append(words, "end"), func(w string) bool { return !isSpelling(w) })
		rest := words[n:]
		if !slices.Contains(words[:n], name) {
			continue
		}
		if len(rest) > 0 && (rest[0][0] == '=' || rest[0][0] == '?') {
			o.arg, o.role, rest = rest[0][0], rest[0][1:], rest[1:]
		}
		o.rest = strings.Join(rest, " ")
		return o, true
	}
	return option{}, false
}

// isSpelling: -x, --long, +NUM, and key= of programs such as dd.
func isSpelling(word string) bool {
	return len(word) > 1 && (word[0] == '-' || word[0] == '+' || word[len(word)-1] == '=' && word[0] != '=')
}

// under returns the sheet of a subcommand: its own section, or the section for any other subcommand ([*]).
func (s *sheet) under(sub string) (*sheet, bool) {
	if sub == "" || strings.ContainsAny(sub, "[]*@=\n") {
		return nil, false
	}
	path := strings.TrimSpace(s.heading + " " + sub)
	own, ok := s.section(path)
	if !ok {
		own, ok = s.section(strings.TrimSpace(s.heading + " *"))
	}
	if !ok {
		return nil, false
	}
	out := &sheet{name: s.name + " " + sub, heading: path, all: s.all, own: own, oneDash: s.oneDash, home: s.home}
	if s.inherit {
		out.more = append([]string{s.own}, s.more...)
		out.inherit = true
	}
	out.directives(own)
	return out, true
}

// directives heeds those of a section, which stand before its first option. Of those that
// say one thing the first counts.
func (s *sheet) directives(section string) {
	for line := range strings.Lines(section) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if isSpelling(word) {
			return
		}
		text, flag := s.text(word), s.flag(word)
		switch {
		case text != nil:
			*text = cmp.Or(*text, rest)
		case flag != nil:
			*flag = true
			s.inert = s.inert || s.free
		case word == "does":
			s.always = strings.TrimSpace(s.always + " " + rest)
		case word == "is":
			for trait := range strings.FieldsSeq(rest) {
				s.is |= traitOf(trait)
			}
		case word == "use":
			s.uses(rest)
		}
	}
}

// text is what a directive sets that is followed by a text, nil for no such directive.
func (s *sheet) text(directive string) *string {
	i := slices.Index([]string{"args", "none", "deep", "code", "skip", "task", "home", "hands"}, directive)
	if i < 0 {
		return nil
	}
	return [...]*string{&s.args, &s.none, &s.deep, &s.code, &s.skip, &s.task, &s.home, &s.hands}[i]
}

// flag is what a directive sets that stands alone, nil for no such directive.
func (s *sheet) flag(directive string) *bool {
	i := slices.Index([]string{"inert", "free", "posix", "single", "sub", "inherit", "responses", "interprets"},
		directive)
	if i < 0 {
		return nil
	}
	return [...]*bool{&s.inert, &s.free, &s.posix, &s.oneDash, &s.sub, &s.inherit, &s.responses, &s.interprets}[i]
}

// uses adds sections that others share.
func (s *sheet) uses(names string) {
	for name := range strings.FieldsSeq(names) {
		if shared, ok := s.section("=" + name); ok {
			s.more = append(s.more, shared)
			s.directives(shared)
		}
	}
}

// lists reports whether a list of a program's sheet holds a word.
func lists(text, name, word string) bool {
	for line := range listLines(text, name) {
		if word != "" && strings.Contains(line, word) && strings.Contains(" "+line+" ", " "+word+" ") {
			return true
		}
	}
	return false
}

// listed are the words of a list of a program's sheet.
func listed(text, name string) (words []string) {
	for line := range listLines(text, name) {
		words = append(words, strings.Fields(line)...)
	}
	return words
}

// listLines are the lines of a list, which stand one below the other.
func listLines(text, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		head := "list " + name + " "
		_, rest, found := strings.Cut(text, "\n"+head)
		for line := ""; found; rest, found = strings.CutPrefix(rest, head) {
			if line, rest, _ = strings.Cut(rest, "\n"); !yield(line) {
				return
			}
		}
	}
}

// lookup finds an option by its full spelling.
func (s *sheet) lookup(name string) (option, bool) {
	if o, ok := lookupIn(s.own, name); ok {
		return o, true
	}
	for _, from := range s.more {
		o, ok := lookupIn(from, name)
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

// OtherSpellings returns the other spellings of an option, as the data of its program lists them side by side: --force
// for -f, and --recursive and -R for -r. Of several options with one letter in a line it takes all.
func OtherSpellings(program, option string) []string {
	text, _, _ := commands.Find(program)
	letter := func(word string) string { return strings.ToLower(strings.TrimLeft(word, "-") + " ")[:1] }
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if line[0] == '-' && slices.Contains(words, option) {
			return slices.DeleteFunc(words, func(w string) bool { return w[0] != '-' || letter(w) != letter(option) })
		}
	}
	return nil
}

// Known reports whether the data or the shell itself knows a program of that
// name. A rule whose first word is known is a pattern, not prose.
func Known(program string) bool {
	_, _, ok := commands.Find(program)
	return ok || shellOwns(program)
}

// Name is the kind in words.
func (k Kind) Name() string {
	return [...]string{"unknown", "read", "write", "delete", "run", "fetch", "send", "remote change", "kill",
		"persist", "secret", "privilege", "exhaust"}[k]
}

// Name is the place in words.
func (p Place) Name() string {
	return [...]string{"elsewhere", "workspace", "temporary", "home", "home", "system", "device", "nowhere",
		"network"}[p]
}
