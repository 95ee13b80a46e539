package harm

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/nodgate/nod/internal/place"
	"github.com/nodgate/nod/internal/printable"
	"github.com/nodgate/nod/internal/shell"
)

// verbs are the words by which lines say what they lose, publish or show. The file describes its own format.
//
//go:embed verbs.txt
var verbs string

// operands bounds how many operands of a command may hold its verb.
const operands = 6

// wording is what the words of a call's commands say.
type wording struct{ *place.Call }

// says is what the words of a command say that it does: "lose", "show", "" for
// nothing, or where they say as well that nothing is changed.
func (l wording) says(command int) string {
	c := l.Report.Commands[command]
	words := spoken(c)
	if len(words) == 0 || l.changesNothing(c) {
		return ""
	}
	if launches(words[0]) && l.testsBehind(words, c) {
		return ""
	}
	any := l.openness(command, words[0])
	for _, kind := range [...]string{"lose", "show"} {
		if l.fitsKind(kind, words, c, any) {
			return kind
		}
	}
	if !launches(words[0]) {
		return ""
	}
	return l.saysBehind(words, c)
}

// openness says which lines for any program count: "*" where nod does not know all that a
// command does, "?" as well where the project brings the program, or nod has no sheet of it.
func (l wording) openness(command int, program string) string {
	c := l.Report.Commands[command]
	switch {
	case c.Has(shell.MildVerbs):
		return ""
	case c.Foreign, c.Program == "" && program != "" && !shell.Known(program):
		return "*?"
	case l.reaches(command):
		return "*"
	}
	return ""
}

// testsBehind reports whether a program behind another is told by a line of its own that it changes nothing.
func (l wording) testsBehind(words []string, c shell.Command) bool {
	for i := 1; i < min(len(words), operands); i++ {
		if l.fitsKind("twin", words[i:], c, "") {
			return true
		}
	}
	return false
}

// saysBehind is what the words say that stand behind a program which starts others.
func (l wording) saysBehind(words []string, c shell.Command) string {
	all, isCode := words[:1:1], interprets(path.Base(words[0]))
	for _, w := range words[1:] {
		parts := []string{w}
		if !isCode { // else it is no line of a shell
			parts = strings.Fields(strings.NewReplacer(`"`, " ", "'", " ", ";", " ; ").Replace(w))
			isCode = slices.ContainsFunc(parts, func(w string) bool { return interprets(path.Base(w)) })
		}
		all = append(all, parts...)
	}
	for i := range min(len(all), 2*operands) {
		if l.fitsKind("twin", all[i:], c, "*") {
			return ""
		}
		for _, kind := range [...]string{"lose", "show"} {
			if l.fitsKind(kind, all[i:], c, scripts(all, i)) {
				return kind
			}
		}
	}
	return ""
}

// scripts says which lines for any program count for the word that is looked at: those
// for an unknown one where a shell or an interpreter is handed a script.
func scripts(all []string, i int) string {
	program := path.Base(all[0])
	isScript := i == 1 && path.Ext(all[i]) != "" && all[i][0] != '-'
	if isScript && (interprets(program) || shell.TraitsOf(program).Has(shell.ShellProgram)) {
		return "*?"
	}
	return ""
}

// interprets reports whether a program runs as code what it is fed.
func interprets(program string) bool {
	return listed("interprets", strings.TrimRight(program, "0123456789."))
}

// spoken are the words of a command as they may be looked up, what wraps it before
// them; "" stands for what is not known.
func spoken(c shell.Command) (words []string) {
	for _, w := range c.Wrappers {
		switch base := path.Base(w); {
		case listed("wraps", base):
			words = append(words, base)
		case listed("enters", base):
			words = append(words, base, "exec")
		}
	}
	for _, w := range c.Words {
		if !w.Known {
			w.Value = ""
		}
		if w.Value != "--" || len(words) > 2 || len(c.Wrappers) == 0 {
			words = append(words, w.Value)
		}
	}
	return words
}

// launches reports whether a program starts another that its words name.
func launches(program string) bool { return listed("via", path.Base(program)) }

// said is the file, taken apart: its sentences by kind, and its lists by their first word.
type said struct {
	sentences map[string][]sentence
	lists     map[string][]string
}

// sentence says of some programs by what phrases of their arguments they do something.
type sentence struct {
	programs []string
	phrases  [][]string
}

