package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// What can never run without a person is looked for wherever it stands: in a text that is more shell than nod follows,
// or no shell at all, each run of words that could be a command is read as if it ran. Nothing there clears anything.

// Limits of what is looked at so.
const (
	maxUnread   = 16  // texts
	maxSegments = 512 // runs of words in all
	maxRun      = 64  // words of one run
	maxHanded   = 64  // commands of runners
)

// unread keeps a text in which any run of words may be a command.
func (d *draft) unread(text string) {
	if len(d.texts) < maxUnread && !slices.Contains(d.texts, text) {
		d.texts = append(d.texts, text)
	}
}

// possible reads what could be commands in texts that are not followed.
func possible(texts []string, m *machine) *Report {
	s := suspects{machine: m, seen: map[string]bool{}}
	for _, text := range texts {
		for _, words := range append(grammar.Segments(text, true), grammar.Segments(text, false)...) {
			s.segment(words)
		}
	}
	if len(s.report.Commands) == 0 && len(s.report.Effects) == 0 {
		return nil
	}
	return &s.report
}

// supposed is what a text would do if each variable held what the text gives it somewhere: a=~ && rm -rf $a.
func supposed(source string, m *machine, lang syntax.LangVariant) *Report {
	if !strings.Contains(source, "$") {
		return nil
	}
	var values []string
	for _, words := range grammar.Segments(source, false) {
		if !strings.Contains(words[len(words)-1], "=") {
			continue // d=x rm $d: the shell has another d
		}
		for _, w := range words {
			if name, text, ok := strings.Cut(w, "="); ok && grammar.Identifier(name) {
				if rest, home := strings.CutPrefix(text, "~"); home { // it may be used in quotes
					text = "$HOME" + rest
				}
				values = append(values, "${"+name+"}", text, "$"+name, text)
			}
		}
	}
	for _, rest := range strings.Split(source, "$(find ")[1:] { // all that lies there
		if place, _, ok := strings.Cut(rest, ")"); ok && len(strings.Fields(place)) == 1 {
			values = append(values, "$(find "+place+")", strings.TrimSpace(place)+"/*")
		}
	}
	text := strings.NewReplacer(values...).Replace(source)
	file, err := grammar.Line(text, lang)
	if text == source || err != nil {
		return nil
	}
	a := newAnalysis(m, text, lang)
	if a.whole(file.Stmts, state{dir: m.env.Dir}); a.limits.over != "" {
		return nil
	}
	return &Report{Commands: a.out.report.Commands, Effects: a.out.report.Effects}
}

type suspects struct {
	machine *machine
	report  Report
	seen    map[string]bool
	looked  int
	away    bool // what is found runs on another machine, or in a container
}

// segment reads a run of words from each word on that may be a program.
func (s *suspects) segment(words []string) {
	for i, w := range words {
		if i > maxRun {
			return
		}
		rest, base := words[i:min(len(words), i+maxRun)], w[strings.LastIndexByte(w, '/')+1:]
		switch {
		case i == 0 && strings.Contains(w, "$"):
			s.command(append([]string{"rm"}, rest[1:]...)) // it may be any program: the worst
		case i == 0 && strings.ContainsAny(w, "/."), // a path, or the name of a program
			base != "" && (Known(base) || strings.HasPrefix(base, "nod")):
			s.command(rest)
		}
	}
}

func (s *suspects) command(words []string) {
	text := strings.Join(words, " ")
	if s.seen[text] || s.looked >= maxSegments {
		return
	}
	s.seen[text] = true
	s.looked++
	file, err := grammar.Line(text, syntax.LangBash)
	if err != nil || len(file.Stmts) != 1 {
		return
	}
	a := newAnalysis(s.machine, text, syntax.LangBash)
	a.whole(file.Stmts, state{dir: s.machine.env.Dir})
	if a.limits.over == "" {
		s.add(a.out.report)
	}
}

func (s *suspects) add(r Report) {
	base := len(s.report.Commands)
	s.report.Commands = append(s.report.Commands, r.Commands...)
	for _, e := range r.Effects {
		if e.Command >= 0 {
			e.Command += base
		}
		if !s.away && (e.Words != "" || e.Kind != Write) { // what xargs is fed may be changed: nobody knows it
			s.report.Effects = append(s.report.Effects, e)
		}
	}
	if r.Handed != nil {
		s.add(*r.Handed)
	}
}

