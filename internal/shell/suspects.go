package shell

import (
	"slices"
	"strings"

	"github.com/nodgate/nod/internal/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// What can never run without a person is looked for wherever it stands. In a
// text that is more shell than nod follows, or that no shell grammar reads
// (code of another language, a line with a fault), each run of words that
// could be a command is read as if it ran, and stands in Report.Possible.
// Nothing there clears anything.

// Limits of what is looked at so.
const (
	maxUnread   = 16  // texts
	maxSegments = 512 // runs of words in all
	maxRun      = 64  // words of one run
)

// unread keeps a text of which any run of words may be a command.
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

type suspects struct {
	machine *machine
	report  Report
	seen    map[string]bool
	looked  int
}

// segment reads a run of words from each word on that may be a program.
func (s *suspects) segment(words []string) {
	for i, w := range words {
		if i > maxRun {
			return
		}
		rest := words[i:min(len(words), i+maxRun)]
		switch {
		case i == 0 && strings.Contains(w, "$"):
			s.command(append([]string{"rm"}, rest[1:]...)) // it may be any program: the worst
		case i == 0 && strings.ContainsAny(w, "/."), programLike(w): // a path, or the name of a program
			s.command(rest)
		}
	}
}

// programLike reports whether a word could name a program.
func programLike(w string) bool {
	base := w[strings.LastIndexByte(w, '/')+1:]
	return base != "" && (Known(base) || strings.HasPrefix(base, "nod"))
}

func (s *suspects) command(words []string) {
	s.commandIn(strings.Join(words, " "), s.machine.env.Dir)
}

// commandIn reads a text as if it ran in a directory, and returns what it hands on.
func (s *suspects) commandIn(text, dir string) []handed {
	if s.seen[text] || s.looked >= maxSegments {
		return nil
	}
	s.seen[text] = true
	s.looked++
	file, err := grammar.Line(text, syntax.LangBash)
	if err != nil || len(file.Stmts) != 1 {
		return nil
	}
	a := newAnalysis(s.machine, text, syntax.LangBash)
	a.whole(file.Stmts, state{dir: dir}, input{})
	if a.limits.over == "" {
		s.add(a.out.report)
	}
	return a.out.handed
}

func (s *suspects) add(r Report) {
	base := len(s.report.Commands)
	s.report.Commands = append(s.report.Commands, r.Commands...)
	for _, e := range r.Effects {
		if e.Command >= 0 {
			e.Command += base
		}
		if e.From < e.To {
			e.From, e.To = e.From+base, e.To+base
		}
		s.report.Effects = append(s.report.Effects, e)
	}
}