var spelled = sync.OnceValue(func() said {
	s := said{map[string][]sentence{}, map[string][]string{}}
	for line := range strings.Lines(verbs) {
		head, rest, isSentence := strings.Cut(line, ":")
		words := strings.Fields(head)
		switch {
		case len(words) == 0 || line[0] == '#':
		case !isSentence:
			s.lists[words[0]] = words[1:]
		default:
			says := sentence{programs: words[1:]}
			texts, _, _ := strings.Cut(rest, "=>")
			for phrase := range strings.SplitSeq(texts, ", ") {
				says.phrases = append(says.phrases, strings.Fields(phrase))
			}
			s.sentences[words[0]] = append(s.sentences[words[0]], says)
		}
	}
	return s
})

// listed reports whether the list of that name holds a program.
func listed(name, program string) bool { return slices.Contains(spelled().lists[name], program) }

// anyOf reports whether something holds for one on the list of that name.
func anyOf(name string, is func(string) bool) bool {
	return slices.ContainsFunc(spelled().lists[name], is)
}

// fitsKind reports whether a sentence of this kind fits the words that begin with a
// program. any holds the signs of those for any program that count.
func (l wording) fitsKind(kind string, words []string, c shell.Command, any string) bool {
	program, _, _ := strings.Cut(strings.ToLower(path.Base(words[0])), "@")
	return slices.ContainsFunc(spelled().sentences[kind], func(s sentence) bool {
		isAny := len(s.programs) == 1 && len(s.programs[0]) == 1 && strings.Contains(any, s.programs[0])
		return (isAny || slices.Contains(s.programs, program)) &&
			slices.ContainsFunc(s.phrases, func(phrase []string) bool { return l.fitsPhrase(phrase, words[1:], c) })
	})
}

func (l wording) fitsPhrase(phrase, args []string, c shell.Command) bool {
	at, seen, last, first := 0, 0, -1, false
	for _, token := range phrase {
		switch {
		case token == "^":
			first = true
		case token == "SQL":
			if !slices.ContainsFunc(args, dropsData) && !dropsData(l.Command) { // on the line, beside the client
				return false
			}
		case token == "BRANCH":
			if !l.hasBranch(args, c) {
				return false
			}
		case token == "$":
			if last != len(args)-1 {
				return false
			}
		case token == ";":
			if last+1 < len(args) && !slices.Contains([]string{"|", ";", "&&", "||"}, args[last+1]) {
				return false
			}
		case strings.HasPrefix(token, "-"):
			last = slices.IndexFunc(args, func(arg string) bool { return isOption(token, arg) })
			if last < 0 {
				return false
			}
		default:
			for found := false; !found; at++ {
				if at == len(args) || seen == operands || first && seen == 1 {
					return false
				}
				if strings.HasPrefix(args[at], "-") {
					continue
				}
				seen++
				if strings.Contains(token, "*") && at > 0 && at-1 != last && takesValue(args[at-1]) {
					continue
				}
				if found = isWord(token, args[at]); found {
					last, first = at, false
				}
			}
		}
	}
	return true
}

// takesValue reports whether a word may be the option whose value comes next.
func takesValue(arg string) bool {
	return strings.HasPrefix(arg, "--") && !strings.Contains(arg, "=") && !slices.Contains([]string{"--yes", "--force",
		"--quiet", "--verbose", "--debug", "--all", "--", "--silent", "--show-error", "--location", "--fail",
		"--insecure", "--compressed"}, arg)
}