// A runner (uv run, npx, bundle exec) starts the command that its words are. That is unread
// code; but the words are read as a command too, which can only speak against the line.

// handOver reads what may be the command among the words of a runner. where is "here", or the words behind which it
// begins; with a + behind one, one more word later, with ... further words follow that come from the pipe.
func handOver(u *use, where string, args []word) {
	for _, begin := range strings.Fields(where) {
		begin, later := strings.CutSuffix(begin, "+")
		begin, fed := strings.CutSuffix(begin, "...")
		if fed {
			args = append(slices.Clip(args), u.fed()...)
		}
		if begin == "here" {
			handBehind(u, args, later)
			continue
		}
		for i, w := range args {
			if w.known && w.text == begin {
				handBehind(u, args[i+1:], later)
			}
		}
	}
}

// handBehind begins at each word that may be the first behind the runner's own options: an option's value may be the
// command, nod does not tell. A value with blanks may be a text for a shell.
func handBehind(u *use, args []word, later bool) {
	for i, w := range args {
		name, _, assigns := strings.Cut(w.text, "=")
		switch {
		case !w.known:
			return
		case w.dashed():
			continue
		case strings.ContainsAny(name, " \t\n") || !assigns && strings.ContainsAny(w.text, " \t\n"):
			hand(u, []word{{value: constant("sh")}, {value: constant("-c")}, w})
			continue // others may stand behind it
		case assignmentLike(w):
			continue
		}
		hand(u, args[i:])
		if later && i+1 < len(args) {
			handBehind(u, args[i+1:], false)
		}
		if i == 0 || !args[i-1].dashed() || args[i-1].text == "--" {
			return
		}
	}
}

// hand reads words as a command too.
func hand(u *use, words []word) {
	if u.machine.handed++; u.machine.handed > maxHanded || len(words) == 0 {
		return
	}
	words = slices.Clone(words)
	for i, w := range words {
		if w.text == "{}" { // of xargs -I
			words[i] = word{raw: w.raw}
		}
	}
	b := newAnalysis(u.machine, u.now.src, u.now.lang)
	b.out.report.Commands[b.out.enter(u.inv.raw)].Words = exposed(words)
	b.out.report.Commands[0].Dir = u.inv.st.dir
	b.run(words, u.inv.raw, u.inv.st, input{}, true)
	if u.out.beyond = u.out.beyond || b.out.beyond; b.limits.over != "" {
		return
	}
	s := suspects{report: *cmp.Or(u.out.report.Handed, &Report{}), away: strings.HasPrefix(u.hands, "away")}
	b.out.report.Effects = slices.DeleteFunc(b.out.report.Effects, func(e Effect) bool {
		return e.Words == "{}" && (e.Kind == Read && e.Picked != "" || b.out.report.By(e, CopiesFiles))
	})
	s.add(b.out.report)
	u.out.report.Handed = &s.report
}

// found is the word for what a search finds below a place.
func (u *use) found(root Effect) word {
	text := strings.TrimSuffix(root.Target, "/") + "/*"
	return word{value: value{text: text, known: true, glob: len(text)}, raw: "{}", picked: root.Picked}
}

// fed are the words that xargs adds: what the search before it found, as far as nod knows.
func (u *use) fed() []word {
	for _, e := range u.out.report.Effects {
		if e.Command == u.out.command-1 && u.inv.in.kind == piped && e.Names && e.Recursive && e.Target != "" &&
			e.Picked == "" && u.out.report.By(e, PrintsFiles) {
			w := u.found(e)
			w.raw = "" // no word of the line
			return []word{w}
		}
	}
	return []word{{many: true}}
}

// handFound reads the command of find -exec for each place where it looks.
func (u *use) handFound(words []word) {
	places := u.pos
	if len(places) == 0 {
		places = []word{{value: constant("."), raw: "."}}
	}
	for _, root := range places {
		name, ok := u.machine.absolute(root, u.inv.st)
		command := slices.Clone(words)
		for i, w := range command {
			switch {
			case w.text == "{}" && ok && root.glob == 0:
				command[i] = u.found(Effect{Target: name, Picked: u.sift.picked()})
			case strings.Contains(w.text, "{}"):
				command[i] = word{raw: w.raw}
			}
		}
		hand(u, command)
	}
}
