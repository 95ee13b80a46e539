package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/commands"
)

// sheet is what the data says of a program, or of one of its subcommands.
// Options are looked up in the text; nothing else of it is parsed.
type sheet struct {
	name    string // as the user knows it: "git remote add"
	heading string // of the section: "remote add"
	file    string
	all     string   // the whole file
	body    string   // the section for this subcommand
	more    []string // other sections whose options count too

	args, none, deep, always, code, skip                                                string
	inert, free, loose, posix, oneDash, bundle, sub, inherit, deaf, responses, replaced bool

	is         Traits // what is told of it to those who judge
	stays      bool   // the command that it starts runs here, as this user, in this directory
	interprets bool   // what it is fed is code
	bare       string // its arguments where none are given
	finds      string // what its command gets lies below its arguments: "roots", or a pattern comes first
	task       string // names of the file that says what it runs
	home       string // who says whether it asks the host that it asks if nobody says otherwise
	hands      string // where among its words a command begins that it runs
}

// sheet returns what is known of a program.
func (m *machine) sheet(name string) (*sheet, bool) {
	for _, s := range m.sheets {
		if s.name == name {
			return s, true
		}
	}
	text, file, ok := commands.Find(name)
	if !ok {
		return nil, false
	}
	s := newSheet(name, file, text)
	m.sheets = append(m.sheets, s)
	return s, true
}

// newSheet is what a file of the data says of a program.
func newSheet(name, file, text string) *sheet {
	s := &sheet{name: name, file: file, all: text}
	s.body = text
	if end := strings.Index(text, "\n["); end >= 0 {
		s.body = text[:end+1]
	}
	if own, ok := s.section("@" + name); ok {
		s.more = append(s.more, s.body) // what the whole family has
		s.body = own
	}
	shared := s.more // directives may add sections whose own do not count
	s.directives(s.body)
	for _, body := range shared {
		s.directives(body)
	}
	return s
}

// section returns the lines under a heading. Headings stand side by side
// where subcommands are alike: [ps][ls].
func (s *sheet) section(name string) (string, bool) {
	heading := "[" + name + "]"
	for from := 0; ; {
		i := strings.Index(s.all[from:], heading)
		if i < 0 {
			return "", false
		}
		i += from
		from = i + len(heading)
		line := strings.LastIndexByte(s.all[:i], '\n') + 1
		if s.all[line] != '[' {
			continue
		}
		start := strings.IndexByte(s.all[i:], '\n')
		if start < 0 {
			return "", false
		}
		return sectionOf(s.all[i+start+1:]), true
	}
}

// sectionOf cuts a text where the next heading begins.
func sectionOf(text string) string {
	if strings.HasPrefix(text, "[") {
		return ""
	}
	if end := strings.Index(text, "\n["); end >= 0 {
		return text[:end+1]
	}
	return text
}

// under returns the sheet of a subcommand.
func (s *sheet) under(sub string) (*sheet, bool) {
	path, body, ok := s.match(sub)
	if !ok {
		return nil, false
	}
	out := &sheet{name: s.name + " " + sub, heading: path, file: s.file, all: s.all, body: body,
		oneDash: s.oneDash, home: s.home}
	if s.inherit {
		out.more = append(out.more, s.body)
		out.more = append(out.more, s.more...)
		out.inherit = true
	}
	out.directives(body)
	return out, true
}

// match finds the section of a subcommand: its own, or the one for any other ([*]).
func (s *sheet) match(sub string) (path, body string, ok bool) {
	prefix := s.heading
	if prefix != "" {
		prefix += " "
	}
	if sub == "" || strings.ContainsAny(sub, "[]*\n") {
		return "", "", false
	}
	path = prefix + sub
	if body, ok = s.section(path); !ok {
		body, ok = s.section(prefix + "*")
	}
	return path, body, ok
}