// isOption reports whether an argument is an option, alone, with a value, or among
// other letters; with * in it, whether it is spelt so.
func isOption(token, arg string) bool {
	if strings.Contains(token, "*") {
		return isWord(token, arg)
	}
	if arg == token || strings.HasPrefix(arg, token+"=") {
		return arg != token+"=none" && arg != token+"=false"
	}
	letters, short := shell.ShortOptions(arg)
	return short && len(token) == 2 && strings.Contains(letters, token[1:]) && len(letters) < 8 &&
		strings.Trim(letters, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isWord reports whether an operand is a word of a phrase: * is any text in it.
func isWord(token, arg string) bool {
	spelt := kebab(arg)
	arg = strings.ToLower(arg)
	before, after, stem := strings.Cut(token, "*")
	if !stem {
		return arg == token || spelt == token
	}
	if strings.HasSuffix(before, "-") && after == "" { // no name of a file
		return strings.HasPrefix(spelt, before) && len(spelt) > len(before) && !strings.ContainsAny(spelt, "./")
	}
	middle, globbed := strings.CutSuffix(after, "*")
	switch {
	case arg == "" || !strings.HasPrefix(arg, before):
		return false
	case before == "" && globbed:
		return strings.Contains(arg, middle)
	case globbed: // /dev/*/*
		return strings.Contains(arg[len(before):], middle)
	}
	return len(arg) > len(before)+len(after) && strings.HasSuffix(arg, after)
}

// kebab is a word as options spell it: deleteStack and delete_stack are delete-stack.
func kebab(word string) string {
	var b strings.Builder
	for i, r := range word {
		if 'A' <= r && r <= 'Z' && i > 0 && 'a' <= word[i-1] && word[i-1] <= 'z' {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return strings.ReplaceAll(strings.ToLower(b.String()), "_", "-")
}

// hasBranch reports whether an operand is the name of a branch that is there, as far as git's files say.
func (l wording) hasBranch(args []string, c shell.Command) bool {
	r := l.At.Repository(path.Clean(c.Dir))
	return r == nil || slices.ContainsFunc(args, func(arg string) bool {
		return r.HasBranch(strings.TrimPrefix(arg, "refs/heads/"))
	})
}

// saying is what a person is told of a command whose words say what it does.
func saying(kind string, c shell.Command) Objection {
	if kind == "show" {
		return Objection("this prints what is secret: " + printable.Line(c.Source, 160))
	}
	return Objection("this cannot be undone: " + printable.Line(c.Source, 160))
}

// changesNothing reports whether the words of a command say that it only shows what it would do.
func (l wording) changesNothing(c shell.Command) bool {
	words := spoken(c)
	return len(words) > 0 && l.fitsKind("twin", words, c, "*")
}

// ShowsLittle reports whether the commands of the line show secrets only beside much else,
// and are asked for daily, or do nothing of note. $(<FILE) is no command, and may be any file.
func (l *Loss) ShowsLittle() bool {
	said, commands := wording{l.Call}, l.Report.Commands
	if strings.Contains(l.Command, "<") {
		return false
	}
	if len(commands) == 2 && said.picksPlain() {
		return true
	}
	for i, c := range commands {
		words := spoken(c)
		if len(words) == 0 || len(c.Wrappers) > 0 || !said.fitsKind("mild", words, c, "") && !said.isQuiet(i) {
			return false
		}
	}
	return len(commands) > 0
}

// isQuiet reports whether a command is known to have no effect, and is not git, which has secrets of its own.
func (l wording) isQuiet(command int) bool {
	return !l.reaches(command) && !isGit(l.Report.Commands[command]) &&
		!slices.ContainsFunc(l.Report.Effects, func(e shell.Effect) bool { return e.Command == command })
}

// picksPlain reports whether the second command picks variables that are no secret from
// what the first prints, or counts them: env | grep NODE, env | wc -l.
func (l wording) picksPlain() bool {
	first, second := l.Report.Commands[0], l.Report.Commands[1]
	env, grep := spoken(first), spoken(second)
	before, after, _ := strings.Cut(l.Command, "|")
	if strings.TrimSpace(before) != first.Source || strings.TrimSpace(after) != second.Source ||
		len(env) != 1 || !listed("environ", env[0]) || len(grep) == 0 {
		return false
	}
	if listed("counts", grep[0]) {
		return len(grep) == 1 || len(grep) == 2 && isOption("-l", grep[1])
	}
	what := strings.ToUpper(strings.Trim(grep[len(grep)-1], "^="))
	return listed("picks", grep[0]) && (len(grep) == 2 || len(grep) == 3 && grep[1] == "-i") && listed("plain", what)
}

// reaches reports whether nod does not know all that a command does, or it acts on something elsewhere.
func (l wording) reaches(command int) bool {
	return slices.ContainsFunc(l.Report.Unknowns, func(u shell.Unknown) bool { return u.Command == command }) ||
		slices.ContainsFunc(l.Report.Effects, func(e shell.Effect) bool {
			return e.Command == command && (e.Kind == shell.Remote || e.Kind == shell.Send)
		})
}
