package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nodgate/nod/internal/shell/commands"
)

// The words of the language that commands/README.md describes. What is not
// here is a typing mistake, and would be read as nothing.
const (
	sheetFlags      = " inert free posix single sub inherit responses interprets "
	sheetDirectives = " args none deep does is list skip code use task home hands " + sheetFlags
	sheetWords      = " recursive forced appends alone "
	sheetEffects    = " read list names tree write keeps delete run fetch send remote kill persist secret privilege " +
		"exhaust stdin unknown "
	sheetCodes = " git gitbranch either gitask gitcommit gittag gitrestore gitcheckout gitclean test printf golist push ghapi "
	sheetRoles = " text read list names tree write outfile change delete deltree moved dest destdir link program script inline " +
		"shell shelltext shellcode command assign exec url host remote kill persist variable cd sed awk jq date mode name " +
		"constant format sent pathspec tracked searched pagerfile hardlink unknown pattern include globs exclude prune " +
		"prune-next prune-dirs kind extension "
	// What writes, runs, sends or deletes: an option that does needs an example.
	graveRoles   = " write outfile change delete deltree moved destdir program script inline shell shellcode exec cd "
	graveEffects = " write delete run send remote kill persist secret privilege stdin unknown keeps "
	graveWords   = " inplace deletes send "
)

func among(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// sheetFile is one file, as the test reads it.
type sheetFile struct {
	name     string
	sections []*sheetSection
	examples []string
}

type sheetSection struct {
	headings []string // of the first lines: ""
	line     int
	single   bool
	options  []sheetOption
	spelled  map[string]int
}

type sheetOption struct {
	spellings []string
	grave     bool
	line      int
}

// readSheet reads a file and returns every fault of its language.
func readSheet(name, text string) (f sheetFile, faults []string) {
	fault := func(line int, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s.txt:%d: ", name, line)+fmt.Sprintf(format, args...))
	}
	f.name = name
	s := &sheetSection{headings: []string{""}, line: 1, spelled: map[string]int{}}
	f.sections = append(f.sections, s)
	seen := map[string]int{}
	single, options, examples := false, false, false
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line, number := lines[i], i+1
		for strings.HasSuffix(line, "\\") && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, "\\") + lines[i]
		}
		words := strings.Fields(line)
		switch {
		case line == "":
			fault(number, "an empty line")
		case line[0] == '#':
		case line[0] == '[':
			if s.headings[0] == "" {
				single = s.single
			}
			s = &sheetSection{line: number, single: single, spelled: map[string]int{}}
			options, examples = false, false
			f.sections = append(f.sections, s)
			s.headings = headingsOf(line)
			if s.headings == nil {
				fault(number, "headings stand between brackets: %s", line)
				s.headings = []string{"?"}
			}
			for _, h := range s.headings {
				if first, twice := seen[h]; twice {
					fault(number, "[%s] stands in line %d", h, first)
				}
				seen[h] = number
			}
		case strings.HasPrefix(line, "$ "):
			examples = true
			if !strings.Contains(line, " => ") {
				fault(number, "an example without =>")
			}
			f.examples = append(f.examples, line[2:])
		case examples:
			fault(number, "data behind an example: %s", line)
		case isSpelling(words[0]):
			options = true
			o, why := readOption(words, s)
			o.line = number
			for _, w := range why {
				fault(number, "%s", w)
			}
			for _, spelling := range o.spellings {
				if first, twice := s.spelled[spelling]; twice {
					fault(number, "%s stands in line %d", spelling, first)
				}
				s.spelled[spelling] = number
			}
			s.options = append(s.options, o)
		case options:
			fault(number, "%s stands behind options, where no directive is read", words[0])
		default:
			for _, w := range readDirective(words, s) {
				fault(number, "%s", w)
			}
		}
	}
	return f, faults
}