// directives reads the lines before the first option.
func (s *sheet) directives(body string) {
	for len(body) > 0 {
		var line string
		line, body, _ = strings.Cut(body, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		flag, text := s.flag(word), s.text(word)
		switch {
		case flag != nil:
			*flag = true
			s.inert = s.inert || word == "free" || word == "loose"
		case text != nil:
			*text = cmp.Or(*text, rest)
		case !s.directive(word, rest):
			return
		}
	}
}

// flag is what a directive without words sets.
func (s *sheet) flag(word string) *bool {
	for _, f := range [...]struct {
		word string
		is   *bool
	}{
		{"stays", &s.stays}, {"interprets", &s.interprets}, {"inert", &s.inert}, {"deaf", &s.deaf},
		{"replaced", &s.replaced}, {"responses", &s.responses}, {"free", &s.free}, {"loose", &s.loose},
		{"posix", &s.posix}, {"single", &s.oneDash}, {"bundle", &s.bundle}, {"sub", &s.sub}, {"inherit", &s.inherit},
	} {
		if f.word == word {
			return f.is
		}
	}
	return nil
}

// text is what a directive says of which the first counts.
func (s *sheet) text(word string) *string {
	for _, t := range [...]struct {
		word string
		is   *string
	}{
		{"none", &s.none}, {"deep", &s.deep}, {"code", &s.code}, {"bare", &s.bare}, {"finds", &s.finds},
		{"task", &s.task}, {"home", &s.home}, {"hands", &s.hands},
	} {
		if t.word == word {
			return t.is
		}
	}
	return nil
}

// lists reports whether a list of a program's sheet names a word.
func lists(text, name, word string) bool {
	for rest := text; word != ""; {
		at := strings.Index(rest, "\nlist "+name+" ")
		if at < 0 {
			return false
		}
		line, _, _ := strings.Cut(rest[at+len("\nlist ")+len(name):], "\n")
		for i := 0; ; i += len(word) {
			n := strings.Index(line[i:], word)
			if n < 0 {
				break
			}
			i += n
			if end := i + len(word); line[i-1] == ' ' && (end == len(line) || line[end] == ' ') {
				return true
			}
		}
		rest = rest[at+1:]
	}
	return false
}

// directive reads any other; false where the line is none.
func (s *sheet) directive(word, rest string) bool {
	switch word {
	case "args":
		s.args = cmp.Or(s.args, rest)
		s.posix = s.posix || strings.Contains(rest, "command") || strings.Contains(rest, "assign") ||
			strings.Contains(rest, "away")
	case "does":
		s.always = strings.TrimSpace(s.always + " " + rest)
	case "skip":
		s.skip = " " + rest + " "
	case "is":
		s.is |= traitsOf(rest)
	case "list":
	case "use":
		for name := range strings.SplitSeq(rest, " ") {
			if section, ok := s.section("=" + name); ok && name != "" {
				s.more = append(s.more, section)
				s.directives(section)
			}
		}
	default:
		return false
	}
	return true
}

// option is one line of the data.
type option struct {
	arg  byte   // '=' takes an argument, '?' may have one attached, 0 none
	role string // of the argument
	rest string // what else it does
}

// optionsRead reports whether some option names a file that is read.
func (s *sheet) optionsRead() bool {
	return slices.ContainsFunc(append(s.more[:len(s.more):len(s.more)], s.body), func(body string) bool {
		return strings.Contains(body, " =read") || strings.Contains(body, " =listed")
	})
}

// lookup finds an option by its full spelling.
func (s *sheet) lookup(name string) (option, bool) {
	if o, ok := lookupIn(s.body, name); ok {
		return o, true
	}
	for _, body := range s.more {
		if o, ok := lookupIn(body, name); ok {
			// -v of the program is not -v of its subcommand.
			if strings.HasPrefix(o.rest, "alone") && s.heading != "" && name != "--help" &&
				!(s.oneDash && name == "-help") {
				continue
			}
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

func lookupIn(body, name string) (option, bool) {
	for from := 0; ; {
		i := strings.Index(body[from:], name)
		if i < 0 {
			return option{}, false
		}
		i += from
		from = i + len(name)
		if i > 0 && body[i-1] != '\n' && body[i-1] != ' ' ||
			from < len(body) && body[from] != ' ' && body[from] != '\n' {
			continue
		}
		start := strings.LastIndexByte(body[:i], '\n') + 1
		if !spellings(body[start:i], name) {
			continue
		}
		line, rest, _ := strings.Cut(body[start:], "\n")
		for strings.HasSuffix(line, "\\") { // the options go on
			line, rest, _ = strings.Cut(rest, "\n")
		}
		return parseOption(line), true
	}
}

// spellings reports whether everything before a spelling on its line is one.
func spellings(before, name string) bool {
	for before != "" {
		var word string
		word, before, _ = strings.Cut(before, " ")
		if word != "" && !isSpelling(word) {
			return false
		}
	}
	return isSpelling(name)
}

// isSpelling: -x, --long, +NUM, and key= of programs such as dd.
func isSpelling(word string) bool {
	return len(word) > 1 && (word[0] == '-' || word[0] == '+' || word[len(word)-1] == '=' && word[0] != '=')
}

func parseOption(line string) option {
	var o option
	for line != "" {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "" || isSpelling(word):
		case (word[0] == '=' || word[0] == '?') && o.arg == 0:
			o.arg, o.role = word[0], word[1:]
		default:
			o.rest = line
			return o
		}
		line = rest
	}
	return o
}