// headingsOf splits [a][b c]; nil for anything else.
func headingsOf(line string) []string {
	inner, ok := strings.CutPrefix(line, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	list := strings.Split(inner, "][")
	for _, h := range list {
		ok = ok && h != "" && h == strings.Join(strings.Fields(h), " ") && !strings.ContainsAny(h, "[]")
	}
	if !ok || !closed {
		return nil
	}
	return list
}

func readDirective(words []string, s *sheetSection) (faults []string) {
	switch {
	case !among(sheetDirectives, words[0]):
		return []string{"no directive is named " + words[0]}
	case among(sheetFlags, words[0]):
		s.single = s.single || words[0] == "single"
		if len(words) > 1 {
			faults = append(faults, words[0]+" stands alone in its line")
		}
		return faults
	case len(words) == 1:
		return []string{words[0] + " says nothing"}
	}
	switch words[0] {
	case "args":
		return readRoles(words[1:])
	case "is":
		for _, w := range words[1:] {
			if traitOf(w) == 0 {
				faults = append(faults, "no trait is named "+w)
			}
		}
	case "none", "does", "deep":
		_, faults = readEffects(words[1:])
	case "code":
		if len(words) > 2 || !among(sheetCodes, words[1]) {
			faults = append(faults, "no code is named "+strings.Join(words[1:], " "))
		}
	case "home":
		if len(words) > 2 || words[1] != "gh" && words[1] != "go" {
			faults = append(faults, words[0]+" does not take "+strings.Join(words[1:], " "))
		}
	}
	return faults
}

func readRoles(roles []string) (faults []string) {
	variadic := 0
	for _, r := range roles {
		r, many := strings.CutSuffix(r, "...")
		if many && r != "assign" {
			variadic++
		}
		faults = append(faults, readRole(r)...)
	}
	if variadic > 1 {
		faults = append(faults, "two roles take all that are left")
	}
	if len(roles) == 0 {
		faults = append(faults, "no roles")
	}
	return faults
}

func readRole(role string) []string {
	if kind, ok := strings.CutPrefix(role, "pair:"); ok {
		return readRole(kind)
	}
	switch {
	case strings.HasPrefix(role, "{") && strings.HasSuffix(role, "}") && len(role) > 2:
	case strings.HasPrefix(role, "!"):
		_, faults := readEffects([]string{role})
		return faults
	case !among(sheetRoles, role):
		return []string{"no role is named " + role}
	}
	return nil
}

// readOption reads a line of options.
func readOption(words []string, s *sheetSection) (o sheetOption, faults []string) {
	alone := words[len(words)-1] == "alone" // looked up as it is written
	for len(words) > 0 && isSpelling(words[0]) {
		if s.single && !alone && strings.HasPrefix(words[0], "--") && !slices.Contains(words, words[0][1:]) {
			faults = append(faults, words[0]+" is never looked up where options have one dash")
		}
		o.spellings = append(o.spellings, words[0])
		words = words[1:]
	}
	if len(words) > 0 && strings.IndexByte("=?", words[0][0]) >= 0 {
		role := words[0][1:]
		faults = append(faults, readRole(role)...)
		role = strings.TrimPrefix(role, "pair:")
		o.grave = among(graveRoles, role)
		words = words[1:]
	}
	grave, more := readEffects(words)
	o.grave = o.grave || grave
	return o, append(faults, more...)
}

// readEffects reads the words that say what happens.
func readEffects(words []string) (grave bool, faults []string) {
	for i, w := range words {
		effect, is := strings.CutPrefix(w, "!")
		kind, target, _ := strings.Cut(effect, ":")
		switch {
		case w == "args":
			list := words[i+1:]
			if len(list) > 0 && list[len(list)-1] == "end" {
				list = list[:len(list)-1]
			}
			return grave, append(faults, readRoles(list)...)
		case is && !among(sheetEffects, kind):
			faults = append(faults, "no effect is named "+w)
		case is && target == "" && kind != "stdin" && kind != "exhaust":
			faults = append(faults, w+" does not say of what")
		case kind == "keeps" && target != "repo" && target != "tree":
			faults = append(faults, "keeps what: "+w)
		case is:
			grave = grave || among(graveEffects, kind)
		case !among(sheetWords, w) && markOf(w) == 0 && traitOf(strings.TrimPrefix(w, "not:")) == 0:
			faults = append(faults, "no word is named "+w)
		case among(graveWords, w):
			grave = true
		}
	}
	return grave, faults
}

// shows reports whether an example holds an option of a section.
func (f sheetFile) shows(s *sheetSection, o sheetOption) bool {
	return slices.ContainsFunc(f.examples, func(example string) bool {
		command, _, _ := strings.Cut(example, " => ")
		tokens := strings.Fields(command)
		return slices.ContainsFunc(s.headings, func(h string) bool { return under(h, tokens) }) &&
			slices.ContainsFunc(o.spellings, func(spelling string) bool {
				return slices.ContainsFunc(tokens,
					func(t string) bool { return spells(strings.Trim(t, `'"`), spelling, s.single) })
			})
	})
}

// under reports whether a command may be one of a heading: its words stand in it.
func under(heading string, tokens []string) bool {
	for _, word := range strings.Fields(heading) {
		switch {
		case word == "...", strings.HasSuffix(word, "*"), strings.HasPrefix(word, "="):
		case !slices.ContainsFunc(tokens,
			func(t string) bool { return filepath.Base(t) == strings.TrimPrefix(word, "@") }):
			return false
		}
	}
	return true
}

// spells reports whether a word of a command is an option: -x, -x=value, -xvalue, x within -axz.
func spells(token, spelling string, single bool) bool {
	switch {
	case token == spelling, strings.HasPrefix(token, spelling+"="),
		spelling == "-NUM" && token != "-" && strings.Trim(token, "-0123456789") == "":
		return true
	case strings.HasSuffix(spelling, "="):
		return strings.HasPrefix(token, spelling)
	case strings.Contains(spelling, "[no-]"):
		return spells(token, strings.Replace(spelling, "[no-]", "", 1), single) || spells(token,
			strings.Replace(spelling, "[no-]", "no-", 1), single)
	case single:
		return "-"+token == spelling || token == "-"+spelling || strings.HasPrefix(token, "-"+spelling+"=")
	}
	return len(spelling) == 2 && len(token) > 2 && token[0] == '-' && token[1] != '-' && strings.Contains(token,
		spelling[1:])
}

// TestSheets holds that every line of the data is in the language of the data, says nothing twice, and can be reached;
// and that each line of options that writes, runs, sends or deletes has an example, which yields what it says.
func TestSheets(t *testing.T) {
	files, err := filepath.Glob("commands/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no data", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		name = strings.TrimSuffix(filepath.Base(name), ".txt")
		for _, fault := range Faults(name, string(data)) {
			t.Error(name + ": " + fault)
		}
		f, _ := readSheet(name, string(data))
		for _, s := range f.sections {
			for _, h := range s.headings {
				if member, ok := strings.CutPrefix(h, "@"); ok {
					if _, file, ok := commands.Find(member); !ok || file != name {
						t.Errorf("%s.txt:%d: [%s] is never looked at: %s is in %q", name, s.line, h, member, file)
					}
				}
			}
		}
	}
}

// TestSheetsRefuse holds that the reader of the data refuses what it should.
func TestSheetsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"args reed":                    "no role is named reed",
		"-i --in-place inplacce":       "no word is named inplacce",
		"-x !writes:out":               "no effect is named !writes:out",
		"inertt":                       "no directive is named inertt",
		"-a =text\nargs read":          "args stands behind options",
		"-a\n-b -a":                    "-a stands in line 1",
		"[a]\n[b][a]":                  "[a] stands in line 1",
		"-o =writ":                     "no role is named writ",
		"args text... read...":         "two roles take all that are left",
		"code gti":                     "no code is named gti",
		"single\n--long =text":         "is never looked up",
		"$ x y":                        "an example without =>",
		"-a\n\n-b":                     "an empty line",
		"$ x => nothing\n-b =write":    "data behind an example",
		"none":                         "none says nothing",
		"[ab]\n-x =cd\n[@c]\n-x =dest": "",
	} {
		_, faults := readSheet("x", text)
		if got := strings.Join(faults, "\n"); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
